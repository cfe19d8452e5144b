"""Intraclass correlations of Shrout and Fleiss: how much of the variance of ratings lies between
units."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import complete_units
from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._informative_clusters import guarded_table
from quaestor_stats._inputs import (
    FloatArray,
    IntArray,
    Labels,
    check_ratings,
    cluster_codes,
    memberships,
)
from quaestor_stats._resampling import Jackknife, Spread, spread, with_spread
from quaestor_stats._result import Result, undefined_result

Form: TypeAlias = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
CONSTANT = "the ratings do not vary between units and within them: nothing to divide"
COMPLETE = "the raters agree completely: no interval can be estimated"
SHIFTED = "the raters differ by constants only: no interval can be estimated"
BELOW = "the units differ less than their ratings do"
POLE = (
    "the lower limit for one rater is below -1 / (k - 1), where the mean of k has none: no interval"
)


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Two-way analysis of variance of complete ratings, in Shrout and Fleiss' names."""

    n: int  # targets (units)
    k: int  # judges (raters)
    between: float  # BMS
    within: float  # WMS
    judges: float  # JMS
    error: float  # EMS


def mean_squares(ratings: ArrayLike) -> MeanSquares:
    """Return the mean squares over units that every rater judged; raters who judged no unit do not
    count."""
    table, is_complete = complete_units(ratings)
    x = table[is_complete]
    n, k = x.shape
    centre = x.mean() if x.size else 0.0
    units, raters = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    within = ((x - units) ** 2).sum()
    error = ((x - units - raters + centre) ** 2).sum()
    return MeanSquares(
        n=n,
        k=k,
        between=float(k * ((units - centre) ** 2).sum() / (n - 1)),
        within=float(within / (n * (k - 1))),
        judges=float(n * ((raters - centre) ** 2).sum() / (k - 1)),
        error=float(error / ((n - 1) * (k - 1))),
    )


def intraclass(
    ratings: ArrayLike,
    *,
    forms: Sequence[Form] = FORMS,
    clusters: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> dict[Form, Result]:
    """Intraclass correlations (Shrout and Fleiss 1979) with the F intervals of McGraw and Wong
    (1996).

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; only units that every rater judged are
        used, and raters who judged nothing are excluded
    forms : "1," raters differ from unit to unit, "2," the raters are a sample and their severity counts as error,
        "3," these raters only, severity left out; ",1" one rater's ratings, ",k" the mean of all k
    clusters : (n_units,) labels, as a rule the source. The F intervals take units as independent;
        with clusters the interval is a jackknife over clusters, on the logarithm of R below, and
        for all forms it is one for these raters
    unit : the name of the clusters, and how many an interval needs

    Returns
    -------
    dict
        Per form a Result; its ``method`` states k.

    Notes
    -----
    Every form is a function of one ratio R of mean squares: (R - 1) / (R + k - 1) for one rater and
    1 - 1 / R for the mean of k, R being BMS / WMS for "1,", BMS / EMS for "3," and (BMS + d) / (EMS
    + d) with d = (JMS - EMS) / n for "2,". Both rise with R where it is above 0. The F limits for
    one rater of "2," can be those of a negative R, below -1 / (k - 1): there the Spearman-Brown
    formula has its pole, and the mean of k has no limits.

    Examples
    --------
    Shrout and Fleiss' six targets and four judges: .17, .29, .71 for one judge, .44, .62, .91 for the mean of four.
    """
    if wrong := set(forms) - set(FORMS):
        raise ValueError(f"forms: {', '.join(sorted(wrong))} is none of {'; '.join(FORMS)}")
    table = check_ratings(ratings)
    rated, is_complete = complete_units(table)
    complete = rated[is_complete]
    n, k = complete.shape
    dropped, blank = len(table) - n, table.shape[1] - k
    without = f" ({blank} without a rating left out)" if blank else ""
    names = {form: f"ICC({form}), k = {k}{without}" for form in forms}
    if n < 2 or k < 2:
        reason = f"{n} units judged by all of {k} rater(s): two of each are needed"
    else:
        ms = mean_squares(complete)
        reason = CONSTANT if max(ms.between, ms.within) <= 1e-24 else ""
    if reason:
        return {form: undefined_result(names[form], reason, n=n, dropped=dropped) for form in forms}
    codes = None if clusters is None else cluster_codes(clusters, is_complete)
    results = {}
    for form in forms:
        result = _form(ms, form, names[form], dropped)
        if not result.reason:
            ratio = _by_f(ms, form) if codes is None else _by_clusters(complete, form, codes, unit)
            result = _with_limits(result, ratio, form, k)
        results[form] = result if codes is None else guarded_table(result, complete, codes, unit)
    return results


def _with_limits(coefficient: Result, ratio: Spread, form: Form, k: int) -> Result:
    """Return a coefficient with the limits that those of R give."""
    return with_spread(
        coefficient.value,
        _of_coefficient(ratio, form, k),
        n=coefficient.n,
        dropped=coefficient.dropped,
        method=coefficient.method,
    )


def _form(ms: MeanSquares, form: Form, name: str, dropped: int) -> Result:
    """Return the coefficient, and why it or its interval is not to be had."""
    above, below = _ratio(form, float(ms.n), ms.between, ms.within, ms.judges, ms.error)
    divisor = above if form.endswith("k") else above + (ms.k - 1) * below
    if divisor <= 1e-12 * (abs(above) + below):
        return undefined_result(name, f"{BELOW}: nothing to divide by", n=ms.n, dropped=dropped)
    reason = COMPLETE if below <= 1e-12 * above else ""
    if above <= 1e-12 * below:
        reason = f"{BELOW}: no interval"
    value = (above - below) / divisor
    return Result(value=value, n=ms.n, dropped=dropped, method=name, reason=reason)


def _ratio(
    form: Form,
    n: FloatOrArray,
    between: FloatOrArray,
    within: FloatOrArray,
    judges: FloatOrArray,
    error: FloatOrArray,
) -> tuple[FloatOrArray, FloatOrArray]:
    """Return numerator and denominator of R from mean squares, single ones or arrays of them."""
    if form[0] == "1":
        return between, within
    if form[0] == "3":
        return between, error
    extra = (judges - error) / n
    return between + extra, error + extra


def _by_f(ms: MeanSquares, form: Form) -> Spread:
    """Return limits of R by quantiles of F."""
    from scipy import special

    n, k, quantile, words = ms.n, ms.k, 0.975, "F interval, 95%"
    if ms.between <= 1e-12 * ms.within:
        return Spread(nan, nan, words, f"{BELOW}: no interval")
    if form[0] == "2":
        if ms.error <= 1e-12 * ms.judges:
            return Spread(nan, nan, words, SHIFTED)
        rho = np.asarray(_two_way_random(ms, quantile))
        low, high = (1 + (k - 1) * rho) / (1 - rho)
        return Spread(float(low), float(high), words)
    below, df2 = (ms.within, n * (k - 1)) if form[0] == "1" else (ms.error, (n - 1) * (k - 1))
    ratio = ms.between / below
    return Spread(
        ratio / float(special.fdtri(n - 1, df2, quantile)),
        ratio * float(special.fdtri(df2, n - 1, quantile)),
        words,
    )


def _two_way_random(ms: MeanSquares, quantile: float) -> tuple[float, float]:
    """Return limits of ICC(2,1) with Satterthwaite's df (Shrout and Fleiss 1979, p. 424)."""
    from scipy import special

    n, k, bms, jms, ems = ms.n, ms.k, ms.between, ms.judges, ms.error
    rho = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    fj = jms / ems
    part = n * (1 + (k - 1) * rho) - k * rho
    v = (k - 1) * (n - 1) * (k * rho * fj + part) ** 2 / ((n - 1) * k**2 * rho**2 * fj**2 + part**2)
    above, below = (
        float(special.fdtri(n - 1, v, quantile)),
        float(special.fdtri(v, n - 1, quantile)),
    )
    rest = k * jms + (k * n - k - n) * ems
    low = n * (bms - above * ems) / (above * rest + n * bms)
    high = n * (below * bms - ems) / (rest + n * below * bms)
    return low, high


def _by_clusters(complete: FloatArray, form: Form, clusters: IntArray, unit: ClusterUnit) -> Spread:
    """Return limits of R by a jackknife over clusters, on the logarithm of R."""
    n, k = complete.shape
    x = complete - complete.mean()
    features = np.column_stack([np.ones(n), x.sum(axis=1) ** 2, (x**2).sum(axis=1), x])
    members = memberships(clusters, np.arange(n), np.ones(n), n)
    statistic = partial(_log_ratio, form=form, k=k)
    limits = spread(features, np.ones(n), statistic, Jackknife(unit=unit), members)
    return replace(
        limits,
        low=float(np.exp(limits.low)),
        high=float(np.exp(limits.high)),
        words=f"{limits.words}, on the logarithm of a ratio of variances",
    )


def _log_ratio(sums: FloatArray, form: Form, k: int) -> FloatArray:
    """Return log R from sums over units of 1, squared totals, squares and each rater's ratings."""
    n, squared, squares, of_raters = sums[..., 0], sums[..., 1] / k, sums[..., 2], sums[..., 3:]
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = of_raters.sum(axis=-1) ** 2 / (n * k)
        between, judges = squared - centre, (of_raters**2).sum(axis=-1) / n - centre
        within = squares - squared
        error = within - judges
        above, below = _ratio(
            form,
            n,
            between / (n - 1),
            within / (n * (k - 1)),
            judges / (k - 1),
            error / ((n - 1) * (k - 1)),
        )
        positive = (above > 1e-12) & (below > 1e-12)
        logarithm: FloatArray = np.log(np.where(positive, above / below, nan))
    return logarithm


def _of_coefficient(ratio: Spread, form: Form, k: int) -> Spread:
    """Return the limits of a coefficient from those of R."""
    low, high = ratio.low, ratio.high
    if form.endswith("1"):
        return replace(ratio, low=(low - 1) / (low + k - 1), high=(high - 1) / (high + k - 1))
    if low <= 0:
        return replace(ratio, low=nan, high=nan, reason=POLE)
    return replace(ratio, low=1 - 1 / low, high=1 - 1 / high)
