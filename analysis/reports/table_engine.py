"""The engine of page tables: a section declares a `ReportTable`, and `draw` makes it of typed rows.

Rows with equal values of the fields `split` make a table. Its columns are either named one by one,
each with the cell that it makes of a row: then every row is a line, named by its fields `lines`. Or
they are a `Pivot`, a column for each value of a field: then rows with equal values of `lines` make a
line. Tables, lines and columns come in the order of the rows, criteria in the order of the protocol.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.system_names import system_name

R = TypeVar("R")
T = TypeVar("T")
Fields: TypeAlias = str | tuple[str, ...]  # names of a row's fields
Names: TypeAlias = Mapping[str, str]  # of the criteria by key, in the protocol's order
MISSING = Cell("–")


@dataclass(frozen=True)
class ReportColumn(Generic[R]):
    """A column with its head, the cell that it makes of a row, and a note below the head."""

    head: str
    cell: Callable[[R], Cell]
    note: str = ""


@dataclass(frozen=True)
class Pivot(Generic[R]):
    """A column for each value of a field, with the cell that it makes of the row of line and column.

    `head` and `note` are made of a column's first row, `order` is the key that columns are sorted by.
    """

    fields: Fields
    cell: Callable[[R], Cell]
    missing: Cell = MISSING
    head: Callable[[R], str] | None = None  # without it: the names of the fields' values
    note: Callable[[R], str] = lambda row: ""
    order: Callable[[R], Any] | None = None


Columns: TypeAlias = Sequence[ReportColumn[R]] | Pivot[R]


@dataclass(frozen=True, kw_only=True)
class ReportTable(Generic[R]):
    """A table, or one for each value of the fields `split`.

    Texts of a table may be made of its rows, those of a line are made of its first row.
    """

    columns: Columns[R] | Callable[[Sequence[R]], Columns[R]]
    lines: Fields = ()
    split: Fields = ()
    where: Callable[[R], bool] = lambda row: True  # the rows that have a line
    title: str | Callable[[Sequence[R]], str] = ""  # without it: the names of the values of `split`
    first: str | Callable[[Sequence[R]], str] = ""  # without it: the field of the lines
    name: Callable[[R], str] | None = None  # without it: the names of the values of `lines`
    under: Callable[[R], str] = lambda row: ""
    chip: Callable[[R], str] = lambda row: ""
    # heading and words of the last column
    last: tuple[str, Callable[[R], str]] = ("", lambda row: "")
    caption: str | Callable[[Sequence[R]], str] = ""
    reasons: Callable[[Sequence[R]], Iterable[str]] = lambda rows: ()
    folded: bool | Callable[[Sequence[R]], bool] = False
    heat: bool = False
    words: bool = False


def draw(table: ReportTable[R], rows: Iterable[R], names: Names) -> list[PageTable]:
    """Return the tables that a declaration makes of rows: none without rows. `names`: of the
    criteria."""
    groups = _grouped(rows, table.split, names)
    return [_page_table(table, group, names) for group in groups]


def _page_table(table: ReportTable[R], rows: Sequence[R], names: Names) -> PageTable:
    columns, firsts = _columns_and_lines(table, rows, names)
    notes = [column.note for column in columns]
    return PageTable(
        title=_of_rows(table.title, rows) or _named(rows[0], table.split, names),
        columns=[column.head for column in columns],
        lines=[_line(table, row, columns, names) for row in firsts],
        first=_of_rows(table.first, rows) or _tuple(table.lines)[0].capitalize(),
        last=table.last[0],
        notes=notes if any(notes) else [],
        caption=_of_rows(table.caption, rows),
        reasons=list(table.reasons(rows)),
        folded=_of_rows(table.folded, rows),
        heat=table.heat,
        words=table.words,
    )


def _columns_and_lines(
    table: ReportTable[R], rows: Sequence[R], names: Names
) -> tuple[Sequence[ReportColumn[R]], list[R]]:
    """Return the columns of a table, and the row that each line is made of."""
    shown = [row for row in rows if table.where(row)]
    columns = table.columns(rows) if callable(table.columns) else table.columns
    if not isinstance(columns, Pivot):
        return columns, shown
    lines = _grouped(shown, table.lines, names)
    return _pivoted(columns, shown, table.lines, names), [line[0] for line in lines]


def _line(table: ReportTable[R], row: R, columns: Sequence[ReportColumn[R]], names: Names) -> Line:
    return Line(
        name=table.name(row) if table.name else _named(row, table.lines, names),
        cells=[column.cell(row) for column in columns],
        last=table.last[1](row),
        chip=table.chip(row),
        under=table.under(row),
    )


def _pivoted(
    pivot: Pivot[R], rows: Sequence[R], lines: Fields, names: Names
) -> list[ReportColumn[R]]:
    """Return the columns of a pivot; each finds the row of its cell by the first row of a line."""
    by_place = {(_values(row, lines), _values(row, pivot.fields)): row for row in rows}
    firsts = [group[0] for group in _grouped(rows, pivot.fields, names)]
    if pivot.order:
        firsts.sort(key=pivot.order)

    def column(first: R) -> ReportColumn[R]:
        values = _values(first, pivot.fields)

        def cell(row: R) -> Cell:
            place = _values(row, lines), values
            return pivot.cell(by_place[place]) if place in by_place else pivot.missing

        head = pivot.head(first) if pivot.head else _named(first, pivot.fields, names)
        return ReportColumn(head, cell, pivot.note(first))

    return [column(first) for first in firsts]


def _grouped(rows: Iterable[R], fields: Fields, names: Names) -> list[list[R]]:
    """Return the rows with equal values of fields together, criteria in the order of their names."""
    groups: dict[tuple[Any, ...], list[R]] = {}
    for row in rows:
        groups.setdefault(_values(row, fields), []).append(row)
    if "criterion" not in _tuple(fields):
        return list(groups.values())
    order = {criterion: place for place, criterion in enumerate(names)}
    at = _tuple(fields).index("criterion")
    return [groups[key] for key in sorted(groups, key=lambda key: order.get(key[at], len(order)))]


def _named(row: object, fields: Fields, names: Names) -> str:
    """Return the values of a row's fields in words: names of criteria and systems."""

    def named(field: str, value: Any) -> str:
        if field == "criterion":
            return names.get(value, value)
        return system_name(value) if field == "system" else str(value)

    return ": ".join(map(named, _tuple(fields), _values(row, fields)))


def _values(row: object, fields: Fields) -> tuple[Any, ...]:
    return tuple(getattr(row, field) for field in _tuple(fields))


def _tuple(fields: Fields) -> tuple[str, ...]:
    return (fields,) if isinstance(fields, str) else fields


def _of_rows(value: T | Callable[[Sequence[R]], T], rows: Sequence[R]) -> T:
    return value(rows) if callable(value) else value
