"""Krippendorff's alpha: nominal, ordinal, interval and ratio, with missing ratings and an interval
over units or clusters.

Alpha is a function of how often each unit counts. Without a cluster its units do not count, and in
a resample they count as often as they are drawn. Units that were given the same few values are
counted together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._informative_clusters import guarded, guarded_table
from quaestor_stats._inputs import (
    FloatArray,
    IntArray,
    Labels,
    Patterns,
    RatingScale,
    check_ratings,
    checked_scale,
    cluster_codes,
    code_ratings,
    memberships,
    patterns,
    short_scale,
)
from quaestor_stats._jackknife import MAX_GROUPS, deal_groups
from quaestor_stats._resampling import (
    Bootstrap,
    Interval,
    Jackknife,
    Resampled,
    Spread,
    jackknife_interval,
    percentiles_of,
    redrawn,
    unit_of,
    with_spread,
)
from quaestor_stats._result import Result, undefined_result

if TYPE_CHECKING:
    from scipy import sparse

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
FEW = 12  # points of a scale up to which units with the same values are counted together
_BLOCK_CELLS = 2_000_000


def krippendorff_alpha(
    ratings: ArrayLike | Patterns,
    *,
    level: Level,
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Krippendorff's alpha, one minus observed over expected disagreement.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts per kind of unit (`value_counts`)
    level : the scale's level of measurement; it sets the squared distance between two values
    scale : the points of the scale, to refuse values that are not on it; alpha itself does not depend on it
    clusters : (n_units,) labels of what was sampled as a whole, as a rule the source; the interval
        then leaves out or draws whole clusters. None takes units as independent
    interval : `Jackknife` (default), `Bootstrap` with its generator, or None

    Returns
    -------
    Result
        ``n`` units with two or more ratings, ``dropped`` the units with one or none. Undefined if fewer than two
        different values were given: agreement then cannot be distinguished from chance.

    Raises
    ------
    ValueError
        Not numbers, not a table, a rating off the scale, negative values on a ratio scale.

    Notes
    -----
    alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck over the coincidences o of pairable values
    (Krippendorff 2011). The ordinal distance between two values is the
    squared difference of their mid-ranks among all pairable values, so ordinal alpha is interval alpha of mid-ranks.

    More than `MAX_GROUPS` clusters, or units of many different values, are left out in that many groups. The
    work grows with the ratings; on the ratio level also with the square of the number of different values.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

    Examples
    --------
    Krippendorff's four observers and twelve units; he prints .743, .815, .849 and .797.

    >>> from math import nan
    >>> observers = np.array([
    ...     [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    ...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    ...     [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    ...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ... ])
    >>> [round(krippendorff_alpha(observers.T, level=level).value, 3) for level in LEVELS]
    [0.743, 0.815, 0.849, 0.797]
    """
    method = f"Krippendorff's alpha, {level}"
    if level not in LEVELS:
        raise ValueError(f"level: {level!r} is none of {', '.join(LEVELS)}")
    if isinstance(ratings, Patterns):
        counted = patterns(ratings, clusters=clusters)
        return _of_patterns(counted, level, interval, method, ratings.n)
    table = check_ratings(ratings)
    if level == "ratio" and (table < 0).any():
        raise ValueError("ratings: a ratio scale has no negative values")
    values = short_scale(table) if scale is None else checked_scale(scale)
    if values is not None and values.size <= FEW:
        counted = patterns(table, scale=values, clusters=clusters)
        return _of_patterns(counted, level, interval, method, len(table))
    if scale is not None:
        code_ratings(table, checked_scale(scale))  # refuses what is off the scale
    return _of_table(table, level, interval, method, clusters)


def _of_patterns(
    counted: Patterns, level: Level, interval: Interval | None, method: str, n_units: int
) -> Result:
    pairable = counted.with_at_least(2)
    values = pairable.values
    sizes = pairable.sizes.astype(np.intp)
    unit, position = np.nonzero(np.arange(sizes.max(initial=0)) < sizes[:, None])
    codes = np.full((len(sizes), sizes.max(initial=0)), values.size)
    points = np.tile(np.arange(values.size), len(sizes))
    codes[unit, position] = np.repeat(points, pairable.counts.ravel().astype(np.intp))
    rated = _Rated.of(codes, values, pairable.times, pairable.clusters, level)
    alpha = _estimated(rated, interval, method, n_units - pairable.n)
    return guarded(alpha, pairable.counts, pairable.clusters, unit_of(interval))


def _of_table(
    table: FloatArray, level: Level, interval: Interval | None, method: str, clusters: Labels | None
) -> Result:
    pairable = np.asarray((~np.isnan(table)).sum(axis=1) >= 2)
    rows = table[pairable]
    values, codes = _places(rows)
    cluster = members = None
    if clusters is not None:
        cluster = cluster_codes(clusters, pairable)
        members = memberships(cluster, np.arange(len(rows)), np.ones(len(rows)), len(rows))
    rated = _Rated.of(codes, values, np.ones(len(rows)), members, level)
    alpha = _estimated(rated, interval, method, len(table) - len(rows))
    return guarded_table(alpha, rows, cluster, unit_of(interval)) if alpha.defined else alpha


def _places(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the values of ratings, and each unit's places among them, ascending."""
    values, codes = np.unique(rows, return_inverse=True)
    values = values[~np.isnan(values)]
    codes = np.sort(np.minimum(codes.reshape(rows.shape), values.size), axis=1)
    return values, codes[:, : (codes < values.size).sum(axis=1).max(initial=0)]


def _estimated(rated: _Rated, interval: Interval | None, method: str, dropped: int) -> Result:
    n = int(rated.times.sum())
    different = (rated.times @ rated.given > 0).sum()
    if different < 2:
        reason = "every rating has the same value: agreement cannot be told from chance"
        return undefined_result(
            method, reason if different else "no unit has two ratings", n=n, dropped=dropped
        )
    value = float(rated.alphas(rated.times[None])[0])
    if interval is None:
        return Result(value=value, n=n, dropped=dropped, method=method)
    spread = _spread(rated, value, interval)
    return with_spread(value, spread, n=n, dropped=dropped, method=method, at_most=1.0)


def _spread(rated: _Rated, value: float, interval: Interval) -> Spread:
    of: Resampled = "unit" if rated.clusters is None else "cluster"
    members, counts = rated.units()
    if isinstance(interval, Bootstrap):
        draws = [rated.alphas(drawn @ members) for drawn in redrawn(counts, interval, of=of)]
        return percentiles_of(np.concatenate(draws), interval, counts, of=of)
    units = int(counts.sum())
    members, counts = _in_groups(members, counts)
    step = max(1, _BLOCK_CELLS // max(rated.codes.shape[0], rated.values.size))
    blocks = (members[at : at + step] for at in range(0, members.shape[0], step))
    without = np.concatenate([rated.alphas(rated.times - block.toarray()) for block in blocks])
    return jackknife_interval(value, without, counts, interval, of=of, units=units)


def _in_groups(
    members: sparse.csr_array, counts: FloatArray
) -> tuple[sparse.csr_array, FloatArray]:
    """Return the groups that clusters, or single units, are dealt to where they are too many."""
    n = len(counts)
    if n <= MAX_GROUPS or (counts > 1).any():
        return members, counts
    groups = memberships(deal_groups(np.arange(n)), np.arange(n), counts, n)
    return groups @ members, np.ones(MAX_GROUPS)


@dataclass(frozen=True, slots=True)
class _Rated:
    """Units with two or more ratings, or kinds of such units."""

    codes: IntArray  # (P, m) places of the values, ascending; their number where there is none
    values: FloatArray  # (V,)
    times: FloatArray  # (P,) number of units of this kind
    clusters: sparse.csr_array | None  # (C, P) number of these units in each cluster
    level: Level
    given: sparse.csr_array  # (P, V) how often each value was given
    apart: FloatArray | None  # (P,) sum of squared distances over pairs; None: they depend on ranks

    @classmethod
    def of(
        cls,
        codes: IntArray,
        values: FloatArray,
        times: FloatArray,
        clusters: sparse.csr_array | None,
        level: Level,
    ) -> _Rated:
        unit, position = np.nonzero(codes < values.size)
        given = memberships(unit, codes[unit, position], np.ones(unit.size), values.size)
        apart = None
        if level == "interval":
            apart = _squares_within(values, codes)
        elif level != "ordinal":
            apart = _distances_within(values, codes, level)
        return cls(codes, values, times, clusters, level, given, apart)

    def units(self) -> tuple[sparse.csr_array, FloatArray]:
        """Return what is left out or drawn (units, P), a unit of each kind or a cluster, and how
        many there are of each."""
        from scipy import sparse

        if self.clusters is None:
            return sparse.csr_array(sparse.eye_array(self.times.size)), self.times
        return self.clusters, np.ones(self.clusters.shape[0])

    def alphas(self, weights: FloatArray) -> FloatArray:
        """Return alpha (B,) if units count ``weights`` (B, P) times; nan with one value alone."""
        n_c = np.asarray(weights @ self.given)
        share = 1 / (self.given.sum(axis=1) - 1)
        if self.apart is None:
            ranks = np.cumsum(n_c, axis=1) - n_c / 2
            apart = np.array([_squares_within(rank, self.codes) for rank in ranks])
            observed = (weights * apart) @ share
        else:
            observed = weights @ (self.apart * share)
        varied = (n_c > 0.5).sum(axis=1) > 1
        expected = np.where(varied, _expected(n_c, self.values, self.level), np.nan)
        return np.asarray(1 - (n_c.sum(axis=1) - 1) * observed / expected)


def _squares_within(place: FloatArray, codes: IntArray) -> FloatArray:
    """Return the sum of squared differences of places over the ordered pairs of each unit."""
    judged = codes < place.size
    size = judged.sum(axis=1)
    x = np.append(place, 0)[codes]
    gap = np.where(judged, x - (x.sum(axis=1) / size)[:, None], 0)
    return np.asarray(2 * size * (gap**2).sum(axis=1))


def _distances_within(values: FloatArray, codes: IntArray, level: Level) -> FloatArray:
    """Return the sum of squared distances over the ordered pairs of each unit."""
    total = np.zeros(len(codes))
    x = np.append(values, np.nan)[codes]
    for i, j in combinations(range(x.shape[1]), 2):
        both = codes[:, j] < values.size  # values are ascending: then i is judged too
        total[both] += 2 * _distance(level, x[both, i], x[both, j])
    return total


def _distance(level: Level, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the squared nominal or ratio distance."""
    if level == "nominal":
        return np.not_equal(a, b).astype(np.float64)
    total = a + b
    return np.asarray(((a - b) / np.where(total == 0, 1, total)) ** 2)


def _expected(n_c: FloatArray, values: FloatArray, level: Level) -> FloatArray:
    """Return sum_ck n_c n_k d_ck (B,) of values that were given n_c (B, V) times."""
    n = n_c.sum(axis=1)
    if level == "nominal":
        return np.asarray(n**2 - (n_c**2).sum(axis=1))
    if level == "ordinal":  # of mid-ranks
        return np.asarray(n * (n**3 - (n_c**3).sum(axis=1)) / 6)
    if level == "interval":
        centred = values - values.mean()
        return np.asarray(2 * (n * (n_c @ centred**2) - (n_c @ centred) ** 2))
    total = np.zeros(len(n_c))
    step = max(1, _BLOCK_CELLS // values.size)
    for start in range(0, values.size, step):
        some = slice(start, start + step)
        d_ck = _distance(level, values[some, None], values)
        total += ((n_c @ d_ck.T) * n_c[:, some]).sum(axis=1)
    return total
