"""Further results about an LLM judge, to be read with its verdict: the human ceiling, its severity
and its use of the scale."""

from collections import Counter
from dataclasses import dataclass, replace
from math import nan
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import NAMES, REQUIRED_ITEMS, Method, coefficients
from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    group_labels,
    numeric,
    source_codes,
)
from quaestor_stats._jackknife import deal_groups, jackknife
from quaestor_stats._resampling import (
    Jackknife,
    Statistic,
    estimate_statistic,
    jackknife_interval,
    mean_statistic,
    with_spread,
)
from quaestor_stats._result import Result, undefined_result

JUDGE, PERSON, DIFFERENCE = range(3)  # columns of `_Followed`
METHOD: Method = "spearman"
NO_PAIR = "no question was asked so twice"
DECIMALS = 10  # means of ratings that are equal but for rounding are one value


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Correlation of the judge, and of one annotator, with the mean of the other annotators.

    Each annotator in turn is left out; both are correlated with the mean of the others on that
    annotator's items, and the coefficients are averaged over annotators.
    """

    judge: Result
    person: Result  # the human ceiling on the judge's items
    difference: Result  # judge minus person


def compare_judge(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    sources: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> Following:
    """Compare the Spearman correlations of a judge and of one annotator with the mean of the others.

    Parameters
    ----------
    people : (n_items, n_people), NaN where not judged
    judge : (n_items,), NaN where the judge has none; only its items count
    sources : (n_items,) labels of sources, or of clusters of them; intervals leave out one (or a
        group of them) at a time
    unit : the name of what is left out, and how many an interval needs
    """
    table = numeric(people, name="people", ndim=2)
    of_judge = numeric(judge, name="judge", ndim=1)
    codes = source_codes(sources, len(of_judge))
    n = int((~np.isnan(of_judge) & ((~np.isnan(table)).sum(axis=1) >= 2)).sum())
    followed = _Followed.of(_triples(table, of_judge), codes)
    return Following(
        judge=followed.result(JUDGE, " of the judge with the mean of people but one", n, unit),
        person=followed.result(PERSON, " of one person with the mean of the others", n, unit),
        difference=followed.result(DIFFERENCE, ", judge minus person", n, unit),
    )


def _triples(table: FloatArray, of_judge: FloatArray) -> FloatArray:
    """Return judge, person and mean of the others (n_items, n_people, 3), nan where one of them is
    missing, for every person with three or more such items."""
    triples = []
    for person in range(table.shape[1]):
        others = np.delete(table, person, axis=1)
        count = (~np.isnan(others)).sum(axis=1)
        mean = np.where(count > 0, np.nansum(others, axis=1) / np.maximum(count, 1), nan)
        columns = np.column_stack([of_judge, table[:, person], np.round(mean, DECIMALS)])
        columns[np.isnan(columns).any(axis=1)] = nan
        triples.append(columns)
    stacked = np.stack(triples, axis=1)
    return stacked[:, (~np.isnan(stacked[..., 0])).sum(axis=0) >= REQUIRED_ITEMS]


@dataclass(frozen=True, slots=True)
class _Followed:
    """Correlations of judge and annotator, and their difference, with all sources and without.

    The columns are judge, annotator and difference; without triples there is no value.
    """

    values: FloatArray  # (3,)
    left_out: FloatArray  # (groups, 3), without each group of sources
    sources: int

    @classmethod
    def of(cls, triples: FloatArray, codes: IntArray) -> Self:
        if not triples.shape[1]:
            return cls(np.zeros(0), np.zeros((0, 3)), 0)
        whole, left_out = jackknife(_correlated, deal_groups(codes), triples)
        return cls(whole, left_out, int(codes.max()) + 1)

    def result(self, column: int, words: str, n: int, unit: ClusterUnit) -> Result:
        """Return a column with its interval."""
        name = f"{NAMES[METHOD]}{words}"
        if not self.values.size:
            return undefined_result(name, "no item has the judge and two people", n=n)
        value = float(self.values[column])
        if np.isnan(value):
            return undefined_result(name, "the judge's values, or people's, do not vary", n=n)
        without, groups = self.left_out[:, column], np.ones(len(self.left_out))
        spread = jackknife_interval(
            value, without, groups, Jackknife(unit=unit), of="cluster", units=self.sources
        )
        at_most = 2.0 if column == DIFFERENCE else 1.0
        return with_spread(value, spread, n=n, dropped=0, method=name, at_most=at_most)


def _correlated(triples: FloatArray) -> FloatArray:
    """Return judge, annotator and their difference, each a mean over the left-out annotators."""
    pairs = np.full((triples.shape[1], 2), nan)
    for person, columns in enumerate(triples.transpose(1, 0, 2)):
        complete = columns[~np.isnan(columns[:, 0])]
        if len(complete) >= REQUIRED_ITEMS:
            pairs[person] = coefficients(complete, method=METHOD)[:2, 2]
    judge, person_mean = pairs.mean(axis=0)
    return np.array([judge, person_mean, judge - person_mean])


def severity_of(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    sources: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> Result:
    """Return the judge's mean minus the annotators' mean, over the items that both judged."""
    gap, codes = _gaps(people, judge, sources)
    return _mean_over(gap, codes, "mean of the judge minus people", unit=unit)


def bias_by_system(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    unit: ClusterUnit = SOURCE,
) -> dict[str, Result]:
    """Return the judge's bias towards each system: how much higher than annotators it rates the
    system, compared with the other systems.

    The bias is the mean gap (judge minus annotators' mean) on the system's items minus the mean gap
    on all other items, which removes the judge's severity. With its interval over sources.
    """
    gap, codes = _gaps(people, judge, sources)
    names, system = group_labels(systems, name="systems")
    return {str(name): _bias(gap, codes, system == code, unit) for code, name in enumerate(names)}


def _bias(gap: FloatArray, codes: IntArray, of_system: BoolArray, unit: ClusterUnit) -> Result:
    """Return the mean gap on a system's items minus that on all others."""
    label = "judge minus people on this system, minus the same on the others"
    both = ~np.isnan(gap)
    items, rest = both & of_system, both & ~of_system
    if not items.any() or not rest.any():
        return undefined_result(
            label, "the judge and people share no items of this system, or none of others"
        )
    sums = np.hstack([_sums_by_source(gap, codes, items), _sums_by_source(gap, codes, rest)])
    used = sums[sums[:, 1] + sums[:, 3] > 0]
    return _of_sources(used, _difference, label, int(items.sum()), unit)


def _sums_by_source(gap: FloatArray, codes: IntArray, items: BoolArray) -> FloatArray:
    """Return the sum of gaps and the number of items of every source, (n_sources, 2)."""
    units = int(codes.max()) + 1
    total = np.bincount(codes[items], weights=gap[items], minlength=units)
    return np.column_stack([total, np.bincount(codes[items], minlength=units)])


def _difference(sums: FloatArray) -> FloatArray:
    return np.asarray(mean_statistic(sums[..., :2]) - mean_statistic(sums[..., 2:]))


def _of_sources(
    sums: FloatArray, statistic: Statistic, label: str, n: int, unit: ClusterUnit
) -> Result:
    result = estimate_statistic(
        sums, np.ones(len(sums)), statistic, Jackknife(unit=unit), method=label, of="cluster"
    )
    return replace(result, n=n)


def _gaps(
    people: ArrayLike, judge: ArrayLike, sources: Labels | None
) -> tuple[FloatArray, IntArray]:
    table = numeric(people, name="people", ndim=2)
    of_judge = numeric(judge, name="judge", ndim=1)
    count = (~np.isnan(table)).sum(axis=1)
    mean = np.where(count > 0, np.nansum(table, axis=1) / np.maximum(count, 1), nan)
    return of_judge - mean, source_codes(sources, len(of_judge))


def _mean_over(
    gap: FloatArray,
    codes: IntArray,
    label: str,
    nothing: str = "the judge and people share no items",
    unit: ClusterUnit = SOURCE,
) -> Result:
    here = ~np.isnan(gap)
    if not here.any():
        return undefined_result(label, nothing)
    sums = _sums_by_source(gap, codes, here)
    used = sums[sums[:, 1] > 0]
    return _of_sources(used, mean_statistic, label, int(here.sum()), unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPlace:
    """Consistency of a judge's values of one item, shown at the same and at other positions."""

    items: int  # items that were shown at two or more positions
    same_still: Result  # share of equal values, both times at one position
    same_moved: Result  # share of equal values, at two positions
    earlier: Result  # value at the earlier position minus value at the later one


def compare_positions(
    values: ArrayLike,
    places: ArrayLike,
    *,
    sources: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> ByPlace:
    """Compare a judge's repeated values of an item, pair by pair, by the item's positions.

    An item's pairs are averaged first, so each item weighs the same.

    Parameters
    ----------
    values : (n_items, n_times), NaN where not asked
    places : (n_items, n_times) position, from 1 for the item shown first; NaN where not known
    sources : (n_items,) labels; intervals leave out one source, or cluster, at a time

    Examples
    --------
    >>> result = compare_positions([[3, 2], [2, 2]], [[1, 2], [2, 1]])
    >>> result.same_moved.value, result.earlier.value
    (0.5, 0.5)
    """
    table = numeric(values, name="values", ndim=2)
    positions = numeric(places, name="places", ndim=2)
    codes = source_codes(sources, len(table))
    gap, direction = _pairs_of_times(table, positions)
    both = ~np.isnan(gap) & ~np.isnan(direction)
    moved, still = both & (direction != 0), both & (direction == 0)

    def mean_of(of_pairs: FloatArray, pairs: BoolArray, label: str) -> Result:
        by_item = _means_of_pairs(of_pairs, pairs)
        return _mean_over(by_item, codes, label, NO_PAIR, unit)

    equal = (gap == 0).astype(np.float64)
    return ByPlace(
        items=int(moved.any(axis=1).sum()),
        same_still=mean_of(equal, still, "share of equal values at the same place"),
        same_moved=mean_of(equal, moved, "share of equal values at another place"),
        earlier=mean_of(
            gap * direction, moved, "value at the earlier place minus at the later one"
        ),
    )


def _pairs_of_times(values: FloatArray, places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first minus the second value of every pair, and 1 if the first came earlier.

    Both are (n_items, n_pairs); the direction is -1 if the first came later, 0 at one position.
    """
    first, second = np.triu_indices(values.shape[1], k=1)
    return values[:, first] - values[:, second], np.sign(places[:, second] - places[:, first])


def _means_of_pairs(of_pairs: FloatArray, pairs: BoolArray) -> FloatArray:
    """Return the mean of each item's pairs that count, nan if none does."""
    count = pairs.sum(axis=1)
    total = np.where(pairs, of_pairs, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), nan)


def most_given(values: ArrayLike) -> tuple[float, float]:
    """Return the share of the value given most often, and that value; NaN where there is none."""
    given = numeric(values, name="values", ndim=1)
    counts = Counter(given[~np.isnan(given)].tolist())
    if not counts:
        return nan, nan
    value, times = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return times / counts.total(), value


def jury(judges: ArrayLike, *, nominal: bool) -> FloatArray:
    """Return a jury's value on each item: the mean of its judges, or on a nominal scale their most
    frequent value.

    The value is nan if the most frequent values tie, or if any judge lacks the item.
    """
    table = numeric(judges, name="judges", ndim=2)
    complete = ~np.isnan(table).any(axis=1)
    if not nominal:
        return np.where(complete, table.mean(axis=1), nan)
    values = np.full(len(table), nan)
    for row in np.flatnonzero(complete):
        (first, times), *rest = Counter(table[row].tolist()).most_common(2)
        if not rest or rest[0][1] < times:
            values[row] = first
    return values
