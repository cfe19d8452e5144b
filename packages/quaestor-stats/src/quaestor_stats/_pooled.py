"""Correlations over all questions of all systems, of many columns at once, and what they are
without each unit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from quaestor_stats._concordance import concordances, concordances_within, untied
from quaestor_stats._correlation import REQUIRED_ITEMS
from quaestor_stats._design import Facets
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, constant, sum_by_group
from quaestor_stats._jackknife import MAX_GROUPS, WithoutUnits, deal_groups, jackknife

PooledCoefficient: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall_c"]
COEFFICIENTS: tuple[PooledCoefficient, ...] = get_args(PooledCoefficient)
Coded: TypeAlias = tuple[IntArray, int]  # the unit of each item, and how many units there are
# With at most so many units of many items it is faster to count pairs again without each unit
_FEW = 32


def pooled_correlations(
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
        By coefficient a `WithoutUnits` of shape (K, M), nan where a column does not vary. Ranks and
        ties are computed again without each unit. Pearson and Spearman leave out at most
        `MAX_GROUPS` groups of clusters, Kendall every cluster.
    """
    groups = min(facets.n_clusters, MAX_GROUPS)
    dealt = replace(facets, cluster=deal_groups(facets.cluster), n_clusters=groups)
    computed = _computed(human, metrics, _units(facets), _units(dealt), coefficients)
    left_out = {}
    for name, (value, *without) in computed.items():
        systems, cells = without[1:] if facets.design.random_systems else (None, None)
        left_out[name] = WithoutUnits(
            value=value,
            sources=without[0],
            systems=systems,
            cells=cells,
            fragile=np.any([np.isnan(part).any(axis=0) for part in without], axis=0),
            unit=facets.unit,
        )
    return left_out


def pooled_values(
    human: FloatArray,
    metrics: FloatArray,
    *,
    coefficients: Sequence[PooledCoefficient] = COEFFICIENTS,
) -> dict[PooledCoefficient, FloatArray]:
    """Return every human column's correlations with every metric alone, (K, M)."""
    computed = _computed(human, metrics, [], [], coefficients)
    return {name: value for name, (value,) in computed.items()}


def _units(facets: Facets) -> list[Coded]:
    """Return the units of every random facet: clusters, and systems with their question sets."""
    units = [(facets.cluster, facets.n_clusters)]
    if facets.design.random_systems:
        units += [(facets.system, facets.n_systems), facets.cells]
    return units


def _computed(
    human: FloatArray,
    metrics: FloatArray,
    units: Sequence[Coded],
    groups: Sequence[Coded],
    coefficients: Sequence[PooledCoefficient],
) -> dict[PooledCoefficient, list[FloatArray]]:
    """Return the values (K, M), and what they are without each unit, or group of units, of every
    kind (u, K, M)."""
    computed: dict[PooledCoefficient, list[FloatArray]] = {}
    if {"kendall", "kendall_c"} & set(coefficients):
        computed |= _kendalls(human, metrics, units)
    for name, (prepare, statistic) in _MOMENTS.items():
        if name in coefficients:
            columns = prepare(human), prepare(metrics)
            without = [jackknife(statistic, codes, *columns, number=n)[1] for codes, n in groups]
            computed[name] = [statistic(*columns), *without]
    undefined = _constant(human)[:, None] | _constant(metrics) | (len(human) < REQUIRED_ITEMS)
    for parts in computed.values():
        parts[0] = np.where(undefined, np.nan, parts[0])
    return {name: computed[name] for name in coefficients}


def _constant(columns: FloatArray) -> BoolArray:
    return np.array([constant(column) for column in columns.T], dtype=bool)


def ratios(product: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return product / sqrt(first second) of (..., K, M), (..., K) and (..., M); nan where either
    is 0.
    """
    both = first[..., :, None] * second[..., None, :]
    r = product / np.sqrt(np.where(both > 0, both, np.nan))
    return np.asarray(np.clip(r, -1, 1))


def _pearson(human: FloatArray, metrics: FloatArray) -> FloatArray:
    h, x = _centred(human), _centred(metrics)
    return ratios(h.T @ x, (h**2).sum(axis=0), (x**2).sum(axis=0))


def _centred(columns: FloatArray) -> FloatArray:
    """Return deviations from the mean, 0 where a column does not vary."""
    if not len(columns):
        return columns
    varies = np.ptp(columns, axis=0) > 1e-13 * np.abs(columns).max(axis=0)
    return np.where(varies, columns - columns.mean(axis=0), 0)


def _spearman(human: IntArray, metrics: IntArray) -> FloatArray:
    """Return the correlations of the ranks of numbered values."""
    h, x = _ranks(human), _ranks(metrics)
    return ratios(h.T @ x, (h**2).sum(axis=0), (x**2).sum(axis=0))


def _numbered(columns: FloatArray) -> IntArray:
    """Number the different values of each column in ascending order, after those of the column
    before."""
    numbers, first = np.empty(columns.shape, dtype=np.intp), 0
    for place, column in enumerate(columns.T):
        values, code = np.unique(column, return_inverse=True)
        numbers[:, place] = first + code
        first += values.size
    return numbers


def _ranks(numbers: IntArray) -> FloatArray:
    """Return the mid-ranks of numbered values within their column, less their mean."""
    n, columns = numbers.shape
    times = np.bincount(numbers.ravel())
    middle = np.cumsum(times) - (times - 1) / 2  # among the values of all columns
    return np.asarray(middle[numbers] - n * np.arange(columns) - (n + 1) / 2)


_MOMENTS: dict[
    PooledCoefficient,
    tuple[Callable[[FloatArray], NDArray[np.generic]], Callable[..., FloatArray]],
] = {"pearson": (np.asarray, _pearson), "spearman": (_numbered, _spearman)}


def _kendalls(
    human: FloatArray, metrics: FloatArray, units: Sequence[Coded]
) -> dict[PooledCoefficient, list[FloatArray]]:
    """Return tau-b and tau-c: concordances add up over items, so those of a unit's items are taken
    away.

    A pair inside the unit is taken away from both ends and given back once. tau-c keeps the number
    of different values that the columns have with the unit.
    """
    rows = (concordances(human, metrics), untied(human), untied(metrics))
    values = [[np.unique(column).size for column in columns.T] for columns in (human, metrics)]
    fewer = np.minimum(np.array(values[0])[:, None], np.array(values[1])).astype(np.float64)

    computed = [taus([part.sum(axis=0) for part in rows], np.array(len(human)), fewer)]
    for codes, n in units:
        rest = len(codes) - np.bincount(codes, minlength=n)
        computed.append(taus(_counted_without(human, metrics, rows, (codes, n)), rest, fewer))
    tau_b, tau_c = zip(*computed, strict=True)
    return {"kendall": list(tau_b), "kendall_c": list(tau_c)}


def taus(
    sums: Sequence[FloatArray], n: IntArray, fewer: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return tau-b and tau-c of n items from the concordances and both numbers of untied pairs;
    ``fewer`` (K, M) is the number of values of the column that has fewer."""
    tau_b = ratios(*sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        tau_c = sums[0] * fewer / (n[..., None, None] ** 2 * (fewer - 1))
    return tau_b, np.where(np.isnan(tau_b), np.nan, tau_c)


def _counted_without(
    human: FloatArray,
    metrics: FloatArray,
    rows: tuple[FloatArray, FloatArray, FloatArray],
    unit: Coded,
) -> list[FloatArray]:
    """Return the three sums of ``rows`` without each unit, (u, K, M), (u, K), (u, M)."""
    codes, n = unit
    if n > _FEW or np.bincount(codes, minlength=n).max() <= n:
        within = concordances_within(human, metrics, codes, n)
        pairs = zip(rows, within, strict=True)
        return [part.sum(axis=0) - 2 * sum_by_group(part, *unit) + inside for part, inside in pairs]
    count: list[Callable[..., FloatArray]] = [
        lambda h, x: concordances(h, x).sum(axis=0),
        lambda h, x: untied(h).sum(axis=0),
        lambda h, x: untied(x).sum(axis=0),
    ]
    return [jackknife(counted, codes, human, metrics, number=n)[1] for counted in count]
