"""Correlations over all questions of all systems, of many columns at once, and what they are
without each unit.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from quaestor_stats._arrays import FloatArray, IntArray
from quaestor_stats._columns import constant, ranked
from quaestor_stats._concordance import (
    Ordered,
    concordances,
    concordances_within,
    ordered,
    untied,
)
from quaestor_stats._correlation import REQUIRED_ITEMS
from quaestor_stats._crossed_jackknife import WithoutUnits
from quaestor_stats._design import Facets

PooledCoefficient: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall_c"]
COEFFICIENTS: tuple[PooledCoefficient, ...] = get_args(PooledCoefficient)
Coded: TypeAlias = tuple[IntArray, int]  # the unit of each item, and how many units there are
_CELLS = 2_000_000
# With at most so many units it is faster to rank, or count pairs of items, again without each unit
_FEW = 32


def pooled(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    *,
    coefficients: Sequence[PooledCoefficient] = COEFFICIENTS,
) -> dict[PooledCoefficient, WithoutUnits]:
    """Return every human column's correlations with every metric, on all units and without each
    unit.

    Parameters
    ----------
    human : (n, K), metrics : (n, M), complete and oriented

    Returns
    -------
    dict
        By coefficient a `WithoutUnits` of shape (K, M), nan where a column does not vary. Ranks and ties
        are computed again without each unit.
    """
    units: list[Coded] = [(facets.cluster, facets.n_clusters)]
    if facets.design.random_systems:
        units += [(facets.system, facets.n_systems), facets.cells]
    found = {}
    for name, (value, *without) in _computed(human, metrics, units, coefficients).items():
        fragile = np.any([np.isnan(part).any(axis=0) for part in without], axis=0)
        systems, cells = (without[1], without[2]) if len(without) > 1 else (None, None)
        found[name] = WithoutUnits(
            value=value[0],
            sources=without[0],
            systems=systems,
            cells=cells,
            fragile=fragile,
            unit=facets.unit,
        )
    return found


def pooled_values(
    human: FloatArray,
    metrics: FloatArray,
    *,
    coefficients: Sequence[PooledCoefficient] = COEFFICIENTS,
) -> dict[PooledCoefficient, FloatArray]:
    """Return every human column's correlations with every metric alone, (K, M)."""
    return {name: each[0][0] for name, each in _computed(human, metrics, [], coefficients).items()}


def _computed(
    human: FloatArray,
    metrics: FloatArray,
    units: Sequence[Coded],
    coefficients: Sequence[PooledCoefficient],
) -> dict[PooledCoefficient, list[FloatArray]]:
    """Return the values (1, K, M), and what they are without each unit of every kind (u, K, M)."""
    found: dict[PooledCoefficient, list[FloatArray]] = {}
    if {"kendall", "kendall_c"} & set(coefficients):
        found |= _kendalls(human, metrics, units)
    if "spearman" in coefficients:
        found["spearman"] = _spearman(human, metrics, units)
    if "pearson" in coefficients:
        found["pearson"] = _pearson(human, metrics, units)
    flat = [np.array([constant(column) for column in columns.T]) for columns in (human, metrics)]
    undefined = flat[0][:, None] | flat[1] | (len(human) < REQUIRED_ITEMS)
    for parts in found.values():
        parts[0] = np.where(undefined, np.nan, parts[0])
    return {name: found[name] for name in coefficients}


def _by_unit(values: FloatArray, unit: Coded) -> FloatArray:
    """Return sums over each unit's items along the first axis."""
    order = np.argsort(unit[0], kind="stable")
    starts = np.searchsorted(unit[0][order], np.arange(unit[1]))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def _ratio(product: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return product / sqrt(first second) of (u, K, M), (u, K) and (u, M); nan where either is
    0.
    """
    both = first[:, :, None] * second[:, None, :]
    r = product / np.sqrt(np.where(both > 0, both, np.nan))
    return np.asarray(np.clip(r, -1, 1))


def _pearson(human: FloatArray, metrics: FloatArray, units: Sequence[Coded]) -> list[FloatArray]:
    h, x = human - human.mean(axis=0), metrics - metrics.mean(axis=0)
    parts = (np.ones((len(h), 1)), h, h**2, x, x**2, h[:, :, None] * x[:, None, :])
    totals = [part.sum(axis=0, keepdims=True) for part in parts]

    def r(
        n: FloatArray, h: FloatArray, hh: FloatArray, x: FloatArray, xx: FloatArray, hx: FloatArray
    ) -> FloatArray:
        spread_h, spread_x = hh - h**2 / n, xx - x**2 / n
        spread_h = np.where(spread_h > 1e-12 * totals[2], spread_h, 0)
        spread_x = np.where(spread_x > 1e-12 * totals[4], spread_x, 0)
        return _ratio(hx - h[:, :, None] * x[:, None, :] / n[:, :, None], spread_h, spread_x)

    without = [
        [total - _by_unit(part, unit) for total, part in zip(totals, parts, strict=True)]
        for unit in units
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        return [r(*totals), *(r(*sums) for sums in without)]


def _spearman(human: FloatArray, metrics: FloatArray, units: Sequence[Coded]) -> list[FloatArray]:
    h, x = (ranked(columns) - (len(human) + 1) / 2 for columns in (human, metrics))
    found = [_ratio((h.T @ x)[None], (h**2).sum(axis=0)[None], (x**2).sum(axis=0)[None])]
    for codes, n in units:
        spreads = (_spread_without(columns, codes, n) for columns in (human, metrics))
        if n > _FEW:
            found.append(_ratio(_products_without(human, metrics, h, x, (codes, n)), *spreads))
            continue
        products = np.empty((n, h.shape[1], x.shape[1]))
        for unit in range(n):
            left = codes != unit
            own = (ranked(columns[left]) - (left.sum() + 1) / 2 for columns in (human, metrics))
            products[unit] = next(own).T @ next(own)
        found.append(_ratio(products, *spreads))
    return found


def _products_without(
    human: FloatArray, metrics: FloatArray, h: FloatArray, x: FloatArray, unit: Coded
) -> FloatArray:
    """Return the sums of products of ranks without each unit, (u, K, M).

    Notes
    -----
    A rank from the mean of all ranks is half a sum of signs: h_i = sum_j sign(H_i - H_j) / 2. Without
    a unit U it is h_i - a_i, where a_i is the part of the sum over U, and for an item of U itself a_i
    is its rank within U. Over the items that are left, sum (h - a)(x - b) is

        sum over all of (h - a)(x - b)  -  sum over U of (h - a)(x - b)

    and of the first sum, sum h b and sum a x are sums over U of what all ranks say about one of its
    items, and sum a b is what `_met` counts.
    """
    codes, n = unit
    by_h, by_x = ([ordered(each) for each in columns.T] for columns in (human, metrics))
    others_h, others_x = h - _ranks_within(by_h, codes), x - _ranks_within(by_x, codes)
    found = np.empty((n, len(by_h), len(by_x)))
    for k, one in enumerate(by_h):
        for m, other in enumerate(by_x):
            taken = _above(h[:, k], other) + _above(x[:, m], one) + others_h[:, k] * others_x[:, m]
            few, many = (one, other) if one.size <= other.size else (other, one)
            taken -= _met(few, many, codes, n) / 4
            found[:, k, m] = h[:, k] @ x[:, m] - np.bincount(codes, taken, n)
    return found


def _ranks_within(columns: Sequence[Ordered], codes: IntArray) -> FloatArray:
    """Return every item's rank among those of its unit, from their mean."""
    ranks = np.empty((len(codes), len(columns)))
    size = np.bincount(codes)
    for place, column in enumerate(columns):
        cells, cell, count = np.unique(
            codes * column.size + column.level, return_inverse=True, return_counts=True
        )
        unit = cells // column.size
        before = np.cumsum(count) - count
        first = before[np.searchsorted(unit, unit)]  # items of the units before
        ranks[:, place] = (before - first + (count - size[unit]) / 2)[cell]
    return ranks


def _above(ranks: FloatArray, place: Ordered) -> FloatArray:
    """Return for every item half the ranks of those above it in an order, minus half of those
    below it; all ranks, taken from their mean, add up to 0.
    """
    before = np.append(0, np.cumsum(ranks[place.order]))
    return np.asarray(-(before[place.stop] + before[place.start]) / 2)


def _met(few: Ordered, many: Ordered, codes: IntArray, n: int) -> FloatArray:
    """Return for every item k the sum, over the items j of its unit and over all items i, of
    sign(F_i - F_j) sign(M_i - M_k).

    The work grows with items times values of the column that has fewer of them, which for ratings
    is little.
    """
    found = np.zeros(len(codes))
    in_order = few.level[many.order]
    step = max(1, _CELLS // len(codes))
    for low in range(0, few.size, step):
        levels = np.arange(low, min(low + step, few.size))
        before = np.zeros((len(codes) + 1, levels.size), dtype=np.int64)
        np.cumsum(np.sign(in_order[:, None] - levels), axis=0, out=before[1:])
        signs = before[-1] - before[many.stop] - before[many.start]  # of all i, for M_k and a level
        own = np.flatnonzero((few.level >= low) & (few.level < low + step))
        cells = codes[own] * levels.size + few.level[own] - low
        held = np.bincount(cells, minlength=n * levels.size).reshape(n, levels.size)
        found += (signs * held[codes]).sum(axis=1)
    return found


def _spread_without(columns: FloatArray, codes: IntArray, n: int) -> FloatArray:
    """Return the sums of squares of ranks without each unit, (u, K): (N^3 - sum of t^3) / 12 with
    ties t of the N items that are left."""
    left = (len(codes) - np.bincount(codes, minlength=n)).astype(np.float64)
    found = np.empty((n, columns.shape[1]))
    for place, column in enumerate(columns.T):
        _, level, ties = np.unique(column, return_inverse=True, return_counts=True)
        cells, taken = np.unique(codes * ties.size + level, return_counts=True)
        unit, tied = cells // ties.size, ties[cells % ties.size].astype(np.float64)
        fewer = np.bincount(unit, tied**3 - (tied - taken) ** 3, n)
        spread = (left**3 - ((ties.astype(np.float64) ** 3).sum() - fewer)) / 12
        least = left * (left - 1) / 4  # where one item differs from all others
        found[:, place] = np.where(spread > least / 2, spread, 0)
    return found


def _kendalls(
    human: FloatArray, metrics: FloatArray, units: Sequence[Coded]
) -> dict[PooledCoefficient, list[FloatArray]]:
    """Return tau-b and tau-c: concordances add up over items, so those of a unit's items are taken
    away.

    A pair inside the unit is taken away from both ends and given back once. tau-c keeps the number
    of different values that the columns have with the unit.
    """
    parts = (concordances(human, metrics), untied(human), untied(metrics))
    values = [[np.unique(column).size for column in columns.T] for columns in (human, metrics)]
    fewer = np.minimum(np.array(values[0])[:, None], np.array(values[1])).astype(np.float64)
    tau_b, tau_c = [], []
    for unit in (None, *units):
        if unit is None:
            sums, left = tuple(part.sum(axis=0)[None] for part in parts), np.array([len(human)])
        else:
            sums, left = _counted_without(human, metrics, parts, unit)
        tau_b.append(_ratio(*sums))
        with np.errstate(invalid="ignore", divide="ignore"):
            most = left[:, None, None] ** 2 * (fewer - 1) / fewer
            tau_c.append(np.where(np.isnan(tau_b[-1]), np.nan, sums[0] / most))
    return {"kendall": tau_b, "kendall_c": tau_c}


def _counted_without(
    human: FloatArray,
    metrics: FloatArray,
    parts: tuple[FloatArray, FloatArray, FloatArray],
    unit: Coded,
) -> tuple[tuple[FloatArray, ...], IntArray]:
    """Return the three sums without each unit, (u, K, M), (u, K), (u, M), and how many items are
    left.
    """
    codes, n = unit
    left = len(codes) - np.bincount(codes, minlength=n)
    if n > _FEW:
        within = concordances_within(human, metrics, codes, n)
        pairs = zip(parts, within, strict=True)
        return tuple(p.sum(axis=0) - 2 * _by_unit(p, unit) + w for p, w in pairs), left
    kept = [codes != u for u in range(n)]
    counted = [
        (concordances(human[k], metrics[k]), untied(human[k]), untied(metrics[k])) for k in kept
    ]
    return tuple(
        np.array([part.sum(axis=0) for part in each]) for each in zip(*counted, strict=True)
    ), left
