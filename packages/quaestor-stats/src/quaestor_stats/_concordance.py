"""Kendall's concordances counted per item, for every pair of columns at once and without a loop
over pairs of items.
"""

from dataclasses import dataclass

import numpy as np

from quaestor_stats._inputs import FloatArray, IntArray

_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Ordered:
    """A column as numbers of its different values, in order, and the places where an item's ties
    start and stop.
    """

    level: IntArray  # (n,)
    size: int
    order: IntArray
    start: IntArray
    stop: IntArray


def concordances(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return for every item the number of concordant minus the number of discordant other items.

    Parameters
    ----------
    first : (n, K), second : (n, M), complete

    Returns
    -------
    (n, K, M)
        Summed over items, twice the number of concordant minus discordant pairs.

    Notes
    -----
    Items are sorted by one column. For each value v of the other one, the running sum of sign(v -
    its values) compares an item with value v with all items before any position of that order. The
    work grows with the items times the values of the column that has fewer, which for ratings is
    little.
    """
    rows = np.empty((len(first), first.shape[1], second.shape[1]))
    many = [sorted_positions(column) for column in second.T]
    for k, column in enumerate(first.T):
        one = sorted_positions(column)
        for m, other in enumerate(many):
            rows[:, k, m] = _against(one, other) if one.size <= other.size else _against(other, one)
    return rows


def sorted_positions(column: FloatArray) -> Ordered:
    """Return the position of every item in the sorted order of a column."""
    values, level, count = np.unique(column, return_inverse=True, return_counts=True)
    stop = np.cumsum(count)
    order = np.argsort(level, kind="stable")
    return Ordered(level, values.size, order, (stop - count)[level], stop[level])


def _against(few: Ordered, many: Ordered) -> FloatArray:
    n = len(few.level)
    found = np.empty(n)
    in_order = few.level[many.order]
    step = max(1, _CELLS // max(1, n))
    for low in range(0, few.size, step):
        levels = np.arange(low, min(low + step, few.size))
        before = np.zeros((n + 1, levels.size), dtype=np.int32)
        np.cumsum(np.sign(levels - in_order[:, None]), axis=0, out=before[1:])
        item = np.flatnonzero((few.level >= low) & (few.level < low + step))
        place = few.level[item] - low
        below, upto = before[many.start[item], place], before[many.stop[item], place]
        found[item] = below + upto - before[n, place]
    return found


def untied(columns: FloatArray) -> FloatArray:
    """Return for every item how many others have another value in the column, (n, K)."""
    found = np.empty(columns.shape)
    for k, column in enumerate(columns.T):
        _, level, count = np.unique(column, return_inverse=True, return_counts=True)
        found[:, k] = len(column) - count[level]
    return found


def concordances_within(
    first: FloatArray, second: FloatArray, codes: IntArray, n: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, for pairs of items of one unit, sums over each unit's items, every pair counted from
    both ends.

    Returns
    -------
    (n, K, M), (n, K), (n, M)
        Concordant minus discordant; pairs that differ in the first column; in the second.
    """
    order = np.argsort(codes, kind="stable")
    codes, first, second = codes[order], first[order], second[order]
    both = np.zeros((n, first.shape[1], second.shape[1]))
    one, other = np.zeros((n, first.shape[1])), np.zeros((n, second.shape[1]))
    for lag in range(1, int(np.bincount(codes, minlength=1).max())):
        pair = np.flatnonzero(codes[lag:] == codes[:-lag])
        starts = np.flatnonzero(np.diff(codes[pair], prepend=-1))
        unit = codes[pair[starts]]
        a = np.sign(first[pair + lag] - first[pair])
        b = np.sign(second[pair + lag] - second[pair])
        both[unit] += 2 * np.add.reduceat(a[:, :, None] * b[:, None, :], starts, axis=0)
        one[unit] += 2 * np.add.reduceat(np.abs(a), starts, axis=0)
        other[unit] += 2 * np.add.reduceat(np.abs(b), starts, axis=0)
    return both, one, other
