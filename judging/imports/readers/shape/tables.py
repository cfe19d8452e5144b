"""Tables made from another table, with other columns or other rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import WHOLE_FILE, Problem
from judging.imports.readers.tables import AnyTable, OpenTable, Row

Propose = Callable[[AnyTable], ColumnRoles]
SHEET_NAMES = ("sheet", "name of the sheet")  # of the column that names the sheet of a workbook
USUAL_SHARE = (
    0.9  # of the cells of a column that are not blank: one odd cell in twenty decides nothing
)


def remark(reason: str, column: str = "") -> Problem:
    """Return the remark about a step that was applied to the whole file."""
    return Problem(row=WHOLE_FILE, column=column, value="", reason=reason, kind="warning")


def replaced(
    table: AnyTable,
    rows: Iterable[Row | Problem],
    *,
    header: Sequence[str] | None = None,
    remarks: Iterable[Problem] = (),
    percentages: Iterable[str] = (),
) -> OpenTable:
    """Return a table of these rows, made from those of `table`, with its problems.

    Problems that come while the rows do, and those that `table` has by then, are behind the last
    row.
    """
    known = len(table.problems)
    refused = [problem for problem in table.problems if problem.kind == "row"]
    told = [problem for problem in table.problems if problem.kind != "row"]

    def results() -> Iterator[Row | Problem]:
        yield from rows
        yield from refused
        yield from table.problems[known:]

    return OpenTable(
        tuple(table.header if header is None else header),
        results(),
        remarks=[*remarks, *told],
        delimiter=table.delimiter,
        quoted=table.quoted,
        headed=table.headed,
        percentages={*table.percentages, *percentages},
    )


def usual_values(table: AnyTable, place: int) -> list[str]:
    """Return the cells of a column in the first rows that are not blank."""
    return [cell for row in table.sample() if (cell := row.cells[place].strip())]


def unused_name(name: str, header: Sequence[str]) -> str:
    """Return the name, with an underscore after it if a column already has it."""
    while name in header:
        name += "_"
    return name


def shown(text: str) -> str:
    """Return the beginning of a value in quotation marks."""
    plain = " ".join(text.split())
    return f"“{plain[:57]}…”" if len(plain) > 60 else f"“{plain}”"
