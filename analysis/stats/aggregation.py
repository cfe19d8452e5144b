"""From the raters' values to one per unit: mean, median, majority; and ratings made comparable
between raters.

All take (n_units, n_raters) with NaN where not judged. The three normalisations are different
things and are named: z-scores keep each rater's distances, min-max their extremes, ranks only their
order.
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import BoolArray, FloatArray
from analysis.stats.ratings import checked


@dataclass(frozen=True, slots=True)
class Majority:
    """The value given most often to each unit; if several tie it is nan and ``tied`` is true."""

    values: FloatArray  # (n_units,)
    tied: BoolArray  # (n_units,)


def unit_means(ratings: ArrayLike) -> FloatArray:
    """Return each unit's mean rating, nan if no annotator judged it."""
    table = checked(ratings)
    count = (~np.isnan(table)).sum(axis=1)
    return np.where(count > 0, np.nansum(table, axis=1) / np.maximum(count, 1), nan)


def unit_medians(ratings: ArrayLike) -> FloatArray:
    """Return each unit's median rating, between the middle two where their number is even."""
    table = np.sort(checked(ratings), axis=1)  # nan last
    count = (~np.isnan(table)).sum(axis=1)
    if table.shape[1] == 0:
        return np.full(len(table), nan)
    rows = np.arange(len(table))
    low, high = (
        table[rows, np.maximum(count - 1, 0) // 2],
        table[rows, np.minimum(count // 2, table.shape[1] - 1)],
    )
    return np.asarray((low + high) / 2)


def unit_majorities(ratings: ArrayLike) -> Majority:
    """Return each unit's most frequent rating. A tie is reported, not broken: there is no majority.

    >>> unit_majorities([[1.0, 1, 2], [1, 2, np.nan]]).values.tolist()
    [1.0, nan]
    """
    table = np.sort(checked(ratings), axis=1)
    given = ~np.isnan(table)
    votes = np.array([(table == column[:, None]).sum(axis=1) for column in table.T]).T.reshape(
        table.shape
    )
    most = votes.max(axis=1, initial=0)
    winners = np.where((votes == most[:, None]) & given, table, nan)
    first, last = (
        np.fmin.reduce(winners, axis=1, initial=np.inf),
        np.fmax.reduce(winners, axis=1, initial=-np.inf),
    )
    tied = (first < last) & given.any(axis=1)
    return Majority(np.where(tied | ~given.any(axis=1), nan, first), tied)


def z_scores(ratings: ArrayLike) -> FloatArray:
    """Return each rater's ratings minus their mean, divided by their standard deviation (n - 1).

    A rater who always gives one value, or judged one unit, has 0: these ratings carry no
    information on differences.
    """
    table = checked(ratings)
    count = np.maximum((~np.isnan(table)).sum(axis=0), 1)
    centred = table - np.nansum(table, axis=0) / count
    deviation = np.sqrt(np.nansum(centred**2, axis=0) / np.maximum(count - 1, 1))
    return np.asarray(centred / np.where(deviation > 1e-12, deviation, 1))


def min_max(ratings: ArrayLike) -> FloatArray:
    """Return each rater's ratings stretched to 0..1 between their own lowest and highest; .5 where
    these are equal."""
    table = checked(ratings)
    low = np.fmin.reduce(table, axis=0, initial=np.inf)
    high = np.fmax.reduce(table, axis=0, initial=-np.inf)
    flat = ~(high > low)
    shifted = (table - np.where(flat, 0, low)) / np.where(flat, 1, high - low)
    return np.where(flat & ~np.isnan(table), 0.5, shifted)


def rank_scores(ratings: ArrayLike) -> FloatArray:
    """Return the mid-rank of each rating among the rater's own, as a share (rank - .5) / n between
    0 and 1."""
    from scipy import stats

    table = checked(ratings)
    shares = np.full(table.shape, nan)
    for rater, column in enumerate(table.T):
        given = ~np.isnan(column)
        shares[given, rater] = (stats.rankdata(column[given]) - 0.5) / max(int(given.sum()), 1)
    return shares
