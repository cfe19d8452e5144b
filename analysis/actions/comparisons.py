"""Do systems differ? Every pair on every criterion, by several tests, and letters that join what could not be told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.actions.resampling import Resampling
from analysis.actions.systems import of_units
from analysis.frames import Material, aligned
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.arrays import FloatArray
from analysis.stats.comparing import cliffs_delta, paired_permutation, two_sample_t, wilcoxon
from analysis.stats.estimate import Estimate
from analysis.stats.letters import letters
from analysis.stats.multiplicity import benjamini_hochberg, holm
from analysis.stats.resampling import Bootstrap
from analysis.stats.systems import by_source
from judging.formats.rubric_schema import Criterion

SURE = 0.05
DEFAULT = "permutation"
AS_PUBLISHED = "t_as_published"
PER_PAIR = 100  # swaps for each pair of systems: Holm multiplies the smallest p by the number of pairs
MOST_SWAPS = 20_000
MOST_SIGNS = 200_000_000  # swaps x sources x pairs: some four seconds
MOST_RANKED = 100_000  # pairs x sources up to which Cliff's delta gets an interval


@dataclass(frozen=True)
class Scores:
    """What the systems got on one criterion: means on each source, and every question's mean."""

    criterion: Criterion
    names: list[str]
    table: FloatArray  # (n_systems, n_sources), NaN where there is none
    questions: list[FloatArray]  # of each system

    @property
    def oriented(self) -> FloatArray:
        """Each system's mean over sources, turned so that high is best; as given where no end is best."""
        judged = ~np.isnan(self.table)
        total = np.nansum(self.table, axis=1) / np.maximum(judged.sum(axis=1), 1)
        means = np.where(judged.any(axis=1), total, np.nan)
        return -means if self.criterion.best == "lowest" else means


def scores(material: Material) -> Iterator[Scores]:
    """Yield the scores on every criterion that two systems or more were judged on."""
    for criterion in material.rubric.criteria:
        units = of_units(material, criterion)
        values = aligned(units["unit"], material.human(criterion.key))
        judged = ~np.isnan(values)
        system, source = units["system"].to_numpy()[judged], units["source"].to_numpy()[judged]
        if len(pd.unique(system)) > 1:
            table, names, _ = by_source(values[judged], systems=system, sources=source)
            questions = [values[judged][system == name] for name in names]
            yield Scores(criterion, [str(name) for name in names], table, questions)


def records(material: Material, *, by: Resampling) -> list[Record]:
    """Return every pair of systems under every test, p adjusted over the pairs of one criterion and test.

    The default is the paired permutation over sources. The two-sample t of question means is there for papers that
    print it: it takes questions on one source as independent.
    """
    found: list[Record] = []
    for each in scores(material):
        by.step(f"Comparing systems on {each.criterion.key}")
        rows = list(_pairs(each, by))
        for test in dict.fromkeys(row["test"] for row in rows):
            _adjust([row for row in rows if row["test"] == test])
        found += rows
    return found


def _pairs(each: Scores, by: Resampling) -> Iterator[Record]:
    pairs = list(combinations(range(len(each.names)), 2))
    swaps = _swaps(len(pairs), each.table.shape[1], by.resamples)
    interval = Bootstrap(by.rng, min(by.resamples, 200)) if len(pairs) * each.table.shape[1] <= MOST_RANKED else None
    for i, j in pairs:
        where = {"criterion": each.criterion.key, "first": each.names[i], "second": each.names[j]}
        one, two = each.table[i], each.table[j]
        for test, found in (
            (DEFAULT, paired_permutation(one, two, rng=by.rng, resamples=swaps)),
            ("wilcoxon", wilcoxon(one, two)),
            (AS_PUBLISHED, two_sample_t(each.questions[i], each.questions[j])),
            ("cliffs_delta", cliffs_delta(one, two, interval=interval)),
        ):
            yield _row(found, where | {"test": test})


def _swaps(pairs: int, sources: int, asked: int) -> int:
    """Return how many swaps to draw: enough for Holm's correction over the pairs, within bounded time."""
    affordable = MOST_SIGNS // max(1, pairs * sources)
    return max(100, min(max(asked, PER_PAIR * pairs), MOST_SWAPS, affordable))


def _row(found: Estimate, where: Record) -> Record:
    return {"statistic": None, "p": None} | of_estimate(found, **where)


def _adjust(rows: Sequence[Record]) -> None:
    p = np.array([np.nan if row["p"] is None else row["p"] for row in rows])
    for row, of_holm, of_bh in zip(rows, holm(p), benjamini_hochberg(p), strict=True):
        row |= {"p_holm": number(of_holm), "p_bh": number(of_bh)}


def groups(material: Material, compared: Sequence[Record]) -> list[Record]:
    """Return each system's letters on each criterion, best mean first: one in common joins what does not differ.

    `compared`: the records above. Two systems differ where the paired permutation's p, after Holm, is below 0.05.
    """
    found: list[Record] = []
    for each in scores(material):
        place = {name: number for number, name in enumerate(each.names)}
        differ = {
            (place[row["first"]], place[row["second"]])
            for row in compared
            if (row["criterion"], row["test"]) == (each.criterion.key, DEFAULT) and _sure(row)
        }
        given = letters(each.oriented, differ)
        where = {"criterion": each.criterion.key, "test": DEFAULT, "correction": "holm", "level": SURE}
        found += [{**where, "system": name, "letters": own} for name, own in zip(each.names, given, strict=True)]
    return found


def _sure(row: Record) -> bool:
    return row["p_holm"] is not None and row["p_holm"] < SURE
