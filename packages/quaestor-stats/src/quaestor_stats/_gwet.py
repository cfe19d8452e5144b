"""Gwet's AC1 and AC2: agreement that stays near the raw agreement where one value dominates."""

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import Coefficient, chance_corrected
from quaestor_stats._cohen_kappa import Weights
from quaestor_stats._informative_clusters import OTHERWISE, WEIGHTED
from quaestor_stats._inputs import FloatArray, Labels, Patterns, RatingScale
from quaestor_stats._resampling import Interval, Jackknife
from quaestor_stats._result import Result


def gwet_ac(
    ratings: ArrayLike | Patterns,
    *,
    scale: RatingScale,
    weights: Weights = "unweighted",
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Gwet's AC1, or AC2 with weights.

    It stays near the percent agreement if nearly all ratings have one value. Kappa and alpha then
    fall towards 0.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    scale : sequence of float
        Every point of the scale, used or not; two or more.
    weights : {"unweighted", "linear", "quadratic"}
        "unweighted" gives AC1, the others AC2.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        The coefficient, at most 1; ``n`` counts the units with two ratings or more. It is undefined if
        there is no such unit.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, a rating is not on the scale, the scale has one
        point, or the weights are unknown.

    Notes
    -----
    p_e = sum_kl w_kl / (q (q - 1)) sum_k pi_k (1 - pi_k) for q points, where pi_k is the share of
    value k: raters are taken to guess rarely if one value is nearly certain. If all ratings have
    the same value, the coefficient is 1.

    References
    ----------
    Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high
    agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48. (AC1.)

    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability. 4th edition. Advanced Analytics. (AC2.)

    Examples
    --------
    Gwet's four raters, some of whom did not rate every unit. The values are those of the R package
    irrCAC.

    >>> ratings = np.array([
    ...     [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...     [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1],
    ...     [np.nan, np.nan, 3, np.nan]])
    >>> round(gwet_ac(ratings, scale=[1, 2, 3, 4, 5]).value, 5)
    0.77544
    >>> round(gwet_ac(ratings, scale=[1, 2, 3, 4, 5], weights="quadratic").value, 5)
    0.914
    """
    if len(scale) < 2:
        raise ValueError("scale: AC1 and AC2 need two points or more")
    name = "AC1" if weights == "unweighted" else f"AC2, {weights}"
    return chance_corrected(
        ratings,
        Coefficient(
            method=f"Gwet's {name}",
            chance=_guessed,
            weights=weights,
            bound=OTHERWISE if weights == "unweighted" else WEIGHTED,
        ),
        scale=scale,
        clusters=clusters,
        interval=interval,
    )


def _guessed(pi: FloatArray, w: FloatArray) -> FloatArray:
    q = len(w)
    return np.asarray(w.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum(axis=-1))
