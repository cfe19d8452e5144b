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
from itertools import product
from math import comb, nan
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._association_measures import NO_INTERVAL, NO_SYSTEMS, grouping, too_few_systems
from quaestor_stats._associations import LEVELS, CorrelationLevel
from quaestor_stats._correlation import NAMES, Method
from quaestor_stats._design import Facets, without_annotators
from quaestor_stats._exact_sums import whole
from quaestor_stats._inputs import FloatArray, IntArray, numeric
from quaestor_stats._jackknife import WithoutUnits, infer_coefficients
from quaestor_stats._multiplicity import holm
from quaestor_stats._pooled import PooledCoefficient, pooled_correlations, pooled_values
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._shared_questions import Items, NamedColumns, SharedQuestions, shared_by_pairs
from quaestor_stats._source_correlations import mean_left_out, source_coefficients, within_values
from quaestor_stats._system_level import (
    REQUIRED_SYSTEMS,
    RankedMeans,
    coefficients_of,
    swapped_systems,
)

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
    confidence: float = 0.95,
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
    people, own = NamedColumns.of(humans), NamedColumns.of(metrics)
    tables = {name: numeric(each, name=name, ndim=2) for name, each in (ratings or {}).items()}
    n_pairs = comb(len(own.names), 2)
    swaps = max(resamples, PER_PAIR * n_pairs)
    groups = 1 if items == "common" else len(own.alike())
    swapped_means = _number_of_swapped_means(facets, n_pairs, groups, swaps)
    too_many = ""
    if swapped_means * len(people.alike()) > most_swapped:
        too_many = (
            f"left out: {swaps:,} swaps for each of {n_pairs:,} pairs of metrics take too long"
        )
    found: dict[tuple[int, CorrelationLevel], dict[tuple[int, ...], MetricDifference]] = {}
    for shared, pairs in shared_by_pairs(people, own, facets, items=items):
        chosen = shared.humans if facets.design.random_annotators else []
        by_annotator = [tables[people.names[k]][shared.kept] for k in chosen]
        asked = _Pairwise(
            shared, pairs, measure, by_annotator, confidence, swaps, rng, too_many, tell
        )
        for level in levels:
            tell()
            for one in _AT[level](asked):
                human = shared.humans[one.human]
                both = tuple(shared.metrics[i] for i in pairs[one.pair])
                row = one.row(asked, level, people.names[human], [own.names[i] for i in both])
                found.setdefault((human, level), {})[tuple(sorted(both))] = row
    families = product(range(len(people.names)), levels)
    return [row for family in families for row in _with_holm(found.get(family, {}))]


def _number_of_swapped_means(facets: Facets, n_pairs: int, groups: int, swaps: int) -> int:
    """Return how many swapped means the test over systems computes for one human column; drawing
    the signs of the swaps counts too."""
    units = facets.n_systems if facets.design.random_systems else facets.n_clusters
    signs = units * groups * (groups + 1) // (2 * SIGNS_A_MEAN)
    return int(min(swaps, 2 ** (units - 1)) * (n_pairs * facets.n_systems + signs))


def _with_holm(family: Mapping[tuple[int, ...], MetricDifference]) -> list[MetricDifference]:
    """Return the rows of one human column and level by their metrics, with corrected p."""
    rows = [row for _, row in sorted(family.items())]
    adjusted = holm([row.found.pvalue for row in rows])
    return [replace(row, p_holm=float(p)) for row, p in zip(rows, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Result for one human column and one pair of metrics, by their positions."""

    human: int
    pair: int
    found: Result
    smallest_p: float = nan

    def row(
        self, asked: "_Pairwise", level: CorrelationLevel, human: str, metrics: Sequence[str]
    ) -> MetricDifference:
        """Return the outcome with the better metric first."""
        (better, other), found = metrics, self.found
        if found.value < 0:
            better, other = other, better
            found = replace(
                found,
                value=-found.value,
                ci=ConfidenceInterval(-found.ci.high, -found.ci.low),
            )
        return MetricDifference(
            human=human,
            better=better,
            other=other,
            level=level,
            measure=asked.measure,
            found=found,
            smallest_p=self.smallest_p,
            questions=len(asked.shared.human),
            sources=asked.shared.facets.n_sources,
            systems=asked.shared.facets.n_systems,
        )


@dataclass(frozen=True, slots=True)
class _Pairwise:
    """Pairs of metrics to compare over the same questions."""

    shared: SharedQuestions
    pairs: list[tuple[int, int]]
    measure: Method
    ratings: list[FloatArray]
    confidence: float
    swaps: int
    rng: np.random.Generator
    too_many_swaps: str  # why none are made
    tell: Callable[[], None]

    @property
    def coefficients(self) -> list[PooledCoefficient]:
        return [self.measure]

    @property
    def sides(self) -> tuple[IntArray, IntArray]:
        both = np.array(self.pairs, dtype=np.intp)
        return both[:, 0], both[:, 1]

    def tested(
        self, apart: Callable[[IntArray, IntArray], WithoutUnits], words: str, n: int | None
    ) -> Iterator[_Outcome]:
        """Yield human column, pair and outcome of the differences (K, pairs) between the metrics of
        one side and the other.

        Pairs are computed in blocks, because the arrays are as large as pairs times questions.
        """
        facets = self.shared.facets
        random = facets.random + (" and annotators" if self.ratings else "")
        first, second = self.sides
        step = max(1, _CELLS // max(1, self.shared.human.size))
        for start in range(0, len(self.pairs), step):
            self.tell()
            left = apart(first[start : start + step], second[start : start + step])
            limits = infer_coefficients(left, scale="plain", confidence=self.confidence)
            method = (
                f"{NAMES[self.measure]}{words}, difference; delete-one jackknife-t over "
                f"{random}{grouping(left, facets)}, {self.confidence:.0%}"
            )
            for at in np.ndindex(left.value.shape):
                value = float(left.value[at])
                reason = str(limits.reason[at]) or (
                    "a correlation is undefined" if np.isnan(value) else ""
                )
                found = Result(
                    value=value,
                    ci=ConfidenceInterval(
                        float(np.maximum(limits.low[at], -2)), float(np.minimum(limits.high[at], 2))
                    ),  # what two correlations differ by
                    pvalue=float(limits.p[at]),
                    df=float(limits.df[at]),
                    n=int(limits.resting[at]) if n is None else n,
                    clusters=int(limits.units[at]) if n is None else facets.n_clusters,
                    dropped=self.shared.dropped,
                    method=method,
                    reason=reason,
                )
                yield _Outcome(at[0], start + at[1], found)

    def none(self, reason: str) -> Iterator[_Outcome]:
        for k in range(len(self.shared.humans)):
            for place in range(len(self.pairs)):
                yield _Outcome(
                    k, place, Result(value=nan, method=NAMES[self.measure], reason=reason)
                )


def _pooled(asked: _Pairwise) -> Iterator[_Outcome]:
    of, name = asked.shared, asked.measure
    if len(of.human) < REQUIRED_SYSTEMS:
        return asked.none(f"{len(of.human)} questions have all scores: too few")
    left = pooled_correlations(of.human, of.metric, of.facets, coefficients=[name])[name]
    if asked.ratings:

        def values(
            human: FloatArray, metric: FloatArray, _: Facets
        ) -> dict[PooledCoefficient, FloatArray]:
            return {name: pooled_values(human, metric, coefficients=[name])[name]}

        without = without_annotators(
            asked.ratings, of.metric, of.facets, values, asked.coefficients
        )[name]
        left = left.with_annotators(without.values, without.fragile)
    return asked.tested(left.pairs, "", len(of.human))


def _within_source(asked: _Pairwise) -> Iterator[_Outcome]:
    of, name = asked.shared, asked.measure
    if of.facets.n_systems < 2:
        return asked.none(NO_SYSTEMS)
    human = np.column_stack([whole(column) for column in of.human.T])
    r, by_system = source_coefficients(human, of.metric, of.facets, coefficient=name)
    each = None
    if asked.ratings:

        def values(
            human: FloatArray, metric: FloatArray, at: Facets
        ) -> dict[PooledCoefficient, FloatArray]:
            return {name: within_values(human, metric, at, coefficients=[name])[name]}

        each = without_annotators(asked.ratings, of.metric, of.facets, values, asked.coefficients)[
            name
        ]

    def apart(first: IntArray, second: IntArray) -> WithoutUnits:
        without = None if by_system is None else by_system[..., first] - by_system[..., second]
        left = mean_left_out(r[..., first] - r[..., second], without, facets=of.facets)
        if each is None:
            return left
        return left.with_annotators(
            each.values[..., first] - each.values[..., second],
            each.fragile[..., first] | each.fragile[..., second],
        )

    return asked.tested(apart, ", mean over sources", None)


def _systems(asked: _Pairwise) -> Iterator[_Outcome]:
    of, name, (first, second) = asked.shared, asked.measure, asked.sides
    if few := too_few_systems(of.facets):
        yield from asked.none(few)
        return
    swapped = None
    if not asked.too_many_swaps:
        swapped = swapped_systems(
            of.human,
            of.metric,
            of.facets,
            asked.pairs,
            coefficient=name,
            resamples=asked.swaps,
            rng=asked.rng,
            tell=asked.tell,
        )
    people, own = RankedMeans.of(of.human, of.facets), RankedMeans.of(of.metric, of.facets)
    each = coefficients_of(people.under(name), own.under(name), name)
    method = f"{NAMES[name]}, over systems, difference"
    if swapped:
        method += f"; {swapped.words}"
    for at in np.ndindex(len(each), len(asked.pairs)):
        value = float(each[at[0], first[at[1]]] - each[at[0], second[at[1]]])
        reason = "a correlation is undefined" if np.isnan(value) else NO_INTERVAL
        if not swapped and not np.isnan(value):
            reason = asked.too_many_swaps
        found = Result(
            value=value,
            pvalue=float(swapped.p[at]) if swapped else nan,
            n=of.facets.n_systems,
            clusters=of.facets.n_clusters,
            dropped=of.dropped,
            method=method,
            reason=reason,
        )
        yield _Outcome(at[0], at[1], found, swapped.smallest_p if swapped else nan)


_AT: dict[CorrelationLevel, Callable[[_Pairwise], Iterator[_Outcome]]] = {
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
