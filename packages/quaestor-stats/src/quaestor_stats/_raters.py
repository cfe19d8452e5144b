"""The raters themselves: severity, use of the scale, straight-lining, what agreement is without
each."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import correlate_columns
from quaestor_stats._inputs import (
    FloatArray,
    IntArray,
    RatingScale,
    check_ratings,
    checked_scale,
    code_ratings,
)
from quaestor_stats._result import Result

CoefficientOf = Callable[[FloatArray], Result]


@dataclass(frozen=True, slots=True)
class ScaleCounts:
    """Each rater's use of the scale."""

    scale: FloatArray  # (V,)
    counts: IntArray  # (n_raters, V)
    longest_run: IntArray  # (n_raters,) most equal ratings in a row, in the order judged


def severity(ratings: ArrayLike) -> FloatArray:
    """Return per rater the mean of own minus the others' mean rating, over units that another rater
    judged too.

    Below 0 is harsh where high is good. The others' mean does not include the rater, so a rater who
    shares no unit has nan.
    """
    table = check_ratings(ratings)
    judged = ~np.isnan(table)
    others = judged.sum(axis=1, keepdims=True) - 1
    total = np.nansum(table, axis=1, keepdims=True)
    shared = judged & (others > 0)
    gap = np.where(shared, table - (total - table) / np.maximum(others, 1), 0)
    count = shared.sum(axis=0)
    return np.where(count > 0, gap.sum(axis=0) / np.maximum(count, 1), nan)


def scale_use(ratings: ArrayLike, *, scale: RatingScale) -> ScaleCounts:
    """Count per rater how often each point was given, and the longest run of one value.

    Rows must be in the order judged for the run to mean straight-lining; a gap does not break it.
    """
    table, values = check_ratings(ratings), checked_scale(scale)
    codes = code_ratings(table, values)
    counts = np.stack([(codes == v).sum(axis=0) for v in range(values.size)], axis=1)
    runs = np.array(
        [_longest_run(column[column < values.size]) for column in codes.T], dtype=np.intp
    )
    return ScaleCounts(values, counts, runs)


def _longest_run(codes: IntArray) -> int:
    if codes.size == 0:
        return 0
    breaks = np.flatnonzero(np.diff(codes)) + 1
    return int(np.diff(np.concatenate([[0], breaks, [codes.size]])).max())


def leave_one_out(ratings: ArrayLike, coefficient: CoefficientOf) -> list[Result]:
    """Return the coefficient without each rater in turn; if it rises, that rater had lowered it.

    >>> from quaestor_stats._alpha import krippendorff_alpha
    >>> table = np.array([[1.0, 1, 3], [2, 2, 1], [3, 3, 2], [1, 1, 2]])
    >>> [round(e.value, 2) for e in leave_one_out(table, lambda t: krippendorff_alpha(t, level="nominal"))]
    [-0.33, -0.33, 1.0]
    """
    table = check_ratings(ratings)
    return [coefficient(np.delete(table, rater, axis=1)) for rater in range(table.shape[1])]


def with_the_others(ratings: ArrayLike) -> list[Result]:
    """Return each rater's Spearman correlation with the mean of the others, over units both have."""
    table = check_ratings(ratings)
    judged = ~np.isnan(table)
    count, total = judged.sum(axis=1), np.nansum(table, axis=1)
    correlations = []
    for ratings_of_one, is_judged in zip(table.T, judged.T, strict=True):
        others = count - is_judged
        rest = total - np.where(is_judged, ratings_of_one, 0)
        mean = np.where(others > 0, rest / np.maximum(others, 1), nan)
        correlations.append(correlate_columns(ratings_of_one, mean, method="spearman"))
    return correlations
