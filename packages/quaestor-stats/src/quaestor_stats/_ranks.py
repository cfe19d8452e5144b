"""Ranks of systems: how probable each rank is, and clusters of systems by a test."""

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import FloatArray, IntArray, Labels, group_labels, numeric

EXACT = 9  # decimals in which equal means are equal


def resampled_means(
    table: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int,
    clusters: Labels | None = None,
) -> FloatArray:
    """Draw sources with replacement and return each system's mean in every draw.

    Parameters
    ----------
    table : (n_systems, n_sources) mean scores, NaN where a system has none
    clusters : (n_sources,) labels; the sources of a cluster are drawn together

    Returns
    -------
    FloatArray
        (n_draws, n_systems); draws in which a system has no source are skipped.
    """
    scores = numeric(table, name="table", ndim=2)
    judged = ~np.isnan(scores)
    labels = np.arange(scores.shape[1]) if clusters is None else clusters
    names, cluster = group_labels(labels, name="clusters")
    size = len(names)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=resamples)
    weight = drawn[:, cluster].astype(np.float64)
    totals, counts = weight @ np.where(judged, scores, 0).T, weight @ judged.T
    complete = (counts > 0).all(axis=1)
    return np.asarray(totals[complete] / counts[complete])


def rank_probabilities(draws: ArrayLike) -> FloatArray:
    """Return how often each system has each rank, 1 for the highest mean.

    Parameters
    ----------
    draws : (n_draws, n_systems) means

    Returns
    -------
    FloatArray
        (n_systems, n_systems), a row for each system and a column for each rank. Systems with equal
        means share their ranks.

    Examples
    --------
    >>> rank_probabilities([[3, 1, 2], [3, 2, 2]])
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.25, 0.75],
           [0.  , 0.75, 0.25]])
    """
    means = np.round(numeric(draws, name="draws", ndim=2), EXACT)
    size = means.shape[1]
    found = np.zeros((size, size))
    ranks = np.arange(size)
    for system in range(size):
        own = means[:, [system]]
        above, equal = (means > own).sum(axis=1), (means == own).sum(axis=1)
        has = (above[:, None] <= ranks) & (ranks < (above + equal)[:, None])
        found[system] = (has / equal[:, None]).mean(axis=0)
    return found


def significance_clusters(means: FloatArray, ahead: Collection[tuple[int, int]]) -> IntArray:
    """Return the cluster of each system, 1 for the best.

    Parameters
    ----------
    means : (n_systems,) higher is better, none missing
    ahead : pairs (better, worse) that differ significantly

    Notes
    -----
    As in the findings of WMT: a cluster ends where every system in it and above is significantly
    better than every system below.

    Examples
    --------
    >>> significance_clusters(np.array([2.0, 3.0, 1.0]), {(1, 2), (0, 2)}).tolist()
    [1, 1, 2]
    """
    order = np.argsort(-means, kind="stable")
    clusters = np.ones(len(means), dtype=np.intp)
    cluster = 1
    for place in range(1, len(order)):
        above, below = order[:place], order[place:]
        if all((int(one), int(other)) in ahead for one in above for other in below):
            cluster += 1
        clusters[order[place]] = cluster
    return clusters
