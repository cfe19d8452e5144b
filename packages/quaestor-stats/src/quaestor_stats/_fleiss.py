"""Agreement of several raters corrected for chance, on categories: Fleiss, Conger, Randolph
(Brennan-Prediger)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import (
    ONE_VALUE,
    Coefficient,
    Unequal,
    agreement_weights,
    chance_corrected,
    correct_for_chance,
    shares_of_pairable,
)
from quaestor_stats._cohen_kappa import Weights
from quaestor_stats._informative_clusters import OTHERWISE, WEIGHTED, guarded
from quaestor_stats._inputs import (
    FloatArray,
    IntArray,
    Labels,
    Patterns,
    RatingScale,
    check_ratings,
    checked_scale,
    cluster_codes,
    code_ratings,
    memberships,
    observed_scale,
)
from quaestor_stats._resampling import Interval, Jackknife, estimate_statistic, unit_of
from quaestor_stats._result import Result, undefined_result

if TYPE_CHECKING:
    from scipy import sparse


def fleiss_kappa(
    ratings: ArrayLike | Patterns,
    *,
    weights: Weights = "unweighted",
    unequal: Unequal = "gwet",
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Fleiss' kappa of any number of raters.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    weights : {"unweighted", "linear", "quadratic"}
        Whether near ratings agree in part. Linear weights fall with the distance of two points of
        the scale, quadratic weights with its square.
    unequal : {"gwet", "listwise"}
        What to do if units have different numbers of ratings. "gwet" takes the observed agreement
        over units with two ratings or more and the expected one over all units. "listwise" uses
        only units that every rater rated; a rater without any rating does not count.
    scale : sequence of float, optional
        Every point of the scale, to refuse other ratings.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        Kappa, at most 1; ``n`` counts the units with two ratings or more. It is undefined if
        there is no such unit, or if every rating has the same value.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, a rating is not on the scale, or an option is unknown.

    Notes
    -----
    kappa = (p_a - p_e) / (1 - p_e) with p_e = sum_kl w_kl pi_k pi_l, where pi_k is the share of
    value k. If the scale is ordered, the unweighted form treats a miss by one point like a miss by
    four.

    References
    ----------
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological
    Bulletin 76, 378-382.

    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability. 4th edition. Advanced Analytics.
    (Weights and unequal numbers of raters.)

    Examples
    --------
    Gwet's four raters, some of whom did not rate every unit. The values are those of the R package
    irrCAC and, listwise, of irr.

    >>> ratings = np.array([
    ...     [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...     [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1],
    ...     [np.nan, np.nan, 3, np.nan]])
    >>> round(fleiss_kappa(ratings).value, 5)
    0.76117
    >>> round(fleiss_kappa(ratings, unequal="listwise").value, 5)
    0.64146
    """
    form = {"gwet": "unequal raters after Gwet", "listwise": "complete units only"}.get(
        unequal, unequal
    )
    return chance_corrected(
        ratings,
        Coefficient(method=f"Fleiss' kappa, {weights}, {form}", chance=_as_given, weights=weights),
        scale=scale,
        unequal=unequal,
        clusters=clusters,
        interval=interval,
    )


def randolph_kappa(
    ratings: ArrayLike | Patterns,
    *,
    scale: RatingScale,
    weights: Weights = "unweighted",
    unequal: Unequal = "gwet",
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Randolph's free-marginal kappa, also known as Brennan and Prediger's.

    The agreement expected by chance is one over the number of points of the scale, however often
    raters use them.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    scale : sequence of float
        Every point of the scale, used or not.
    weights : {"unweighted", "linear", "quadratic"}
        Whether near ratings agree in part. Linear weights fall with the distance of two points of
        the scale, quadratic weights with its square.
    unequal : {"gwet", "listwise"}
        What to do if units have different numbers of ratings. "gwet" takes the observed agreement
        over units with two ratings or more and the expected one over all units. "listwise" uses
        only units that every rater rated; a rater without any rating does not count.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        Kappa, at most 1; ``n`` counts the units with two ratings or more. It is undefined if
        there is no such unit.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, a rating is not on the scale, or an option is unknown.

    References
    ----------
    Brennan, R. L. and Prediger, D. J. (1981). Coefficient kappa: some uses, misuses, and
    alternatives. Educational and Psychological Measurement 41, 687-699.

    Randolph, J. J. (2005). Free-marginal multirater kappa: an alternative to Fleiss' fixed-marginal
    multirater kappa. Joensuu Learning and Instruction Symposium.

    Examples
    --------
    Gwet's four raters on five points. The value is that of the R package irrCAC.

    >>> ratings = np.array([
    ...     [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...     [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1],
    ...     [np.nan, np.nan, 3, np.nan]])
    >>> round(randolph_kappa(ratings, scale=[1, 2, 3, 4, 5]).value, 5)
    0.77273
    """
    return chance_corrected(
        ratings,
        Coefficient(
            method=f"Randolph's kappa (Brennan-Prediger), {weights}",
            chance=_even,
            weights=weights,
            bound=OTHERWISE if weights == "unweighted" else WEIGHTED,
        ),
        scale=scale,
        unequal=unequal,
        clusters=clusters,
        interval=interval,
    )


def conger_kappa(
    ratings: ArrayLike,
    *,
    weights: Weights = "unweighted",
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Conger's kappa; with two raters it is Cohen's kappa.

    The agreement expected by chance follows from how often every rater uses every point.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    weights : {"unweighted", "linear", "quadratic"}
        Whether near ratings agree in part. Linear weights fall with the distance of two points of
        the scale, quadratic weights with its square.
    scale : sequence of float, optional
        Every point of the scale, to refuse other ratings.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        Kappa, at most 1; ``n`` counts the units with two ratings or more. It is undefined if
        there is no such unit, or if every rating has the same value.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, a rating is not on the scale, or an option is unknown.

    Notes
    -----
    p_e is the mean over pairs of different raters g, h of sum_kl w_kl p_gk p_hl, where p_gk is the
    share of value k among the ratings of rater g.

    References
    ----------
    Conger, A. J. (1980). Integration and generalization of kappas for multiple raters.
    Psychological Bulletin 88, 322-328.

    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability. 4th edition. Advanced Analytics.
    (Weights and missing ratings.)

    Examples
    --------
    Gwet's four raters, some of whom did not rate every unit. The values are those of the R package
    irrCAC.

    >>> ratings = np.array([
    ...     [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...     [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1],
    ...     [np.nan, np.nan, 3, np.nan]])
    >>> round(conger_kappa(ratings).value, 5)
    0.76282
    >>> round(conger_kappa(ratings, weights="quadratic").value, 5)
    0.85771
    """
    method = f"Conger's kappa, {weights}"
    rated = _rated_units(ratings, scale, clusters)
    n = int((rated.counts.sum(axis=1) >= 2).sum())
    dropped = len(rated.counts) - n + rated.blank
    if n == 0:
        return undefined_result(method, "no unit has two ratings", dropped=dropped)
    w = agreement_weights(rated.values, weights)
    members = rated.units_of_clusters()
    result = estimate_statistic(
        rated.features(w),
        np.ones(len(rated.counts)),
        partial(_conger, raters=rated.given.shape[1], w=w),
        interval,
        method=method,
        at_most=1.0,
        clusters=members,
    )
    result = guarded(result, rated.counts, members, unit_of(interval))
    reason = result.reason if result.defined else ONE_VALUE
    return replace(result, n=n, dropped=dropped, reason=reason)


@dataclass(frozen=True, slots=True)
class _RatedUnits:
    """The value that every rater gave every unit, without units and raters without ratings."""

    values: FloatArray  # (V,) the scale
    given: FloatArray  # (n_units, n_raters, V), 1 at the given value
    counts: FloatArray  # (n_units, V) how often each value was given
    clusters: IntArray | None  # (n_units,)
    blank: int  # units without ratings

    def features(self, w: FloatArray) -> FloatArray:
        """Return per unit: its share of agreeing pairs, whether it has a pair, and ``given``."""
        share, pairable = shares_of_pairable(self.counts, w)
        return np.column_stack([share, pairable, self.given.reshape(len(share), -1)])

    def units_of_clusters(self) -> sparse.csr_array | None:
        """Return (n_clusters, n_units), 1 if the unit belongs to the cluster."""
        if self.clusters is None:
            return None
        n = len(self.given)
        return memberships(self.clusters, np.arange(n), np.ones(n), n)


def _rated_units(
    ratings: ArrayLike, scale: RatingScale | None, clusters: Labels | None
) -> _RatedUnits:
    table = check_ratings(ratings)
    judged = ~np.isnan(table)
    rated = np.asarray(judged.any(axis=1))
    codes = None if clusters is None else cluster_codes(clusters, rated)
    table = table[rated][:, judged.any(axis=0)]
    values = observed_scale(table) if scale is None else checked_scale(scale)
    given = (code_ratings(table, values)[:, :, None] == np.arange(values.size)).astype(np.float64)
    return _RatedUnits(values, given, given.sum(axis=1), codes, int((~rated).sum()))


def _as_given(pi: FloatArray, w: FloatArray) -> FloatArray:
    return np.asarray(((pi @ w) * pi).sum(axis=-1))


def _even(pi: FloatArray, w: FloatArray) -> FloatArray:
    return np.full(pi.shape[:-1], w.mean())


def _conger(sums: FloatArray, raters: int, w: FloatArray) -> FloatArray:
    given = sums[..., 2:].reshape(*sums.shape[:-1], raters, len(w))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = given / given.sum(axis=-1, keepdims=True)
        of_all = _as_given(p.sum(axis=-2), w)
        with_themselves = _as_given(p, w).sum(axis=-1)
        p_e = (of_all - with_themselves) / (raters * (raters - 1))
        return correct_for_chance(sums[..., 0] / sums[..., 1], p_e)
