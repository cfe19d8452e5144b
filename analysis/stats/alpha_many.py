"""Krippendorff's alpha where there are many different values: sliders, and ranks or ratios of continuous scores.

A table of all values against all would need their number squared; here a unit costs only its own pairs. Per unit u,
``q_u`` is the sum of squared distances over its ordered pairs; per value c, ``phi_c = sum_k n_k d_ck``. Then
D_o = sum q_u / (m_u - 1) and D_e = sum n_c phi_c, and leaving a unit out changes D_e by -2 sum_{c in u} phi_c + q_u.
"""

from collections.abc import Iterator
from itertools import combinations
from math import nan
from typing import Literal, TypeAlias

import numpy as np

from analysis.stats.arrays import FloatArray, IntArray
from analysis.stats.ratings import TooManyValues
from analysis.stats.resampling import Bootstrap, Interval, Spread, jackknife, percentiles, redrawn

ManyLevel: TypeAlias = Literal["nominal", "ordinal", "ratio"]
_MOST_RATIO_VALUES = 20_000
_MOST_SECOND_ORDER = 2_000


def alpha(table: FloatArray, *, level: ManyLevel, interval: Interval | None) -> tuple[float, Spread | None]:
    """Return alpha of a table whose units all have two or more ratings, and its interval."""
    values, rows = _rows(table)
    times = np.ones(len(rows))
    value = _weighted(rows, values, times, level)
    if isinstance(interval, Bootstrap):
        draws = [_weighted(rows, values, w, level) for block in redrawn(times, interval) for w in block]
        words = f"unit bootstrap of {interval.resamples}"
        return value, percentiles(np.array(draws), words, interval.confidence)
    if interval is None:
        return value, None
    left_out = _ordinal_left_out(rows, values.size) if level == "ordinal" else _fixed_left_out(rows, values, level)
    return value, jackknife(value, left_out, times, interval)


def _rows(table: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct values and, per unit, the positions of its ratings, -1 where there is none."""
    judged = ~np.isnan(table)
    values, codes = np.unique(table[judged], return_inverse=True)
    rows = np.full(table.shape, -1, dtype=np.intp)
    rows[judged] = codes
    rows.sort(axis=1)
    return values, rows[:, -judged.sum(axis=1).max() :]


def _marginals(rows: IntArray, times: FloatArray, size: int) -> FloatArray:
    weights = np.broadcast_to(times[:, None], rows.shape)
    n_c: FloatArray = np.bincount(rows.ravel() + 1, weights=weights.ravel(), minlength=size + 1)[1:].astype(np.float64)
    return n_c


def _pairs(rows: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield (units, first value, second value) for every unordered pair of ratings within a unit."""
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
    expected = _ordinal_expected(n, (n_c**3).sum()) if level == "ordinal" else n_c @ _potential(values, n_c, level)
    return float(1 - (n - 1) * observed / expected) if (n_c > 0).sum() > 1 else nan


def _potential(values: FloatArray, n_c: FloatArray, level: ManyLevel) -> FloatArray:
    """Return phi_c for a distance that does not depend on the ranks."""
    if level == "nominal":
        return np.asarray(n_c.sum() - n_c)
    if values.size > _MOST_RATIO_VALUES:
        raise TooManyValues(f"ratio alpha compares all values: {values.size} are more than {_MOST_RATIO_VALUES}")
    step = max(1, 1_000_000 // values.size)
    parts = [_distance(level, values[i : i + step, None], values[None, :]) @ n_c for i in range(0, values.size, step)]
    return np.concatenate(parts)


def _fixed_left_out(rows: IntArray, values: FloatArray, level: ManyLevel) -> FloatArray:
    n_c = _marginals(rows, np.ones(len(rows)), values.size)
    phi = _potential(values, n_c, level)
    m, q = _sizes(rows), _within(rows, level, values)
    d = q / (m - 1)
    expected = n_c @ phi - 2 * np.append(phi, 0)[rows].sum(axis=1) + q
    left_out: FloatArray = 1 - (n_c.sum() - m - 1) * (d.sum() - d) / np.where(expected > 0, expected, nan)
    return left_out


def _ordinal_expected(n: FloatArray, cubes: FloatArray) -> FloatArray:
    """Return sum_ck n_c n_k (rank_c - rank_k)^2 for mid-ranks: n (n^3 - sum_c n_c^3) / 6."""
    return n * (n**3 - cubes) / 6


def _ordinal_left_out(rows: IntArray, size: int) -> FloatArray:
    """Return ordinal alpha without each unit, the ranks of all others moving with it.

    Without unit u the mid-rank of c falls by h_u(c), u's ratings below c and half of those at c. The observed
    disagreement is then Q(rank - h_u), a quadratic form that splits into a constant, a part linear in u's values
    (``pull``) and one by pairs of them (``tie``). The last is of relative size (m_u / n)^2: with more than 2,000
    different values it is below what float sums can show, and left away.
    """
    n_c = _marginals(rows, np.ones(len(rows)), size)
    n, m = n_c.sum(), _sizes(rows)
    rank = np.append(np.cumsum(n_c) - n_c / 2, 0)
    pull, tie = _straddling(rows, rank, size)
    observed = (_within(rows, "ordinal", rank) / (m - 1)).sum() - 2 * np.append(pull, 0)[rows].sum(axis=1)
    if tie is not None:
        observed += _quadratic(rows, tie)
    own_rank = np.where(rows >= 0, rank[rows] - _rank_within(rows), nan)
    observed -= _own(own_rank) / (m - 1)
    expected = _ordinal_expected(n - m, (n_c**3).sum() - _cubes_lost(rows, n_c))
    left_out: FloatArray = 1 - (n - m - 1) * observed / np.where(expected > 0, expected, nan)
    return left_out


def _straddling(rows: IntArray, rank: FloatArray, size: int) -> tuple[FloatArray, FloatArray | None]:
    """Return, for a fall of all ranks above a value, the change of Q (by value) and its curvature (by two values)."""
    m = _sizes(rows)
    slope = np.zeros(size)
    coincidence = np.zeros((size, size)) if size <= _MOST_SECOND_ORDER else None
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


def _quadratic(rows: IntArray, tie: FloatArray) -> FloatArray:
    padded = np.pad(tie, (0, 1))
    total = np.zeros(len(rows))
    for i in range(rows.shape[1]):
        for j in range(rows.shape[1]):
            total += padded[rows[:, i], rows[:, j]]
    return total


def _rank_within(rows: IntArray) -> FloatArray:
    """Return the mid-rank of each rating among its unit's own."""
    rank = np.zeros(rows.shape)
    for j in range(rows.shape[1]):
        other = rows[:, j, None]
        rank += (other >= 0) * ((other < rows) + 0.5 * (other == rows))
    return rank


def _own(place: FloatArray) -> FloatArray:
    total = np.zeros(len(place))
    for i, j in combinations(range(place.shape[1]), 2):
        total += 2 * np.nan_to_num((place[:, i] - place[:, j]) ** 2)
    return total


def _cubes_lost(rows: IntArray, n_c: FloatArray) -> FloatArray:
    """Return sum_c n_c^3 - (n_c - n_uc)^3, by the ratings of unit u: each of k equal ratings carries a kth of it."""
    same = np.zeros(rows.shape)
    for j in range(rows.shape[1]):
        same += rows == rows[:, j, None]
    count = np.append(n_c, 0)[rows]
    lost: FloatArray = np.where(rows >= 0, (count**3 - (count - same) ** 3) / same, 0).sum(axis=1)
    return lost
