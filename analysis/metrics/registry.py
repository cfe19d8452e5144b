"""Every metric there is: the built-in ones, and those of installed packages (entry-point group
`quaestor.metrics`)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from analysis.metrics.answerability import Answerability
from analysis.metrics.bertscore import BertScore
from analysis.metrics.bleu import ORDERS, Bleu, CorpusBleu, Sentences
from analysis.metrics.composers import PairScores, can_compose, composed
from analysis.metrics.consistency import CONSISTENCY
from analysis.metrics.contract import MetricSpec, MetricUnavailable, Scorer
from analysis.metrics.diversity import SET_FACTS
from analysis.metrics.meteor import Meteor
from analysis.metrics.model_metrics import MODEL_METRICS
from analysis.metrics.moverscore import MoverScore
from analysis.metrics.nist import CorpusNist, Nist
from analysis.metrics.qa_aligned import QaAligned
from analysis.metrics.qmetric import QMetric, can_mix
from analysis.metrics.recipes import RECIPES
from analysis.metrics.rouge import RougeL
from analysis.metrics.sacre import SACRE
from analysis.metrics.scoring import QUESTION_UNITS

GROUP = "quaestor.metrics"


class UnknownMetric(LookupError):
    """No metric has that id."""


@dataclass(frozen=True, slots=True)
class RegisteredMetric:
    """One metric of the list: where it comes from, what it is made of and, when it cannot be used,
    why."""

    id: str
    origin: str
    metric: Scorer | None
    reason: str = ""
    made_of: str = ""

    @property
    def usable(self) -> bool:
        return self.metric is not None and not self.reason


def all_metrics() -> tuple[RegisteredMetric, ...]:
    """List every metric in a settled order, with whether it can be used here and why not."""
    return tuple(_checked(entry) for entry in _known().values())


def get(id: str) -> Scorer:
    """Return the metric of that id; one that did not load raises with its reason."""
    entry = _known().get(id)
    if entry is None:
        raise UnknownMetric(f"no metric is called {id}; there are {', '.join(_known())}")
    if entry.metric is None:
        raise MetricUnavailable(f"{id}: {entry.reason}")
    return entry.metric


@cache
def _known() -> dict[str, RegisteredMetric]:
    entries = {
        metric.spec.id: RegisteredMetric(metric.spec.id, "built in", metric)
        for metric in _built_in()
    }
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        entry = loaded(point, taken=entries.keys())
        entries[entry.id] = entry
    made = [
        RegisteredMetric(metric.spec.id, entry.origin, metric, made_of=entry.id)
        for entry in entries.values()
        for metric in _made_of(entry)
    ]
    return entries | {entry.id: entry for entry in made if entry.id not in entries}


def _built_in() -> Iterable[Scorer]:
    sentences = Sentences()
    yield from (Bleu(order, sentences) for order in range(1, ORDERS + 1))
    yield from (
        RougeL(),
        Nist(),
        Meteor(),
        Answerability(),
        *SACRE,
        *RECIPES,
        BertScore(),
        MoverScore(),
        *CONSISTENCY,
        *MODEL_METRICS,
    )
    yield from (CorpusBleu(), CorpusNist())
    yield from SET_FACTS


def _made_of(entry: RegisteredMetric) -> Iterable[Scorer]:
    """Every metric of one question, a plug-in's too, has its Q-metric and its set metrics."""
    base = entry.metric
    if base is None or base.spec.unit not in QUESTION_UNITS:
        return
    mixed = [QMetric(base)] if can_mix(base.spec) else []
    yield from mixed
    if can_compose(base.spec):
        yield QaAligned(PairScores(base))
    yield from (
        metric for one in (base, *mixed) if can_compose(one.spec) for metric in composed(one)
    )


def loaded(point: EntryPoint, *, taken: Iterable[str]) -> RegisteredMetric:
    """Load a plug-in; whatever it does wrong becomes its reason and breaks nothing else."""
    origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        found = point.load()
        metric = found() if isinstance(found, type) else found
        _require_contract(metric)
    except Exception as error:  # other people's code may raise anything while it is imported
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
        raise TypeError("it has no spec, available() and score()")
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
