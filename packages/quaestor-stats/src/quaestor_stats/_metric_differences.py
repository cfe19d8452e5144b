"""Does one metric correlate better with human ratings than another? Every pair at three levels, and
the set of metrics that do not differ significantly from the highest.

The random facets are declared (`quaestor_stats._design`), as for `against_people`. Pooled and within
source, interval and test of a difference come from leaving out one unit of each random facet. Over
systems, the two metrics are swapped: source by source if the systems are fixed, system by system
if they are random.

Williams' test (`dependent`) is for comparison with papers: it finds differences that are not there
(docs/simulations.md has the rates).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import comb, nan
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._association_measures import (
    NO_INTERVAL,
    NO_SYSTEMS,
    GroupMeasure,
    grouping,
    pooled_without_units,
    too_few_systems,
)
from quaestor_stats._associations import LEVELS, CorrelationLevel
from quaestor_stats._correlation import NAMES, Method
from quaestor_stats._design import Facets
from quaestor_stats._exact_sums import whole_columns
from quaestor_stats._inputs import IntArray
from quaestor_stats._jackknife import WithoutUnits, infer_coefficients
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._shared_questions import (
    Items,
    SharedQuestions,
    Study,
    metric_groups,
    shared_by_pairs,
)
from quaestor_stats._source_correlations import mean_left_out, source_coefficients, within_values
from quaestor_stats._system_level import (
    REQUIRED_SYSTEMS,
    RankedMeans,
    coefficients_of,
    swapped_systems,
)

# Differences (K, pairs) of pairs of metrics, with the place of the first pair
_Differences: TypeAlias = Iterator[tuple[int, GroupMeasure]]
UNDEFINED = "a correlation is undefined"
# Swaps for each pair of metrics: Holm multiplies the smallest p by the number of pairs
PER_PAIR = 40
_CELLS = 4_000_000  # of differences without a unit that are in memory at once
_MAX_SWAPPED_MEANS = 2_000_000_000  # about four minutes
SIGNS_A_MEAN = 8  # signs of sources are drawn in the time in which one mean is swapped and ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """By how much one metric follows a human column better than another at one level."""

    human: str
    better: str
    other: str
    level: CorrelationLevel
    measure: Method
    found: Result  # value 0 or more; n as of `Association`
    p_holm: float = nan  # over the pairs of metrics of this human column at this level
    smallest_p: float = nan  # over systems: what the swaps cannot fall below
    questions: int
    sources: int
    systems: int


def metric_differences(
    humans: Mapping[str, ArrayLike],
    metrics: Mapping[str, ArrayLike],
    *,
    facets: Facets,
    rng: np.random.Generator,
    measure: Method = "spearman",
    levels: Sequence[CorrelationLevel] = LEVELS,
    items: Items = "own",
    ratings: Mapping[str, ArrayLike] | None = None,
    resamples: int = 1000,
    most_swapped: int = _MAX_SWAPPED_MEANS,
    tell: Callable[[], None] = lambda: None,
) -> list[MetricDifference]:
    """Return every pair of metrics against every human column, the better one first.

    Parameters
    ----------
    humans, metrics, facets, rng, items, ratings : as for `against_people`; "own" questions are
        those that the human column and both metrics have
    measure : the correlation that is compared
    resamples : swaps over systems, or `PER_PAIR` for each pair of metrics where that is more
    most_swapped : swaps times pairs times systems, over all human columns; beyond it differences
        over systems have no p: fewer swaps could find none after Holm's correction
    tell : called every few seconds; it may raise to end the work
    """
    study = Study.of(humans, metrics, facets, ratings)
    swaps, too_many_swaps = _planned_swaps(study, items, resamples, most_swapped)
    families: dict[tuple[int, CorrelationLevel], dict[tuple[int, ...], MetricDifference]] = {
        family: {} for family in product(range(len(study.humans.names)), levels)
    }
    for shared, pairs in shared_by_pairs(study, items=items):
        compared = _Compared(shared, pairs, measure, swaps, too_many_swaps, rng, tell)
        for level in levels:
            tell()
            for human, pair, row in _rows_at(level, compared, study):
                families[human, level][pair] = row
    return [row for family in families.values() for row in _with_holm(family)]


def _planned_swaps(
    study: Study, items: Items, resamples: int, most_swapped: int
) -> tuple[int, str]:
    """Return the number of swaps for each pair of metrics over systems, and why none are made.

    Drawing the signs of the swaps takes time, too, and counts with the swapped means.
    """
    facets, n_pairs = study.facets, comb(len(study.metrics.names), 2)
    groups = len(metric_groups(study.metrics, items))
    units = facets.n_systems if facets.design.random_systems else facets.n_clusters
    swaps = max(resamples, PER_PAIR * n_pairs)
    signs = units * groups * (groups + 1) // (2 * SIGNS_A_MEAN)
    swapped_means = int(min(swaps, 2 ** (units - 1)) * (n_pairs * facets.n_systems + signs))
    if swapped_means * len(study.humans.alike()) <= most_swapped:
        return swaps, ""
    return (
        swaps,
        f"left out: {swaps:,} swaps for each of {n_pairs:,} pairs of metrics take too long",
    )


def _with_holm(family: Mapping[tuple[int, ...], MetricDifference]) -> list[MetricDifference]:
    """Return the rows of one human column and level by their metrics, with corrected p."""
    rows = [row for _, row in sorted(family.items())]
    adjusted = holm([row.found.pvalue for row in rows])
    return [replace(row, p_holm=float(p)) for row, p in zip(rows, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class _Compared:
    """Pairs of metrics to compare over the same questions."""

    shared: SharedQuestions
    pairs: list[tuple[int, int]]
    measure: Method
    swaps: int
    too_many_swaps: str  # why none are made
    rng: np.random.Generator
    tell: Callable[[], None]

    @property
    def sides(self) -> tuple[IntArray, IntArray]:
        """The first and the second metric of every pair."""
        first, second = np.array(self.pairs, dtype=np.intp).T
        return first, second


def _rows_at(
    level: CorrelationLevel, compared: _Compared, study: Study
) -> Iterator[tuple[int, tuple[int, ...], MetricDifference]]:
    """Yield the differences at one level, with the places of the human column and the metrics."""
    shared = compared.shared
    for first_pair, differences in _AT[level](compared):
        for k, p in np.ndindex(differences.value.shape):
            pair = [shared.metrics[m] for m in compared.pairs[first_pair + p]]
            better, other = (study.metrics.names[metric] for metric in pair)
            difference = differences.result((k, p), dropped=shared.dropped)
            if difference.value < 0:
                better, other, difference = other, better, _reversed(difference)
            row = MetricDifference(
                human=study.humans.names[shared.humans[k]],
                better=better,
                other=other,
                level=level,
                measure=compared.measure,
                found=difference,
                questions=len(shared.human),
                sources=shared.facets.n_sources,
                systems=shared.facets.n_systems,
                **differences.further_fields((k, p)),
            )
            yield shared.humans[k], tuple(sorted(pair)), row


def _reversed(difference: Result) -> Result:
    """Return the difference of the second metric to the first."""
    limits = ConfidenceInterval(-difference.ci.high, -difference.ci.low)
    return replace(difference, value=-difference.value, ci=limits)


def _pooled(compared: _Compared) -> _Differences:
    shared, name = compared.shared, compared.measure
    n = len(shared.human)
    if n < REQUIRED_SYSTEMS:
        return _none(compared, f"{n} questions have all scores: too few")
    left = pooled_without_units(shared, [name])[name]
    return _left_out(compared, left.pairs, "", n)


def _within_source(compared: _Compared) -> _Differences:
    shared, name = compared.shared, compared.measure
    if shared.facets.n_systems < 2:
        return _none(compared, NO_SYSTEMS)
    human = whole_columns(shared.human)
    r, by_system = source_coefficients(human, shared.metric, shared.facets, coefficient=name)
    annotators = shared.without_annotators(partial(within_values, coefficients=[name]), [name])

    def differences(first: IntArray, second: IntArray) -> WithoutUnits:
        """Return the mean over the sources on which both correlations exist."""
        without = None if by_system is None else by_system[..., first] - by_system[..., second]
        means = mean_left_out(r[..., first] - r[..., second], without, facets=shared.facets)
        if not annotators:
            return means
        values, fragile = annotators[name].values, annotators[name].fragile
        return means.with_annotators(
            values[..., first] - values[..., second], fragile[..., first] | fragile[..., second]
        )

    return _left_out(compared, differences, ", mean over sources", None)


def _left_out(
    compared: _Compared,
    differences: Callable[[IntArray, IntArray], WithoutUnits],
    words: str,
    n: int | None,
) -> _Differences:
    """Yield differences (K, pairs) with the interval and test of leaving out units.

    Pairs are computed in blocks, because the arrays are as large as pairs times questions.
    """
    shared = compared.shared
    first, second = compared.sides
    step = max(1, _CELLS // max(1, shared.human.size))
    for start in range(0, len(compared.pairs), step):
        compared.tell()
        left = differences(first[start : start + step], second[start : start + step])
        limits = infer_coefficients(left, scale="plain")
        over = shared.random_units + grouping(left, shared.facets)
        yield (
            start,
            GroupMeasure(
                value=left.value,
                low=np.maximum(limits.low, -2),  # two correlations differ by 2 at most
                high=np.minimum(limits.high, 2),
                p=limits.p,
                df=limits.df,
                n=limits.resting if n is None else n,
                clusters=limits.units if n is None else shared.facets.n_clusters,
                method=f"{NAMES[compared.measure]}{words}, difference; "
                f"delete-one jackknife-t over {over}, 95%",
                reason=np.where(np.isnan(left.value), UNDEFINED, limits.reason),
            ),
        )


def _none(compared: _Compared, reason: str) -> _Differences:
    """Yield undefined differences with a reason."""
    nothing = np.full((len(compared.shared.humans), len(compared.pairs)), nan)
    yield 0, GroupMeasure(value=nothing, n=0, method=NAMES[compared.measure], reason=reason)


def _systems(compared: _Compared) -> _Differences:
    shared, facets, name = compared.shared, compared.shared.facets, compared.measure
    if few := too_few_systems(facets):
        yield from _none(compared, few)
        return
    r = coefficients_of(
        RankedMeans.of(shared.human, facets).features(name),
        RankedMeans.of(shared.metric, facets).features(name),
        name,
    )
    first, second = compared.sides
    value = r[:, first] - r[:, second]
    differences = GroupMeasure(
        value=value,
        n=facets.n_systems,
        clusters=facets.n_clusters,
        method=f"{NAMES[name]}, over systems, difference",
        reason=np.where(np.isnan(value), UNDEFINED, compared.too_many_swaps or NO_INTERVAL),
    )
    if compared.too_many_swaps:
        yield 0, differences
        return
    swapped = swapped_systems(
        shared.human,
        shared.metric,
        facets,
        compared.pairs,
        coefficient=name,
        resamples=compared.swaps,
        rng=compared.rng,
        tell=compared.tell,
    )
    yield (
        0,
        replace(
            differences,
            p=swapped.p,
            method=f"{differences.method}; {swapped.words}",
            more={"smallest_p": swapped.smallest_p},
        ),
    )


_AT: dict[CorrelationLevel, Callable[[_Compared], _Differences]] = {
    "within_source": _within_source,
    "pooled": _pooled,
    "systems": _systems,
}


class ComparedPair(Protocol):
    """Two metrics that are compared with one human column at one level."""

    @property
    def better(self) -> str: ...

    @property
    def other(self) -> str: ...

    @property
    def p_holm(self) -> float: ...


@dataclass(frozen=True, slots=True)
class BestMetrics:
    """The metrics that do not differ significantly from the highest one."""

    highest: str
    members: tuple[str, ...]  # the highest first, then in order of value
    behind: tuple[str, ...]
    unknown: tuple[str, ...]  # undefined, or without a test against the highest


def best_metrics(
    values: Mapping[str, float], pairs: Iterable[ComparedPair], *, alpha: float = 0.05
) -> BestMetrics | None:
    """Return the set of best metrics of one human column at one level; None without any value.

    Parameters
    ----------
    values : coefficients by metric
    pairs : the differences of all pairs of these metrics
    alpha : chance that the truly highest metric is missing from the set

    Notes
    -----
    The truly highest metric is missing only if it is falsely found lower than another. The chance
    of any such error among all pairs is kept at ``alpha`` (Holm).
    """
    ranked = sorted((m for m in values if not np.isnan(values[m])), key=lambda m: -values[m])
    if not ranked:
        return None
    highest, p = ranked[0], dict.fromkeys(values, nan)
    for pair in pairs:
        if pair.better == highest:
            p[pair.other] = pair.p_holm
        elif pair.other == highest and not np.isnan(pair.p_holm):
            p[pair.better] = 1.0
    compared = [m for m in ranked[1:] if not np.isnan(p[m])]
    return BestMetrics(
        highest=highest,
        members=(highest, *(m for m in compared if p[m] >= alpha)),
        behind=tuple(m for m in compared if p[m] < alpha),
        unknown=tuple(m for m in values if m != highest and m not in compared),
    )
