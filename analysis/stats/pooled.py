"""Correlations over all questions of all systems, of many columns at once, and what they are
without each unit.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from analysis.stats.arrays import BoolArray, FloatArray, IntArray
from analysis.stats.columns import constant, ranked
from analysis.stats.concordance import (
    Ordered,
    concordances,
    concordances_within,
    ordered,
    untied,
)
from analysis.stats.correlation import FEWEST
from analysis.stats.facets import Facets
from analysis.stats.left_out import WithoutUnits

PooledCoefficient: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall_c"]
COEFFICIENTS: tuple[PooledCoefficient, ...] = get_args(PooledCoefficient)
Coded: TypeAlias = tuple[IntArray, int]  # the unit of each item, and how many units there are
_CELLS = 2_000_000
_COUNTED = 50_000_000  # items times question sets times columns: above it what sets of several take is approximate
_FEW = 32  # units: with no more it is quicker to count all pairs of items anew without each


def pooled(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    *,
    coefficients: Sequence[PooledCoefficient] = COEFFICIENTS,
) -> dict[PooledCoefficient, WithoutUnits]:
    """Return every human column's correlations with every metric, and what they are without each
    unit.

    Parameters
    ----------
    human : (n, K), metrics : (n, M), complete and oriented

    Returns
    -------
    dict
        By coefficient a `WithoutUnits` of shape (K, M), nan where a column does not vary. Ranks and ties
        are counted anew without each unit.
    """
    units: list[Coded] = [(facets.source, facets.n_sources)]
    if facets.design.systems:
        units += [(facets.system, facets.n_systems), facets.cells]
    found = {}
    for name, (value, *without) in _computed(human, metrics, units, coefficients).items():
        fragile = np.any([np.isnan(part).any(axis=0) for part in without], axis=0)
        systems, cells = (without[1], without[2]) if len(without) > 1 else (None, None)
        found[name] = WithoutUnits(
            value=value[0], sources=without[0], systems=systems, cells=cells, fragile=fragile
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
    undefined = flat[0][:, None] | flat[1] | (len(human) < FEWEST)
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
    middle = (len(human) + 1) / 2
    h, x = ranked(human) - middle, ranked(metrics) - middle
    found = [_ratio((h.T @ x)[None], (h**2).sum(axis=0)[None], (x**2).sum(axis=0)[None])]
    found += [_ranked_without(human, metrics, unit) for unit in units[:2]]
    for unit in units[2:]:
        counted = len(h) * unit[1] * (h.shape[1] + x.shape[1]) <= _COUNTED
        if unit[1] < len(h) and counted:  # some question sets hold several questions
            found.append(_ranked_without(human, metrics, unit))
        else:
            found.append(_ranked_without_cell(human, metrics, h, x, unit))
    return found


def _ranked_without(human: FloatArray, metrics: FloatArray, unit: Coded) -> FloatArray:
    """Return Spearman's rho without each unit: an item's rank falls by the unit's items below
    it, and half of its ties.
    """
    codes, n = unit
    found = np.empty((n, human.shape[1], metrics.shape[1]))
    step = max(1, _CELLS // (len(human) * (human.shape[1] + metrics.shape[1])))
    for low in range(0, n, step):
        some = np.arange(low, min(low + step, n))
        left = codes[:, None] != some  # (items, units)
        h, x = (_ranks_left(columns, codes, some, left) for columns in (human, metrics))
        found[some] = _ratio(h.transpose(0, 2, 1) @ x, (h**2).sum(axis=1), (x**2).sum(axis=1))
    return found


def _ranks_left(
    columns: FloatArray, codes: IntArray, some: IntArray, left: BoolArray
) -> FloatArray:
    """Return (units, items, columns): ranks among the items that are left, from their mean; 0
    for the others.
    """
    own = np.flatnonzero((codes >= some[0]) & (codes <= some[-1]))
    middle = (left.sum(axis=0) + 1) / 2
    ranks = np.empty((some.size, *columns.shape))
    for place, column in enumerate(columns.T):
        _, level = np.unique(column, return_inverse=True)
        size = int(level.max()) + 1
        cells = level[own] * some.size + codes[own] - some[0]
        count = np.bincount(cells, minlength=size * some.size).reshape(size, some.size)
        fallen = np.cumsum(count, axis=0) - count / 2
        whole = ranked(column)
        ranks[:, :, place] = np.where(left, whole[:, None] - fallen[level] - middle, 0).T
    return ranks


def _ranked_without_cell(
    human: FloatArray, metrics: FloatArray, h: FloatArray, x: FloatArray, unit: Coded
) -> FloatArray:
    """Return Spearman's rho without each question set, from what each question takes along.

    A question takes its own product of ranks h x, and moves every rank above or below it by one
    half. Exact where a set is one question; with more, what they take along together is left out.
    """
    by_h, by_x = [ordered(column) for column in human.T], [ordered(column) for column in metrics.T]
    shift_h = np.stack([_shifted(h, each) for each in by_x], axis=2)
    shift_x = np.stack([_shifted(x, each) for each in by_h], axis=1)
    taken = h[:, :, None] * x[:, None, :] + shift_h + shift_x - concordances(human, metrics) / 4
    own_h = np.stack([_shifted(h[:, k], each) for k, each in enumerate(by_h)], axis=1)
    own_x = np.stack([_shifted(x[:, m], each) for m, each in enumerate(by_x)], axis=1)
    parts = (taken, h**2 + 2 * own_h - untied(human) / 4, x**2 + 2 * own_x - untied(metrics) / 4)
    totals = (h.T @ x, (h**2).sum(axis=0), (x**2).sum(axis=0))
    left = (total - _by_unit(part, unit) for total, part in zip(totals, parts, strict=True))
    return _ratio(*left)


def _shifted(ranks: FloatArray, place: Ordered) -> FloatArray:
    """Return for every item half the ranks of those above it in an order, minus half of those
    below it; all ranks, taken from their mean, add up to 0.
    """
    before = np.concatenate(
        [np.zeros((1, *ranks.shape[1:])), np.cumsum(ranks[place.order], axis=0)]
    )
    return np.asarray(-(before[place.stop] + before[place.start]) / 2)


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
