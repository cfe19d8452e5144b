"""Ranks of systems on each criterion: the interval of each rank by the tests of the systems, and how
often the system has each rank in a bootstrap."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import nan

import numpy as np

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, is_defined
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.metrics.columns import SystemScores
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import (
    SystemPair,
    deciding_pairs,
    differ_significantly,
    is_compared,
    no_letters_because,
)
from quaestor_stats._inputs import FloatArray
from quaestor_stats._ranks import rank_probabilities, resampled_means, significance_clusters

KEY = "ranks"  # also of the further analysis that adds the bootstrap
NOT_ASKED = "the run does not draw them"
REQUIRED_SOURCES = 10
EACH_RANK = 7  # systems up to which the page shows the share of each rank
RESAMPLED = "sources drawn with replacement"
NO_DRAW = "no draw of sources holds all systems"
RANDOM_ANNOTATORS = "annotators are declared random, and a bootstrap of sources leaves them fixed"


@table_row
class RankRow:
    """The ranks of one system on one criterion."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    cluster: int | None = row_field(
        "significance cluster, 1 for the best: every system of a cluster is significantly better "
        "than every system of a later one; empty if the systems are not tested"
    )
    highest_rank: int | None = row_field("1 + the number of systems that are significantly better")
    lowest_rank: int | None = row_field(
        "the number of systems, less those that are significantly worse"
    )
    best: float = row_field(
        "share of bootstrap samples in which it ranks first; it is no probability of being the best"
    )
    expected_rank: float = row_field("mean rank over the samples")
    shares: list[float] = row_field("share of bootstrap samples with each rank, from 1")
    method: str = row_field("what was drawn")
    reason: str = row_field("why there are no shares")


class Ranks(Section[RankRow]):
    """Each system's ranks, best mean first; the shares of ranks only if they are asked for."""

    key = KEY
    title = "Ranks of systems"
    identity = ("criterion", "system")
    by_reading = True
    note = (
        "The interval of a rank comes from the test of the systems (Holm, 5% level): 1 + the number of systems that "
        "are significantly better, to the number of systems less those that are significantly worse. So do clusters: "
        "every system of a cluster is significantly better than every system of a later cluster. The others give the "
        "share of bootstrap samples of sources in which a system has each rank; of two equal systems one can have a "
        "share near 1."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[RankRow]:
        rows: list[RankRow] = []
        for scores in inputs.scores_of_systems:
            if scores.criterion.best == "none":
                continue
            chance.step(f"Ranks on {scores.criterion.key}")
            rows += _rows(scores, inputs, found, chance)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = [row for row in found.of(Ranks) if row.reason != NOT_ASKED]
        table = ReportTable[RankRow](
            split="criterion",
            lines="system",
            columns=lambda rows: [*INTERVAL_COLUMNS, *_share_columns(len(rows))],
            caption=lambda rows: (
                f"Share of bootstrap samples in which the system has each rank ({rows[0].method})."
            ),
            reasons=lambda rows: sorted({row.reason for row in rows} - {""}),
            folded=True,
        )
        return draw(table, rows, found.names)


def _rows(scores: SystemScores, inputs: Inputs, found: Found, chance: Chance) -> list[RankRow]:
    draws, reason = _drawn_sources(scores, inputs, chance)
    size = len(scores.names)
    shares = np.full((size, size), nan) if reason else rank_probabilities(draws)
    intervals = _rank_intervals(scores, found)
    clusters = _clusters(scores, scores.oriented, found)
    return [
        RankRow(
            criterion=scores.criterion.key,
            system=scores.names[place],
            cluster=clusters[place] if clusters else None,
            highest_rank=intervals[place][0] if intervals else None,
            lowest_rank=intervals[place][1] if intervals else None,
            best=float(shares[place, 0]),
            expected_rank=float(shares[place] @ np.arange(1, size + 1)),
            shares=[] if reason else shares[place].tolist(),
            method=RESAMPLED,
            reason=reason,
        )
        for place in np.argsort(-scores.oriented, kind="stable")
    ]


def _drawn_sources(scores: SystemScores, inputs: Inputs, chance: Chance) -> tuple[FloatArray, str]:
    """Return the systems' means over drawn sources, high is best; or why there are none."""
    if KEY not in inputs.settings["further"]:
        return np.empty((0, 0)), NOT_ASKED
    if inputs.design.random_annotators:
        return np.empty((0, 0)), RANDOM_ANNOTATORS
    if len(set(scores.clusters)) < REQUIRED_SOURCES:
        return np.empty((0, 0)), f"fewer than {REQUIRED_SOURCES} {scores.unit.plural}"
    draws = resampled_means(
        scores.table, rng=chance.rng, resamples=chance.resamples, clusters=scores.clusters
    )
    reason = "" if len(draws) else NO_DRAW
    return -draws if scores.criterion.best == "lowest" else draws, reason


def _rank_intervals(scores: SystemScores, found: Found) -> list[tuple[int, int]]:
    """Return the highest and lowest rank of each system by the declared test; none unless it
    compares every pair."""
    pairs, size = deciding_pairs(found, scores.criterion.key), len(scores.names)
    if not pairs or not all(map(is_compared, pairs)):
        return []
    better, worse = dict.fromkeys(scores.names, 0), dict.fromkeys(scores.names, 0)
    for leader, follower in _ahead(scores, pairs):
        better[follower] += 1
        worse[leader] += 1
    return [(1 + better[name], size - worse[name]) for name in scores.names]


def _ahead(scores: SystemScores, pairs: Sequence[SystemPair]) -> Iterator[tuple[str, str]]:
    """Yield the better and the worse system of each pair that differs significantly."""
    up = scores.criterion.best != "lowest"
    for pair in pairs:
        if differ_significantly(pair):
            names = pair.first, pair.second
            yield names if (pair.estimate.value > 0) == up else names[::-1]


def _clusters(scores: SystemScores, means: FloatArray, found: Found) -> list[int]:
    """Return each system's cluster by the declared test; none unless it compares every pair."""
    key = scores.criterion.key
    pairs = deciding_pairs(found, key)
    if not pairs or no_letters_because(found, key):
        return []
    place = {name: number for number, name in enumerate(scores.names)}
    ahead = {(place[one], place[other]) for one, other in _ahead(scores, pairs)}
    return [int(cluster) for cluster in significance_clusters(means, ahead)]


def _interval(row: RankRow) -> str:
    if row.highest_rank is None or row.lowest_rank is None:
        return "–"
    if row.highest_rank == row.lowest_rank:
        return str(row.highest_rank)
    return f"{row.highest_rank}–{row.lowest_rank}"


INTERVAL_COLUMNS = [
    ReportColumn[RankRow]("rank interval", lambda row: Cell(_interval(row))),
    ReportColumn[RankRow]("cluster", lambda row: Cell(str(row.cluster or "–"))),
    ReportColumn[RankRow](
        "mean rank",
        lambda row: Cell(f"{row.expected_rank:.1f}" if is_defined(row.expected_rank) else "–"),
    ),
]


def _share_columns(systems: int) -> list[ReportColumn[RankRow]]:
    """Return a column for the share of each rank; of many systems, for that of the first."""
    return [
        ReportColumn(f"rank {place + 1}", partial(_share_cell, place=place))
        for place in range(systems if systems <= EACH_RANK else 1)
    ]


def _share_cell(row: RankRow, *, place: int) -> Cell:
    return Cell(coefficient(row.shares[place] if row.shares else nan))
