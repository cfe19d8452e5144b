"""Do systems differ? Every pair on every criterion by several tests, and letters that join systems
without a significant difference."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import comb, nan

import numpy as np

from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import (
    coefficient,
    format_count,
    format_list,
    format_signed,
    interval_text,
    is_defined,
    p_alone,
)
from analysis.reports.rows import TestedResult, row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.about import run_facts
from analysis.sections.metrics.columns import SystemScores, rated_outputs
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.campaigns.hypotheses import Hypotheses
from quaestor_stats._design import Design
from quaestor_stats._letters import letters
from quaestor_stats._multiplicity import benjamini_hochberg, holm
from quaestor_stats._paired_tests import smallest_p
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._system_differences import (
    CONTRAST,
    PERMUTATION,
    SystemDifference,
    system_differences,
)
from quaestor_stats._system_pairs import DIFFERENCE, swaps_for, tests_of_pair

SURE = 0.05
TEST_NAMES = {
    PERMUTATION: "paired permutation test",
    CONTRAST: "contrast within sources, adjusted for annotators",
}
MIN_ANNOTATORS = 5  # random annotators below which few differences are found
TESTS = 5  # of each pair: difference, contrast, Wilcoxon, t and Cliff's delta


@table_row
class SystemPair:
    """Two systems on one criterion under one test."""

    criterion: str = row_field("key of the criterion")
    test: str = row_field(
        "difference (within sources, the test that compares the systems), contrast (the same by "
        "Student's t, which has the difference's p unless this is the permutation's), wilcoxon "
        "(signed ranks over sources), t_as_published (two-sample t of question means, which takes "
        "questions on one source as independent) or cliffs_delta (an effect, no test)"
    )
    first: str = row_field("one system")
    second: str = row_field("the other")
    p_from: str = row_field(
        "where the p of the difference comes from: permutation (systems are swapped source by "
        "source) or contrast (adjusted for annotators); empty for the other tests"
    )
    estimate: TestedResult = row_field(
        "the difference of means, first minus second; for Cliff's delta the delta"
    )
    floor: float = row_field(
        "the smallest p that the permutation test can reach with these sources after Holm's "
        "correction; empty for the others"
    )
    p_holm: float = row_field(
        "p after Holm's correction over the pairs of this criterion and test, and of the criteria "
        "that the plan corrects together with it"
    )
    p_bh: float = row_field("p after Benjamini and Hochberg's correction over the same pairs")

    def reversed(self) -> "SystemPair":
        """Return the pair as the second system minus the first."""
        return replace(
            self, first=self.second, second=self.first, estimate=negate_difference(self.estimate)
        )


@table_row
class SystemLetters:
    """The letters of one system on one criterion: systems with one in common do not differ
    significantly."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    letters: str = row_field(
        "its letters, a for the best; empty where a pair of systems has no test"
    )
    test: str = row_field("the tests that compare the systems: permutation, contrast, or both")
    correction: str = row_field("correction over the pairs of the criterion")
    corrected_with: list[str] = row_field("the other criteria whose pairs the correction includes")
    level: float = row_field("level of the test after correction")
    reason: str = row_field("why there are no letters")


class SystemComparisons(Section[SystemPair]):
    """Every pair of systems under every test.

    A contrast within sources compares the systems; its p comes from swapping the systems source by
    source where annotators are fixed and the same ones rated both systems on each source. The
    two-sample t of question means is there for papers that print it: it takes questions on one
    source as independent.
    """

    key = "system_comparisons"
    listed = True
    title = "System comparisons"
    identity = ("criterion", "test", "first", "second")
    by_reading = True
    note = (
        "All pairs of systems; p with Holm's correction over the pairs of a criterion, or of the criteria that the "
        "plan corrects together. The letters in the table of "
        "systems come from the test whose p is bold below .05: the difference within sources. The other tests are "
        "given for comparison with published results; they treat annotators as fixed and equally allocated, and the "
        "two-sample t test treats the questions of two systems on one source as independent."
    )

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        return {
            system.criterion.key: TESTS * comb(len(system.names), 2)
            for system in inputs.scores_of_systems
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemPair]:
        pairs: dict[str, list[SystemPair]] = {}
        excluded = found.excluded(SystemComparisons)
        for scores in inputs.scores_of_systems:
            key = scores.criterion.key
            if key not in excluded:
                chance.step(f"Comparing systems on {key}")
                pairs[key] = list(_pairs(scores, inputs, chance))
        rows: list[SystemPair] = []
        for family in comparison_families(list(pairs), inputs.declared):
            of_family = [row for key in family for row in pairs[key]]
            for test in dict.fromkeys(row.test for row in of_family):
                rows += _adjusted([row for row in of_family if row.test == test])
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(SystemComparisons)
        table = ReportTable[SystemPair](
            split="criterion",
            where=lambda row: row.test == DIFFERENCE,
            lines=("first", "second"),
            first="Systems",
            name=lambda row: f"{system_name(row.first)} – {system_name(row.second)}",
            under=partial(_caution, found=found),
            columns=_columns(rows),
            caption=lambda rows: _caption(found, rows[0].criterion),
            reasons=lambda rows: _reasons(found, rows),
            folded=True,
        )
        return draw(table, rows, found.names)


def _columns(rows: Sequence[SystemPair]) -> list[ReportColumn[SystemPair]]:
    """Return the columns of a table of pairs; `rows` holds those of the other tests, too."""
    by_test = {(row.criterion, row.first, row.second, row.test): row for row in rows}

    def other(row: SystemPair, test: str) -> SystemPair:
        return by_test[row.criterion, row.first, row.second, test]

    return [
        ReportColumn("difference", _difference_cell),
        ReportColumn("sources", lambda row: Cell(f"{row.estimate.n:,}"), "in common"),
        ReportColumn(
            "p difference", lambda row: Cell(p_alone(row.p_holm), best=differ_significantly(row))
        ),
        ReportColumn("p Wilcoxon", lambda row: Cell(p_alone(other(row, "wilcoxon").p_holm))),
        ReportColumn("Cliff's δ", lambda row: _delta_cell(row, other(row, "cliffs_delta"))),
        ReportColumn(
            "p two-sample t",
            lambda row: Cell(p_alone(other(row, "t_as_published").p_holm)),
            "as published",
        ),
    ]


class Groups(Section[SystemLetters]):
    """Each system's letters on each criterion, best mean first: systems that share one do not differ
    significantly."""

    key = "groups"
    title = "Groups of systems without a significant difference"
    identity = ("criterion", "system")
    by_reading = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemLetters]:
        rows: list[SystemLetters] = []
        excluded = found.excluded(SystemComparisons)
        for system in inputs.scores_of_systems:
            key = system.criterion.key
            if key in excluded:  # no test says who shares a letter
                continue
            pairs, reason = deciding_pairs(found, key), _no_letters_because(found, key)
            given = [""] * len(system.names) if reason else _letters(system, pairs)
            tests = " and ".join(tests_of(pairs))
            together = inputs.declared.corrected_together
            others = [other for other in together if other != key] if key in together else []
            rows += [
                SystemLetters(key, name, own, tests, "holm", others, SURE, reason)
                for name, own in zip(system.names, given, strict=True)
            ]
        return rows


def _letters(scores: SystemScores, pairs: Sequence[SystemPair]) -> list[str]:
    """Return the letters of the systems, of which these are the tested pairs."""
    place = {name: number for number, name in enumerate(scores.names)}
    differ = {(place[row.first], place[row.second]) for row in pairs if differ_significantly(row)}
    return letters(scores.oriented, differ)


def comparison_families(criteria: Sequence[str], declared: Hypotheses) -> Iterator[list[str]]:
    """Yield the criteria by family: those that the plan corrects together, and each other one."""
    together = [key for key in criteria if key in declared.corrected_together]
    if together:
        yield together
    for key in criteria:
        if key not in together:
            yield [key]


def corrected_together(found: Found, criterion: str) -> list[str]:
    """Return the criteria whose pairs Holm's correction takes together with those of a criterion,
    itself included."""
    others = {key for row in found.on(Groups, criterion) for key in row.corrected_with}
    return [key for key in found.names if key == criterion or key in others]


def deciding_pairs(found: Found, criterion: str) -> list[SystemPair]:
    """Return the pairs of systems under the test that compares them on a criterion: letters, bold
    type and sentences come from these alone."""
    return [row for row in found.on(SystemComparisons, criterion) if row.test == DIFFERENCE]


def tests_of(pairs: Sequence[SystemPair]) -> list[str]:
    """Return the tests that the p of these pairs come from: permutation, contrast, or both."""
    tests = {pair.p_from for pair in pairs if is_compared(pair)}
    return [test for test in TEST_NAMES if test in tests]


def contrast_reason(design: Design) -> str:
    """Return why a test of two systems is adjusted for annotators."""
    if design.random_annotators:
        return "annotators are declared random"
    return "different annotators rated the two systems on some sources"


def contrast_reasons(found: Found) -> Iterator[str]:
    """Yield why the test of some pairs of systems is adjusted for annotators."""
    rows = [
        row for row in found.of(SystemComparisons) if row.test == DIFFERENCE and is_compared(row)
    ]
    adjusted = [row for row in rows if row.p_from == CONTRAST]
    if not adjusted:
        return
    are_random = adjusted[0].estimate.method.endswith("and annotators")
    because = contrast_reason(Design(annotators="random" if are_random else "fixed"))
    which = (
        "all pairs"
        if len(adjusted) == len(rows)
        else f"{len(adjusted)} of {format_count(len(rows), 'pair')}"
    )
    yield f"The test of {which} of systems is the {TEST_NAMES[CONTRAST]}, because {because}."
    if are_random and run_facts(found).annotators < MIN_ANNOTATORS:
        yield (
            f"With fewer than {MIN_ANNOTATORS} random annotators (here {run_facts(found).annotators}) "
            "few differences are found significant."
        )


def negate_difference(difference: Result) -> Result:
    """Return a difference with the other sign."""
    return replace(
        difference,
        value=-difference.value,
        ci=ConfidenceInterval(-difference.ci.high, -difference.ci.low),
        statistic=-difference.statistic,
    )


def differ_significantly(pair: SystemPair) -> bool:
    """Return whether two systems differ significantly after Holm's correction."""
    return pair.p_holm < SURE


def is_compared(pair: SystemPair) -> bool:
    """Return whether the test that compares the systems has a result for this pair."""
    return is_defined(pair.p_holm)


def not_compared_because(pair: SystemPair) -> str:
    """Return why no test compares a pair of systems."""
    if pair.estimate.n > 1:
        return pair.estimate.reason
    return "no common source" if pair.estimate.n == 0 else "only one common source"


def no_letters_because(found: Found, criterion: str) -> str:
    """Return why the systems have no letters on a criterion; empty where they have some."""
    return next((row.reason for row in found.on(Groups, criterion)), "")


def untested_because(found: Found, criterion: str) -> str:
    """Return why no test compares any two systems on a criterion; empty if one compares some."""
    if any(map(is_compared, deciding_pairs(found, criterion))):
        return ""
    return no_letters_because(found, criterion)


def _no_letters_because(found: Found, criterion: str) -> str:
    """Return why letters would say something untrue of a pair on a criterion: a letter in common
    says that two systems do not differ significantly, and none that they do."""
    pairs = deciding_pairs(found, criterion)
    without = [row for row in pairs if not is_compared(row)]
    if not without:
        return ""
    reasons = format_list(list(dict.fromkeys(map(not_compared_because, without))))
    if len(without) == len(pairs):
        return f"the systems are not compared: {reasons}"
    if len(without) == 1:
        both = format_list([system_name(name) for name in (without[0].first, without[0].second)])
        return f"no letters, because {both} are not compared: {reasons}"
    return f"no letters, because {format_count(len(without), 'pair')} of systems are not compared: {reasons}"


def named_tests(found: Found, criterion: str) -> str:
    """Return the name of the tests that compare the systems on a criterion; empty without any."""
    unit = run_facts(found).unit.plural
    tests = tests_of(deciding_pairs(found, criterion))
    return format_list([f"{TEST_NAMES[test]} over {unit}" for test in tests])


def _caption(found: Found, criterion: str) -> str:
    tests = named_tests(found, criterion)
    if not tests:
        return ""
    source = "p in bold comes" if no_letters_because(found, criterion) else "The letters come"
    return f"{source} from the {tests}."


def _reasons(found: Found, rows: Sequence[SystemPair]) -> list[str]:
    """Return why numbers of one criterion are undefined, and why it has no letters."""
    reasons = {row.estimate.reason for row in rows if not row.estimate.defined}
    return sorted(reasons | {no_letters_because(found, rows[0].criterion)} - {""})


def _caution(row: SystemPair, found: Found) -> str:
    """Return why a pair is not compared, or how few sources carry its difference."""
    if not is_compared(row):
        return f"not compared: {not_compared_because(row)}"
    for few in found.documents.get("few_sources", []):
        if (few["criterion"], few["first"], few["second"]) == (
            row.criterion,
            row.first,
            row.second,
        ):
            return f"{few['carried_by']} of {few['units']:,} carry it"
    return ""


def _difference_cell(row: SystemPair) -> Cell:
    query = ItemQuery(sort="loss", criterion=row.criterion, system=row.first, against=row.second)
    return Cell(
        format_signed(row.estimate.value),
        interval_text(row.estimate),
        items=query if row.first and row.second else None,
    )


def _delta_cell(row: SystemPair, delta: SystemPair) -> Cell:
    """Return Cliff's delta. Its interval takes annotators as fixed and equally allocated."""
    interval = interval_text(delta.estimate, coefficient) if row.p_from == PERMUTATION else ""
    return Cell(coefficient(delta.estimate.value), interval)


def differences_of(
    scores: SystemScores, inputs: Inputs, *, rng: np.random.Generator, resamples: int
) -> dict[tuple[str, str], SystemDifference]:
    """Return the tested difference of every pair of systems on a criterion."""
    rated = rated_outputs(inputs.counted, scores.criterion, scores.names)
    pairs = comb(len(scores.names), 2)
    swaps = swaps_for(pairs, scores.table.shape[1], resamples)
    tested = system_differences(rated, design=inputs.design, rng=rng, resamples=swaps)
    return {(str(first), str(second)): found for (first, second), found in tested.items()}


def _pairs(scores: SystemScores, inputs: Inputs, chance: Chance) -> Iterator[SystemPair]:
    differences = differences_of(scores, inputs, rng=chance.rng, resamples=chance.resamples)
    swaps = swaps_for(len(differences), scores.table.shape[1], chance.resamples)
    for first, second in combinations(range(len(scores.names)), 2):
        difference = differences[scores.names[first], scores.names[second]]
        is_tested = is_defined(difference.pvalue)
        floor = nan
        if difference.is_exact and is_tested:
            floor = smallest_p(difference.clusters or difference.n, resamples=swaps)
        tests = tests_of_pair(
            difference,
            scores.table[[first, second]],
            [scores.questions[first], scores.questions[second]],
            clusters=scores.clusters,
            unit=scores.unit,
        )
        for test, estimate in tests:
            decides = test == DIFFERENCE
            yield SystemPair(
                criterion=scores.criterion.key,
                test=test,
                first=scores.names[first],
                second=scores.names[second],
                p_from=difference.test if decides and is_tested else "",
                estimate=estimate,
                floor=floor if decides else nan,
                p_holm=nan,
                p_bh=nan,
            )


def _adjusted(rows: Sequence[SystemPair]) -> list[SystemPair]:
    p = np.array([row.estimate.pvalue for row in rows])
    tested = int(np.sum(~np.isnan(p)))
    return [
        replace(row, floor=min(tested * row.floor, 1.0), p_holm=float(of_holm), p_bh=float(of_bh))
        for row, of_holm, of_bh in zip(rows, holm(p), benjamini_hochberg(p), strict=True)
    ]
