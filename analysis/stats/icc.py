"""Intraclass correlations of Shrout and Fleiss: how much of the variance of ratings lies between units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.stats.chance import complete_only
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.ratings import checked

Form: TypeAlias = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
CONSTANT = "the ratings do not vary between units and within them: nothing to divide"


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
    """Return the mean squares over the units that every rater judged."""
    x = complete_only(ratings)
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


def intraclass(ratings: ArrayLike, *, forms: Sequence[Form] = FORMS, confidence: float = 0.95) -> dict[Form, Estimate]:
    """Intraclass correlations (Shrout and Fleiss 1979) with the F intervals of McGraw and Wong (1996).

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; only units that every rater judged are used
    forms : "1," raters differ from unit to unit, "2," the raters are a sample and their severity counts as error,
        "3," these raters only, severity left out; ",1" one rater's ratings, ",k" the mean of all k

    Returns
    -------
    dict
        Per form an Estimate; its ``method`` tells k.

    Examples
    --------
    Shrout and Fleiss' six targets and four judges: .17, .29, .71 for one judge, .44, .62, .91 for the mean of four.
    """
    if wrong := set(forms) - set(FORMS):
        raise ValueError(f"forms: {', '.join(sorted(wrong))} is none of {'; '.join(FORMS)}")
    table = checked(ratings)
    complete = complete_only(table)
    n, dropped, k = len(complete), len(table) - len(complete), table.shape[1]
    names = {form: f"ICC({form}), k = {k}" for form in forms}
    if n < 2 or k < 2:
        reason = f"{n} units judged by all of {k} rater(s): two of each are needed"
        return {form: undefined(names[form], reason, n=n, dropped=dropped) for form in forms}
    ms = mean_squares(complete)
    if ms.between <= 1e-24 and ms.within <= 1e-24:
        return {form: undefined(names[form], CONSTANT, n=n, dropped=dropped) for form in forms}
    return {form: _form(ms, form, names[form], dropped, confidence) for form in forms}


def _form(ms: MeanSquares, form: Form, name: str, dropped: int, confidence: float) -> Estimate:
    one = {"1": _one_way, "2": _two_way_random, "3": _two_way_fixed}[form[0]](ms, (1 + confidence) / 2)
    value, low, high = (_of_mean(r, ms.k) for r in one) if form.endswith("k") else one
    reason = "" if low == low else "the raters agree completely: no interval can be estimated"
    method = f"{name}; F interval, {confidence:.0%}"
    return Estimate(value=value, low=low, high=high, n=ms.n, dropped=dropped, method=method, reason=reason)


def _one_way(ms: MeanSquares, quantile: float) -> tuple[float, float, float]:
    return _by_f(ms.between, ms.within, ms.k, ms.n - 1, ms.n * (ms.k - 1), quantile)


def _two_way_fixed(ms: MeanSquares, quantile: float) -> tuple[float, float, float]:
    return _by_f(ms.between, ms.error, ms.k, ms.n - 1, (ms.n - 1) * (ms.k - 1), quantile)


def _by_f(above: float, below: float, k: int, df1: int, df2: int, quantile: float) -> tuple[float, float, float]:
    """Return (F - 1) / (F + k - 1), its limits by dividing and multiplying F by quantiles of F."""
    value = (above - below) / (above + (k - 1) * below)
    if below <= 1e-12 * above:
        return value, np.nan, np.nan
    f = above / below
    low, high = f / special.fdtri(df1, df2, quantile), f * special.fdtri(df2, df1, quantile)
    return value, float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _two_way_random(ms: MeanSquares, quantile: float) -> tuple[float, float, float]:
    """Return ICC(2,1) with limits by Satterthwaite's degrees of freedom (Shrout and Fleiss 1979, p. 424)."""
    n, k, bms, jms, ems = ms.n, ms.k, ms.between, ms.judges, ms.error
    rho = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    if ems <= 1e-12 * bms:
        return rho, np.nan, np.nan
    fj = jms / ems
    part = n * (1 + (k - 1) * rho) - k * rho
    v = (k - 1) * (n - 1) * (k * rho * fj + part) ** 2 / ((n - 1) * k**2 * rho**2 * fj**2 + part**2)
    above, below = float(special.fdtri(n - 1, v, quantile)), float(special.fdtri(v, n - 1, quantile))
    rest = k * jms + (k * n - k - n) * ems
    low = n * (bms - above * ems) / (above * rest + n * bms)
    high = n * (below * bms - ems) / (rest + n * below * bms)
    return rho, low, high


def _of_mean(rho: float, k: int) -> float:
    """Return the reliability of the mean of k ratings from that of one (Spearman-Brown)."""
    below = 1 + (k - 1) * rho
    return float("-inf") if abs(below) <= 1e-12 else k * rho / below  # nan stays nan
