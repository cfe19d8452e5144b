"""The jackknife: coefficients without each group of rows, and intervals and tests from them over
crossed facets.

A coefficient is computed again without each source; if systems are random, also without each
system and without each question set; if annotators are random, also without each annotator. The
changes give its standard error; Student's t gives an interval and a test that agree. No random
numbers are drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray
from quaestor_stats._result import NO_SPREAD

InferenceScale: TypeAlias = Literal["fisher", "plain"]
PERFECT = 1 - 1e-12  # above this, rounding rather than the data determines Fisher's z
MAX_GROUPS = 200  # more would hardly change a standard error, and each costs a coefficient


def deal_groups(clusters: IntArray) -> IntArray:
    """Return the group of every row: clusters, by their numbers, are dealt in turn to at most
    `MAX_GROUPS` groups.
    """
    return clusters % MAX_GROUPS


def jackknife(
    statistic: Callable[..., FloatArray | float],
    groups: IntArray,
    *arrays: NDArray[Any],
    number: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return a statistic of all rows, and what it is without the rows of each group.

    Parameters
    ----------
    statistic : of the arrays; a number or an array of numbers
    groups : (n,) 0 ... n_groups - 1
    arrays : (n, ...)
    number : of groups, where the last ones may have no rows

    Returns
    -------
    (...), (n_groups, ...)
    """
    number = int(groups.max()) + 1 if number is None else number
    rest = (groups != group for group in range(number))
    without = [statistic(*(array[rows] for array in arrays)) for rows in rest]
    return np.asarray(statistic(*arrays)), np.array(without)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutUnits:
    """Coefficients, and what they are without each unit of a random facet.

    The first axis of all but ``value`` counts the units, the others are those of ``value``. A unit
    that a coefficient does not rest on is nan there.
    """

    value: FloatArray  # (...)
    sources: FloatArray  # (n_units, ...) without each source, or each cluster of them
    systems: FloatArray | None = None
    cells: FloatArray | None = None  # with ``systems``: without each question set
    annotators: FloatArray | None = None
    fragile: BoolArray | None = None  # where a coefficient is undefined without one of the units
    resting: IntArray | None = None  # sources that a mean over them rests on
    df: FloatArray | None = None  # of the variance over ``sources``; by default one less than these
    unit: ClusterUnit = SOURCE  # the unit that each entry of ``sources`` leaves out

    @property
    def parts(self) -> list[FloatArray]:
        """Return the coefficients without each unit, for every random facet."""
        parts = (self.sources, self.systems, self.cells, self.annotators)
        return [part for part in parts if part is not None]

    def each(self, change: Callable[[FloatArray], FloatArray]) -> "WithoutUnits":
        """Return the same with ``change`` made to every number."""

        def changed(part: FloatArray | None) -> FloatArray | None:
            return None if part is None else change(part)

        return replace(
            self,
            value=change(self.value),
            sources=change(self.sources),
            systems=changed(self.systems),
            cells=changed(self.cells),
            annotators=changed(self.annotators),
        )

    def with_annotators(self, values: FloatArray, fragile: BoolArray) -> "WithoutUnits":
        """Return the same with what the coefficients are without each annotator."""
        before = False if self.fragile is None else self.fragile
        return replace(self, annotators=values, fragile=np.asarray(fragile | before))

    def pairs(self, first: IntArray, second: IntArray) -> "WithoutUnits":
        """Return the differences of coefficients ``first`` and ``second`` along the last axis."""
        apart = self.each(lambda values: values[..., first] - values[..., second])
        if self.fragile is None:
            return apart
        return replace(apart, fragile=self.fragile[..., first] | self.fragile[..., second])


@dataclass(frozen=True, slots=True)
class Inferred:
    """Limits and two-sided p of coefficients, and why some have none."""

    low: FloatArray
    high: FloatArray
    p: FloatArray
    df: FloatArray  # of Student's t
    units: IntArray  # sources, or clusters of them, that the coefficient rests on
    resting: IntArray  # if it is a mean over sources, their number; else ``units``
    reason: "np.ndarray[tuple[int, ...], np.dtype[np.object_]]"


def variance(without: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the jackknife variance along the first axis, and how many units it rests on."""
    held = ~np.isnan(without)
    n = held.sum(axis=0)
    centre = np.where(held, without, 0).sum(axis=0) / np.maximum(n, 1)
    squares = np.where(held, without - centre, 0) ** 2
    return np.asarray((n - 1) / np.maximum(n, 1) * squares.sum(axis=0)), np.asarray(n)


def jackknife_errors(left: WithoutUnits) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return standard error, degrees of freedom and the number of sources of every coefficient.

    Notes
    -----
    Over sources alone this is the delete-one jackknife by cluster. Crossed with systems it is the
    two-way variance of Cameron, Gelbach and Miller (2011), sources + systems - question sets, each
    by the jackknife; a negative contribution of systems is set to 0. If systems contribute, t has
    at most one degree of freedom less than there are systems. Annotators add their own variance.
    Its overlap with the others is not subtracted, so that the standard error is rather too large.
    """
    total, n = variance(left.sources)
    freedom = np.asarray(n - 1 if left.df is None else left.df, dtype=np.float64)
    if left.systems is not None and left.cells is not None:
        by_system, systems = variance(left.systems)
        added = np.maximum(by_system - variance(left.cells)[0], 0)
        total = total + added
        freedom = np.where(added > 0, np.minimum(freedom, systems - 1), freedom)
    if left.annotators is not None:
        by_annotator, annotators = variance(left.annotators)
        total = total + by_annotator
        freedom = np.where(by_annotator > 0, np.minimum(freedom, annotators - 1), freedom)
    return np.asarray(np.sqrt(total), dtype=np.float64), freedom, n


def infer_coefficients(left: WithoutUnits, *, scale: InferenceScale) -> Inferred:
    """Return 95% interval and test that the coefficients are 0.

    Parameters
    ----------
    left : coefficients without each unit
    scale : "fisher" for a correlation over all questions, whose sampling is skewed near 1; "plain"
        for means over sources and for differences
    """
    from scipy import special

    scaled = left
    if scale == "fisher":
        scaled = left.each(lambda r: np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15)))
    error, freedom, units = jackknife_errors(scaled)
    resting = units if left.resting is None else left.resting
    units = resting if left.unit.is_source else units
    too_few = np.vectorize(left.unit.reason_against, otypes=[object])(units)
    is_constant = error <= 1e-12
    reason = _reason_against_interval(left, too_few, is_constant, is_correlation=scale == "fisher")
    sound = np.asarray(reason == "") & ~np.isnan(left.value) & (freedom > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = special.stdtrit(freedom, 0.975) * error
        p = 2 * special.stdtr(freedom, -np.abs(scaled.value) / error)
    back = np.tanh if scale == "fisher" else np.asarray
    limits = back(scaled.value - reach), back(scaled.value + reach)
    low, high, p, freedom = (np.where(sound, values, nan) for values in (*limits, p, freedom))
    p[is_constant & (left.value == 0) & (too_few == "")] = 1.0  # two metrics that are the same
    return Inferred(low, high, p, freedom, units, resting, reason)


def _reason_against_interval(
    left: WithoutUnits,
    too_few: NDArray[np.object_],
    is_constant: BoolArray,
    *,
    is_correlation: bool,
) -> NDArray[np.object_]:
    """Return why each coefficient has no interval; "" where it has one, or no value."""
    never = np.zeros(left.value.shape, dtype=bool)
    perfect = perfect_without_one = never
    if is_correlation:
        perfect = np.abs(left.value) >= PERFECT
        without_one = [(np.abs(part) >= PERFECT).any(axis=0) for part in left.parts]
        perfect_without_one = np.any(without_one, axis=0)
    conditions = [  # the first condition that is true gives the reason
        (np.isnan(left.value), ""),
        (too_few != "", too_few),
        (perfect, "a perfect correlation: no interval"),
        (perfect_without_one, "without one of the units the correlation is perfect: no interval"),
        (
            never if left.fragile is None else left.fragile,
            "without one of the units it is undefined: no interval",
        ),
        (is_constant, f"nothing changes it: {NO_SPREAD}"),
    ]
    reason = np.full(left.value.shape, "", dtype=object)
    for where, why in reversed(conditions):
        reason = np.where(where, why, reason)
    return reason
