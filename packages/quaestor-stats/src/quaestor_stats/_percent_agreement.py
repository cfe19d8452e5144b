"""Percent agreement: how often two judgments of one unit are the same."""

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._chance_corrected import agreeing_share
from quaestor_stats._informative_clusters import OTHERWISE, guarded
from quaestor_stats._inputs import Labels, Patterns, RatingScale, patterns, units_in
from quaestor_stats._resampling import Interval, Jackknife, estimated, mean_statistic, unit_of
from quaestor_stats._result import Result, undefined


def percent_agreement(
    ratings: ArrayLike | Patterns,
    *,
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Mean over units of the share of agreeing pairs of raters, p_a of Gwet (2014, eq. 2.6).

    Units with fewer than two ratings are dropped; every other unit weighs the same. It does not
    correct for chance: where nearly all ratings are one value it is high whatever the raters do.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts (`value_counts`)
    clusters : (n_units,) labels, as a rule the source: the interval is then over whole clusters

    >>> percent_agreement(np.array([[1.0, 1], [2, 1], [3, 3], [1, 1]]), interval=None).value
    0.75
    """
    method = "percent agreement, pairs of raters within units"
    counted = patterns(ratings, scale=scale, clusters=clusters)
    pairable = counted.with_at_least(2)
    dropped = units_in(ratings) - pairable.n
    if not pairable.n:
        return undefined(method, "no unit has two ratings", dropped=dropped)
    features = np.column_stack([agreeing_share(pairable.counts), np.ones(len(pairable.counts))])
    found = estimated(
        features,
        pairable.times,
        mean_statistic,
        interval,
        method=method,
        dropped=dropped,
        at_most=1.0,
        clusters=pairable.clusters,
    )
    return guarded(found, pairable.counts, pairable.clusters, unit_of(interval), bound=OTHERWISE)
