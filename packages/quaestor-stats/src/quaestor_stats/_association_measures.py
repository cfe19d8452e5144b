"""Every measure of a group of metrics against a group of human columns over the same questions,
level by level.

Each function yields measures with value, interval and test for all pairs of columns at once;
`against_people` gives them their names.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from quaestor_stats._correlation import METHODS, NAMES, Method, fisher_interval, independent_p
from quaestor_stats._design import ClusterUnit, Facets, without_annotators
from quaestor_stats._exact_sums import whole
from quaestor_stats._inputs import FloatArray, IntArray
from quaestor_stats._jackknife import InferenceScale, WithoutUnits, infer_coefficients
from quaestor_stats._pooled import (
    COEFFICIENTS,
    PooledCoefficient,
    pooled_correlations,
    pooled_values,
)
from quaestor_stats._shared_questions import SharedQuestions
from quaestor_stats._soft_accuracy import pair_tests, soft_order_test
from quaestor_stats._source_correlations import within_source, within_values
from quaestor_stats._system_level import (
    OVER_SYSTEMS,
    REQUIRED_SYSTEMS,
    Orders,
    OrderTest,
    RankedMeans,
    order_test,
)
from quaestor_stats._tie_calibration import Accuracies, accuracies_within

Measure: TypeAlias = Literal[
    "pearson", "spearman", "kendall", "kendall_c", "pairwise_accuracy", "soft_pairwise_accuracy"
]
MEASURES: tuple[Measure, ...] = get_args(Measure)
TITLES: dict[Measure, str] = {
    "pearson": NAMES["pearson"],
    "spearman": NAMES["spearman"],
    "kendall": NAMES["kendall"],
    "kendall_c": "Stuart's tau-c",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
}
NO_SYSTEMS = "fewer than two systems are named"
FEW_SOURCES = 15  # below it intervals of a mean over sources held in .85 to .93 of studies
NO_INTERVAL = "no interval over systems is known to hold its level"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMeasure:
    """One measure of every human column (K) with every metric (M) of a group."""

    value: FloatArray
    low: FloatArray | float = nan
    high: FloatArray | float = nan
    p: FloatArray | float = nan
    df: FloatArray | float = nan
    n: IntArray | int
    clusters: IntArray | int = 0
    method: str
    reason: "NDArray[np.object_] | str" = ""
    more: Mapping[str, FloatArray] = field(default_factory=dict)  # other fields of an `Association`


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns over the same questions, what is asked of them, and the chance to use."""

    shared: SharedQuestions
    measures: Sequence[Measure]
    ratings: list[FloatArray]
    rng: np.random.Generator
    permutations: int
    confidence: float

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.shared.humans), len(self.shared.metrics)

    @property
    def coefficients(self) -> list[PooledCoefficient]:
        return [each for each in COEFFICIENTS if each in self.measures]

    def with_annotators(
        self,
        left: dict[PooledCoefficient, WithoutUnits],
        values: Callable[[FloatArray, FloatArray, Facets], dict[PooledCoefficient, FloatArray]],
    ) -> dict[PooledCoefficient, WithoutUnits]:
        """Add what coefficients are without each annotator, where annotators are random."""
        if not self.ratings:
            return left
        of = self.shared
        without = without_annotators(self.ratings, of.metric, of.facets, values, self.coefficients)
        return {
            name: each.with_annotators(without[name].values, without[name].fragile)
            for name, each in left.items()
        }

    def random(self, *, annotators: bool = True) -> str:
        extra = " and annotators" if self.ratings and annotators else ""
        return f"{self.shared.facets.random}{extra}"


def over_questions(asked: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    of = asked.shared
    n = len(of.human)

    def values(
        human: FloatArray, metric: FloatArray, _: Facets
    ) -> dict[PooledCoefficient, FloatArray]:
        return pooled_values(human, metric, coefficients=asked.coefficients)

    if n < REQUIRED_SYSTEMS:
        yield from _none(asked, f"{n} questions have both scores: too few", COEFFICIENTS)
        return
    left = pooled_correlations(of.human, of.metric, of.facets, coefficients=asked.coefficients)
    for name, each in asked.with_annotators(left, values).items():
        plain: Method = "kendall" if name == "kendall_c" else name
        published = _published(of.human, of.metric, each.value, plain)
        yield name, _by_leaving_out(asked, name, each, "fisher", n, {"p_as_published": published})


def on_each_source(asked: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    of = asked.shared

    def values(
        human: FloatArray, metric: FloatArray, at: Facets
    ) -> dict[PooledCoefficient, FloatArray]:
        return within_values(human, metric, at, coefficients=asked.coefficients)

    if of.facets.n_systems < 2:
        yield from _none(asked, NO_SYSTEMS if len(of.human) else "no question has both scores")
        return
    human = np.column_stack([whole(column) for column in of.human.T])
    left = within_source(human, of.metric, of.facets, coefficients=asked.coefficients)
    for name, each in asked.with_annotators(left, values).items():
        yield name, _by_leaving_out(asked, name, each, "plain", None, {})
    if "pairwise_accuracy" in asked.measures:
        yield (
            "pairwise_accuracy",
            _calibrated(asked, accuracies_within(human, of.metric, of.facets)),
        )


def _by_leaving_out(
    asked: ColumnGroup,
    name: Measure,
    left: WithoutUnits,
    scale: InferenceScale,
    n: int | None,
    more: Mapping[str, FloatArray],
) -> GroupMeasure:
    limits = infer_coefficients(left, scale=scale, confidence=asked.confidence)
    where = ", mean over sources" if n is None else ""
    over = asked.random() + grouping(left, asked.shared.facets)
    method = f"{TITLES[name]}{where}; delete-one jackknife-t over {over}, {asked.confidence:.0%}"
    low, high, reason = limits.low, limits.high, limits.reason
    if n is None:  # few correlations of few systems are skewed
        few = (limits.units < FEW_SOURCES) & ~np.isnan(low)
        low, high = (np.where(few, nan, each) for each in (low, high))
        why = np.vectorize(partial(_too_few, unit=asked.shared.facets.unit), otypes=[object])
        reason = np.where(few, why(limits.units), reason)
    return GroupMeasure(
        value=left.value,
        low=np.maximum(low, -1),
        high=np.minimum(high, 1),
        p=limits.p,
        df=limits.df,
        n=limits.resting if n is None else n,
        clusters=limits.units if n is None else asked.shared.facets.n_clusters,
        method=method,
        reason=reason,
        more=more,
    )


def grouping(left: WithoutUnits, facets: Facets) -> str:
    """Return in words that clusters are left out in groups; an empty string if one by one."""
    groups = len(left.sources)
    if groups == facets.n_clusters:
        return ""
    return f", {facets.unit.plural} left out in {groups} groups"


def _too_few(units: int, unit: ClusterUnit) -> str:
    return (
        f"the correlation exists on {unit.counted(units)}: with fewer than {FEW_SOURCES} no interval "
        "of their mean is known to hold its level"
    )


def _calibrated(asked: ColumnGroup, found: Accuracies | str) -> GroupMeasure:
    """Return held-out accuracies; without limits if annotators are random."""
    measure = TITLES["pairwise_accuracy"]
    if isinstance(found, str):
        return GroupMeasure(value=np.full(asked.shape, nan), n=0, method=measure, reason=found)
    limits, design = found.limits(asked.confidence), asked.shared.facets.design
    method = f"{measure}, pairs on a source, mean over sources, epsilon of the other sources"
    answer = GroupMeasure(
        value=found.held_out.value,
        low=limits.low,
        high=limits.high,
        p=limits.p,
        df=limits.df,
        clusters=limits.units,
        n=limits.resting,
        method=f"{method}; delete-one jackknife-t over {asked.random()}, {asked.confidence:.0%}",
        reason=limits.reason,
        more={
            "epsilon": found.epsilon,
            "in_sample": found.in_sample,
            "baseline": np.repeat(found.baseline[:, None], asked.shape[1], axis=1),
        },
    )
    if not design.random_annotators:
        return answer
    reason = "annotators are random: no interval"
    return replace(answer, low=nan, high=nan, p=nan, df=nan, method=method, reason=reason)


def _none(
    asked: ColumnGroup, reason: str, measures: Sequence[Measure] = MEASURES[:-1]
) -> Iterator[tuple[Measure, GroupMeasure]]:
    """Yield an undefined result with a reason for each requested measure."""
    nothing = np.full(asked.shape, nan)
    for measure in measures:
        if measure in asked.measures:
            yield measure, GroupMeasure(value=nothing, n=0, method=TITLES[measure], reason=reason)


def too_few_systems(facets: Facets) -> str:
    """Return why no result over systems is possible; an empty string if one is."""
    if facets.n_systems < 2:
        return NO_SYSTEMS
    if min(facets.n_systems, facets.n_sources) >= REQUIRED_SYSTEMS:
        return ""
    return f"{facets.n_systems} systems and {facets.n_sources} sources: three of each are needed"


def over_systems(asked: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    of = asked.shared
    if few := too_few_systems(of.facets):
        yield from _none(asked, few, (*OVER_SYSTEMS, "soft_pairwise_accuracy"))
        return
    people, own = RankedMeans.of(of.human, of.facets), RankedMeans.of(of.metric, of.facets)
    orders = Orders.of(of.facets.n_systems, asked.rng)
    for measure in OVER_SYSTEMS:
        if measure not in asked.measures:
            continue
        test = order_test(people, own, measure, orders)
        if measure == "pairwise_accuracy":
            first, second = np.triu_indices(of.facets.n_systems, 1)
            tied = (people.ranks[first] == people.ranks[second]).mean(axis=0)
            baseline = np.repeat(tied[:, None], asked.shape[1], 1)
            more = {"epsilon": np.zeros(asked.shape), "baseline": baseline}
        elif measure == "pearson":
            more = {"p_as_published": _published(people.means, own.means, test.value, measure)}
        else:
            more = {"p_as_published": _published(people.ranks, own.ranks, test.value, measure)}
        yield measure, _of_orders(asked, measure, test, orders, more)
    if "soft_pairwise_accuracy" in asked.measures:
        human = np.column_stack([whole(column) for column in of.human.T])
        both = np.column_stack([human, of.metric])
        p = pair_tests(both, of.facets, rng=asked.rng, permutations=asked.permutations)
        test = soft_order_test(p[..., : asked.shape[0]], p[..., asked.shape[0] :], orders)
        yield (
            "soft_pairwise_accuracy",
            _of_orders(asked, "soft_pairwise_accuracy", test, orders, {}),
        )


def _published(
    human: FloatArray, metric: FloatArray, value: FloatArray, method: Method
) -> FloatArray:
    """Return p of coefficients (K, M) that takes the rows as independent."""
    found = np.full(value.shape, nan)
    for k, m in zip(*np.nonzero(~np.isnan(value)), strict=True):
        found[k, m] = independent_p(human[:, k], metric[:, m], float(value[k, m]), method)
    return found


def _of_orders(
    asked: ColumnGroup,
    measure: Measure,
    test: OrderTest,
    orders: Orders,
    more: Mapping[str, FloatArray],
) -> GroupMeasure:
    """Return coefficients over systems with their test by orders.

    If systems are random, correlations have an interval over the systems. If they are fixed there
    is none: the uncertainty is then in the systems' means. Their noise draws every correlation
    towards 0, and neither drawing nor leaving out sources corrects that (docs/statistics-methods.md).
    """
    of, confidence = asked.shared.facets, asked.confidence
    low, high = np.full((2, *test.value.shape), nan)
    defined, words = ~np.isnan(test.value), ""
    reason = np.where(defined, NO_INTERVAL, "").astype(object)
    if (
        measure in METHODS
        and of.design.random_systems
        and not of.design.random_annotators
        and defined.any()
    ):
        words = f"Fisher z over {of.n_systems} systems, {confidence:.0%}; "
        for at in zip(*np.nonzero(defined), strict=True):
            low[at], high[at] = fisher_interval(
                float(test.value[at]), of.n_systems, method=measure, confidence=confidence
            )
        none = "too few systems or a perfect correlation: no interval"
        reason = np.where(defined & np.isnan(low), none, "").astype(object)
    return GroupMeasure(
        value=test.value,
        low=low,
        high=high,
        p=test.p,
        n=of.n_systems,
        clusters=0 if of.design.random_systems else of.n_clusters,
        method=f"{TITLES[measure]}, over systems; {words}{orders.words}",
        reason=reason,
        more={"smallest_p": test.smallest_p, **more},
    )
