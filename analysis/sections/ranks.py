"""Ranks of systems on each criterion: the probability of each rank, and significance clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import coefficient, known
from analysis.reports.system_names import system_name
from analysis.sections.comparisons import (
    SystemScores,
    deciding_pairs,
    differs,
    no_letters_because,
    scores_of,
    untested_because,
)
from analysis.sections.criteria import criterion_rows
from analysis.sections.mixed_models import MixedModels, model_of
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.system_tests import test_of
from quaestor_stats._inputs import FloatArray
from quaestor_stats._ranks import (
    rank_probabilities,
    resampled_means,
    significance_clusters,
    student_means,
)
from quaestor_stats._reml import Unfit
from quaestor_stats._system_test import MIXED_MODEL

REQUIRED_SOURCES = 10
EACH_RANK = 7  # systems up to which the page shows the probability of each rank
RESAMPLED = "sources drawn with replacement"
BY_MODEL = "means drawn by the mixed model"
NO_DRAW = "no draw of sources holds all systems"


@dataclass(frozen=True)
class RankRow:
    """The ranks of one system on one criterion.

    criterion: key of the criterion
    system: name of the system
    cluster: significance cluster, 1 for the best: every system of a cluster is significantly
      better than every system of a later one; empty if the systems are not tested
    best: probability of rank 1
    expected_rank: mean rank over the draws
    probabilities: probability of each rank, from 1
    method: what was drawn
    reason: why there are no probabilities
    """

    criterion: str
    system: str
    cluster: int | None
    best: float
    expected_rank: float
    probabilities: list[float]
    method: str
    reason: str


class Ranks(Section[RankRow]):
    """Each system's ranks, best mean first."""

    key = "ranks"
    title = "Ranks of systems"
    identity = ("criterion", "system")
    by_reading = True
    note = (
        "The probability of each rank in a bootstrap over sources; if the mixed model compares the systems, in draws "
        "from its means and their covariance. Clusters come from the test of the systems: every system of a cluster "
        "is significantly better than every system of a later cluster."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[RankRow]:
        rows: list[RankRow] = []
        for scores in scores_of(inputs.counted):
            if scores.criterion.best == "none":
                continue
            chance.step(f"Ranks on {scores.criterion.key}")
            rows += _rows(scores, inputs, found, chance)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        tables = []
        for criterion in criterion_rows(found):
            rows = found.on(Ranks, criterion.criterion)
            if rows:
                tables.append(_table(criterion.name, rows))
        return tables


def _rows(scores: SystemScores, inputs: Inputs, found: Found, chance: Chance) -> list[RankRow]:
    key = scores.criterion.key
    by_model = test_of(found, key).name == MIXED_MODEL
    means, draws, reason = scores.oriented, np.empty((0, 0)), ""
    if by_model:
        try:
            means, draws = _drawn_by_model(scores, inputs, found, chance)
        except Unfit as unfit:
            reason = str(unfit)
    else:
        draws, reason = _drawn_sources(scores, chance)
    size = len(scores.names)
    probabilities = np.full((size, size), nan)
    if not reason:
        probabilities = rank_probabilities(draws)
    clusters = _clusters(scores, means, found)
    order = np.argsort(-means, kind="stable")
    return [
        RankRow(
            criterion=key,
            system=scores.names[place],
            cluster=clusters[place] if clusters else None,
            best=float(probabilities[place, 0]),
            expected_rank=float(probabilities[place] @ np.arange(1, size + 1)),
            probabilities=[] if reason else probabilities[place].tolist(),
            method=BY_MODEL if by_model else RESAMPLED,
            reason=reason,
        )
        for place in order
    ]


def _drawn_sources(scores: SystemScores, chance: Chance) -> tuple[FloatArray, str]:
    """Return the systems' means over drawn sources, high is best; or why there are none."""
    if len(set(scores.clusters)) < REQUIRED_SOURCES:
        return np.empty((0, 0)), f"fewer than {REQUIRED_SOURCES} {scores.unit.plural}"
    draws = resampled_means(
        scores.table, rng=chance.rng, resamples=chance.resamples, clusters=scores.clusters
    )
    reason = "" if len(draws) else NO_DRAW
    return -draws if scores.criterion.best == "lowest" else draws, reason


def _drawn_by_model(
    scores: SystemScores, inputs: Inputs, found: Found, chance: Chance
) -> tuple[FloatArray, FloatArray]:
    """Return the mixed model's means, and draws of them with the fewest degrees of freedom of its
    tests; high is best.

    Raises
    ------
    Unfit
        The model compares no systems.
    """
    key = scores.criterion.key
    if reason := untested_because(found, key):
        raise Unfit(reason)
    model = model_of(inputs, scores.criterion, annotators_random=inputs.design.random_annotators)
    place = [list(map(str, model.systems)).index(name) for name in scores.names]
    df = [row.estimate.df for row in found.on(MixedModels, key) if row.effect == "difference"]
    up = -1.0 if scores.criterion.best == "lowest" else 1.0
    means, covariance = model.means[place], model.covariance[np.ix_(place, place)]
    draws = student_means(
        up * means,
        covariance,
        df=min(each for each in df if known(each)),
        rng=chance.rng,
        resamples=chance.resamples,
    )
    return up * means, draws


def _clusters(scores: SystemScores, means: FloatArray, found: Found) -> list[int]:
    """Return each system's cluster by the declared test; none unless it compares every pair."""
    key = scores.criterion.key
    pairs = deciding_pairs(found, key)
    if not pairs or no_letters_because(found, key):
        return []
    place = {name: number for number, name in enumerate(scores.names)}
    up = scores.criterion.best != "lowest"
    ahead = set()
    for row in pairs:
        one, other = place[row.first], place[row.second]
        if differs(row):
            ahead.add((one, other) if (row.estimate.value > 0) == up else (other, one))
    return [int(cluster) for cluster in significance_clusters(means, ahead)]


def _table(name: str, rows: Sequence[RankRow]) -> PageTable:
    size = len(rows)
    heads = [f"rank {rank}" for rank in range(1, size + 1)] if size <= EACH_RANK else ["rank 1"]
    lines = [
        Line(
            system_name(row.system),
            [
                Cell(str(row.cluster) if row.cluster else "–"),
                Cell(f"{row.expected_rank:.1f}" if known(row.expected_rank) else "–"),
                *(
                    Cell(coefficient(each))
                    for each in (row.probabilities or [nan] * size)[: len(heads)]
                ),
            ],
        )
        for row in rows
    ]
    return PageTable(
        name,
        ["cluster", "expected rank", *heads],
        lines,
        first="System",
        caption=f"Probability of each rank ({rows[0].method}).",
        reasons=sorted({row.reason for row in rows} - {""}),
        folded=True,
    )
