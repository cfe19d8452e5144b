"""Correlations across the systems on one source, their mean over sources, and what it is without
each unit.

A source counts where the correlation exists there: two systems or more, not all alike in either
column.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import METHODS, Method
from quaestor_stats._design import Facets
from quaestor_stats._inputs import BoolArray, FloatArray, numeric, same_length
from quaestor_stats._jackknife import WithoutUnits
from quaestor_stats._pooled import COEFFICIENTS, PooledCoefficient

_CELLS = 4_000_000


def system_means_by_source(columns: FloatArray, facets: Facets) -> FloatArray:
    """Return the means of each system's questions on each source, (G, S, columns), nan where
    there are none.
    """
    cell = facets.source * facets.n_systems + facets.system
    size = facets.n_sources * facets.n_systems
    count = np.bincount(cell, minlength=size)
    sums = np.stack([np.bincount(cell, column, size) for column in columns.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(count[:, None] > 1, sums / count[:, None], sums)
    means[count == 0] = np.nan
    return np.asarray(means.reshape(facets.n_sources, facets.n_systems, -1))


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
    if coefficient == "pearson":
        h, x = (_centred(columns, present) for columns in (human, metrics))
    else:
        h, x = (_signs(columns, present) for columns in (human, metrics))
        if coefficient == "spearman":
            h, x = h.sum(axis=2) / 2, x.sum(axis=2) / 2
    wide = [part.reshape(len(human), -1, part.shape[-1]) for part in (h, x)]
    product = wide[0].transpose(0, 2, 1) @ wide[1]
    spread = (wide[0] ** 2).sum(axis=1)[:, :, None] * (wide[1] ** 2).sum(axis=1)[:, None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.clip(product / np.sqrt(np.where(spread > 0, spread, np.nan)), -1, 1)
        if coefficient != "kendall_c":
            return np.asarray(r)
        values = [_different(part, present) for part in (h, x)]
        fewer = np.minimum(values[0][:, :, None], values[1][:, None, :])
        n = present.sum(axis=1)[:, None, None]
        return np.where(np.isnan(r), np.nan, product * fewer / (n**2 * (fewer - 1)))


def _centred(columns: FloatArray, present: BoolArray) -> FloatArray:
    """Return deviations from the source's mean, 0 for what is missing and where a column does
    not vary.
    """
    n = np.maximum(present.sum(axis=1), 1)[:, None]
    held = np.where(present[:, :, None], columns, 0)
    centred = np.where(present[:, :, None], columns - (held.sum(axis=1) / n)[:, None, :], 0)
    low = np.where(present[:, :, None], columns, np.inf).min(axis=1)
    high = np.where(present[:, :, None], columns, -np.inf).max(axis=1)
    flat = ~(high - low > 1e-13 * np.maximum(np.abs(high), np.abs(low)))
    return np.where(flat[:, None, :], 0, centred)


def _signs(columns: FloatArray, present: BoolArray) -> FloatArray:
    """Return (G, S, S, columns): the sign of every system's lead over every other."""
    held = np.where(present[:, :, None], columns, np.nan)
    return np.asarray(np.nan_to_num(np.sign(held[:, :, None] - held[:, None, :])))


def _different(signs: FloatArray, present: BoolArray) -> FloatArray:
    """Return how many different values each source has, (G, columns)."""
    pairs = (present[:, :, None] & present[:, None, :])[..., None]
    alike = (pairs & (signs == 0)).sum(axis=2)
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
    found = {}
    for name in coefficients:
        r, by_system = source_coefficients(human, metrics, facets, coefficient=name)
        found[name] = mean_left_out(r, facets, by_system)
    return found


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
    r: FloatArray, facets: Facets, by_system: FloatArray | None = None
) -> WithoutUnits:
    """Return the mean over sources of each source's coefficient, and that mean without each unit.

    Parameters
    ----------
    r : (G, ...), nan where undefined
    facets : of the questions; the sources of a cluster are left out together
    by_system : (S, G, ...), the same without each system, where systems are random
    """
    from scipy import sparse

    clusters = sparse.csr_array(
        (np.ones(facets.n_sources), (facets.cluster_of_source, np.arange(facets.n_sources))),
        shape=(facets.n_clusters, facets.n_sources),
    )

    def by_cluster(values: FloatArray) -> FloatArray:
        flat = np.asarray(clusters @ values.reshape(len(values), -1))
        return flat.reshape(-1, *values.shape[1:])

    defined = ~np.isnan(r)
    known = np.where(defined, r, 0)
    n, total = defined.sum(axis=0), known.sum(axis=0)
    own_n, own_total = by_cluster(defined.astype(np.float64)), by_cluster(known)
    with np.errstate(invalid="ignore", divide="ignore"):
        without_cluster = np.where(own_n > 0, (total - own_total) / (n - own_n), np.nan)
        left = WithoutUnits(value=total / n, sources=without_cluster, resting=n, unit=facets.unit)
        if by_system is None:
            return left
        held = ~np.isnan(by_system) & defined
        systems = np.where(held, by_system, 0)
        without_system = systems.sum(axis=1) / held.sum(axis=1)
        cells = []
        for one, is_held in zip(systems, held, strict=True):
            kept = n - own_n + by_cluster(is_held.astype(np.float64))
            cells.append((total - own_total + by_cluster(one)) / kept)
        without_cell = np.where(own_n > 0, np.stack(cells), np.nan)
    return replace(left, systems=without_system, cells=without_cell.reshape(-1, *r.shape[1:]))


def within_values(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    *,
    coefficients: Sequence[PooledCoefficient],
) -> dict[PooledCoefficient, FloatArray]:
    """Return the means over sources alone, (K, M)."""
    h, x = system_means_by_source(human, facets), system_means_by_source(metrics, facets)
    found = {}
    for name in coefficients:
        r = on_sources(h, x, coefficient=name)
        count = (~np.isnan(r)).sum(axis=0)
        found[name] = np.nansum(r, axis=0) / np.where(count > 0, count, np.nan)
    return found


def source_correlations(
    human: ArrayLike, metric: ArrayLike, *, method: Method = "spearman"
) -> FloatArray:
    """Return for every source the correlation across systems (n_sources,), nan where undefined, all
    at once."""
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    h, m = numeric(human, name="human", ndim=2), numeric(metric, name="metric", ndim=2)
    same_length(human=h, metric=m)
    same_length(human_sources=h.T, metric_sources=m.T)
    return on_sources(h.T[:, :, None], m.T[:, :, None], coefficient=method)[:, 0, 0]
