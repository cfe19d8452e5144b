"""Whether an interval over clusters keeps its 95%: minimum numbers of informative sources.

If nearly all ratings are one value, a coefficient and its standard error depend on the few sources
with other values, and a sample without such sources gives an interval that is too narrow. Two
counts decide: the sources on which raters differ at all, and, for coefficients that take
chance from the ratings themselves, the sources on which some unit has two ratings other than the
commonest value.

With these bounds the intervals that are given held the truth in .914 to .981 of simulated studies,
whatever the ceiling (`bench/coverage.py --few`; the goal is .92 to .97, and one share has a standard
error of up to .013). Without a bound, intervals of alpha held it in .0 to .3 where no unit had two
ratings beside the commonest value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from quaestor_stats._design import ClusterUnit
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, memberships
from quaestor_stats._result import ConfidenceInterval, Result

if TYPE_CHECKING:
    from scipy import sparse

REQUIRED_DRAWN = 10  # informative sources for percentiles of draws of them, which are narrower
MANY = 20  # sources


@dataclass(frozen=True, slots=True)
class Bound:
    """Minimum numbers of informative sources: for up to `MANY` sources, and for more."""

    of_few: int
    of_many: int
    with_all: bool  # if there are fewer sources than `of_few`, it suffices that all are informative
    chance_from_ratings: bool

    def least(self, sources: int) -> int:
        """Return how many of the sources must be informative."""
        if sources > MANY:
            return self.of_many
        return min(self.of_few, sources) if self.with_all else self.of_few


FROM_RATINGS = Bound(5, 10, with_all=True, chance_from_ratings=True)
OTHERWISE = Bound(8, 8, with_all=True, chance_from_ratings=False)
WEIGHTED = Bound(8, 8, with_all=False, chance_from_ratings=False)


def guarded(
    found: Result,
    counts: FloatArray,
    clusters: sparse.csr_array | None,
    unit: ClusterUnit,
    *,
    bound: Bound = FROM_RATINGS,
) -> Result:
    """Return an estimate, without its interval if too few clusters are informative.

    Parameters
    ----------
    counts : (P, V) how often each value was given to a kind of unit
    clusters : (C, P) how many of these units each cluster holds; None leaves the estimate unchanged
    unit : the name of the clusters
    bound : `FROM_RATINGS` for coefficients that take chance from the ratings, as alpha and kappas
        do; `WEIGHTED` for others with weights
    """
    if clusters is None:
        return found
    commonest = int(np.argmax(clusters.sum(axis=0) @ counts))
    other = counts.sum(axis=1) - counts[:, commonest] >= 2
    return _judged(found, (counts > 0).sum(axis=1) >= 2, other, clusters, bound, unit)


def guarded_pairs(
    found: Result, values: IntArray, clusters: sparse.csr_array | None, unit: ClusterUnit
) -> Result:
    """Return the same for units of two raters, from the values' places (P, 2) of each kind."""
    if clusters is None:
        return found
    given = np.bincount(values.ravel(), np.repeat(clusters.sum(axis=0), 2))
    other = np.asarray((values != given.argmax()).all(axis=1))
    return _judged(found, values[:, 0] != values[:, 1], other, clusters, FROM_RATINGS, unit)


def guarded_table(
    found: Result, table: FloatArray, clusters: IntArray | None, unit: ClusterUnit
) -> Result:
    """Return the same for ratings (n_units, n_raters) of many values and the units' clusters."""
    if clusters is None:
        return found
    values, given = np.unique(table[~np.isnan(table)], return_counts=True)
    other = ((table != values[given.argmax()]) & ~np.isnan(table)).sum(axis=1) >= 2
    differ = np.nanmax(table, axis=1) > np.nanmin(table, axis=1)
    members = memberships(clusters, np.arange(len(table)), np.ones(len(table)), len(table))
    return _judged(found, differ, other, members, FROM_RATINGS, unit)


def _judged(
    found: Result,
    differ: BoolArray,
    other: BoolArray,
    clusters: sparse.csr_array,
    bound: Bound,
    unit: ClusterUnit,
) -> Result:
    if np.isnan(found.ci.low):
        return found
    telling = int((clusters @ differ > 0).sum())
    words = f"raters differ on only {telling} of {unit.counted(found.clusters)}"
    if bound.chance_from_ratings and (apart := int((clusters @ other > 0).sum())) < telling:
        telling = apart
        words = f"two ratings of a unit leave the commonest value on only {apart} of {unit.counted(found.clusters)}"
    drawn = np.isnan(found.df)
    if telling >= (REQUIRED_DRAWN if drawn else bound.least(found.clusters)):
        return found
    return replace(found, ci=ConfidenceInterval(nan, nan), reason=f"{words}: no interval")
