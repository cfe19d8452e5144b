"""Spearman's rho over many resamples without sorting in each: sort once, then ranks are running sums of weights."""

from collections.abc import Callable
from math import nan
from typing import TypeAlias

import numpy as np
from scipy import stats

from analysis.stats.arrays import BoolArray, FloatArray, IntArray

OfSwaps: TypeAlias = Callable[[BoolArray], FloatArray]
OfWeights: TypeAlias = Callable[[FloatArray], FloatArray]


def pooled_spearman(human: FloatArray, first: FloatArray, second: FloatArray) -> OfSwaps:
    """Return a function of swaps (B, n) of bool: the difference of Spearman correlations, ranked anew in each.

    Both metrics are sorted once together. In a resample n of the 2 n pooled scores are the first metric's; their
    ranks are running counts over the pooled order, ties sharing the middle.
    """
    n = len(human)
    pooled = np.concatenate([first, second])
    order = np.argsort(pooled, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(pooled[order]) > 0]))
    item, is_second = order % n, order >= n
    ranks = stats.rankdata(human)
    centred = ranks - ranks.mean()
    length = np.sqrt(centred @ centred)
    size, height = np.diff(np.append(starts, 2 * n)), np.add.reduceat(centred[item], starts)

    def compare(swaps: BoolArray) -> FloatArray:
        mine = swaps[:, item] == is_second
        count = np.add.reduceat(mine, starts, axis=1, dtype=np.float64)
        sums = np.add.reduceat(mine * centred[item], starts, axis=1)
        return _rho(count, sums, length, n) - _rho(size - count, height - sums, length, n)

    return compare


def _rho(count: FloatArray, sums: FloatArray, length: float, n: int) -> FloatArray:
    """Return rho from, per group of equal scores, how many there are and the sum of the human ranks' deviations."""
    rank = np.cumsum(count, axis=1) - count / 2 - n / 2
    variance = (count * rank**2).sum(axis=1)
    return np.asarray((rank * sums).sum(axis=1) / (length * np.sqrt(np.where(variance > 0, variance, nan))))


def weighted_spearman(table: FloatArray) -> OfWeights:
    """Return a function of weights (B, n): Spearman of the first column with each other, items counted by weight."""
    orders = [_order(column) for column in table.T]

    def compare(weights: FloatArray) -> FloatArray:
        middle = weights.sum(axis=1, keepdims=True) / 2
        human, *others = [_weighted_ranks(weights, *order) - middle for order in orders]
        return np.column_stack([_weighted_r(weights, human, other) for other in others])

    return compare


def _order(column: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the sorting order, where groups of equal values start in it, and each item's group."""
    order = np.argsort(column, kind="stable")
    new = np.concatenate([[True], np.diff(column[order]) > 0])
    group = np.empty(len(column), dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    return order, np.flatnonzero(new), group


def _weighted_ranks(weights: FloatArray, order: IntArray, starts: IntArray, group: IntArray) -> FloatArray:
    count = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray((np.cumsum(count, axis=1) - count / 2)[:, group])


def _weighted_r(weights: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    wa = weights * a
    spread = (wa * a).sum(axis=1) * (weights * b * b).sum(axis=1)
    return np.asarray((wa * b).sum(axis=1) / np.sqrt(np.where(spread > 0, spread, nan)))
