"""Consistency of an LLM judge: repeated judgments, and the effect of a question's position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.reports.cells import difference_cell, estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, with_interval
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.agreement.agreement import level_of
from analysis.sections.llm_judges.alternative_annotator_test import level_for
from analysis.sections.llm_judges.judge_descriptions import (
    Judged,
    judged_criteria,
    repeated_answers,
)
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import negate_difference
from judging.base.percentages import percent
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._inputs import FloatArray
from quaestor_stats._llm_judges import compare_positions
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result, undefined_result

if TYPE_CHECKING:
    import pandas as pd

NO_ORDER = "the values have no order: none is higher"


@table_row
class JudgeConsistencyRow:
    """One judge on one criterion, asked about the same questions again."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    items: int = row_field("units that it was asked about twice or more")
    times: int = row_field("largest number of times that it was asked about a unit")
    same: Result = row_field(
        "share of pairs of its answers to a unit that are equal", prefix="same_"
    )
    alpha: Result = row_field(
        "Krippendorff's alpha with its repeated judgments as raters", prefix="alpha_"
    )
    moved: int = row_field(
        "units shown at two or more positions among the questions shown together"
    )
    same_still: Result = row_field(
        "share of equal answers to a unit shown at the same position both times",
        prefix="same_still_",
    )
    same_moved: Result = row_field(
        "share of equal answers to a unit shown at another position the second time",
        prefix="same_moved_",
    )
    earlier: Result = row_field(
        "its value of a unit at the earlier position minus that at the later one, sign-aligned so "
        "that above 0 it favours the earlier position",
        prefix="earlier_",
    )


class JudgeConsistency(Section[JudgeConsistencyRow]):
    """Agreement of a judge with itself, over repetitions and over the order of systems."""

    key = "judge_consistency"
    title = "LLM judge consistency"
    identity = ("criterion", "judge")
    note = (
        "A judge that was asked twice or more about a question is compared with itself. If its table contains the "
        "positions of the questions shown together, answers at different positions are compared too: the value at "
        "the earlier position minus the value at the later one is its bias towards the earlier. Intervals are "
        "jackknives over sources. A judge at temperature 0 may still differ between calls."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[JudgeConsistencyRow]:
        return [
            row
            for judged in judged_criteria(inputs.said)
            for name in judged.answers["judge"].unique()
            if (row := _row(judged, str(name)))
        ]

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[JudgeConsistencyRow](
            split="criterion",
            lines="judge",
            under=_sample,
            chip=lambda row: "LLM judge",
            columns=[
                ReportColumn("The same again", lambda row: _share(row.same)),
                ReportColumn(
                    "α with itself",
                    lambda row: estimate_cell(row.alpha, coefficient, with_n=False),
                ),
                ReportColumn("At the same place", lambda row: _share(row.same_still)),
                ReportColumn("At another place", lambda row: _share(row.same_moved)),
                ReportColumn("Earlier", lambda row: difference_cell(row.earlier)),
            ],
        )
        return draw(table, found.of(JudgeConsistency), found.names)

    def sentences(self, found: Found) -> Iterator[str]:
        for row in found.of(JudgeConsistency):
            if row.earlier.ci.low > 0 or row.earlier.ci.high < 0:
                name, first = found.name_of(row.criterion), row.earlier.ci.low > 0
                which, gap = "earlier" if first else "later", row.earlier
                by = with_interval(gap if first else negate_difference(gap))
                yield f"{name}: {row.judge} is kinder to a question that stands {which}, by {by}."


def _row(judged: Judged, name: str) -> JudgeConsistencyRow | None:
    """Return a judge's row, or None if it judged no unit twice."""
    answers = repeated_answers(judged, name)
    values = answers.pivot(index="unit", columns="time", values="value")
    if values.shape[1] < 2:
        return None
    places = answers.pivot(index="unit", columns="time", values="place").reindex_like(values)
    clusters = judged.clusters_of(values.index)
    interval = Jackknife(unit=judged.unit)
    table = _floats(values)
    moves = compare_positions(table, _floats(places), sources=clusters, unit=judged.unit)
    return JudgeConsistencyRow(
        criterion=judged.criterion.key,
        judge=name,
        items=int((values.notna().sum(axis=1) > 1).sum()),
        times=values.shape[1],
        same=percent_agreement(
            table, scale=judged.criterion.values(), clusters=clusters, interval=interval
        ),
        alpha=krippendorff_alpha(
            table, level=level_of(judged.criterion), clusters=clusters, interval=interval
        ),
        moved=moves.items,
        same_still=moves.same_still,
        same_moved=moves.same_moved,
        earlier=_earlier(moves.earlier, judged.criterion),
    )


def _earlier(bias: Result, criterion: ProtocolCriterion) -> Result:
    """Return the bias towards the earlier position, above 0 if it favours the earlier."""
    if level_for(criterion) != "ordinal":
        return undefined_result(bias.method, NO_ORDER)
    return bias if criterion.best != "lowest" else negate_difference(bias)


def _floats(table: pd.DataFrame) -> FloatArray:
    return table.to_numpy("float64")


def _sample(row: JudgeConsistencyRow) -> str:
    """Return in words what a judge was asked again."""
    moved = f", {row.moved:,} at several places" if row.moved else ""
    return f"{row.items:,} items, up to {row.times} times{moved}"


def _share(share: Result) -> Cell:
    return estimate_cell(share, percent, with_n=False)
