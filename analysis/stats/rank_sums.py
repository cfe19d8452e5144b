"""Spearman's rho over many resamples without sorting in each: sort once, then ranks are running
sums of weights."""

from collections.abc import Callable
from math import nan
from typing import TypeAlias

import numpy as np

from analysis.stats.arrays import BoolArray, FloatArray, IntArray

OfSwaps: TypeAlias = Callable[[BoolArray], FloatArray]
OfWeights: TypeAlias = Callable[[FloatArray], FloatArray]


def pooled_spearman(human: FloatArray, first: FloatArray, second: FloatArray) -> OfSwaps:
    """Return a function of swaps (n, B) of bool: the difference of Spearman correlations, ranked
    again in each resample.

    Both metrics are sorted once together. In a resample n of the 2 n pooled scores are the first
    metric's; their ranks are running counts over the pooled order, ties sharing the middle.
    """
    from scipy import stats

    n = len(human)
    order, starts, _ = _sorted(np.concatenate([first, second]))
    item, is_second = order % n, (order >= n)[:, None]
    ranks = stats.rankdata(human)
    centred = ranks - ranks.mean()
    length = float(np.sqrt(centred @ centred))
    pooled = centred[item][:, None]
    size, height = np.diff(np.append(starts, 2 * n))[:, None], _grouped(pooled, starts)

    def compare(swaps: BoolArray) -> FloatArray:
        mine = (swaps[item] == is_second).astype(np.float64)
        count, sums = _grouped(mine, starts), _grouped(mine * pooled, starts)
        return _rho(count, sums, length, n) - _rho(size - count, height - sums, length, n)

    return compare


def _rho(count: FloatArray, sums: FloatArray, length: float, n: int) -> FloatArray:
    """Return rho from, per group of equal scores, how many there are and the sum of the human
    ranks' deviations."""
    rank = _mid_ranks(count) - n / 2
    variance = np.einsum("gb,gb,gb->b", count, rank, rank)
    return np.asarray(
        np.einsum("gb,gb->b", rank, sums)
        / (length * np.sqrt(np.where(variance > 0, variance, nan)))
    )


def weighted_spearman(table: FloatArray) -> OfWeights:
    """Return a function of weights (n, B): (B, k - 1) Spearman of the first column with each other,
    items by weight."""
    orders = [_sorted(column) for column in table.T]

    def compare(weights: FloatArray) -> FloatArray:
        middle = weights.sum(axis=0) / 2
        human, *others = (
            _mid_ranks(_grouped(weights[order], starts))[group] - middle
            for order, starts, group in orders
        )
        weighted = weights * human
        spread = np.einsum("nb,nb->b", weighted, human)
        return np.stack([_weighted_r(weights, weighted, spread, other) for other in others], axis=1)

    return compare


def _weighted_r(
    weights: FloatArray, weighted: FloatArray, spread: FloatArray, other: FloatArray
) -> FloatArray:
    product = spread * np.einsum("nb,nb,nb->b", weights, other, other)
    return np.asarray(
        np.einsum("nb,nb->b", weighted, other) / np.sqrt(np.where(product > 0, product, nan))
    )


def _sorted(column: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the sorting order, where groups of equal values start in it, and each item's group."""
    order = np.argsort(column, kind="stable")
    new = np.concatenate([[True], np.diff(column[order]) > 0])
    group = np.empty(len(column), dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    return order, np.flatnonzero(new), group


def _grouped(values: FloatArray, starts: IntArray) -> FloatArray:
    return values if starts.size == len(values) else np.add.reduceat(values, starts, axis=0)


def _mid_ranks(count: FloatArray) -> FloatArray:
    """Return, per group, how many are below and half of its own."""
    return np.asarray(np.cumsum(count, axis=0) - count / 2)
