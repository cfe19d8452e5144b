"""Gwet's AC1 and AC2: agreement that stays near the raw agreement where one value dominates."""

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import chance_corrected
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
    """Gwet's AC1 (unweighted, 2008) or AC2 (linear or quadratic weights, 2014, ch. 5).

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts (`value_counts`)
    scale : every point of the scale: p_e depends on their number
    weights : "unweighted" for AC1
    clusters : (n_units,) labels, as a rule the source: the interval is then over whole clusters

    Notes
    -----
    p_e = sum_kl w_kl / (q (q - 1)) sum_k pi_k (1 - pi_k) for q points. Where all ratings are one value it is 1, and
    kappa and alpha are undefined: chance is modelled as guessing, which is rare where one value is nearly certain.

    Examples
    --------
    Gwet's four raters with gaps: AC1 .775, AC2 with quadratic weights .914.
    """
    if len(scale) < 2:
        raise ValueError("scale: AC1 and AC2 need two points or more")
    name = "AC1" if weights == "unweighted" else f"AC2, {weights}"
    return chance_corrected(
        ratings,
        _guessed,
        method=f"Gwet's {name}",
        weights=weights,
        scale=scale,
        bound=OTHERWISE if weights == "unweighted" else WEIGHTED,
        clusters=clusters,
        interval=interval,
    )


def _guessed(pi: FloatArray, w: FloatArray) -> FloatArray:
    q = len(w)
    return np.asarray(w.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum(axis=-1))
