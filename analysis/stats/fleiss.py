"""Agreement of several raters corrected for chance, on categories: Fleiss and Randolph."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import FloatArray
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.percent import agreeing_share
from analysis.stats.ratings import Patterns, checked, patterns
from analysis.stats.resampling import Interval, Jackknife, estimated

Unequal: TypeAlias = Literal["gwet", "listwise"]
Chance: TypeAlias = Callable[[FloatArray], FloatArray]


def fleiss_kappa(
    ratings: ArrayLike,
    *,
    unequal: Unequal = "gwet",
    scale: Sequence[float] | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Estimate:
    """Fleiss' kappa (Fleiss 1971), with unequal numbers of raters as named by ``unequal``.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged
    unequal : "gwet" takes p_a over units with two or more ratings and p_e from the mean of the units' proportions
        over all units (Gwet 2014, ch. 2); "listwise" keeps only units that every rater judged, as older software does
    scale : points of the scale, to refuse others; Fleiss' kappa itself takes no notice of unused points

    Notes
    -----
    kappa = (p_a - p_e) / (1 - p_e) with p_e = sum_k pi_k^2. It looks at categories only: on an ordered scale a miss by
    one counts like a miss by four.

    Examples
    --------
    Fleiss' 30 patients and 6 psychiatrists: .430. Gwet's four raters with gaps: .761, listwise .641.
    """
    method = "Fleiss' kappa, unequal raters after Gwet" if unequal == "gwet" else "Fleiss' kappa, complete units only"
    return _chance_corrected(ratings, lambda pi: (pi**2).sum(axis=-1), unequal, scale, interval, method)


def randolph_kappa(
    ratings: ArrayLike,
    *,
    scale: Sequence[float],
    unequal: Unequal = "gwet",
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Estimate:
    """Randolph's free-marginal kappa: chance is one over the number of points of the scale.

    The whole scale must be given: with the observed values alone the number would depend on what nobody chose.
    With unequal raters it equals Brennan and Prediger's coefficient (Gwet 2014). Fleiss' 30 patients give .444.
    """
    method = "Randolph's kappa (Brennan-Prediger)"
    chance = 1 / len(scale)
    return _chance_corrected(ratings, lambda pi: np.full(pi.shape[:-1], chance), unequal, scale, interval, method)


def complete_only(ratings: ArrayLike) -> FloatArray:
    """Return the units that every rater judged."""
    table = checked(ratings)
    return table[~np.isnan(table).any(axis=1)]


def _chance_corrected(
    ratings: ArrayLike,
    chance: Chance,
    unequal: Unequal,
    scale: Sequence[float] | None,
    interval: Interval | None,
    method: str,
) -> Estimate:
    if unequal not in ("gwet", "listwise"):
        raise ValueError(f"unequal: {unequal!r} is neither gwet nor listwise")
    table = checked(ratings)
    counted = patterns(complete_only(table) if unequal == "listwise" else table, scale=scale)
    pairable = counted.with_at_least(2).n
    if not pairable:
        return undefined(method, "no unit has two ratings", dropped=len(table))
    statistic = partial(_kappa, chance=chance)
    dropped = len(table) - pairable
    found = estimated(unit_features(counted), counted.times, statistic, interval, method=method, at_most=1.0)
    if not found.defined:
        reason = "every rating has the same value: agreement cannot be told from chance"
        return undefined(method, reason, n=pairable, dropped=dropped)
    return replace(found, n=pairable, dropped=dropped)


def unit_features(counted: Patterns) -> FloatArray:
    """Return per unit: its share of agreeing pairs, whether it has a pair, one, and its proportions."""
    size = counted.sizes
    pairable = size >= 2
    share = np.zeros(len(size))
    share[pairable] = agreeing_share(counted.counts[pairable])
    return np.column_stack([share, pairable, np.ones(len(size)), counted.counts / size[:, None]])


def _kappa(sums: FloatArray, chance: Chance) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        p_a = sums[..., 0] / sums[..., 1]
        p_e = chance(sums[..., 3:] / sums[..., 2:3])
    return (p_a - p_e) / np.where(1 - p_e > 1e-12, 1 - p_e, nan)
