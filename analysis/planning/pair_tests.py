"""Pairs of systems tested in every repeat of a simulated study, by the test that its report makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, nan
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from analysis.sections.systems.system_comparisons import SURE, contrast_reason
from quaestor_stats._design import SOURCE, ClusterUnit, Design
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray
from quaestor_stats._multiplicity import holm
from quaestor_stats._paired_tests import permuted_p_of_many, smallest_p
from quaestor_stats._result import Result
from quaestor_stats._system_differences import (
    RatedOutputs,
    have_same_annotators,
    system_differences,
)
from quaestor_stats._system_pairs import swaps_for

if TYPE_CHECKING:
    import pandas as pd

SEED = 1  # of the pairs that the same annotators rated
MAX_COST = 100_000  # pairs of systems x sources: 20 repeats take some five minutes


@dataclass(frozen=True, slots=True)
class PairTests:
    """Every pair of systems, the one planted as better first, tested in every repeat."""

    pairs: list[tuple[int, int]]  # (P,) places in the planted order
    gap: FloatArray  # (n_repeats, P) by which the mean of the better one is better
    p: FloatArray  # (n_repeats, P) after Holm's correction over the pairs
    floor: float = nan  # the smallest p after the correction; nan for contrasts
    reason: str = ""  # why no repeat could be tested

    @property
    def mean_gap(self) -> FloatArray:
        """Return each pair's mean difference over the repeats that have one, (P,)."""
        count = (~np.isnan(self.gap)).sum(axis=0)
        return np.where(count, np.nansum(self.gap, axis=0) / np.maximum(count, 1), nan)

    @property
    def told(self) -> BoolArray:
        """Return which pairs differ significantly as planted, (n_repeats, P)."""
        return np.asarray((self.p < SURE) & (self.gap > 0))

    @property
    def neighbours(self) -> BoolArray:
        """Return in which repeats all neighbours in the planted order differ significantly."""
        columns = [column for column, (one, two) in enumerate(self.pairs) if two == one + 1]
        return np.asarray(self.told[:, columns].all(axis=1))

    @property
    def extremes(self) -> BoolArray:
        """Return in which repeats the best and the worst system differ significantly."""
        last = max(worse for _better, worse in self.pairs)
        return np.asarray(self.told[:, self.pairs.index((0, last))])

    @property
    def reversed(self) -> BoolArray:
        """Return in which repeats a pair differs significantly with the wrong sign."""
        return np.asarray(((self.p < SURE) & (self.gap < 0)).any(axis=1))


def tested_by_permutation(
    tables: FloatArray, *, clusters: IntArray, resamples: int, rng: np.random.Generator
) -> PairTests:
    """Test every pair by swapping the systems source by source.

    Parameters
    ----------
    tables : (n_repeats, n_systems, n_sources) means of which high values are good, systems in the
        planted order
    clusters : (n_sources,) the cluster of each source; its sources are swapped together
    """
    pairs = list(combinations(range(tables.shape[1]), 2))
    swaps = swaps_for(len(pairs), tables.shape[2], resamples)
    p, gaps = np.full((2, len(tables), len(pairs)), nan)
    floor = 1.0
    for column, (better, worse) in enumerate(pairs):
        gap = tables[:, better] - tables[:, worse]
        judged = ~np.isnan(gap[0])
        if judged.sum() < 2:
            continue
        sums = _summed(gap[:, judged], clusters[judged])
        p[:, column] = permuted_p_of_many(sums, rng=rng, resamples=swaps)
        gaps[:, column] = gap[:, judged].mean(axis=1)
        floor = min(floor, smallest_p(sums.shape[1], pairs=len(pairs), resamples=swaps))
    return PairTests(pairs, gaps, np.array([holm(row) for row in p]), floor)


def _summed(gap: FloatArray, clusters: IntArray) -> FloatArray:
    """Return the sums (n_repeats, n_clusters) of differences (n_repeats, n_sources)."""
    names, cluster = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), len(gap)))
    np.add.at(sums, cluster, gap.T)
    return sums.T


@dataclass(frozen=True, slots=True)
class SimulatedRatings:
    """The ratings of one criterion, to be drawn again and again.

    A criterion asked once per set gives one rating, though a value is drawn for each question.
    """

    layout: pd.DataFrame  # a row a rating: unit, system, source, cluster, annotator
    values: IntArray  # places of the drawn values
    rating: IntArray  # the rating to which each of these values belongs

    @classmethod
    def of(cls, asked: pd.DataFrame, values: IntArray, *, once_per_set: bool) -> Self:
        """Lay out the rows of one criterion; ``values`` holds the positions of its drawn values."""
        unit = asked["set"] if once_per_set else asked["unit"]
        rows = asked.assign(unit=unit)[["unit", "system", "source", "cluster", "annotator"]]
        rating = rows.groupby(["unit", "annotator"], sort=False).ngroup().to_numpy()
        layout = rows.drop_duplicates(["unit", "annotator"]).reset_index(drop=True)
        return cls(layout, values, np.asarray(rating, dtype=np.intp))

    def reason_for_contrasts(self, design: Design) -> str:
        """Return why a report adjusts the tests of such ratings for annotators; empty if it swaps
        the systems source by source."""
        if not design.random_annotators and have_same_annotators(
            self.rated(np.zeros(self.values.size))
        ):
            return ""
        return contrast_reason(design)

    def rated(self, drawn: FloatArray, unit: ClusterUnit = SOURCE) -> RatedOutputs:
        """Return drawn ratings; ``drawn`` holds a number for each of ``values``."""
        total = np.bincount(self.rating, drawn)
        columns = {
            name: self.layout[name].to_numpy(dtype=object)
            for name in ("system", "source", "annotator", "unit", "cluster")
        }
        return RatedOutputs(
            ratings=total / np.bincount(self.rating),
            systems=columns["system"],
            sources=columns["source"],
            annotators=columns["annotator"],
            outputs=columns["unit"],
            clusters=columns["cluster"],
            unit=unit,
        )


def tested_by_contrast(
    repeats: Iterable[FloatArray],
    ratings: SimulatedRatings,
    order: Sequence[str],
    *,
    high_is_best: bool,
    design: Design,
    unit: ClusterUnit,
) -> PairTests:
    """Test every pair by contrasts within sources, adjusted for annotators.

    Parameters
    ----------
    repeats : the drawn values of each repeat
    order : the systems as planted, the best first
    """
    pairs = list(combinations(range(len(order)), 2))
    gaps, adjusted, reasons = [], [], []
    for drawn in repeats:
        rated = ratings.rated(drawn[ratings.values], unit)
        tests = system_differences(rated, design=design, rng=np.random.default_rng(SEED))
        by_place = _by_place(tests, order, high_is_best=high_is_best)
        found = np.array([by_place.get(pair, (nan, nan)) for pair in pairs])
        gaps.append(found[:, 0])
        adjusted.append(holm(found[:, 1]))
        reasons += [test.reason for test in tests.values() if test.reason]
    is_untested = bool(np.isnan(adjusted).all())
    reason = reasons[0] if is_untested and reasons else ""
    return PairTests(pairs, np.array(gaps), np.array(adjusted), reason=reason)


def _by_place(
    tests: Mapping[tuple[Any, Any], Result], order: Sequence[str], *, high_is_best: bool
) -> dict[tuple[int, int], tuple[float, float]]:
    """Return by how much the better of two systems is better, and p, by places in the order."""
    place = {name: number for number, name in enumerate(order)}
    found = {}
    for (first, second), test in tests.items():
        one, other = place[str(first)], place[str(second)]
        sign = 1 if (one < other) == high_is_best else -1
        found[min(one, other), max(one, other)] = sign * test.value, test.pvalue
    return found


def untested_pairs(repeats: int, systems: int, reason: str) -> PairTests:
    """Return all pairs of the systems without a test in any repeat."""
    pairs = list(combinations(range(systems), 2))
    nothing = np.full((repeats, len(pairs)), nan)
    return PairTests(pairs, nothing, nothing, reason=reason)


def too_large_for_contrasts(ratings: SimulatedRatings) -> str:
    """Return why contrasts are not computed in every repeat; empty if they are."""
    pairs = comb(ratings.layout["system"].nunique(), 2)
    if pairs * ratings.layout["source"].nunique() <= MAX_COST:
        return ""
    return "so many pairs of systems on so many sources would take too long to test again and again"
