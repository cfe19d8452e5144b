"""Ratings of simulated annotators, and how often a study like this one finds the planted order.

A quality lies between 0, the worst end of a scale, and 1, its best. An annotator perceives the
system's quality plus a deviation of the question (the same for all annotators), the annotator's
severity and random noise; the nearest point of the scale is the value. Spreads are shares of a
scale's length, so one plan fits every scale. Careless annotators pick any point. Units that are
clear on purpose (gold questions, degraded copies) are perceived with half the noise, no severity.

The same values fill the copy of a campaign one by one, and are drawn by the hundred for power.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan, prod, sqrt
from typing import TYPE_CHECKING, Self

import numpy as np

from analysis.planning.pair_tests import (
    PairTests,
    SimulatedRatings,
    tested_by_contrast,
    tested_by_permutation,
    too_large_for_contrasts,
    untested_pairs,
)
from analysis.reports.rows import Record, stable_number
from judging.protocols.protocol_schema import ProtocolCriterion
from judging.protocols.rules import Force
from quaestor_stats._design import SOURCE, ClusterUnit, Design
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray
from quaestor_stats._system_differences import CONTRAST, PERMUTATION

if TYPE_CHECKING:
    import pandas as pd

WIDEST = 0.8  # of a scale from the worst system to the best: beyond, an end hides differences
WORSE = 0.5  # by which a degraded copy is worse than its question
CLEAR = 0.5  # share of the usual noise, for units that are clear on purpose
REPEATS, MANY_ROWS, FEWER = 200, 20_000, 100
# A fit of the mixed model with its pairs takes .1 to .4 s up to so many ratings, beyond it seconds
CONTRAST_REPEATS, MANY_RATINGS, FEWEST = 100, 2_000, 20
PAIR = ["unit", "annotator"]
NORMAL_95 = 1.959964
# purposes of the random streams
OF_PLAN, OF_QUESTION, OF_ANSWER, OF_REPEAT, OF_ARRIVAL, OF_TRY, OF_TIME = range(7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """Assumptions about systems and annotators; spreads are shares of a scale's length."""

    gap: float = 0.15  # from one system to the next
    question: float = 0.15  # standard deviation of a system's questions
    severity: float = 0.10  # of annotators
    noise: float = 0.20  # of single values
    careless: int = 0  # of as many as are wanted: annotators who pick any point
    seconds: float = 0.0  # that a value takes, on average; 0: as the protocol estimates a page
    seconds_spread: float = 0.6  # standard deviation of the logarithm of single values' seconds
    pace_spread: float = 0.3  # and of annotators' paces
    hurry: float = 0.2  # share of the usual time that careless annotators take
    knows: float = 0.9  # probability of a right value in the qualification, mean of annotators
    knows_spread: float = 0.08  # and their standard deviation
    wary: float = 0.5  # probability that a careless annotator takes care in the qualification
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A simulated candidate, before their severity and noise are drawn."""

    careless: bool = False
    knows: float = 1.0  # probability of a right value in the qualification
    pace: float = 1.0


@dataclass(frozen=True, slots=True)
class SimulatedAnnotator:
    """A simulated annotator: severity as a share of the scale, positive if they rate lower than
    others."""

    label: str
    severity: float
    careless: bool
    pace: float = 1.0  # their time as a multiple of the others' time


def planted_order(systems: Sequence[str], assumed: Assumed) -> list[str]:
    """Return the systems from the best to the worst, in an order drawn by the seed."""
    drawn = np.random.default_rng([assumed.seed, OF_PLAN]).permutation(len(systems))
    return [sorted(systems)[place] for place in drawn]


def planted_quality(order: Sequence[str], assumed: Assumed) -> dict[str, float]:
    """Return each system's quality, even steps around the middle; smaller ones where many must have
    room."""
    step = planted_step(len(order), assumed)
    middle = (len(order) - 1) / 2
    return {name: 0.5 + (middle - rank) * step for rank, name in enumerate(order)}


def planted_step(systems: int, assumed: Assumed) -> float:
    """Return the step from one system to the next, as a share of the scale."""
    return min(assumed.gap, WIDEST / max(systems - 1, 1))


def people(came: Mapping[str, Newcomer], assumed: Assumed) -> list[SimulatedAnnotator]:
    """Return annotators, by label, whose severities are the quantiles of a normal distribution,
    dealt out by the seed."""
    from scipy import special

    rng = np.random.default_rng([assumed.seed, OF_PLAN, 1])
    places = (rng.permutation(len(came)) + 0.5) / max(len(came), 1)
    severities = special.ndtri(places) * assumed.severity
    return [
        SimulatedAnnotator(label, float(severity), who.careless, who.pace)
        for (label, who), severity in zip(came.items(), severities, strict=True)
    ]


def points_of(criterion: ProtocolCriterion) -> list[int]:
    """Return a scale's points from the worst to the best."""
    return sorted(criterion.values(), reverse=criterion.best == "lowest")


def nearest_points(quality: FloatArray, points: Sequence[int]) -> IntArray:
    """Return the point of the scale that is nearest to each quality.

    >>> nearest(np.array([-1.0, 0.2, 0.5, 0.8, 2.0]), [1, 2, 3]).tolist()
    [1, 1, 2, 3, 3]
    """
    last = len(points) - 1
    return np.asarray(np.asarray(points)[np.clip(np.rint(quality * last), 0, last).astype(int)])


def simulate_ratings(
    quality: FloatArray, points: Sequence[int], careless: BoolArray | bool, anything: FloatArray
) -> IntArray:
    """Return the nearest point to each quality, or, of careless annotators, the point that
    `anything` from 0 to 1 picks."""
    any_point = np.asarray(points)[(anything * len(points)).astype(int)]
    return np.where(careless, any_point, nearest_points(quality, points))


@dataclass(frozen=True, slots=True)
class Seen:
    """A unit that a simulated annotator judges: its number, which seeds the noise, and its quality
    by criterion."""

    number: int
    quality: Mapping[str, float]
    clear: bool = False


def simulate_answers(
    seen: Seen,
    who: SimulatedAnnotator,
    place: int,
    *,
    again: bool,
    criteria: Sequence[ProtocolCriterion],
    assumed: Assumed,
) -> dict[str, int]:
    """Return one annotator's values of one question on all criteria; `place` counts annotators."""
    rng = np.random.default_rng([assumed.seed, OF_ANSWER, place, seen.number, int(again)])
    anything, chance = rng.random(len(criteria)), rng.normal(size=len(criteria)) * assumed.noise
    of_question = np.random.default_rng([assumed.seed, OF_QUESTION, seen.number])
    turned_out = of_question.normal() * assumed.question
    moved = chance * CLEAR if seen.clear else turned_out - who.severity + chance
    quality = moved + np.array([seen.quality[criterion.key] for criterion in criteria])
    return {
        each.key: int(
            simulate_ratings(quality[column], points_of(each), who.careless, anything[column])
        )
        for column, each in enumerate(criteria)
    }


def qualities(criteria: Sequence[ProtocolCriterion], quality: float) -> dict[str, float]:
    """Return a quality on each criterion; the middle if no end of the scale is best."""
    return {criterion.key: quality if criterion.is_averaged else 0.5 for criterion in criteria}


# --- many repeats at once ---


def power_of(
    judgments: pd.DataFrame,
    *,
    criteria: Sequence[ProtocolCriterion],
    forces: Sequence[Force],
    order: Sequence[str],
    annotators: Sequence[SimulatedAnnotator],
    assumed: Assumed,
    resamples: int,
    design: Design,
    unit: ClusterUnit = SOURCE,
    tell: Callable[[str], None] = lambda _name: None,
) -> list[Record]:
    """Return for each criterion how often a study laid out like this one finds the planted order.

    Parameters
    ----------
    judgments : one row per value: unit, criterion, annotator, system, source, cluster, set
    order : the systems from the best to the worst
    resamples : swaps of the run's own test
    design : the facets that the run declares random
    unit : the clusters of sources
    tell : called with the name of each criterion before its pairs are tested

    Notes
    -----
    A repeat keeps the layout and draws new deviations of questions and new noise, because sources are random; if
    annotators are declared random, also new severities. A pair differs significantly by the test that the report
    makes (`quaestor_stats._system_differences`), below 5% after Holm's correction over the pairs of the criterion,
    and in the planted direction.
    """
    drawn = _Drawn(judgments, criteria, forces, order, annotators, assumed, design)
    repeats = REPEATS if len(judgments) <= MANY_ROWS else FEWER
    rng = np.random.default_rng([assumed.seed, OF_REPEAT])
    found = []
    for trial in _repeated(drawn, repeats):
        tell(trial.criterion.name)
        tests = _tests(trial, drawn, order, resamples, rng, unit)
        found.append(_power(trial, tests, order, assumed))
    return found


def _repeated(drawn: _Drawn, repeats: int) -> list[_Trial]:
    """Draw a study again and again; return what each criterion that has a mean needs of it."""
    averaged = [
        criterion
        for criterion in drawn.criteria
        if criterion.is_averaged and criterion.key in drawn.means
    ]
    trials = [_Trial.of(each, drawn, repeats) for each in averaged]
    for place in range(repeats):
        values = drawn.values(np.random.default_rng([drawn.assumed.seed, OF_REPEAT, place]))
        for trial in trials:
            trial.keep(values, drawn)
    return trials


@dataclass(frozen=True, slots=True)
class _CellMeans:
    """Computes a table of means, systems by sources, from the values of one criterion.

    A cell is the mean over a source's questions of the mean over annotators.
    """

    rows: IntArray  # (R,) of the pairs that were asked this criterion
    cell: IntArray  # (R,)
    weight: FloatArray  # (R,) of a value, so that their sum is the cell's mean
    empty: BoolArray  # (cells,)
    shape: tuple[int, int]

    @classmethod
    def by_criterion(
        cls, judgments: pd.DataFrame, pairs: pd.DataFrame, unit: IntArray, order: Sequence[str]
    ) -> dict[str, Self]:
        """Return the tables' layouts; `unit` numbers the units of the pairs, `order` the systems."""
        import pandas as pd

        source, _ = pd.factorize(pairs["source"])
        system = pd.Index(list(order)).get_indexer(pd.Index(pairs["system"]))
        shape = (len(order), int(source.max()) + 1)
        cell = system * shape[1] + source
        place_of = pd.MultiIndex.from_frame(pairs[PAIR])
        found = {}
        for key, asked in judgments.groupby("criterion", sort=False):
            rows = place_of.get_indexer(pd.MultiIndex.from_frame(asked[PAIR]))
            found[str(key)] = cls._of(rows, unit[rows], cell[rows], shape)
        return found

    @classmethod
    def _of(cls, rows: IntArray, unit: IntArray, cell: IntArray, shape: tuple[int, int]) -> Self:
        import pandas as pd

        annotators = np.bincount(unit)[unit]
        units = pd.Series(unit).groupby(cell).transform("nunique").to_numpy()
        empty = np.bincount(cell, minlength=prod(shape)) == 0
        return cls(rows, cell, np.asarray(1 / (annotators * units)), empty, shape)

    def table(self, values: FloatArray) -> FloatArray:
        total = np.bincount(self.cell, self.weight * values[self.rows], self.empty.size)
        return np.where(self.empty, nan, total).reshape(self.shape)


class _Drawn:
    """The layout of a study as index columns over pairs of unit and annotator, from which whole
    studies are drawn."""

    def __init__(
        self,
        judgments: pd.DataFrame,
        criteria: Sequence[ProtocolCriterion],
        forces: Sequence[Force],
        order: Sequence[str],
        annotators: Sequence[SimulatedAnnotator],
        assumed: Assumed,
        design: Design,
    ) -> None:
        self.criteria, self.forces, self.assumed = criteria, forces, assumed
        self.design = design
        self._lay_out(judgments, order)
        self._plant(order, {who.label: who for who in annotators})

    def _lay_out(self, judgments: pd.DataFrame, order: Sequence[str]) -> None:
        """Number the units, sets, annotators and clusters of the pairs."""
        import pandas as pd

        columns = judgments[[*PAIR, "system", "source", "cluster", "set"]]
        pairs = self.pairs = columns.drop_duplicates(PAIR).reset_index(drop=True)
        self.unit, _ = pd.factorize(pairs["unit"])
        self.set, _ = pd.factorize(pairs["set"])
        self.annotator, _ = pd.factorize(pairs["annotator"])
        of_set = pairs.groupby(["set", "annotator"], sort=False).ngroup()
        self.set_answer: IntArray = np.asarray(of_set, dtype=np.intp)
        self.means = _CellMeans.by_criterion(judgments, pairs, self.unit, order)
        by_source = pairs.drop_duplicates("source")  # in the order of the tables' columns
        self.clusters, _ = pd.factorize(by_source["cluster"])

    def _plant(self, order: Sequence[str], annotators: Mapping[str, SimulatedAnnotator]) -> None:
        """Give each pair the quality of its system, and severity and care of its annotator."""
        quality = planted_quality(order, self.assumed)
        self.quality = np.array([quality[name] for name in self.pairs["system"]])
        people = [annotators[label] for label in self.pairs["annotator"]]
        self.severity = np.array([who.severity for who in people])
        self.careless = np.array([who.careless for who in people], dtype=bool)

    def values(self, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Draw every value of a study, by criterion: a column over pairs of unit and annotator."""
        of_unit = rng.normal(size=self.unit.max() + 1) * self.assumed.question
        of_set = rng.normal(size=self.set.max() + 1) * self.assumed.question
        severity = self._severity(rng)
        found = {}
        for criterion in self.criteria:
            if criterion.asked == "once_per_set":
                seen, answer = of_set[self.set], self.set_answer
            else:
                seen, answer = of_unit[self.unit], np.arange(len(self.pairs))
            found[criterion.key] = self._given(criterion, seen - severity, answer, rng)
        self._force(found)
        return found

    def _force(self, values: dict[str, FloatArray]) -> None:
        """Set the values that the protocol's rules force."""
        for rule in [*self.forces] * len(self.forces):  # a forced value may force in its turn
            hit = values[rule.criterion] == rule.value
            for key, value in rule.sets.items():
                values[key] = np.where(hit, float(value), values[key])

    def _severity(self, rng: np.random.Generator) -> FloatArray:
        """Return each pair's severity; new ones if annotators are declared random."""
        if not self.design.random_annotators:
            return self.severity
        drawn = rng.normal(size=self.annotator.max() + 1) * self.assumed.severity
        return np.asarray(drawn[self.annotator])

    def _given(
        self,
        criterion: ProtocolCriterion,
        moved: FloatArray,
        answer: IntArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draw the values of one criterion; pairs with the same number in `answer` share one.

        `moved` is by how much the question and the annotator move what a pair sees.
        """
        chance = rng.normal(size=answer.max() + 1) * self.assumed.noise
        anything = rng.random(answer.max() + 1)
        quality = self.quality if criterion.is_averaged else np.full(len(self.pairs), 0.5)
        seen = quality + moved + chance[answer]
        return simulate_ratings(seen, points_of(criterion), self.careless, anything[answer]).astype(
            float
        )

    def ratings(self, criterion: ProtocolCriterion) -> SimulatedRatings:
        """Return the layout of the ratings of a criterion."""
        rows = self.means[criterion.key].rows
        asked = self.pairs.iloc[rows].reset_index(drop=True)
        return SimulatedRatings.of(asked, rows, once_per_set=criterion.asked == "once_per_set")


@dataclass(frozen=True, slots=True)
class _Trial:
    """One criterion of a study that is drawn repeatedly: its test, and the draws so far."""

    criterion: ProtocolCriterion
    ratings: SimulatedRatings
    reason: str  # why its tests are adjusted for annotators
    undefined: str  # why these are not computed
    repeats: int
    tables: list[FloatArray] = field(default_factory=list)  # means, systems by sources
    values: list[FloatArray] = field(default_factory=list)  # for contrasts alone

    @classmethod
    def of(cls, criterion: ProtocolCriterion, drawn: _Drawn, repeats: int) -> Self:
        """Return the trial of a criterion; contrasts have fewer repeats."""
        ratings = drawn.ratings(criterion)
        reason = ratings.reason_for_contrasts(drawn.design)
        if not reason:
            return cls(criterion, ratings, "", "", repeats)
        if undefined := too_large_for_contrasts(ratings):
            return cls(criterion, ratings, reason, undefined, repeats)
        fewer = CONTRAST_REPEATS if len(ratings.layout) <= MANY_RATINGS else FEWEST
        return cls(criterion, ratings, reason, "", fewer)

    def keep(self, values: Mapping[str, FloatArray], drawn: _Drawn) -> None:
        """Keep what the criterion's test needs of a drawn study, until there are enough repeats."""
        if len(self.tables) == self.repeats:
            return
        own = values[self.criterion.key]
        self.tables.append(drawn.means[self.criterion.key].table(own))
        if self.reason and not self.undefined:
            self.values.append(own)

    def in_order(self) -> BoolArray:
        """Return in which repeats the means are in the planted order."""
        good = -1.0 if self.criterion.best == "lowest" else 1.0
        means = good * np.nanmean(np.stack(self.tables), axis=2)
        return np.asarray((np.diff(means, axis=1) < 0).all(axis=1))


def _tests(
    trial: _Trial,
    drawn: _Drawn,
    order: Sequence[str],
    resamples: int,
    rng: np.random.Generator,
    unit: ClusterUnit,
) -> PairTests:
    """Test every pair of systems in every repeat by the test that the report makes."""
    high_is_best = trial.criterion.best != "lowest"
    if not trial.reason:
        tables = np.stack(trial.tables) * (1 if high_is_best else -1)
        return tested_by_permutation(tables, clusters=drawn.clusters, resamples=resamples, rng=rng)
    if trial.undefined:
        return untested_pairs(len(trial.tables), len(order), trial.undefined)
    return tested_by_contrast(
        trial.values,
        trial.ratings,
        order,
        high_is_best=high_is_best,
        design=drawn.design,
        unit=unit,
    )


def _power(trial: _Trial, tests: PairTests, order: Sequence[str], assumed: Assumed) -> Record:
    """Return in which share of its repeats a criterion's pairs differ significantly."""
    criterion = trial.criterion
    points = points_of(criterion)
    return {
        "criterion": criterion.key,
        "name": criterion.name,
        "test": CONTRAST if trial.reason else PERMUTATION,
        "reason": trial.reason,
        "undefined": tests.reason,
        "repeats": len(trial.tables),
        "sources": int(trial.tables[0].shape[1]),
        "step": stable_number(planted_step(len(order), assumed) * abs(points[-1] - points[0])),
        "floor": stable_number(tests.floor),
        "order": share_with_interval(trial.in_order()),
        "neighbours": _share_tested(tests.neighbours, tests),
        "extremes": _share_tested(tests.extremes, tests),
        "reversed": _share_tested(tests.reversed, tests),
        "pairs": list(_pairs(tests, order)),
    }


def _pairs(tests: PairTests, order: Sequence[str]) -> Iterator[Record]:
    """Yield how often each pair of systems differs significantly as planted."""
    told, difference = tests.told, tests.mean_gap
    for column, (one, two) in enumerate(tests.pairs):
        yield {
            "better": order[one],
            "worse": order[two],
            "difference": stable_number(float(difference[column])),
            **_share_tested(told[:, column], tests),
        }


def _share_tested(found: BoolArray, tests: PairTests) -> Record:
    """Return a share of repeats; without a value if no repeat could be tested."""
    if tests.reason:
        return {"value": None, "low": None, "high": None}
    return share_with_interval(found)


def share_with_interval(happened: BoolArray) -> Record:
    """Return the share of repeats in which something happened, with Wilson's 95% limits."""
    n, found = len(happened), float(happened.mean())
    middle = found + NORMAL_95**2 / (2 * n)
    reach = NORMAL_95 * sqrt(found * (1 - found) / n + NORMAL_95**2 / (4 * n**2))
    below = 1 + NORMAL_95**2 / n
    return {
        "value": stable_number(found),
        "low": stable_number((middle - reach) / below),
        "high": stable_number((middle + reach) / below),
    }
