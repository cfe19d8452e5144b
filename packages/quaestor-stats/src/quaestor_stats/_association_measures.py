"""Every measure of a group of metrics against a group of human columns over the same questions,
level by level.

Each function yields measures with value, interval and test for all pairs of columns at once;
`against_people` gives them their names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from quaestor_stats._correlation import METHODS, NAMES, Method, fisher_interval, independent_p
from quaestor_stats._design import ClusterUnit, Facets
from quaestor_stats._exact_sums import whole_columns
from quaestor_stats._inputs import FloatArray, IntArray
from quaestor_stats._jackknife import WithoutUnits, infer_coefficients
from quaestor_stats._pooled import (
    COEFFICIENTS,
    PooledCoefficient,
    pooled_correlations,
    pooled_values,
)
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._shared_questions import SharedQuestions
from quaestor_stats._soft_accuracy import pair_tests, soft_order_test
from quaestor_stats._source_correlations import within_source, within_values
from quaestor_stats._system_level import (
    OVER_SYSTEMS,
    REQUIRED_SYSTEMS,
    Orders,
    OrderTest,
    OverSystems,
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
    """One measure of every human column (K) with every metric, or pair of metrics, (M) of a
    group."""

    value: FloatArray
    low: FloatArray | float = nan
    high: FloatArray | float = nan
    p: FloatArray | float = nan
    df: FloatArray | float = nan
    n: IntArray | int
    clusters: IntArray | int = 0
    method: str
    reason: "NDArray[np.object_] | str" = ""
    more: Mapping[str, FloatArray | float] = field(default_factory=dict)  # further fields of a row

    def result(self, place: tuple[int, ...], *, dropped: int) -> Result:
        """Return the result of one human column with one metric, or pair of metrics."""
        return Result(
            value=float(self.value[place]),
            ci=ConfidenceInterval(_number(self.low, place), _number(self.high, place)),
            pvalue=_number(self.p, place),
            df=_number(self.df, place),
            n=int(_number(self.n, place)),
            clusters=int(_number(self.clusters, place)),
            dropped=dropped,
            method=self.method,
            reason=str(self.reason[place] if isinstance(self.reason, np.ndarray) else self.reason),
        )

    def further_fields(self, place: tuple[int, ...]) -> dict[str, float]:
        """Return the further fields of the same row."""
        return {name: _number(values, place) for name, values in self.more.items()}


def _number(values: "NDArray[np.generic] | float", place: tuple[int, ...]) -> float:
    return float(values[place] if isinstance(values, np.ndarray) else values)


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns over the same questions, the requested measures, and the chance to use."""

    shared: SharedQuestions
    measures: Sequence[Measure]
    rng: np.random.Generator

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.shared.humans), len(self.shared.metrics)

    @property
    def coefficients(self) -> list[PooledCoefficient]:
        return [name for name in COEFFICIENTS if name in self.measures]


def over_questions(group: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    shared = group.shared
    n = len(shared.human)
    if n < REQUIRED_SYSTEMS:
        yield from _none(group, f"{n} questions have both scores: too few", COEFFICIENTS)
        return
    for name, left in pooled_without_units(shared, group.coefficients).items():
        plain: Method = "kendall" if name == "kendall_c" else name
        published = _published(shared.human, shared.metric, left.value, plain)
        limits = infer_coefficients(left, scale="fisher")
        over = shared.random_units + grouping(left, shared.facets)
        yield (
            name,
            GroupMeasure(
                value=left.value,
                low=np.maximum(limits.low, -1),
                high=np.minimum(limits.high, 1),
                p=limits.p,
                df=limits.df,
                n=n,
                clusters=shared.facets.n_clusters,
                method=f"{TITLES[name]}; delete-one jackknife-t over {over}, 95%",
                reason=limits.reason,
                more={"p_as_published": published},
            ),
        )


def pooled_without_units(
    shared: SharedQuestions, coefficients: Sequence[PooledCoefficient]
) -> dict[PooledCoefficient, WithoutUnits]:
    """Return correlations over all questions, and without each unit of every random facet."""
    left = pooled_correlations(
        shared.human, shared.metric, shared.facets, coefficients=coefficients
    )
    return shared.with_annotators(
        left, lambda human, metric, _: pooled_values(human, metric, coefficients=coefficients)
    )


def on_each_source(group: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    shared, facets = group.shared, group.shared.facets
    if facets.n_systems < 2:
        yield from _none(group, NO_SYSTEMS if len(shared.human) else "no question has both scores")
        return
    human = whole_columns(shared.human)
    left = within_source(human, shared.metric, facets, coefficients=group.coefficients)
    left = shared.with_annotators(left, partial(within_values, coefficients=group.coefficients))
    for name, coefficient in left.items():
        yield name, _mean_over_sources(group, name, coefficient)
    if "pairwise_accuracy" in group.measures:
        accuracies = accuracies_within(human, shared.metric, facets)
        yield "pairwise_accuracy", _calibrated(group, accuracies)


def _mean_over_sources(group: ColumnGroup, name: Measure, left: WithoutUnits) -> GroupMeasure:
    """Return the mean of correlations on each source; few correlations of few systems are skewed,
    and their mean has no interval."""
    limits = infer_coefficients(left, scale="plain")
    few = (limits.units < FEW_SOURCES) & ~np.isnan(limits.low)
    too_few = np.vectorize(
        partial(_too_few_sources, unit=group.shared.facets.unit), otypes=[object]
    )
    over = group.shared.random_units
    return GroupMeasure(
        value=left.value,
        low=np.maximum(np.where(few, nan, limits.low), -1),
        high=np.minimum(np.where(few, nan, limits.high), 1),
        p=limits.p,
        df=limits.df,
        n=limits.resting,
        clusters=limits.units,
        method=f"{TITLES[name]}, mean over sources; delete-one jackknife-t over {over}, 95%",
        reason=np.where(few, too_few(limits.units), limits.reason),
    )


def grouping(left: WithoutUnits, facets: Facets) -> str:
    """Return in words that clusters are left out in groups; an empty string if one by one."""
    groups = len(left.sources)
    if groups == facets.n_clusters:
        return ""
    return f", {facets.unit.plural} left out in {groups} groups"


def _too_few_sources(units: int, unit: ClusterUnit) -> str:
    return (
        f"the correlation exists on {unit.counted(units)}: with fewer than {FEW_SOURCES} no interval "
        "of their mean is known to hold its level"
    )


def _calibrated(group: ColumnGroup, accuracies: Accuracies | str) -> GroupMeasure:
    """Return held-out accuracies; without limits if annotators are random."""
    measure = TITLES["pairwise_accuracy"]
    if isinstance(accuracies, str):
        return GroupMeasure(value=np.full(group.shape, nan), n=0, method=measure, reason=accuracies)
    limits = accuracies.limits()
    method = f"{measure}, pairs on a source, mean over sources, epsilon of the other sources"
    over = group.shared.random_units
    answer = GroupMeasure(
        value=accuracies.held_out.value,
        low=limits.low,
        high=limits.high,
        p=limits.p,
        df=limits.df,
        clusters=limits.units,
        n=limits.resting,
        method=f"{method}; delete-one jackknife-t over {over}, 95%",
        reason=limits.reason,
        more={
            "epsilon": accuracies.epsilon,
            "in_sample": accuracies.in_sample,
            "baseline": np.repeat(accuracies.baseline[:, None], group.shape[1], axis=1),
        },
    )
    if not group.shared.facets.design.random_annotators:
        return answer
    reason = "annotators are random: no interval"
    return replace(answer, low=nan, high=nan, p=nan, df=nan, method=method, reason=reason)


def _none(
    group: ColumnGroup, reason: str, measures: Sequence[Measure] = MEASURES[:-1]
) -> Iterator[tuple[Measure, GroupMeasure]]:
    """Yield an undefined result with a reason for each requested measure."""
    nothing = np.full(group.shape, nan)
    for measure in measures:
        if measure in group.measures:
            yield measure, GroupMeasure(value=nothing, n=0, method=TITLES[measure], reason=reason)


def too_few_systems(facets: Facets) -> str:
    """Return why no result over systems is possible; an empty string if one is."""
    if facets.n_systems < 2:
        return NO_SYSTEMS
    if min(facets.n_systems, facets.n_sources) >= REQUIRED_SYSTEMS:
        return ""
    return f"{facets.n_systems} systems and {facets.n_sources} sources: three of each are needed"


def over_systems(group: ColumnGroup) -> Iterator[tuple[Measure, GroupMeasure]]:
    shared, facets = group.shared, group.shared.facets
    if few := too_few_systems(facets):
        yield from _none(group, few, (*OVER_SYSTEMS, "soft_pairwise_accuracy"))
        return
    human = RankedMeans.of(shared.human, facets)
    metric = RankedMeans.of(shared.metric, facets)
    orders = Orders.of(facets.n_systems, group.rng)
    for measure in OVER_SYSTEMS:
        if measure in group.measures:
            test = order_test(human, metric, measure, orders)
            more = _further_fields(human, metric, measure, test.value)
            yield measure, _of_orders(group, measure, test, orders, more)
    if "soft_pairwise_accuracy" in group.measures:
        test = _soft_accuracy(group, orders)
        yield "soft_pairwise_accuracy", _of_orders(group, "soft_pairwise_accuracy", test, orders)


def _further_fields(
    human: RankedMeans, metric: RankedMeans, measure: OverSystems, value: FloatArray
) -> dict[str, FloatArray]:
    """Return the share of human ties of pairwise accuracies, else the p of independent systems."""
    if measure == "pairwise_accuracy":
        first, second = np.triu_indices(len(human.ranks), 1)
        baseline = (human.ranks[first] == human.ranks[second]).mean(axis=0)
        return {
            "epsilon": np.zeros(value.shape),
            "baseline": np.repeat(baseline[:, None], value.shape[1], 1),
        }
    if measure == "pearson":
        return {"p_as_published": _published(human.means, metric.means, value, measure)}
    return {"p_as_published": _published(human.ranks, metric.ranks, value, measure)}


def _soft_accuracy(group: ColumnGroup, orders: Orders) -> OrderTest:
    shared, humans = group.shared, len(group.shared.humans)
    columns = np.column_stack([whole_columns(shared.human), shared.metric])
    p = pair_tests(columns, shared.facets, rng=group.rng)
    return soft_order_test(p[..., :humans], p[..., humans:], orders)


def _published(
    human: FloatArray, metric: FloatArray, value: FloatArray, method: Method
) -> FloatArray:
    """Return p of coefficients (K, M) that takes the rows as independent."""
    p = np.full(value.shape, nan)
    for k, m in zip(*np.nonzero(~np.isnan(value)), strict=True):
        p[k, m] = independent_p(human[:, k], metric[:, m], float(value[k, m]), method)
    return p


def _of_orders(
    group: ColumnGroup,
    measure: Measure,
    test: OrderTest,
    orders: Orders,
    more: Mapping[str, FloatArray] = {},
) -> GroupMeasure:
    """Return coefficients over systems with their test by orders.

    If systems are random, correlations have an interval over the systems. If they are fixed there
    is none: the uncertainty is then in the systems' means. Their noise draws every correlation
    towards 0, and neither drawing nor leaving out sources corrects that (docs/statistics-methods.md).
    """
    facets, design = group.shared.facets, group.shared.facets.design
    low, high = np.full((2, *test.value.shape), nan)
    defined, words = ~np.isnan(test.value), ""
    reason = np.where(defined, NO_INTERVAL, "").astype(object)
    only_systems = design.random_systems and not design.random_annotators
    if measure in METHODS and only_systems and defined.any():
        words = f"Fisher z over {facets.n_systems} systems, 95%; "
        for place in zip(*np.nonzero(defined), strict=True):
            low[place], high[place] = fisher_interval(
                float(test.value[place]), facets.n_systems, method=measure
            )
        none = "too few systems or a perfect correlation: no interval"
        reason = np.where(defined & np.isnan(low), none, "").astype(object)
    return GroupMeasure(
        value=test.value,
        low=low,
        high=high,
        p=test.p,
        n=facets.n_systems,
        clusters=0 if design.random_systems else facets.n_clusters,
        method=f"{TITLES[measure]}, over systems; {words}{orders.words}",
        reason=reason,
        more={"smallest_p": test.smallest_p, **more},
    )
