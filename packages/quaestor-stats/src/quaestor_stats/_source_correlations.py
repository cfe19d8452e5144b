"""Correlations across the systems on one source, their mean over sources, and what it is without
each unit.

A source counts where the correlation exists there: two systems or more, not all alike in either
column.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quaestor_stats._design import Facets
from quaestor_stats._inputs import BoolArray, FloatArray, mean_table, sum_by_group
from quaestor_stats._jackknife import WithoutUnits
from quaestor_stats._pooled import COEFFICIENTS, PooledCoefficient, ratios, taus

_CELLS = 4_000_000


def system_means_by_source(columns: FloatArray, facets: Facets) -> FloatArray:
    """Return the means of each system's questions on each source, (G, S, columns), nan where
    there are none.
    """
    shape = facets.n_sources, facets.n_systems
    means = [mean_table(column, facets.source, facets.system, shape=shape) for column in columns.T]
    return np.stack(means, axis=-1)


def on_sources(
    human: FloatArray, metrics: FloatArray, *, coefficient: PooledCoefficient
) -> FloatArray:
    """Return the correlations across systems on every source, (G, K, M), nan where undefined.

    Parameters
    ----------
    human : (G, S, K), metrics : (G, S, M), nan where a system has no score; only systems with all
        scores count
    """
    present = np.asarray(~(np.isnan(human).any(axis=2) | np.isnan(metrics).any(axis=2)))
    step = max(1, _CELLS // max(1, human.shape[1] ** 2 * (human.shape[2] + metrics.shape[2])))
    parts = [
        _on_some(human[i : i + step], metrics[i : i + step], present[i : i + step], coefficient)
        for i in range(0, len(human), step)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, human.shape[2], metrics.shape[2]))


def _on_some(
    human: FloatArray, metrics: FloatArray, present: BoolArray, coefficient: PooledCoefficient
) -> FloatArray:
    h, x = (_features(columns, present, coefficient) for columns in (human, metrics))
    sums = h.transpose(0, 2, 1) @ x, (h**2).sum(axis=1), (x**2).sum(axis=1)
    if coefficient != "kendall_c":
        return ratios(*sums)
    of_human, of_metrics = (_numbers_of_values(columns, present) for columns in (human, metrics))
    fewer = np.minimum(of_human[:, :, None], of_metrics[:, None, :])
    return taus(sums, present.sum(axis=1), fewer)[1]


def _features(
    columns: FloatArray, present: BoolArray, coefficient: PooledCoefficient
) -> FloatArray:
    """Return (G, features, columns), so that products of two columns are correlations: deviations
    from the source's mean, the same of ranks, or the signs of all differences.
    """
    if coefficient == "pearson":
        return _deviations(columns, present)
    signs = _signs(columns, present)
    if coefficient == "spearman":
        return np.asarray(signs.sum(axis=2) / 2)
    return signs.reshape(len(columns), -1, columns.shape[2])


def _deviations(columns: FloatArray, present: BoolArray) -> FloatArray:
    """Return deviations from the source's mean, 0 for what is missing and where a column does
    not vary.
    """
    has_score = present[:, :, None]
    n = np.maximum(present.sum(axis=1), 1)[:, None]
    mean = np.where(has_score, columns, 0).sum(axis=1) / n
    low = np.where(has_score, columns, np.inf).min(axis=1)
    high = np.where(has_score, columns, -np.inf).max(axis=1)
    varies = high - low > 1e-13 * np.maximum(np.abs(high), np.abs(low))
    return np.where(has_score & varies[:, None, :], columns - mean[:, None, :], 0)


def _signs(columns: FloatArray, present: BoolArray) -> FloatArray:
    """Return (G, S, S, columns): the sign of every system's lead over every other."""
    scores = np.where(present[:, :, None], columns, np.nan)
    return np.asarray(np.nan_to_num(np.sign(scores[:, :, None] - scores[:, None, :])))


def _numbers_of_values(columns: FloatArray, present: BoolArray) -> FloatArray:
    """Return how many different values each source has, (G, columns)."""
    pairs = (present[:, :, None] & present[:, None, :])[..., None]
    alike = (pairs & (_signs(columns, present) == 0)).sum(axis=2)
    return np.asarray(np.where(alike > 0, 1 / np.maximum(alike, 1), 0).sum(axis=1).round())


def within_source(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    *,
    coefficients: Sequence[PooledCoefficient] = COEFFICIENTS,
) -> dict[PooledCoefficient, WithoutUnits]:
    """Return the mean over sources of every human column's correlation with every metric, and
    without each unit.

    Parameters
    ----------
    human : (n, K), metrics : (n, M), complete and oriented
    """
    return {
        name: mean_left_out(
            *source_coefficients(human, metrics, facets, coefficient=name), facets=facets
        )
        for name in coefficients
    }


def source_coefficients(
    human: FloatArray, metrics: FloatArray, facets: Facets, *, coefficient: PooledCoefficient
) -> tuple[FloatArray, FloatArray | None]:
    """Return the correlations on every source (G, K, M), and where systems are random without
    each of them (S, ...).
    """
    h, x = system_means_by_source(human, facets), system_means_by_source(metrics, facets)
    r = on_sources(h, x, coefficient=coefficient)
    if not facets.design.random_systems:
        return r, None
    others = ~np.eye(facets.n_systems, dtype=bool)
    return r, np.stack([on_sources(h[:, o], x[:, o], coefficient=coefficient) for o in others])


def mean_left_out(
    r: FloatArray, by_system: FloatArray | None = None, *, facets: Facets
) -> WithoutUnits:
    """Return the mean over sources of each source's coefficient, and that mean without each unit.

    Parameters
    ----------
    r : (G, ...), nan where undefined
    by_system : (S, G, ...), the same without each system, where systems are random
    facets : of the questions; the sources of a cluster are left out together
    """
    clusters = facets.cluster_of_source, facets.n_clusters
    sums = _sums_and_counts(r)
    whole = sums.sum(axis=0, keepdims=True)
    of_clusters = sum_by_group(sums, *clusters)
    others = whole - of_clusters
    counts = of_clusters[:, 1] > 0
    left = WithoutUnits(
        value=_means(whole)[0],
        sources=np.where(counts, _means(others), np.nan),
        resting=whole[0, 1].astype(np.intp),
        unit=facets.unit,
    )
    if by_system is None:
        return left
    systems, cells = [], []
    for without_system in by_system:
        sums = _sums_and_counts(np.where(np.isnan(r), np.nan, without_system))
        systems.append(_means(sums.sum(axis=0, keepdims=True)))
        cells.append(np.where(counts, _means(others + sum_by_group(sums, *clusters)), np.nan))
    return replace(left, systems=np.concatenate(systems), cells=np.concatenate(cells))


def _sums_and_counts(r: FloatArray) -> FloatArray:
    """Return (G, 2, ...): the coefficients, 0 where undefined, and 1 where they are defined."""
    return np.stack([np.nan_to_num(r), ~np.isnan(r)], axis=1).astype(np.float64)


def _means(sums: FloatArray) -> FloatArray:
    """Return (U, ...) from sums and counts (U, 2, ...), nan where nothing is counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def within_values(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    *,
    coefficients: Sequence[PooledCoefficient],
) -> dict[PooledCoefficient, FloatArray]:
    """Return the means over sources alone, (K, M)."""
    h, x = system_means_by_source(human, facets), system_means_by_source(metrics, facets)
    return {
        name: mean_left_out(on_sources(h, x, coefficient=name), facets=facets).value
        for name in coefficients
    }
