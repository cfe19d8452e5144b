"""Whether the report of a dry run found the ranking that was planted."""

from dataclasses import dataclass
from typing import Self

from analysis.runs.actions import runs
from analysis.sections.agreement.exclusions import Exclusions
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.section import Found
from analysis.sections.systems.system_comparisons import (
    SystemComparisons,
    deciding_pairs,
    differ_significantly,
    untested_because,
)
from analysis.sections.systems.systems import Systems
from judging.campaigns.models.dry_run import DryRun


@dataclass(frozen=True, slots=True)
class Recovery:
    """Results of the copy's report on one criterion: the order of means, and the number of pairs
    that its own test finds significantly different."""

    criterion: str
    name: str
    order: list[str]
    is_planted: bool
    told: int
    reversed: int
    pairs: int  # 0 where they are too many to be tested, or the mixed model cannot be fitted
    with_all: list[str]  # the order of means of all annotators; empty if none is excluded

    @classmethod
    def of(cls, criterion: CriterionRow, found: Found, planted: list[str]) -> Self | None:
        """Return a report's results on one criterion; None if no annotator judged it."""
        means = {
            row.system: row.mean.value
            for row in found.of(Systems)
            if row.criterion == criterion.criterion
        }
        if not means:
            return None
        everybody = {
            row.system: row.estimate.value
            for row in found.of(Exclusions)
            if (row.criterion, row.data, row.measure) == (criterion.criterion, "all", "mean")
        }
        is_high_best = criterion.best != "lowest"
        order = sorted(means, key=lambda name: means[name], reverse=is_high_best)
        told = right = 0
        is_tested = criterion.criterion not in found.excluded(SystemComparisons)
        is_tested = is_tested and not untested_because(found, criterion.criterion)
        for row in deciding_pairs(found, criterion.criterion):
            if differ_significantly(row):
                told += 1
                is_first_better = (row.estimate.value > 0) == is_high_best
                right += is_first_better == (planted.index(row.first) < planted.index(row.second))
        return cls(
            criterion=criterion.criterion,
            name=criterion.name,
            order=order,
            is_planted=order == planted,
            told=right,
            reversed=told - right,
            pairs=len(means) * (len(means) - 1) // 2 if is_tested else 0,
            with_all=sorted(everybody, key=lambda name: everybody[name], reverse=is_high_best),
        )


def recovery(run: DryRun, planted: list[str]) -> list[Recovery] | None:
    """Read from the copy's report whether the planted order was found; None while there is no
    report."""
    report = runs.latest_run(run.campaign)
    if report is None:
        return None
    found = runs.found_by(report)
    rows = (Recovery.of(row, found, planted) for row in criterion_rows(found) if row.averaged)
    return [row for row in rows if row]
