"""Drift of an annotator's values from day to day: means by day, their intervals, and flagged days.

Values on one source are not independent evidence, so a day counts by the means of its sources.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin, sqrt
from statistics import NormalDist

REQUIRED_SOURCES = 5  # sources on a day, and on the other days together, that a comparison requires
LEVEL = 0.01  # level of an annotator's tests together: over all days and criteria that are compared
REQUIRED_DIFFERENCE = 0.1  # as a share of the scale, before a day is flagged
LARGE = 300  # degrees of freedom from which Student's t is treated as normal


@dataclass(frozen=True, slots=True)
class SourceSpread:
    """Source means: how many, their mean and standard deviation."""

    n: int
    mean: float
    deviation: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return Student's 95% interval for the mean; None for fewer than two sources."""
        if self.n < 2:
            return None
        half = t_quantile(0.05, self.n - 1) * self.deviation / sqrt(self.n)
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class Day:
    """One day of one annotator, or of all annotators, on one criterion.

    spread: of the values. distances: of their distances from the values of others on the same
    units; None if no other annotator judged them.
    """

    day: str
    values: int
    spread: SourceSpread
    distances: SourceSpread | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """A day on which an annotator's distance from the others differs from that on their other days.

    own, others: mean distance on that day and on the other days. p: of Welch's test, before any correction.
    """

    criterion: str
    day: str
    own: float
    others: float
    n: int
    p: float


def find_drifts(days: Mapping[str, Sequence[Day]], widths: Mapping[str, float]) -> list[Drift]:
    """Return for each criterion the day that differs most from the annotator's other days, if it is
    flagged; of equal ones the last.

    The test compares distances from the others on the same units, so the questions of a day cannot
    cause a difference. A day is flagged if Welch's test over source means has p below 1% divided by
    the annotator's comparisons, and the difference is at least a tenth of the scale. Days with
    fewer than five sources are not compared.
    """
    compared = {key: _compare_days(key, days[key]) for key in days if key in widths}
    comparisons = sum(map(len, compared.values()))
    most_different = [
        max(drifts, key=lambda drift: (-drift.p, drift.day))
        for drifts in compared.values()
        if drifts
    ]
    return [
        drift
        for drift in most_different
        if drift.p * comparisons < LEVEL
        and abs(drift.own - drift.others) >= REQUIRED_DIFFERENCE * widths[drift.criterion]
    ]


def _compare_days(criterion: str, days: Sequence[Day]) -> list[Drift]:
    """Return the comparison of each day with the annotator's other days, if both have enough
    sources."""
    drifts = []
    for day in days:
        rest = pool_spreads(
            [other.distances for other in days if other is not day and other.distances]
        )
        if day.distances and rest and min(day.distances.n, rest.n) >= REQUIRED_SOURCES:
            p = welch(day.distances, rest)
            drifts.append(Drift(criterion, day.day, day.distances.mean, rest.mean, day.values, p))
    return drifts


def pool_spreads(spreads: Sequence[SourceSpread]) -> SourceSpread | None:
    """Return the spread of several days together."""
    n = sum(spread.n for spread in spreads)
    if not n:
        return None
    mean = sum(spread.n * spread.mean for spread in spreads) / n
    squares = sum(
        (spread.n - 1) * spread.deviation**2 + spread.n * (spread.mean - mean) ** 2
        for spread in spreads
    )
    return SourceSpread(n, mean, sqrt(squares / (n - 1)) if n > 1 else 0.0)


def welch(one: SourceSpread, other: SourceSpread) -> float:
    """Return the two-sided p of Welch's t; its degrees of freedom are rounded down."""
    first, second = one.deviation**2 / one.n, other.deviation**2 / other.n
    difference = one.mean - other.mean
    if first + second == 0:
        return 0.0 if difference else 1.0
    freedom = (first + second) ** 2 / (first**2 / (one.n - 1) + second**2 / (other.n - 1))
    return t_two_sided(difference / sqrt(first + second), max(1, int(freedom)))


def t_two_sided(t: float, freedom: int) -> float:
    """Return the two-sided p of Student's t for whole degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    if freedom >= LARGE:
        return 2 * NormalDist().cdf(-abs(t))
    angle = atan2(abs(t), sqrt(freedom))
    term = total = 1.0 if freedom % 2 == 0 else cos(angle)
    for k in range(freedom % 2 + 2, freedom - 1, 2):
        term *= cos(angle) ** 2 * (k - 1) / k
        total += term
    if freedom % 2 == 0:
        return max(0.0, 1 - sin(angle) * total)
    return max(0.0, 1 - 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0)))


def t_quantile(p: float, freedom: int) -> float:
    """Return the t whose two-sided p this is."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided(middle, freedom) > p else (low, middle)
    return (low + high) / 2
