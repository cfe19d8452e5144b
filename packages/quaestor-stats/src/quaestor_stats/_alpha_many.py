"""Krippendorff's alpha where there are many different values: sliders, and ranks or ratios of
continuous scores.

A table of all values against all would need their number squared; here a unit needs only its own
pairs. Per unit u, ``q_u`` is the sum of squared distances over its ordered pairs; per value c,
``phi_c = sum_k n_k d_ck``. Then D_o = sum q_u / (m_u - 1) and D_e = sum n_c phi_c. Leaving out a
cluster g of units changes D_e by -2 sum_{c in g} phi_c plus the sum of squared distances over the
ordered pairs of g's own ratings.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from quaestor_stats._arrays import FloatArray, IntArray
from quaestor_stats._resampling import (
    Bootstrap,
    Interval,
    Resampled,
    Spread,
    jackknife_interval,
    percentiles_of,
    redrawn,
)

if TYPE_CHECKING:
    from scipy import sparse

ManyLevel: TypeAlias = Literal["nominal", "ordinal", "ratio"]
_SECOND_ORDER_VALUES = 2_000  # up to so many different values no term is dropped
_CURVED_CLUSTERS = 500  # clusters that can hold more than 1 / 500 of the ratings
_BLOCK_CELLS = 2_000_000


def alpha(
    table: FloatArray,
    *,
    level: ManyLevel,
    interval: Interval | None,
    clusters: IntArray | None = None,
) -> tuple[float, Spread | None]:
    """Return alpha of a table whose units all have two or more ratings, and its interval.

    ``clusters`` (n_units,) numbers the clusters from 0; without them every unit is one.
    """
    values, rows = _rows(table)
    held = np.arange(len(rows)) if clusters is None else clusters
    of: Resampled = "unit" if clusters is None else "cluster"
    once = np.ones(held.max() + 1)
    value = _weighted(rows, values, np.ones(len(rows)), level)
    if interval is None:
        return value, None
    if isinstance(interval, Bootstrap):
        blocks = redrawn(once, interval, of=of)
        draws = [_weighted(rows, values, drawn[held], level) for block in blocks for drawn in block]
        return value, percentiles_of(np.array(draws), interval, once, of=of)
    given = _given(rows, held, values.size)
    if level == "ordinal":
        left_out = _ordinal_left_out(rows, held, given)
    else:
        left_out = _fixed_left_out(rows, held, given, values, level)
    return value, jackknife_interval(value, left_out, once, interval, of=of)


def _rows(table: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct values and, per unit, the positions of its ratings, -1 where there is
    none."""
    judged = ~np.isnan(table)
    values, codes = np.unique(table[judged], return_inverse=True)
    rows = np.full(table.shape, -1, dtype=np.intp)
    rows[judged] = codes
    rows.sort(axis=1)
    return values, rows[:, -judged.sum(axis=1).max() :]


def _marginals(rows: IntArray, times: FloatArray, size: int) -> FloatArray:
    weights = np.broadcast_to(times[:, None], rows.shape)
    n_c: FloatArray = np.bincount(rows.ravel() + 1, weights=weights.ravel(), minlength=size + 1)[
        1:
    ].astype(np.float64)
    return n_c


def _pairs(rows: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield (units, first value, second value) for every unordered pair of ratings within a
    unit."""
    for i, j in combinations(range(rows.shape[1]), 2):
        both = np.flatnonzero(rows[:, i] >= 0)  # rows are ascending: then j is judged too
        yield both, rows[both, i], rows[both, j]


def _within(rows: IntArray, level: ManyLevel, place: FloatArray) -> FloatArray:
    """Return q_u; ``place`` holds the values, or for the ordinal level their mid-ranks."""
    q = np.zeros(len(rows))
    for unit, a, b in _pairs(rows):
        q[unit] += 2 * _distance(level, place[a], place[b])
    return q


def _distance(level: ManyLevel, a: FloatArray, b: FloatArray) -> FloatArray:
    if level == "nominal":
        return np.not_equal(a, b).astype(np.float64)
    if level == "ordinal":
        return np.asarray((a - b) ** 2)
    total = a + b
    share: FloatArray = (a - b) / np.where(total == 0, 1, total)
    return share**2


def _sizes(rows: IntArray) -> FloatArray:
    return np.asarray((rows >= 0).sum(axis=1), dtype=np.float64)


def _weighted(rows: IntArray, values: FloatArray, times: FloatArray, level: ManyLevel) -> float:
    n_c = _marginals(rows, times, values.size)
    n = n_c.sum()
    place = np.cumsum(n_c) - n_c / 2 if level == "ordinal" else values
    observed = times @ (_within(rows, level, place) / (_sizes(rows) - 1))
    expected = (
        _ordinal_expected(n, (n_c**3).sum())
        if level == "ordinal"
        else n_c @ _potential(values, n_c, level)
    )
    return float(1 - (n - 1) * observed / expected) if (n_c > 0).sum() > 1 else nan


def _potential(values: FloatArray, n_c: FloatArray, level: ManyLevel) -> FloatArray:
    """Return phi_c for a distance that does not depend on the ranks."""
    if level == "nominal":
        return np.asarray(n_c.sum() - n_c)
    step = max(1, _BLOCK_CELLS // values.size)
    parts = [
        _distance(level, values[i : i + step, None], values[None, :]) @ n_c
        for i in range(0, values.size, step)
    ]
    return np.concatenate(parts)


def _given(rows: IntArray, clusters: IntArray, size: int) -> sparse.csr_array:
    """Return (C, V): how often each value was given in each cluster."""
    from scipy import sparse

    unit, place = np.nonzero(rows >= 0)
    cells = np.ravel_multi_index((clusters[unit], rows[unit, place]), (clusters.max() + 1, size))
    different, times = np.unique(cells, return_counts=True)
    where = np.unravel_index(different, (clusters.max() + 1, size))
    return sparse.csr_array((times.astype(np.float64), where), shape=(clusters.max() + 1, size))


def _fixed_left_out(
    rows: IntArray,
    clusters: IntArray,
    given: sparse.csr_array,
    values: FloatArray,
    level: ManyLevel,
) -> FloatArray:
    n_c = np.asarray(given.sum(axis=0), dtype=np.float64)
    phi = _potential(values, n_c, level)
    m = np.asarray(given.sum(axis=1))
    q = _within(rows, level, values)
    d = np.bincount(clusters, q / (_sizes(rows) - 1))
    own = q if len(m) == len(rows) else _between(given, values, level)
    expected = n_c @ phi - 2 * (given @ phi) + own
    left_out: FloatArray = 1 - (n_c.sum() - m - 1) * (d.sum() - d) / np.where(
        expected > 0, expected, nan
    )
    return left_out


def _between(given: sparse.csr_array, values: FloatArray, level: ManyLevel) -> FloatArray:
    """Return per cluster the sum of squared distances over all ordered pairs of its ratings."""
    starts = zip(given.indptr[:-1], given.indptr[1:], strict=True)
    own = ((values[given.indices[start:end]], given.data[start:end]) for start, end in starts)
    return np.array([n_c @ _potential(place, n_c, level) for place, n_c in own])


def _ordinal_expected(n: FloatArray, cubes: FloatArray) -> FloatArray:
    """Return sum_ck n_c n_k (rank_c - rank_k)^2 for mid-ranks: n (n^3 - sum_c n_c^3) / 6."""
    return n * (n**3 - cubes) / 6


def _ordinal_left_out(rows: IntArray, clusters: IntArray, given: sparse.csr_array) -> FloatArray:
    """Return ordinal alpha without each cluster, the ranks of all others moving with it.

    Without cluster g the mid-rank of c falls by h_g(c), g's ratings below c and half of those at c.
    The observed disagreement is then Q(rank - h_g), a quadratic form that splits into a constant, a
    part linear in g's values (``pull``) and one by pairs of them, Q(h_g). The last is of relative
    size (m_g / n)^2: with more than 2,000 different values it is left away for clusters with less
    than 1 / 500 of all ratings, and for single units.
    """
    n_c = np.asarray(given.sum(axis=0), dtype=np.float64)
    m = np.asarray(given.sum(axis=1))
    n = n_c.sum()
    rank = np.append(np.cumsum(n_c) - n_c / 2, 0)
    pull, tie = _straddling(rows, rank, n_c.size)
    share = 1 / (_sizes(rows) - 1)
    observed = (_within(rows, "ordinal", rank) * share).sum() - 2 * (given @ pull)
    observed += _curvature(rows, clusters, given) if tie is None else _quadratic(given, tie)
    own_rank = np.where(rows >= 0, rank[rows] - _rank_within(rows, clusters, given), nan)
    observed -= np.bincount(clusters, _own(own_rank) * share)
    expected = _ordinal_expected(n - m, (n_c**3).sum() - _cubes_lost(given, n_c))
    left_out: FloatArray = 1 - (n - m - 1) * observed / np.where(expected > 0, expected, nan)
    return left_out


def _straddling(
    rows: IntArray, rank: FloatArray, size: int
) -> tuple[FloatArray, FloatArray | None]:
    """Return, for a fall of all ranks above a value, the change of Q (by value) and its curvature
    (by two values)."""
    m = _sizes(rows)
    slope = np.zeros(size)
    coincidence = np.zeros((size, size)) if size <= _SECOND_ORDER_VALUES else None
    for unit, a, b in _pairs(rows):
        weight = 2 / (m[unit] - 1)
        force = weight * (rank[b] - rank[a])
        slope += np.bincount(b, force, size) - np.bincount(a, force, size)
        if coincidence is not None:
            np.add.at(coincidence, (a, b), weight)
    pull = np.cumsum(slope[::-1])[::-1] - slope / 2
    if coincidence is None:
        return pull, None
    coincidence += coincidence.T
    laplacian = np.diag(coincidence.sum(axis=1)) - coincidence
    above = np.cumsum(laplacian[::-1], axis=0)[::-1] - laplacian / 2
    return pull, np.cumsum(above[:, ::-1], axis=1)[:, ::-1] - above / 2


def _quadratic(given: sparse.csr_array, tie: FloatArray) -> FloatArray:
    step = max(1, _BLOCK_CELLS // len(tie))
    blocks = (given[start : start + step] for start in range(0, given.shape[0], step))
    return np.concatenate([np.asarray(block.multiply(block @ tie).sum(axis=1)) for block in blocks])


def _curvature(rows: IntArray, clusters: IntArray, given: sparse.csr_array) -> FloatArray:
    """Return Q(h_g) of the clusters that are large enough for it to matter, 0 for the others."""
    size = _sizes(rows)
    units, m = np.bincount(clusters), np.asarray(given.sum(axis=1))
    curvature = np.zeros(len(m))
    for g in np.flatnonzero((units > 1) & (m * _CURVED_CLUSTERS >= m.sum())):
        n_gc = given[[g]].toarray()[0]
        fall = np.append(np.cumsum(n_gc) - n_gc / 2, 0)
        curvature[g] = (_within(rows, "ordinal", fall) / (size - 1)).sum()
    return curvature


def _rank_within(rows: IntArray, clusters: IntArray, given: sparse.csr_array) -> FloatArray:
    """Return the mid-rank of each rating among those of its cluster."""
    total = np.cumsum(given.data)
    before = np.append(0, total)[given.indptr[:-1]]  # ratings of the clusters before
    held, size = np.repeat(np.arange(given.shape[0]), np.diff(given.indptr)), given.shape[1]
    middle = total - given.data / 2 - before[held]
    cell = np.searchsorted(held * size + given.indices, clusters[:, None] * size + rows)
    # the value is arbitrary where no rating exists
    return np.asarray(middle[np.minimum(cell, len(middle) - 1)])


def _own(place: FloatArray) -> FloatArray:
    """Return the sum of squared differences over the ordered pairs of each unit."""
    total = np.zeros(len(place))
    for i, j in combinations(range(place.shape[1]), 2):
        total += 2 * np.nan_to_num((place[:, i] - place[:, j]) ** 2)
    return total


def _cubes_lost(given: sparse.csr_array, n_c: FloatArray) -> FloatArray:
    """Return sum_c n_c^3 - (n_c - n_gc)^3 for every cluster g."""
    from scipy import sparse

    before = n_c[given.indices]
    lost = before**3 - (before - given.data) ** 3
    of_clusters = sparse.csr_array((lost, given.indices, given.indptr), shape=given.shape)
    return np.asarray(of_clusters.sum(axis=1))
