"""The engine of page tables: a section declares a `Table`, and `draw` makes it of typed rows.

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
Fields: TypeAlias = str | tuple[str, ...]  # names of a row's fields
Names: TypeAlias = Mapping[str, str]  # of the criteria by key, in the protocol's order
Key: TypeAlias = tuple[Any, ...]  # the values of fields
MISSING = Cell("–")


@dataclass(frozen=True)
class Column(Generic[R]):
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
    note: Callable[[R], str] | None = None
    order: Callable[[R], Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Table(Generic[R]):
    """A table, or one for each value of the fields `split`.

    What is said of a table is a text, or made of its rows; what is said of a line is made of its
    first row.
    """

    lines: Fields
    columns: Sequence[Column[R]] | Pivot[R]
    split: Fields = ()
    where: Callable[[R], bool] | None = None  # the rows that have a line
    title: str | Callable[[Sequence[R]], str] = ""  # without it: the names of the values of `split`
    first: str | Callable[[Sequence[R]], str] = ""  # without it: the field of the lines
    name: Callable[[R], str] | None = None  # without it: the names of the values of `lines`
    under: Callable[[R], str] | None = None
    chip: Callable[[R], str] | None = None
    last: tuple[str, Callable[[R], str]] | None = None  # heading and words of the last column
    caption: str | Callable[[Sequence[R]], str] = ""
    reasons: Callable[[Sequence[R]], Iterable[str]] | None = None
    folded: bool | Callable[[Sequence[R]], bool] = False
    heat: bool = False
    words: bool = False


def draw(table: Table[R], rows: Iterable[R], names: Names) -> list[PageTable]:
    """Return the tables that a declaration makes of rows: none without rows. `names`: of the
    criteria."""
    groups = _grouped(rows, table.split, names)
    return [_page_table(table, group, names) for group in groups.values()]


def _page_table(table: Table[R], rows: Sequence[R], names: Names) -> PageTable:
    shown = [row for row in rows if table.where is None or table.where(row)]
    columns, firsts = table.columns, shown
    if isinstance(columns, Pivot):
        columns = _pivoted(columns, shown, table.lines, names)
        firsts = [group[0] for group in _grouped(shown, table.lines, names).values()]
    return PageTable(
        title=_text(table.title, rows) or _named(rows[0], table.split, names),
        columns=[column.head for column in columns],
        lines=[_line(table, row, columns, names) for row in firsts],
        first=_text(table.first, rows) or _fields(table.lines)[0].capitalize(),
        last=table.last[0] if table.last else "",
        notes=[column.note for column in columns] if any(column.note for column in columns) else [],
        caption=_text(table.caption, rows),
        reasons=list(table.reasons(rows)) if table.reasons else [],
        folded=table.folded(rows) if callable(table.folded) else table.folded,
        heat=table.heat,
        words=table.words,
    )


def _line(table: Table[R], row: R, columns: Sequence[Column[R]], names: Names) -> Line:
    return Line(
        name=table.name(row) if table.name else _named(row, table.lines, names),
        cells=[column.cell(row) for column in columns],
        last=table.last[1](row) if table.last else "",
        chip=table.chip(row) if table.chip else "",
        under=table.under(row) if table.under else "",
    )


def _pivoted(pivot: Pivot[R], rows: Sequence[R], lines: Fields, names: Names) -> list[Column[R]]:
    """Return the columns of a pivot, each of which finds its row by the line of the given one."""
    by_place = {(_key(row, lines), _key(row, pivot.fields)): row for row in rows}
    firsts = [group[0] for group in _grouped(rows, pivot.fields, names).values()]
    if pivot.order:
        firsts.sort(key=pivot.order)

    def column(first: R) -> Column[R]:
        def cell(row: R) -> Cell:
            place = _key(row, lines), _key(first, pivot.fields)
            return pivot.cell(by_place[place]) if place in by_place else pivot.missing

        head = pivot.head(first) if pivot.head else _named(first, pivot.fields, names)
        return Column(head, cell, pivot.note(first) if pivot.note else "")

    return [column(first) for first in firsts]


def _grouped(rows: Iterable[R], fields: Fields, names: Names) -> dict[Key, list[R]]:
    """Return the rows by the values of fields, criteria in the order of their names."""
    groups: dict[Key, list[R]] = {}
    for row in rows:
        groups.setdefault(_key(row, fields), []).append(row)
    if "criterion" not in _fields(fields):
        return groups
    order = {criterion: place for place, criterion in enumerate(names)}
    at = _fields(fields).index("criterion")
    ordered = sorted(groups, key=lambda key: order.get(key[at], len(order)))
    return {key: groups[key] for key in ordered}


def _named(row: object, fields: Fields, names: Names) -> str:
    """Return the values of a row's fields in words: names of criteria and systems."""
    return ": ".join(_value(field, getattr(row, field), names) for field in _fields(fields))


def _value(field: str, value: Any, names: Names) -> str:
    if field == "criterion":
        return names.get(value, value)
    return system_name(value) if field == "system" else str(value)


def _key(row: object, fields: Fields) -> Key:
    return tuple(getattr(row, field) for field in _fields(fields))


def _fields(fields: Fields) -> tuple[str, ...]:
    return (fields,) if isinstance(fields, str) else fields


def _text(text: str | Callable[[Sequence[R]], str], rows: Sequence[R]) -> str:
    return text if isinstance(text, str) else text(rows)
