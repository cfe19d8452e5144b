"""Cohen's kappa of two raters, weighted or not, and of all pairs of raters at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._arrays import FloatArray, IntArray, Labels, numeric, same_length
from quaestor_stats._informative_clusters import guarded_pairs
from quaestor_stats._ratings import (
    RatingScale,
    checked,
    checked_scale,
    cluster_codes,
    coded,
    memberships,
)
from quaestor_stats._resampling import (
    Bootstrap,
    Interval,
    Jackknife,
    Resampled,
    jackknife_interval,
    percentiles_of,
    redrawn,
    unit_of,
    with_spread,
)
from quaestor_stats._result import ConfidenceInterval, Result, undefined

if TYPE_CHECKING:
    from scipy import sparse

BLOCK_CELLS = 1_000_000  # of margins times points that are in memory at once

Weights: TypeAlias = Literal["unweighted", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("unweighted", "linear", "quadratic")


@dataclass(frozen=True, slots=True)
class Asymptotic:
    """The large-sample interval of Fleiss, Cohen and Everitt (1969)."""

    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMatrix:
    """Kappa of every pair of raters; nan where undefined, and on the diagonal."""

    values: FloatArray  # (n_raters, n_raters)
    shared: FloatArray  # (n_raters, n_raters) units both judged
    method: str

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
    interval: Interval | Asymptotic | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Cohen's kappa (1960), or weighted kappa (1968), of two raters over the units both judged.

    Weights are distances between the values themselves, not between positions in a list of the
    values that happened to occur; so the full scale must be given.

    Parameters
    ----------
    first, second : (n_units,), NaN where not judged
    scale : every point of the scale
    weights : "unweighted", "linear" (|a - b|) or "quadratic" ((a - b)^2)
    clusters : (n_units,) labels, as a rule the source: the interval is then over whole clusters,
        which the large-sample formula cannot do

    Examples
    --------
    Two raters, table [[20, 5], [10, 15]]: .400, large-sample 95% interval .151 to .649.
    """
    a, b = numeric(first, name="first", ndim=1), numeric(second, name="second", ndim=1)
    n_all = same_length(first=a, second=b)
    both = ~(np.isnan(a) | np.isnan(b))
    values = checked_scale(scale)
    size = values.size
    cells = coded(a[:, None], values)[both, 0] * size + coded(b[:, None], values)[both, 0]
    members = None
    if clusters is not None:
        if isinstance(interval, Asymptotic):
            raise ValueError("interval: the large-sample formula takes units as independent")
        held = cluster_codes(clusters, np.asarray(both))
        members = memberships(held, cells, np.ones(len(cells)), size * size)
    joint = np.bincount(cells, minlength=size * size).astype(np.float64)
    return kappa_of_table(
        joint.reshape(size, size),
        disagreement(values, weights),
        interval,
        f"Cohen's kappa, {weights}",
        n_all,
        members,
    )


def kappa_of_table(
    joint: ArrayLike,
    weights: FloatArray,
    interval: Interval | Asymptotic | None = Jackknife(),  # noqa: B008  frozen
    method: str = "Cohen's kappa, own weights",
    n_all: int | None = None,
    clusters: sparse.csr_array | None = None,
) -> Result:
    """Kappa of joint counts (V, V) under any table of disagreement weights, 0 where raters agree.

    ``clusters`` (C, V * V) says how many of each cell's units every cluster holds.
    """
    counts = numeric(joint, name="joint", ndim=2)
    n = int(counts.sum())
    dropped = 0 if n_all is None else n_all - n
    if n == 0:
        return undefined(method, "the two raters share no unit", dropped=dropped)
    cells = np.argwhere(counts)  # (P, 2)
    times = counts[cells[:, 0], cells[:, 1]]
    held = None
    if clusters is not None:
        held = clusters[:, np.ravel_multi_index((cells[:, 0], cells[:, 1]), counts.shape)]
    how = None if isinstance(interval, Asymptotic) else interval
    found = guarded_pairs(
        _of_cells(cells, times, weights, how, held, method), cells, held, unit_of(how)
    )
    found = replace(found, dropped=dropped)
    if not found.defined:
        return undefined(
            method, "both raters gave one and the same value throughout", n=n, dropped=dropped
        )
    return (
        _asymptotic(found, counts, weights, interval) if isinstance(interval, Asymptotic) else found
    )


def _of_cells(
    cells: IntArray,
    times: FloatArray,
    weights: FloatArray,
    interval: Interval | None,
    clusters: sparse.csr_array | None,
    method: str,
) -> Result:
    """Return kappa of the non-empty cells (P, 2) of the joint table, and its interval.

    A table over these cells and all points would grow with the third or fourth power of the scale,
    so units are left out one by one from the sums: without a table t of rows r and columns c the
    expected disagreement (R - r) W (C - c) is R W C - r (W C) - (R W) c + r W c.
    """
    from scipy import sparse

    n, size = times.sum(), len(weights)
    ones, places = np.ones(len(cells)), np.arange(len(cells))
    first, second = (
        sparse.csr_array((ones, (places, column)), shape=(len(cells), size)) for column in cells.T
    )
    sums = _UnitSums(first, second, weights[cells[:, 0], cells[:, 1]], weights)
    value = float(sums.kappa(times))
    if interval is None:
        return Result(value=value, n=int(n), method=method)
    of: Resampled = "unit"
    counts = times
    if clusters is not None:
        of, counts, sums = "cluster", np.ones(clusters.shape[0]), sums.by_cluster(clusters)
    if isinstance(interval, Bootstrap):
        drawn = [sums.kappas(each) for each in redrawn(counts, interval, of=of)]
        found = percentiles_of(np.concatenate(drawn), interval, counts, of=of)
    else:
        found = jackknife_interval(value, sums.kappas_without(counts), counts, interval, of=of)
    return with_spread(value, found, n=int(n), dropped=0, method=method, at_most=1.0)


@dataclass(frozen=True, slots=True)
class _UnitSums:
    """Contribution of each of U units to a joint table: both raters' values and disagreement."""

    first: sparse.csr_array  # (U, V) how often the first rater gave each value
    second: sparse.csr_array  # (U, V)
    apart: FloatArray  # (U,) weighted disagreement between the two
    weights: FloatArray  # (V, V) of disagreement

    @property
    def step(self) -> int:
        """The number of units or draws in one block."""
        return max(1, BLOCK_CELLS // len(self.weights))

    def by_cluster(self, clusters: sparse.csr_array) -> _UnitSums:
        """Return the sums of clusters (C, U) of units."""
        return replace(
            self,
            first=clusters @ self.first,
            second=clusters @ self.second,
            apart=clusters @ self.apart,
        )

    def kappa(self, counts: FloatArray) -> FloatArray:
        """Return kappa if each unit is counted ``counts`` (U,) times."""
        rows, columns = counts @ self.first, counts @ self.second
        return _kappa(counts @ self.apart, rows @ self.weights @ columns, rows.sum())

    def kappas(self, draws: FloatArray) -> FloatArray:
        """Return kappa of each draw (D, U)."""
        found = []
        for start in range(0, len(draws), self.step):
            block = draws[start : start + self.step]
            rows, columns = block @ self.first, block @ self.second
            expected = ((rows @ self.weights) * columns).sum(axis=1)
            found.append(_kappa(block @ self.apart, expected, rows.sum(axis=1)))
        return np.concatenate(found)

    def kappas_without(self, counts: FloatArray) -> FloatArray:
        """Return kappa without one of each unit (U,)."""
        rows, columns = counts @ self.first, counts @ self.second
        blocks = [slice(at, at + self.step) for at in range(0, self.first.shape[0], self.step)]
        own = [
            self.second[block].multiply(self.first[block] @ self.weights).sum(axis=1)
            for block in blocks
        ]
        expected = rows @ self.weights @ columns + np.concatenate(own)
        expected -= self.first @ (self.weights @ columns) + self.second @ (rows @ self.weights)
        return _kappa(
            counts @ self.apart - self.apart, expected, rows.sum() - self.first.sum(axis=1)
        )


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

    One rater after another is compared with those that follow, on the points that are used at all:
    joint tables of all pairs would take the square of raters times points.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged
    scale : every point of the scale
    """
    from scipy import sparse

    table, points = checked(ratings), checked_scale(scale)
    codes = coded(table, points)
    judged = codes < points.size
    used = np.unique(codes[judged])
    codes = np.where(judged, np.searchsorted(used, codes), used.size)
    raters, size = codes.shape[1], used.size
    apart = np.pad(disagreement(points[used], weights), ((0, 0), (0, 1)))  # 0 where one judged
    kappas, shared = np.full((raters, raters), nan), np.zeros((raters, raters))
    for rater in range(raters):
        here = judged[:, rater]
        others, both = codes[here, rater:], judged[here, rater:].astype(np.float64)
        own, place = np.unique(codes[here, rater], return_inverse=True)
        given = sparse.csr_array(
            (np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(own), len(place))
        )
        keys = others + (size + 1) * np.arange(raters - rater)
        columns = np.bincount(keys.ravel(), minlength=(raters - rater) * (size + 1))
        columns = columns.reshape(-1, size + 1)[:, :size].astype(np.float64)  # (others, V)
        n = both.sum(axis=0)
        observed = apart[own[place][:, None], others].sum(axis=0)
        rows = np.asarray(given @ both)  # (values of one's own, others)
        expected = (rows * (apart[own, :size] @ columns.T)).sum(axis=0)
        shared[rater, rater:] = shared[rater:, rater] = n
        kappas[rater, rater:] = kappas[rater:, rater] = _kappa(observed, expected, n)
    np.fill_diagonal(kappas, nan)
    return PairMatrix(values=kappas, shared=shared, method=f"Cohen's kappa, {weights}, all pairs")


def _kappa(
    observed: FloatArray | float, expected: FloatArray | float, n: FloatArray | float
) -> FloatArray:
    """Return one minus the disagreement of n units over that of their margins, which is times n."""
    defined = np.where(np.greater(expected, 1e-12 * n**2), expected, nan)
    return np.asarray(1 - observed * n / defined)


def _asymptotic(found: Result, counts: FloatArray, weights: FloatArray, how: Asymptotic) -> Result:
    """Add the interval with the variance of Fleiss, Cohen and Everitt (1969, eq. 9), in agreement
    weights."""
    from scipy import special

    n = counts.sum()
    p = counts / n
    w = 1 - weights / weights.max()
    row, column = p.sum(axis=1), p.sum(axis=0)
    p_e = row @ w @ column
    average = (w @ column)[:, None] + (w.T @ row)[None, :]
    kappa = found.value
    spread = (p * (w - average * (1 - kappa)) ** 2).sum() - (kappa - p_e * (1 - kappa)) ** 2
    reach = special.ndtri((1 + how.confidence) / 2) * np.sqrt(max(spread, 0) / n) / (1 - p_e)
    method = f"{found.method}; large-sample, {how.confidence:.0%}"
    return replace(
        found,
        ci=ConfidenceInterval(found.value - float(reach), min(found.value + float(reach), 1)),
        method=method,
    )
