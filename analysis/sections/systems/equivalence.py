"""Equivalence of systems within the margin that the plan declared."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    format_p,
    format_short_list,
    format_signed,
    inside_sentence,
    is_defined,
    p_alone,
    two,
)
from analysis.reports.rows import row_field, table_row
from analysis.sections.criteria import criterion_rows
from analysis.sections.metrics.columns import averaged_criteria
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import (
    SURE,
    SystemPair,
    comparison_families,
    deciding_pairs,
)
from judging.campaigns.hypotheses import NON_INFERIOR, Hypotheses, Margin
from quaestor_stats._equivalence import Equivalence, two_one_sided
from quaestor_stats._multiplicity import holm


@table_row
class EquivalenceRow:
    """Two one-sided tests of the difference of two systems on one criterion."""

    criterion: str = row_field("key of the criterion")
    first: str = row_field("one system")
    second: str = row_field("the other")
    margin: float = row_field("declared margin of the criterion, in scale points")
    margin_reason: str = row_field("declared reason for it")
    test: str = row_field(
        "permutation or contrast, which compares the systems; the interval of the difference gives "
        "the standard error and degrees of freedom"
    )
    value: float = row_field("difference of the means, first minus second")
    low: float = row_field("lower end of its 90% interval")
    high: float = row_field("upper end of its 90% interval")
    df: float = row_field("degrees of freedom")
    p_lower: float = row_field("p of the test that the difference is above minus the margin")
    p_upper: float = row_field("p of the test that the difference is below the margin")
    p: float = row_field("the larger of both, not corrected")
    p_holm: float = row_field(
        "p after Holm's correction over the tested pairs of the criterion, and of the criteria "
        "that the plan corrects together with it"
    )
    equivalent: bool = row_field("whether p_holm is below .05")
    reason: str = row_field("why there is no test")


class Equivalences(Section[EquivalenceRow]):
    """Two one-sided tests on each criterion with a margin: of the pairs of systems that a primary
    hypothesis compares there, else of all pairs."""

    key = "equivalence"
    title = "Equivalence of systems"
    identity = ("criterion", "first", "second")
    by_reading = True
    note = (
        "Two one-sided tests within the margin that the plan declares, by the standard error of the test that compares "
        "the systems. p is the larger of both, with Holm's correction over the pairs of a criterion, bold below .05."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[EquivalenceRow]:
        tested = {
            criterion.key: list(_asked_pairs(found, criterion.key, inputs.declared))
            for criterion in averaged_criteria(inputs.counted)
            if criterion.key in inputs.declared.margins
        }
        rows: list[EquivalenceRow] = []
        for family in comparison_families(list(tested), inputs.declared):
            pairs = [pair for key in family for pair in tested[key]]
            rows += _rows(pairs, inputs.declared.margins)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        tables = []
        for criterion in criterion_rows(found):
            rows = found.on(Equivalences, criterion.criterion)
            if rows:
                tables.append(
                    PageTable(
                        criterion.name,
                        ["difference", "p above −margin", "p below margin", "p"],
                        [_line(row) for row in rows],
                        first="Systems",
                        notes=["90% CI", "", "", "Holm"],
                        caption=_margin(rows[0]),
                        reasons=sorted({row.reason for row in rows} - {""}),
                        folded=True,
                    )
                )
        return tables

    def sentences(self, found: Found) -> Iterator[str]:
        for criterion in criterion_rows(found):
            rows = found.on(Equivalences, criterion.criterion)
            if rows:
                yield f"On {inside_sentence(criterion.name)}, {'; '.join(_results(rows))}."


def tested_pairs(found: Found, criterion: str) -> frozenset[frozenset[str]]:
    """Return the pairs of systems whose equivalence was tested on a criterion."""
    rows = found.on(Equivalences, criterion)
    return frozenset(frozenset((row.first, row.second)) for row in rows if not row.reason)


def _asked_pairs(found: Found, criterion: str, declared: Hypotheses) -> Iterator[SystemPair]:
    """Yield the pairs to test on a criterion: those that its primary hypotheses compare, if they
    compare systems; else all."""
    primary = [
        hypothesis
        for hypothesis in declared.primary
        if hypothesis.criterion == criterion and hypothesis.is_about_systems
    ]
    asked = [
        {hypothesis.first, hypothesis.second}
        for hypothesis in primary
        if hypothesis.direction != NON_INFERIOR  # whose own test uses the margin
    ]
    for pair in deciding_pairs(found, criterion):
        if not primary or {pair.first, pair.second} in asked:
            yield pair


def _rows(pairs: Sequence[SystemPair], margins: Mapping[str, Margin]) -> Iterator[EquivalenceRow]:
    tests = [two_one_sided(pair.estimate, margin=margins[pair.criterion].points) for pair in pairs]
    adjusted = holm(np.array([_p(test) for test in tests]))
    for pair, each, p_holm in zip(pairs, tests, adjusted, strict=True):
        yield EquivalenceRow(
            criterion=pair.criterion,
            first=pair.first,
            second=pair.second,
            margin=margins[pair.criterion].points,
            margin_reason=margins[pair.criterion].reason,
            test=pair.p_from,
            value=each.value,
            low=each.low,
            high=each.high,
            df=each.df,
            p_lower=each.p_lower,
            p_upper=each.p_upper,
            p=_p(each),
            p_holm=float(p_holm),
            equivalent=bool(p_holm < SURE),
            reason=each.reason,
        )


def _p(test: Equivalence) -> float:
    return nan if test.reason else test.p


def _interval(row: EquivalenceRow) -> str:
    return f"[{two(row.low)}, {two(row.high)}]" if is_defined(row.low) else ""


def _margin(row: EquivalenceRow) -> str:
    return f"Margin: {row.margin:g} scale points. Reason: {row.margin_reason.rstrip('.')}."


def _line(row: EquivalenceRow) -> Line:
    return Line(
        f"{row.first} – {row.second}",
        [
            Cell(format_signed(row.value), _interval(row)),
            Cell(p_alone(row.p_lower)),
            Cell(p_alone(row.p_upper)),
            Cell(p_alone(row.p_holm), best=row.equivalent),
        ],
    )


def _results(rows: Sequence[EquivalenceRow]) -> Iterator[str]:
    """Yield which pairs of systems are equivalent and which are not shown to be, with their numbers,
    and why some have no test."""
    within = f"within ±{rows[0].margin:g} scale points"
    tested = [row for row in rows if not row.reason]
    shown = [_pair(row) for row in tested if row.equivalent]
    others = [_pair(row) for row in tested if not row.equivalent]
    if shown:
        yield f"equivalent {within}: {format_short_list(shown)}"
    if others:
        yield f"not shown to be equivalent {within}: {format_short_list(others)}"
    for reason in dict.fromkeys(row.reason for row in rows if row.reason):
        without = [f"“{row.first}” and “{row.second}”" for row in rows if row.reason == reason]
        yield f"no equivalence test of {format_short_list(without)}: {reason}"


def _pair(row: EquivalenceRow) -> str:
    """Return two systems with the result of their test."""
    return (
        f"“{row.first}” and “{row.second}” (difference {format_signed(row.value)}, 90% CI {_interval(row)}, "
        f"{format_p(row.p_holm)})"
    )
