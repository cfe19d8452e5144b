"""Means whose ties do not depend on the order of adding: equal data give equal means, on every
processor.

Adding floats rounds, so the means 7/3, 5/3 and 2 of three questions can differ from those of 2, 2
and 2, and two systems with equal ratings get different ranks. Here sums are exact.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, lcm

import numpy as np

from quaestor_stats._inputs import FloatArray, IntArray

# Largest denominator of a value that is taken for a fraction: a mean of so many ratings, three
# decimals
DENOMINATOR_UP_TO = 1000
_EXACT = 2.0**53


def whole(column: FloatArray) -> FloatArray:
    """Return a column times its common denominator, as whole numbers; if it has none, unchanged.

    A value is taken for the fraction with a denominator of at most `DENOMINATOR_UP_TO` whose nearest float it
    is: means of ratings and short decimals are such. If all values are, and sums of their multiples
    stay below 2^53, then all sums of the returned numbers are exact in float arithmetic, in any
    order; orders and correlations are those of the column.

    >>> whole(np.array([7 / 3, 5 / 3, 2.0])).tolist()
    [7.0, 5.0, 6.0]
    """
    denominator = common_denominator(np.unique(column))
    if denominator is None or np.abs(column).sum() * denominator >= _EXACT:
        return column
    return np.rint(column * denominator)


def whole_columns(columns: FloatArray) -> FloatArray:
    """Return each column (n, K) as `whole` does."""
    return np.column_stack([whole(column) for column in columns.T])


def common_denominator(values: Sequence[float] | FloatArray) -> int | None:
    """Return the least common denominator of values that are fractions, or None where one is
    none or it is too large.
    """
    common = 1
    for value in values:
        fraction = Fraction(float(value)).limit_denominator(DENOMINATOR_UP_TO)
        common = lcm(common, fraction.denominator)
        if float(fraction) != value or common > 10**9:
            return None
    return common


def exact_means(column: FloatArray, codes: IntArray, n: int) -> list[Fraction]:
    """Return the mean of each of ``n`` units as a fraction, every unit having a value.

    Whole numbers are added as such. A column that is no fractions is taken as exactly the floats it
    holds, and its sums are rounded once, at their end (`math.fsum`): the same values give the same
    mean in whatever order they come.
    """
    denominator = common_denominator(np.unique(column)) or 0
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n))
    means = []
    for values in np.split(column[order], ends[:-1]):
        if denominator:
            total = Fraction(
                sum(round(value * denominator) for value in values.tolist()), denominator
            )
        else:
            total = Fraction(fsum(values.tolist()))
        means.append(total / len(values))
    return means


def exact_ranks(means: Sequence[Fraction]) -> FloatArray:
    """Return mid-ranks, 1 for the lowest; means tie exactly if they are equal.

    >>> exact_ranks([Fraction(2), Fraction(7, 3), Fraction(14, 6)]).tolist()
    [1.0, 2.5, 2.5]
    """
    places = sorted(means)
    first = {mean: place for place, mean in reversed(list(enumerate(places, 1)))}
    count = {mean: places.count(mean) for mean in first}
    return np.array([first[mean] + (count[mean] - 1) / 2 for mean in means])
