"""Correlation of a metric with people at four levels: questions, sets, per source over systems, and systems.

The levels answer different questions and can disagree. Per source: does the metric rank the systems on this source?
System: does it rank the systems on the whole? Few systems make the last uncertain, whatever the number of questions.
"""

from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import BoolArray, FloatArray, Labels, numeric, same_length
from analysis.stats.columns import complete
from analysis.stats.correlation import METHODS, NAMES, Method, correlate
from analysis.stats.estimate import Estimate, Tested, undefined
from analysis.stats.resampling import Interval, Jackknife, estimated, mean_statistic
from analysis.stats.systems import by_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """One metric's correlations with one human score."""

    question: Tested
    question_set: Tested  # means of each system's questions on each source
    source: Estimate  # mean over sources of the correlation across systems
    system: Tested


def correlate_levels(
    human: ArrayLike, metric: ArrayLike, *, systems: Labels, sources: Labels, method: Method = "spearman"
) -> Levels:
    """Correlate at every level, over questions that have both scores.

    Parameters
    ----------
    human, metric : (n_questions,), oriented, NaN where missing
    systems, sources : (n_questions,) labels
    """
    items = complete([human, metric], names=["human", "metric"])
    if len(systems) != len(items.kept) or len(sources) != len(items.kept):
        raise ValueError(
            f"columns differ in length: {len(items.kept)} scores, {len(systems)} systems, {len(sources)} sources"
        )
    both = [np.where(items.kept, numeric(x, name="scores", ndim=1), nan) for x in (human, metric)]
    h, m = (by_source(x, systems=systems, sources=sources)[0] for x in both)
    per_system = [_means(x, systems) for x in both]
    return Levels(
        question=_told(correlate(*both, method=method), "questions"),
        question_set=_told(correlate(h.ravel(), m.ravel(), method=method), "question sets"),
        source=per_source(h, m, method=method),
        system=_told(correlate(*per_system, method=method), "systems"),
    )


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


def _means(scores: FloatArray, systems: Labels) -> FloatArray:
    """Return each system's mean over its questions."""
    return by_source(scores, systems=systems, sources=np.zeros(len(scores), dtype=np.intp))[0][:, 0]


def _told(found: Tested, units: str) -> Tested:
    return replace(found, method=f"{found.method}; over {units}")
