"""Cohen's kappa of two raters, weighted or not, and of all pairs of raters at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import nan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._informative_clusters import guarded_pairs
from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    RatingScale,
    check_ratings,
    checked_scale,
    cluster_codes,
    code_ratings,
    memberships,
    numeric,
    same_length,
)
from quaestor_stats._jackknife import deal_groups, jackknife
from quaestor_stats._resampling import (
    Bootstrap,
    Interval,
    Jackknife,
    Resampled,
    Spread,
    jackknife_interval,
    percentiles_of,
    redrawn,
    with_spread,
)
from quaestor_stats._result import Result, undefined_result

Weights: TypeAlias = Literal["unweighted", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("unweighted", "linear", "quadratic")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMatrix:
    """Kappa of every pair of raters; nan where undefined, and on the diagonal."""

    values: FloatArray  # (n_raters, n_raters)
    shared: FloatArray  # (n_raters, n_raters) units both judged

    @property
    def mean(self) -> float:
        """The mean over the defined pairs: Light's kappa."""
        upper = self.values[np.triu_indices(len(self.values), 1)]
        return float(np.nanmean(upper)) if not np.isnan(upper).all() else nan


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    scale: RatingScale,
    weights: Weights = "unweighted",
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Cohen's kappa (1960), or weighted kappa (1968), of two raters over the units both judged.

    Weights are distances between the values themselves, not between positions in a list of the
    values that happened to occur; so the full scale must be given.

    Parameters
    ----------
    first, second : (n_units,), NaN where not judged
    scale : every point of the scale
    weights : "unweighted", "linear" (|a - b|) or "quadratic" ((a - b)^2)
    clusters : (n_units,) labels, as a rule the source: the interval is then over whole clusters
    interval : over units or clusters; more than `MAX_GROUPS` are left out in that many groups

    Examples
    --------
    >>> first, second = np.repeat([[1, 1, 2, 2], [1, 2, 1, 2]], [20, 5, 10, 15], axis=1).astype(float)
    >>> round(cohen_kappa(first, second, scale=[1, 2]).value, 3)
    0.4
    """
    method = f"Cohen's kappa, {weights}"
    points = checked_scale(scale)
    pairs, both = _pairs(first, second, points)
    kappa = partial(_kappa, apart=disagreement(points, weights))
    n, times = len(pairs), np.ones(len(pairs))
    dropped = len(both) - n
    if n == 0:
        return undefined_result(method, "the two raters share no unit", dropped=dropped)
    if np.isnan(value := kappa(pairs, times)):
        reason = "both raters gave one and the same value throughout"
        return undefined_result(method, reason, n=n, dropped=dropped)
    if interval is None:
        return Result(value=value, n=n, dropped=dropped, method=method)
    if clusters is None:
        spread = _spread(kappa, pairs, np.arange(n), interval, "unit")
        return with_spread(value, spread, n=n, dropped=dropped, method=method, at_most=1.0)
    cluster = cluster_codes(clusters, both)
    spread = _spread(kappa, pairs, cluster, interval, "cluster")
    result = with_spread(value, spread, n=n, dropped=dropped, method=method, at_most=1.0)
    members = memberships(cluster, np.arange(n), times, n)
    return guarded_pairs(result, pairs, members, interval.unit)


def _pairs(first: ArrayLike, second: ArrayLike, points: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the places on the scale of the units that both judged (n, 2), and which units these
    are."""
    a, b = numeric(first, name="first", ndim=1), numeric(second, name="second", ndim=1)
    same_length(first=a, second=b)
    codes = code_ratings(np.column_stack([a, b]), points)
    both = np.asarray((codes < points.size).all(axis=1))
    return codes[both], both


def _spread(
    kappa: Callable[[IntArray, FloatArray], float],
    pairs: IntArray,
    cluster: IntArray,
    interval: Interval,
    of: Resampled,
) -> Spread:
    units, times = np.ones(int(cluster.max()) + 1), np.ones(len(pairs))
    if isinstance(interval, Bootstrap):
        blocks = redrawn(units, interval, of=of)
        draws = [kappa(pairs, drawn[cluster]) for block in blocks for drawn in block]
        return percentiles_of(np.array(draws), interval, units, of=of)
    value, without = jackknife(kappa, deal_groups(cluster), pairs, times)
    groups = np.ones(len(without))
    return jackknife_interval(float(value), without, groups, interval, of=of, units=units.size)


def _kappa(pairs: IntArray, times: FloatArray, apart: FloatArray) -> float:
    """Return kappa of pairs of codes (n, 2) that count ``times`` (n,), with disagreements (V, V);
    nan if none is expected."""
    first, second = (np.bincount(codes, times, len(apart)) for codes in pairs.T)
    n, observed = times.sum(), times @ apart[pairs[:, 0], pairs[:, 1]]
    expected = first @ apart @ second / max(n, 1)
    return float(1 - observed / expected) if expected > 1e-12 * n else nan


def disagreement(values: FloatArray, weights: Weights) -> FloatArray:
    """Return the weights (V, V) of disagreement between the values of a scale."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights: {weights!r} is none of {', '.join(WEIGHTS)}")
    if weights == "unweighted":
        return np.not_equal.outer(values, values).astype(np.float64)
    gap = np.abs(np.subtract.outer(values, values))
    return gap if weights == "linear" else gap**2


def kappa_matrix(
    ratings: ArrayLike, *, scale: RatingScale, weights: Weights = "unweighted"
) -> PairMatrix:
    """Cohen's kappa of all pairs of raters, each over the units both judged.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged
    scale : every point of the scale
    """
    table, points = check_ratings(ratings), checked_scale(scale)
    codes, apart = code_ratings(table, points), disagreement(points, weights)
    raters = codes.shape[1]
    kappas, shared = np.full((raters, raters), nan), np.zeros((raters, raters))
    np.fill_diagonal(shared, (codes < points.size).sum(axis=0))
    for pair in combinations(range(raters), 2):
        both = codes[:, pair]
        both = both[(both < points.size).all(axis=1)]
        kappas[pair] = kappas[pair[::-1]] = _kappa(both, np.ones(len(both)), apart)
        shared[pair] = shared[pair[::-1]] = len(both)
    return PairMatrix(values=kappas, shared=shared)
