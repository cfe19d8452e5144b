"""Changes in the results from excluding annotators."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from analysis.frames import Material, with_adjudicated
from analysis.reports.cells import estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.agreement.agreement import alpha_of
from analysis.sections.rule_application import read_as
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.systems import declared_means
from quaestor_stats._result import Result

DATA: dict[str, str] = {
    "all": "Over all data",
    "after exclusions": "Without excluded annotators",
}


@table_row
class ExclusionRow:
    """A core number over all data, or after exclusions."""

    data: Literal["all", "after exclusions"] = row_field('"all", or "after exclusions"')
    measure: Literal["krippendorff_alpha", "mean"] = row_field(
        "krippendorff_alpha (of what annotators said) or mean"
    )
    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system; empty for alpha")
    estimate: Result = row_field("the number")


class Exclusions(Section[ExclusionRow]):
    """Agreement and the systems' means with and without excluded annotators; empty if none is
    excluded."""

    key = "exclusions"
    listed = True
    title = "Results with and without excluded annotators"
    identity = ("data", "measure", "criterion", "system")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ExclusionRow]:
        if inputs.other is None:
            return []
        everything, kept = inputs.other, inputs.said
        if inputs.settings["with_excluded"]:
            everything, kept = kept, everything
        reading = inputs.settings["reading"]
        return [
            row
            for data, said in (("all", everything), ("after exclusions", kept))
            for row in _rows(
                data,  # type: ignore[arg-type]
                replace(inputs, said=said, counted=read_as(_with(said, inputs), reading)),
            )
        ]

    def tables(self, found: Found) -> list[PageTable]:
        def cell(row: ExclusionRow) -> Cell:
            return estimate_cell(row.estimate, or_dash if row.measure == "mean" else coefficient)

        table = ReportTable[ExclusionRow](
            split="data",
            title=lambda rows: DATA[rows[0].data],
            lines=("measure", "system"),
            first="System",
            name=lambda row: system_name(row.system) if row.measure == "mean" else "α",
            columns=Pivot("criterion", cell),
        )
        rows = sorted(found.of(Exclusions), key=lambda row: list(DATA).index(row.data))
        return draw(table, rows, found.names)


def _with(said: Material, inputs: Inputs) -> Material:
    """Return the ratings behind the systems' means, with adjudicated ones if the run uses them."""
    return with_adjudicated(said) if inputs.settings.get("adjudicated") else said


def _rows(data: Literal["all", "after exclusions"], inputs: Inputs) -> Iterator[ExclusionRow]:
    for criterion in inputs.said.protocol.criteria:
        alpha = alpha_of(inputs.said, criterion)
        yield ExclusionRow(data, "krippendorff_alpha", criterion.key, "", alpha)
    for row in declared_means(inputs):
        yield ExclusionRow(data, "mean", row.criterion, row.system, row.mean)
