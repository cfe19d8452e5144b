"""Significant differences of systems that few sources carry: one rare failure more or less may end
them, and no test of so few sources can know of it."""

from collections.abc import Iterator

from analysis.reports.rows import row_field, table_row
from analysis.sections.about import run_facts
from analysis.sections.metrics.columns import SystemScores
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import (
    SURE,
    SystemPair,
    corrected_together,
    deciding_pairs,
    differ_significantly,
    is_compared,
)
from quaestor_stats._paired_tests import smallest_p, sources_carrying
from quaestor_stats._system_differences import PERMUTATION
from quaestor_stats._system_pairs import swaps_for

MAX_CARRYING = 3


@table_row
class FewSourcesRow:
    """A significant difference of two systems that is not significant without a few sources."""

    criterion: str = row_field("key of the criterion")
    first: str = row_field("one system")
    second: str = row_field("the other")
    p_holm: float = row_field("p of the paired permutation test after Holm's correction")
    carried_by: int = row_field(
        "the smallest number of sources, or clusters of them, without which the difference is no "
        "longer significant; the sources that contribute most to it are excluded first"
    )
    units: int = row_field("sources, or clusters of them, that both systems were judged on")


class FewSources(Section[FewSourcesRow]):
    """Pairs of systems whose significant difference at most three sources carry."""

    key = "few_sources"
    title = "Differences that depend on few sources"
    identity = ("criterion", "first", "second")
    by_reading = True
    note = (
        "These differences are significant (paired permutation test, Holm's correction) but lose "
        f"significance without the {MAX_CARRYING} or fewer sources that contribute most to them. If a "
        "system fails rarely, a study of few sources can contain too many or too few of its failures."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[FewSourcesRow]:
        return [row for scores in inputs.scores_of_systems for row in _rows(scores, found, chance)]

    def caveats(self, found: Found) -> Iterator[str]:
        rows = found.of(FewSources)
        if not rows:
            return
        unit = run_facts(found).unit
        depend = "difference depends" if len(rows) == 1 else "differences depend"
        yield (
            f"Caution: {len(rows):,} significant {depend} on {MAX_CARRYING} {unit.plural} or fewer "
            "and would not be significant without them."
        )


def _rows(scores: SystemScores, found: Found, chance: Chance) -> Iterator[FewSourcesRow]:
    """Yield the significant differences on one criterion that few sources carry."""
    pairs = deciding_pairs(found, scores.criterion.key)
    swaps = swaps_for(len(pairs), scores.table.shape[1], chance.resamples)
    family = corrected_together(found, scores.criterion.key)
    compared = sum(is_compared(pair) for key in family for pair in deciding_pairs(found, key))
    for pair in (
        pair for pair in pairs if pair.p_from == PERMUTATION and differ_significantly(pair)
    ):
        carried_by = _carried_by(pair, scores, chance, swaps)
        units = pair.estimate.clusters or pair.estimate.n
        # fewer sources may permit no significant difference, whatever they say
        floor = smallest_p(units - MAX_CARRYING, pairs=compared, resamples=swaps)
        if carried_by is not None and floor < SURE:
            yield FewSourcesRow(
                pair.criterion, pair.first, pair.second, pair.p_holm, carried_by, units
            )


def _carried_by(pair: SystemPair, scores: SystemScores, chance: Chance, swaps: int) -> int | None:
    """Return the number of sources that carry a difference; None if they are not few."""
    return sources_carrying(
        scores.table[scores.names.index(pair.first)],
        scores.table[scores.names.index(pair.second)],
        rng=chance.rng,
        level=SURE * pair.estimate.pvalue / pair.p_holm,
        at_most=MAX_CARRYING,
        clusters=None if scores.unit.is_source else scores.clusters,
        resamples=swaps,
    )
