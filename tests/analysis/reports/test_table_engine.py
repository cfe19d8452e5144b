"""Tables of typed rows as sections declare them."""

from dataclasses import dataclass, replace

from analysis.reports.layout import Cell, PageTable
from analysis.reports.table_engine import Pivot, ReportColumn, ReportTable, draw

NAMES = {"fluency": "Fluency", "clarity": "Clarity"}


@dataclass(frozen=True)
class Mean:
    criterion: str
    system: str
    mean: float
    reason: str = ""


ROWS = [
    Mean("clarity", "Alba", 2.5),
    Mean("fluency", "Brisa", 1.5),
    Mean("fluency", "Alba", 3.0),
]
PIVOT = ReportTable[Mean](
    title="Means",
    lines="system",
    columns=Pivot("criterion", lambda row: Cell(f"{row.mean}")),
)


def written(table: PageTable) -> dict[str, list[str]]:
    return {line.name: [cell.text for cell in line.cells] for line in table.lines}


def test_draw_pivot_has_criteria_in_order_of_protocol_and_dash_where_no_row_is() -> None:
    (table,) = draw(PIVOT, ROWS, NAMES)
    assert (table.title, table.first, table.columns) == ("Means", "System", ["Fluency", "Clarity"])
    assert written(table) == {"Alba": ["3.0", "2.5"], "Brisa": ["1.5", "–"]}


def test_draw_pivot_with_order_sorts_columns() -> None:
    turned = ReportTable[Mean](
        title="Means",
        lines="criterion",
        columns=Pivot(
            "system", lambda row: Cell(f"{row.mean}"), order=lambda row: -ord(row.system[0])
        ),
    )
    (table,) = draw(turned, ROWS, NAMES)
    assert table.columns == ["Brisa", "Alba"]
    assert written(table) == {"Fluency": ["1.5", "3.0"], "Clarity": ["–", "2.5"]}


def test_draw_split_makes_table_for_each_value_with_text_of_its_rows() -> None:
    declared = ReportTable[Mean](
        split="criterion",
        where=lambda row: not row.reason,
        lines="system",
        columns=[
            ReportColumn("mean", lambda row: Cell(f"{row.mean}"), "of questions"),
            ReportColumn("p", lambda row: Cell("")),
        ],
        caption=lambda rows: f"{len(rows)} systems",
        reasons=lambda rows: [row.reason for row in rows if row.reason],
        last=("Made by", lambda row: row.system.upper()),
    )
    rows = [*ROWS, replace(ROWS[0], system="Corvo", reason="one source")]
    fluency, clarity = draw(declared, rows, NAMES)
    assert (fluency.title, fluency.caption, fluency.reasons) == ("Fluency", "2 systems", [])
    assert (clarity.title, clarity.caption, clarity.reasons) == (
        "Clarity",
        "2 systems",
        ["one source"],
    )
    assert clarity.notes == ["of questions", ""]
    assert [(line.name, line.last) for line in clarity.lines] == [("Alba", "ALBA")]


def test_draw_without_rows_makes_no_table() -> None:
    assert draw(PIVOT, [], NAMES) == []
