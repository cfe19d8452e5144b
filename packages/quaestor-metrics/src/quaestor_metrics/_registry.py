"""Every metric there is: the built-in ones, those of installed packages (entry-point group
`quaestor.metrics`), and variants of both."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from quaestor_metrics._answer_metrics import AnswerConsistency, AnswerProbability
from quaestor_metrics._answerability import Answerability
from quaestor_metrics._bertscore import BERTScore
from quaestor_metrics._bleu import BLEU, ORDERS, CorpusBLEU, Sentences
from quaestor_metrics._contract import MetricSpec, MetricUnavailable, Scorer
from quaestor_metrics._meteor import METEOR
from quaestor_metrics._models import TransformerModel
from quaestor_metrics._moverscore import MoverScore
from quaestor_metrics._nist import NIST, CorpusNIST
from quaestor_metrics._other_programs import PROGRAMS
from quaestor_metrics._q_metric import QMetric, can_mix
from quaestor_metrics._rank_at_5 import RankAt5, can_rank
from quaestor_metrics._rouge import ROUGEL
from quaestor_metrics._sacrebleu import LIBRARY_METRICS
from quaestor_metrics._set_metrics import MEASURES, Average, Composed, PairScores, can_compose
from quaestor_metrics._set_properties import SET_PROPERTIES
from quaestor_metrics._variants import AVERAGES, VARIANTS

GROUP = "quaestor.metrics"
BUILT_IN = "built in"
# Combinations that papers print under names of their own; docs/metrics.md says which
PRINTED = (
    "q_bleu_1",
    "q_bleu_4",
    "q_nist",
    "f_bleu_4",
    "f_rouge_l",
    "f_meteor",
    "multi_bleu_4",
    "multi_rouge_l",
    "multi_meteor",
    "multi_q_bleu_1",
)


class UnknownMetric(LookupError):
    """No metric has that id."""


@dataclass(frozen=True, slots=True)
class RegisteredMetric:
    """One metric of the list: its origin is `built in` or a package; one without a reason is usable."""

    id: str
    origin: str
    metric: Scorer | None
    reason: str = ""

    @property
    def usable(self) -> bool:
        """Whether the metric can be used here."""
        return self.metric is not None and not self.reason


class Registry:
    """The metrics that can be asked for by id, with the models that they run.

    Parameters
    ----------
    models : mapping of str to TransformerModel, optional
        Transformers for BERTScore and MoverScore, by name.
    readers : mapping of str to TransformerModel, optional
        Models that answer questions, by name.

    Examples
    --------
    >>> Registry().get("multi_q_rouge_l").spec.name
    'Multi-Q-ROUGE-L (beta 1.2)'
    """

    def __init__(
        self,
        *,
        models: Mapping[str, TransformerModel] | None = None,
        readers: Mapping[str, TransformerModel] | None = None,
    ) -> None:
        self.models, self.readers = models or {}, readers or {}
        self._variants: dict[str, Scorer] = {}
        self._pairs: dict[str, PairScores] = {}

    @cached_property
    def entries(self) -> dict[str, RegisteredMetric]:
        """The built-in metrics and those of installed packages, by id."""
        entries = {
            metric.spec.id: RegisteredMetric(metric.spec.id, BUILT_IN, metric)
            for metric in self._built_in()
        }
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
            entry = loaded(point, taken=entries.keys())
            entries[entry.id] = entry
        return entries

    def list_metrics(self) -> tuple[RegisteredMetric, ...]:
        """List every metric; one that cannot be used here has a reason.

        Returns
        -------
        tuple of RegisteredMetric
            Base metrics, then the combinations that papers print under names of their own.

        Examples
        --------
        >>> [entry.id for entry in Registry().list_metrics()][:2]
        ['bleu_1', 'bleu_2']
        """
        printed = (RegisteredMetric(id, BUILT_IN, self.get(id)) for id in PRINTED)
        return tuple(_checked(entry) for entry in (*self.entries.values(), *printed))

    def get(self, id: str) -> Scorer:
        """Return a metric.

        Parameters
        ----------
        id : str
            Of a base metric, or of a variant: `q_`, `p_`, `r_`, `f_`, `multi_`, `avg_`,
            `conservative_` or `liberal_` before the id of a metric of one question, `rank5_` before
            that of a set metric.

        Returns
        -------
        Scorer
            The metric.

        Raises
        ------
        UnknownMetric
            There is no such metric or variant.
        MetricUnavailable
            The metric of an installed package did not load.
        """
        if entry := self.entries.get(id):
            if entry.metric is None:
                raise MetricUnavailable(f"{id}: {entry.reason}")
            return entry.metric
        if id not in self._variants:
            variant, _, base = id.partition("_")
            makers = self._makers()
            if variant not in makers or not base:
                raise UnknownMetric(
                    f"no metric is called {id}; there are {', '.join(self.entries)}"
                )
            fits, make = makers[variant]
            inner = self.get(base)
            if not fits(inner.spec):
                raise UnknownMetric(f"{base} has no variant {variant}")
            self._variants[id] = make(inner)
        return self._variants[id]

    def base_of(self, id: str) -> str:
        """Return the id of the metric of which another one is a variant, or that id itself."""
        while id not in self.entries and "_" in id:
            id = id.partition("_")[2]
        return id

    def variants(self, id: str) -> tuple[str, ...]:
        """Return the variants that a base metric has, of those in `VARIANTS`."""
        entry = self.entries.get(id)
        if entry is None or entry.metric is None:
            return ()
        spec = entry.metric.spec
        mixes, composes = can_mix(spec), can_compose(spec)
        fits = {"q": mixes, "multi_q": mixes and composes, "avg_q": mixes and composes}
        return tuple(name for name in VARIANTS if fits.get(name, composes))

    def _built_in(self) -> Iterable[Scorer]:
        sentences = Sentences()
        yield from (BLEU(order, sentences=sentences) for order in range(1, ORDERS + 1))
        yield from (ROUGEL(), NIST(), METEOR(), Answerability(), *LIBRARY_METRICS, *PROGRAMS)
        yield from (BERTScore(self.models), MoverScore(self.models))
        yield from (AnswerConsistency(self.readers, measure=one) for one in ("f1", "em"))
        yield from (AnswerProbability(self.readers), CorpusBLEU(), CorpusNIST(), *SET_PROPERTIES)

    def _makers(
        self,
    ) -> dict[str, tuple[Callable[[MetricSpec], bool], Callable[[Scorer], Scorer]]]:
        def composed(measure: str) -> Callable[[Scorer], Scorer]:
            return lambda base: Composed(base, measure, pairs=self._pairs_of(base))

        def averaged(scheme: str) -> Callable[[Scorer], Scorer]:
            return lambda base: Average(base, scheme)

        return {
            "q": (can_mix, QMetric),
            "rank5": (can_rank, lambda base: RankAt5(base, self.readers)),
            **{measure: (can_compose, composed(measure)) for measure in MEASURES},
            **{scheme: (can_compose, averaged(scheme)) for scheme in AVERAGES},
        }

    def _pairs_of(self, base: Scorer) -> PairScores:
        return self._pairs.setdefault(base.spec.id, PairScores(base))


def loaded(point: EntryPoint, *, taken: Iterable[str]) -> RegisteredMetric:
    """Load a plug-in; any error becomes its reason and affects no other metric."""
    origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        target = point.load()
        metric = target() if isinstance(target, type) else target
        _require_contract(metric)
    except Exception as error:  # a plug-in's code may raise anything while it is imported
        return RegisteredMetric(
            point.name, origin, None, f"does not load: {type(error).__name__}: {error}"
        )
    if metric.spec.id in set(taken):
        return RegisteredMetric(
            f"{metric.spec.id}@{point.name}", origin, None, f"the id {metric.spec.id} is taken"
        )
    return RegisteredMetric(metric.spec.id, origin, metric)


def _require_contract(metric: object) -> None:
    if not isinstance(metric, Scorer):
        raise TypeError("it has no spec, available() and score_items()")
    if not isinstance(metric.spec, MetricSpec):
        raise TypeError("its spec is not a MetricSpec")


def _checked(entry: RegisteredMetric) -> RegisteredMetric:
    if entry.metric is None:
        return entry
    try:
        usable, reason = entry.metric.available()
    except Exception as error:  # as above
        usable, reason = False, f"available() raised {type(error).__name__}: {error}"
    return entry if usable else replace(entry, reason=reason or "not available")


DEFAULT = Registry()  # without models
list_metrics, get = DEFAULT.list_metrics, DEFAULT.get
