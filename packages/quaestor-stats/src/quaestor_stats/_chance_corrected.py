"""The shared part of all coefficients kappa = (p_a - p_e) / (1 - p_e): the observed agreement and
the units behind it.

They differ in one line, the agreement to expect by chance, given as ``chance(pi, w)`` of the shares
pi (..., V) of the values and the table w (V, V) of agreement weights, 1 on its diagonal.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._cohen_kappa import Weights, disagreement
from quaestor_stats._informative_clusters import FROM_RATINGS, Bound, guarded
from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    Labels,
    Patterns,
    RatingScale,
    check_ratings,
    patterns,
    units_in,
)
from quaestor_stats._resampling import Interval, estimate_statistic, unit_of
from quaestor_stats._result import Result, undefined_result

Unequal: TypeAlias = Literal["gwet", "listwise"]
ChanceOf: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
ONE_VALUE = "every rating has the same value: agreement cannot be told from chance"


NO_UNIT = {
    "gwet": "no unit has two ratings",
    "listwise": "no unit was judged by every rater",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """The choices that distinguish one chance-corrected coefficient from the others.

    ``bound`` sets how many informative sources an interval over sources requires.
    """

    method: str
    chance: ChanceOf
    weights: Weights = "unweighted"
    bound: Bound = FROM_RATINGS


def chance_corrected(
    ratings: ArrayLike | Patterns,
    coefficient: Coefficient,
    *,
    scale: RatingScale | None = None,
    unequal: Unequal = "gwet",
    clusters: Labels | None = None,
    interval: Interval | None,
) -> Result:
    """Return the coefficient, over units with two or more ratings ("gwet") or all ("listwise")."""
    counted = _counted(ratings, scale, unequal, clusters)
    n = counted.with_at_least(2).n
    dropped = units_in(ratings) - n
    if n == 0:
        return undefined_result(coefficient.method, NO_UNIT[unequal], dropped=dropped)
    w = agreement_weights(counted.values, coefficient.weights)
    result = estimate_statistic(
        _per_unit(counted, w),
        counted.times,
        partial(_kappa, chance=coefficient.chance, w=w),
        interval,
        method=coefficient.method,
        at_most=1.0,
        clusters=counted.clusters,
    )
    result = guarded(
        result, counted.counts, counted.clusters, unit_of(interval), bound=coefficient.bound
    )
    reason = result.reason if result.defined else ONE_VALUE
    return replace(result, n=n, dropped=dropped, reason=reason)


def _counted(
    ratings: ArrayLike | Patterns,
    scale: RatingScale | None,
    unequal: Unequal,
    clusters: Labels | None,
) -> Patterns:
    """Return the units that count if units have different numbers of ratings."""
    if unequal == "gwet":
        return patterns(ratings, scale=scale, clusters=clusters)
    if unequal == "listwise":
        return _listwise(ratings, scale, clusters)
    raise ValueError(f"unequal: {unequal!r} is neither gwet nor listwise")


def agreement_weights(values: FloatArray, weights: Weights) -> FloatArray:
    """Return 1 - d / max d of the distances between the values of a scale."""
    d = disagreement(values, weights)
    return np.asarray(1 - d / d.max()) if d.any() else np.ones_like(d)


def complete_units(ratings: ArrayLike | Patterns) -> tuple[FloatArray, BoolArray]:
    """Return the table without raters who judged no unit, and which units the others all judged."""
    if isinstance(ratings, Patterns):
        raise ValueError("value counts do not tell which units every rater judged")
    table = check_ratings(ratings)
    table = table[:, ~np.isnan(table).all(axis=0)]
    return table, np.asarray(~np.isnan(table).any(axis=1) & (table.shape[1] > 0))


def _listwise(
    ratings: ArrayLike | Patterns,
    scale: RatingScale | None,
    clusters: Labels | None,
) -> Patterns:
    table, complete = complete_units(ratings)
    gaps = np.where(complete[:, None], table, nan)  # units keep their places beside their clusters
    return patterns(gaps, scale=scale, clusters=clusters)


def agreeing_share(counts: FloatArray, w: FloatArray | None = None) -> FloatArray:
    """Return each unit's (weighted) share of pairs of raters that agree; it needs two ratings or
    more."""
    size = counts.sum(axis=1)
    with_weight = counts if w is None else counts @ w
    return np.asarray((counts * (with_weight - 1)).sum(axis=1) / (size * (size - 1)))


def shares_of_pairable(counts: FloatArray, w: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return each unit's share of agreeing pairs, 0 if it has no pair, and whether it has one."""
    pairable = np.asarray(counts.sum(axis=1) >= 2)
    share = np.zeros(len(counts))
    share[pairable] = agreeing_share(counts[pairable], w)
    return share, pairable


def _per_unit(counted: Patterns, w: FloatArray) -> FloatArray:
    """Return per unit: its share of agreeing pairs, whether it has a pair, one, and its
    proportions."""
    size = counted.sizes
    share, pairable = shares_of_pairable(counted.counts, w)
    return np.column_stack([share, pairable, np.ones(len(size)), counted.counts / size[:, None]])


def _kappa(sums: FloatArray, chance: ChanceOf, w: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        p_a = sums[..., 0] / sums[..., 1]
        p_e = chance(sums[..., 3:] / sums[..., 2:3], w)
    return correct_for_chance(p_a, p_e)


def correct_for_chance(p_a: FloatArray, p_e: FloatArray) -> FloatArray:
    """Return (p_a - p_e) / (1 - p_e), nan where chance alone explains everything."""
    kappa: FloatArray = (p_a - p_e) / np.where(1 - p_e > 1e-12, 1 - p_e, nan)
    return kappa
