"""Percent agreement: how often two judgments of one unit are the same."""

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import agreeing_share
from quaestor_stats._informative_clusters import OTHERWISE, guarded
from quaestor_stats._inputs import Labels, Patterns, RatingScale, patterns, units_in
from quaestor_stats._resampling import (
    Interval,
    Jackknife,
    estimate_statistic,
    mean_statistic,
    unit_of,
)
from quaestor_stats._result import Result, undefined_result


def percent_agreement(
    ratings: ArrayLike | Patterns,
    *,
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return the mean over units of the share of pairs of raters that agree.

    Every unit with two ratings or more weighs the same. The coefficient does not correct for
    chance: if nearly all ratings have one value, it is high whatever the raters do.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    scale : sequence of float, optional
        Every point of the scale, to refuse other ratings.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        A share between 0 and 1; ``n`` counts the units with two ratings or more. It is undefined if
        there is no such unit.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, or a rating is not on the scale.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability. 4th edition. Advanced Analytics.
    (Equation 2.6.)

    Examples
    --------
    Gwet's four raters, some of whom did not rate every unit. The value is that of the R package
    irrCAC.

    >>> ratings = np.array([
    ...     [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...     [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1],
    ...     [np.nan, np.nan, 3, np.nan]])
    >>> round(percent_agreement(ratings).value, 5)
    0.81818
    """
    method = "percent agreement, pairs of raters within units"
    counted = patterns(ratings, scale=scale, clusters=clusters)
    pairable = counted.with_at_least(2)
    dropped = units_in(ratings) - pairable.n
    if not pairable.n:
        return undefined_result(method, "no unit has two ratings", dropped=dropped)
    features = np.column_stack([agreeing_share(pairable.counts), np.ones(len(pairable.counts))])
    result = estimate_statistic(
        features,
        pairable.times,
        mean_statistic,
        interval,
        method=method,
        dropped=dropped,
        at_most=1.0,
        clusters=pairable.clusters,
    )
    return guarded(result, pairable.counts, pairable.clusters, unit_of(interval), bound=OTHERWISE)
