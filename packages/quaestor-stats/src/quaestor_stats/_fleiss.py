"""Agreement of several raters corrected for chance, on categories: Fleiss, Conger, Randolph
(Brennan-Prediger)."""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import (
    ONE_VALUE,
    Unequal,
    agreeing_share,
    agreement_weights,
    chance_corrected,
    complete_only,
    corrected,
)
from quaestor_stats._cohen_kappa import Weights
from quaestor_stats._informative_clusters import OTHERWISE, WEIGHTED, guarded
from quaestor_stats._inputs import (
    FloatArray,
    Labels,
    Patterns,
    RatingScale,
    checked,
    checked_scale,
    cluster_codes,
    coded,
    memberships,
    observed_scale,
)
from quaestor_stats._resampling import Interval, Jackknife, estimated, unit_of
from quaestor_stats._result import Result, undefined


def fleiss_kappa(
    ratings: ArrayLike | Patterns,
    *,
    weights: Weights = "unweighted",
    unequal: Unequal = "gwet",
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Fleiss' kappa (Fleiss 1971), with unequal numbers of raters as named by ``unequal``.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts (`value_counts`)
    weights : "unweighted" as published, or Gwet's weighted form, "linear" or "quadratic"
    unequal : "gwet" takes p_a over units with two or more ratings and p_e from the mean of the units' proportions
        over all units (Gwet 2014, ch. 2); "listwise" keeps only units that every rater judged, as
        older software does; who judged nothing is no rater
    scale : points of the scale, to refuse others; Fleiss' kappa itself takes no notice of unused points
    clusters : (n_units,) labels, as a rule the source: the interval is then over whole clusters

    Notes
    -----
    kappa = (p_a - p_e) / (1 - p_e) with p_e = sum_kl w_kl pi_k pi_l. Unweighted it looks at categories only: on an
    ordered scale a miss by one counts like a miss by four.

    Examples
    --------
    Fleiss' 30 patients and 6 psychiatrists: .430. Gwet's four raters with gaps: .761, listwise .641.
    """
    form = {"gwet": "unequal raters after Gwet", "listwise": "complete units only"}.get(
        unequal, unequal
    )
    return chance_corrected(
        ratings,
        _as_given,
        method=f"Fleiss' kappa, {weights}, {form}",
        weights=weights,
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
    """Randolph's free-marginal kappa: chance is one over the number of points of the scale.

    The whole scale must be given: with the observed values alone the number would depend on which
    points no rater chose. It is Brennan and Prediger's coefficient, which also has weights. Fleiss'
    30 patients give .444.
    """
    return chance_corrected(
        ratings,
        _even,
        method=f"Randolph's kappa (Brennan-Prediger), {weights}",
        weights=weights,
        scale=scale,
        unequal=unequal,
        bound=OTHERWISE if weights == "unweighted" else WEIGHTED,
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
    """Conger's kappa (1980): chance from each rater's own use of the scale; with two raters it is
    Cohen's kappa.

    p_e is the mean over pairs of different raters g, h of sum_kl w_kl p_gk p_hl. With gaps, p_g is
    over what rater g judged (Gwet 2014). Krippendorff's example C gives .763.
    """
    table, method = checked(ratings), f"Conger's kappa, {weights}"
    judged = ~np.isnan(table)
    rated = np.asarray(judged.any(axis=1))
    held = None if clusters is None else cluster_codes(clusters, rated)
    blank = int((~rated).sum())
    table = table[rated][:, judged.any(axis=0)]
    values = observed_scale(table) if scale is None else checked_scale(scale)
    given = (coded(table, values)[:, :, None] == np.arange(values.size)).astype(np.float64)
    counts, once = given.sum(axis=1), np.ones(len(table))
    pairable = counts.sum(axis=1) >= 2
    n, dropped = int(pairable.sum()), int((~pairable).sum()) + blank
    if n == 0:
        return undefined(method, "no unit has two ratings", dropped=dropped)
    w = agreement_weights(values, weights)
    share = np.zeros(len(table))
    share[pairable] = agreeing_share(counts[pairable], w)
    members = None if held is None else memberships(held, np.arange(len(table)), once, len(table))
    found = estimated(
        np.column_stack([share, pairable, given.reshape(len(table), -1)]),
        once,
        partial(_conger, raters=table.shape[1], w=w),
        interval,
        method=method,
        at_most=1.0,
        clusters=members,
    )
    found = guarded(found, counts, members, unit_of(interval))
    return replace(found, n=n, dropped=dropped, reason=found.reason if found.defined else ONE_VALUE)


def _as_given(pi: FloatArray, w: FloatArray) -> FloatArray:
    return np.asarray(((pi @ w) * pi).sum(axis=-1))


def _even(pi: FloatArray, w: FloatArray) -> FloatArray:
    return np.full(pi.shape[:-1], w.mean())


def _conger(sums: FloatArray, raters: int, w: FloatArray) -> FloatArray:
    given = sums[..., 2:].reshape(*sums.shape[:-1], raters, len(w))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = given / given.sum(axis=-1, keepdims=True)
        together, own = p.sum(axis=-2), _as_given(p, w).sum(axis=-1)
        p_e = (_as_given(together, w) - own) / (raters * (raters - 1))
        return corrected(sums[..., 0] / sums[..., 1], p_e)


__all__ = ["complete_only", "conger_kappa", "fleiss_kappa", "randolph_kappa"]
