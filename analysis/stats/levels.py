"""Correlation of a metric with people across systems, on each source: does it rank the systems there as people do?"""

from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import BoolArray, FloatArray, numeric, same_length
from analysis.stats.correlation import METHODS, NAMES, Method
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.resampling import Interval, Jackknife, estimated, mean_statistic


def per_source(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    method: Method = "spearman",
    interval: Interval | None = Jackknife(),  # noqa: B008
) -> Estimate:
    """Mean over sources of the correlation across systems, with an interval over sources.

    Parameters
    ----------
    human, metric : (n_systems, n_sources), NaN where missing

    Returns
    -------
    Estimate
        ``n`` sources where the correlation is defined; ``dropped`` those where it is not: fewer than two systems, or
        all with one score. Counting these as 0 instead would change rankings of metrics.
    """
    name = f"{NAMES[method]} across systems, mean over sources"
    r = source_correlations(human, metric, method=method)
    defined = r[~np.isnan(r)]
    dropped = r.size - defined.size
    if defined.size == 0:
        return undefined(name, "on no source does the correlation exist", dropped=dropped)
    features = np.column_stack([defined, np.ones(defined.size)])
    return estimated(
        features, np.ones(defined.size), mean_statistic, interval, method=name, dropped=dropped, at_most=1.0
    )


def source_correlations(human: ArrayLike, metric: ArrayLike, *, method: Method = "spearman") -> FloatArray:
    """Return for every source the correlation across systems (n_sources,), nan where undefined, all at once."""
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    h, m = numeric(human, name="human", ndim=2), numeric(metric, name="metric", ndim=2)
    same_length(human=h, metric=m)
    same_length(human_sources=h.T, metric_sources=m.T)
    both = ~(np.isnan(h) | np.isnan(m))
    if method == "kendall":
        return _tau(h, m, both)
    if method == "spearman":
        h, m = _ranks(h, both), _ranks(m, both)
    return _pearson(np.where(both, h, 0), np.where(both, m, 0), both)


def _pearson(h: FloatArray, m: FloatArray, both: BoolArray) -> FloatArray:
    n = np.maximum(both.sum(axis=0), 1)
    h, m = np.where(both, h - h.sum(axis=0) / n, 0), np.where(both, m - m.sum(axis=0) / n, 0)
    hh, mm = (h**2).sum(axis=0), (m**2).sum(axis=0)
    return _ratio((h * m).sum(axis=0), hh, mm)


def _ratio(product: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    defined = (first > 1e-24) & (second > 1e-24)
    r = product / np.sqrt(np.where(defined, first * second, 1))
    return np.where(defined, np.clip(r, -1, 1), nan)


def _ranks(x: FloatArray, both: BoolArray) -> FloatArray:
    """Return mid-ranks down each column: how many are below, and half of those equal."""
    x = np.where(both, x, nan)
    rank = np.zeros(x.shape)
    for row in x:
        rank += (row < x) + 0.5 * (row == x)
    return rank


def _tau(h: FloatArray, m: FloatArray, both: BoolArray) -> FloatArray:
    product, untied_h, untied_m = (np.zeros(h.shape[1]) for _ in range(3))
    h, m = np.where(both, h, nan), np.where(both, m, nan)
    for i in range(len(h) - 1):
        sign_h, sign_m = np.nan_to_num(np.sign(h[i + 1 :] - h[i])), np.nan_to_num(np.sign(m[i + 1 :] - m[i]))
        product += (sign_h * sign_m).sum(axis=0)
        untied_h += np.abs(sign_h).sum(axis=0)
        untied_m += np.abs(sign_m).sum(axis=0)
    return _ratio(product, untied_h, untied_m)
