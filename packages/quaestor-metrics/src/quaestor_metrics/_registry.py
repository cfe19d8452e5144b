"""Every metric there is: the built-in ones, and those of installed packages (entry-point group
`quaestor.metrics`)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from quaestor_metrics._answerability import Answerability
from quaestor_metrics._bertscore import BertScore
from quaestor_metrics._bleu import ORDERS, Bleu, CorpusBleu, Sentences
from quaestor_metrics._composers import (
    Average,
    Composed,
    PairScores,
    aligned_by_source,
    can_compose,
    composed,
    multi,
)
from quaestor_metrics._consistency import CONSISTENCY, AnswerProbability
from quaestor_metrics._contract import MetricSpec, MetricUnavailable, Scorer
from quaestor_metrics._diversity import SET_FACTS
from quaestor_metrics._meteor import Meteor
from quaestor_metrics._moverscore import MoverScore
from quaestor_metrics._nist import CorpusNist, Nist, NormalizedNist
from quaestor_metrics._qmetric import QMetric, can_mix
from quaestor_metrics._rank_at_5 import RankAt5
from quaestor_metrics._recipes import RECIPES
from quaestor_metrics._rouge import RougeL
from quaestor_metrics._sacre import SACRE
from quaestor_metrics._scoring import QUESTION_UNITS

GROUP = "quaestor.metrics"
BUILT_IN = "built in"
# metrics that papers report, for which Q-metrics and metrics of question sets are derived too
PRINTED_BASES = frozenset(
    {
        *(f"bleu_{order}" for order in range(1, ORDERS + 1)),
        "rouge_l",
        "nist",
        "meteor",
        "bertscore",
        "moverscore",
    }
)
AVERAGED_BASES = frozenset({"bleu_4", "rouge_l", "meteor"})  # Ray Chowdhury et al. 2022, table 3


class UnknownMetric(LookupError):
    """No metric has that id."""


@dataclass(frozen=True, slots=True)
class RegisteredMetric:
    """One metric of the list: its origin, its components and, if it cannot be used, the reason."""

    id: str
    origin: str
    metric: Scorer | None
    reason: str = ""
    made_of: str = ""

    @property
    def usable(self) -> bool:
        return self.metric is not None and not self.reason


def all_metrics() -> tuple[RegisteredMetric, ...]:
    """List every metric in a fixed order; those that cannot be used here have a reason."""
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
        metric.spec.id: RegisteredMetric(metric.spec.id, BUILT_IN, metric) for metric in _built_in()
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
        AnswerProbability(),
    )
    yield from (CorpusBleu(), CorpusNist())
    yield from SET_FACTS


def _made_of(entry: RegisteredMetric) -> Iterable[Scorer]:
    """Yield the metrics derived from a base that papers print, or from a plug-in's metric."""
    base = entry.metric
    if base is None or base.spec.unit not in QUESTION_UNITS:
        return
    if entry.origin == BUILT_IN and base.spec.id not in PRINTED_BASES:
        return
    if can_mix(base.spec):
        yield QMetric(base)
    if base.spec.id == "nist":
        yield QMetric(NormalizedNist())
    if can_compose(base.spec):
        yield from composed(base)
    if base.spec.id in AVERAGED_BASES:
        yield Average(base)
        yield from aligned_by_source(base)
        yield RankAt5(Average(base))
        yield RankAt5(Composed(PairScores(base), "multi", "Multi", multi))
    if base.spec.id == "bleu_1":  # Q-BLEU1 is the one Q-metric that they print of question sets
        q_bleu_1 = QMetric(base)
        yield Composed(PairScores(q_bleu_1), "multi", "Multi", multi)
        yield Average(q_bleu_1)


def loaded(point: EntryPoint, *, taken: Iterable[str]) -> RegisteredMetric:
    """Load a plug-in; any error becomes its reason and affects no other metric."""
    origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        found = point.load()
        metric = found() if isinstance(found, type) else found
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
