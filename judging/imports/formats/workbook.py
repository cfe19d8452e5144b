"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS), read by python-calamine.

The sheet that holds a table is read, together with the sheets that have the same columns, or the
sheets that the user names.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
)

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import ALL, Format, proposed
from judging.imports.readers.guessing import guess
from judging.imports.readers.other_formats import other_document, other_format
from judging.imports.readers.records import WHOLE_FILE, Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    Parsed,
    Row,
    RowTable,
    cell_text,
    shape_rows,
    shorten,
)
from judging.imports.readers.text import Unreadable
from judging.imports.readers.unpacking import ZIP, unpacked_size
from judging.limits import MAX_TABLE_COLUMNS, MAX_UNPACKED_BYTES

ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the first bytes of XLS, and of other old files
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # a stream of an XLSX with a password
_LOCKED = "The workbook is encrypted. Save it without a password."
_SHEET = "sheet"  # the column that names the sheet
_SAMPLE_ROWS = 20  # rows of a sheet that show whether it holds a table


def read_workbook(
    data: bytes,
    *,
    sheet: str | Sequence[str] = "",
    header: bool | None = None,
    above: int | None = None,
) -> RowTable:
    """Return all rows of a workbook; see `open_workbook`."""
    return open_workbook(data, sheet=sheet, header=header, above=above).table()


def open_workbook(
    data: bytes,
    *,
    sheet: str | Sequence[str] = "",
    header: bool | None = None,
    above: int | None = None,
) -> OpenTable:
    """Return the rows of one sheet, or of several sheets as one table that names the sheet.

    By default these are the sheets with the same columns, of as many the first; a sheet of a single
    column counts only if every sheet has one.

    Raises
    ------
    Unreadable
        If the file is not a workbook, has no such sheet, or is empty.
    """
    book = _open(data)
    known = _sheet_names(book)
    names = [name for name in ([sheet] if isinstance(sheet, str) else sheet) if name]
    if unknown := next((name for name in names if name not in known), None):
        raise Unreadable(f"The workbook has no sheet “{unknown}”; it has {_listed(known)}.")
    if not names:
        return _likely_table(book, known, header, above)
    return _joined(
        {name: shape_rows(_rows(_sheet(book, name)), header=header, above=above) for name in names}
    )


def sheet_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the sheets in the order of the workbook."""
    return tuple(_sheet_names(_open(data)))


def _open(data: bytes) -> CalamineWorkbook:
    if not data.startswith((ZIP, _COMPOUND)):
        raise Unreadable(other_format(data) or "The file is not a workbook.")
    if data.startswith(ZIP):
        _check_size(data)
    if other := other_document(data):
        raise Unreadable(other)
    if data.startswith(_COMPOUND) and _ENCRYPTED in data:
        raise Unreadable(_LOCKED)
    with _damage_named():
        return CalamineWorkbook.from_filelike(io.BytesIO(data))


def _check_size(data: bytes) -> None:
    try:
        size = unpacked_size(zipfile.ZipFile(io.BytesIO(data)))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Unreadable("The file is not a workbook, or it is cut off.") from error
    if size > MAX_UNPACKED_BYTES:
        raise Unreadable(
            f"The workbook unpacks to {size:,} bytes; the limit is {MAX_UNPACKED_BYTES:,}. Save it as CSV."
        )


@contextmanager
def _damage_named() -> Iterator[None]:
    """Return a sentence for an error of the reader."""
    try:
        yield
    except PasswordError as error:
        raise Unreadable(_LOCKED) from error
    except CalamineError as error:
        raise Unreadable(
            f"The workbook is damaged: {shorten(str(error))}. Save it again, or save it as CSV."
        ) from error


def _sheet_names(book: CalamineWorkbook) -> list[str]:
    return [each.name for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]


def _sheet(book: CalamineWorkbook, name: str) -> CalamineSheet:
    with _damage_named():
        return book.get_sheet_by_name(name)


def _likely_table(
    book: CalamineWorkbook, names: Sequence[str], header: bool | None, above: int | None
) -> OpenTable:
    """Return the sheets that probably hold the table: instructions fill one column, a table fills
    several, and sheets with the same columns are one table, divided by system or annotator."""
    sheets = {name: sheet for name in names if (sheet := _sheet(book, name)).start}
    if not sheets:
        raise Unreadable("The workbook is empty.")
    candidates = [name for name, sheet in sheets.items() if _has_columns(sheet)] or list(sheets)[:1]
    by_header: dict[tuple[str, ...], dict[str, OpenTable]] = {}
    for name in candidates:
        try:
            table = shape_rows(_rows(sheets[name]), header=header, above=above)
        except Unreadable:
            if len(candidates) == 1:
                raise
            continue
        by_header.setdefault(table.header, {})[name] = table
    if not by_header:
        raise Unreadable("No sheet of the workbook holds a header with rows under it.")
    chosen = max(by_header.values(), key=len)
    table = _joined(chosen)
    if len(sheets) > 1:
        is_one = len(chosen) == 1
        what = "sheet {} is read, one of" if is_one else "sheets {} are read as one table, of"
        reason = f"The {what.format(_listed(chosen))} {_listed(sheets)}."
        table.problems.append(
            Problem(row=WHOLE_FILE, column="", value="", reason=reason, kind="warning")
        )
    return table


def _has_columns(sheet: CalamineSheet) -> bool:
    first = sheet.to_python(nrows=_SAMPLE_ROWS)
    return any(sum(cell != "" for cell in row) > 1 for row in first)


def _rows(sheet: CalamineSheet) -> Iterator[Parsed]:
    """Yield each row that is not blank, by its number in the sheet, without the blank cells at its
    end but at least as wide as the rows before it."""
    if sheet.start is None:
        return
    first_column = sheet.start[1]
    covering = _covering_cells(sheet)
    width = 0
    merged: dict[int, tuple[int, str]] = {}  # column: the last row, and the value
    for number, values in enumerate(sheet.iter_rows(), 1):  # from the first row of the sheet
        cells = [cell_text(value) for value in values]
        for column, (last, text) in merged.items():
            if number <= last:
                cells[column] = cells[column] or text
        for column, last in covering.get(number, ()):
            merged[column - first_column] = last, cells[column - first_column]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            width = max(width, len(cells))
            yield number, cells + [""] * (width - len(cells))


def _covering_cells(sheet: CalamineSheet) -> Mapping[int, list[tuple[int, int]]]:
    """Return, by row, the column of each cell that is merged with cells below it, and its last
    row."""
    found: dict[int, list[tuple[int, int]]] = {}
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if last > first:
            found.setdefault(first + 1, []).append((column, last + 1))
    return found


def _joined(tables: Mapping[str, OpenTable]) -> OpenTable:
    """Return several sheets as one table, under the columns of all of them and one that names the
    sheet; a single sheet is returned as it is."""
    if len(tables) == 1:
        return next(iter(tables.values()))
    header = tuple(dict.fromkeys(name for table in tables.values() for name in table.header))
    if len(header) >= MAX_TABLE_COLUMNS:
        raise Unreadable(
            f"The sheets have {len(header):,} different columns; with the sheet’s name at most "
            f"{MAX_TABLE_COLUMNS:,} can be read. Choose fewer of them."
        )
    label = _SHEET if _SHEET not in header else "name of the sheet"
    remarks = [
        _in_sheet(problem, name) for name, table in tables.items() for problem in table.problems
    ]
    return OpenTable((label, *header), _joined_rows(tables, header), remarks=remarks)


def _joined_rows(
    tables: Mapping[str, OpenTable], header: tuple[str, ...]
) -> Iterator[Row | Problem]:
    for name, table in tables.items():
        known_problems = len(table.problems)
        places = [
            table.header.index(column) if column in table.header else None for column in header
        ]
        for row in table.rows:
            cells = ("" if place is None else row.cells[place] for place in places)
            yield Row(row.number, (name, *cells))
        yield from (_in_sheet(problem, name) for problem in table.problems[known_problems:])


def _in_sheet(problem: Problem, name: str) -> Problem:
    return replace(problem, reason=f"Sheet “{name[:80]}”: {problem.reason}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name[:80]}”" for name in list(names)[:20])


def _propose(table: AnyTable, name: str) -> ColumnRoles:
    """Return the proposed columns. If several sheets are one table and no column names the systems,
    the sheets do; else they may name the annotators."""
    found = proposed(table, name)
    if _SHEET not in found.metadata:
        return found
    has_systems = bool(found.system or found.by_system)
    if has_systems and (found.rater or found.ratings):
        return found
    role = "rater" if has_systems else "system"
    header = [role if column == _SHEET else column for column in table.header]
    guessed = guess(header, [row.cells for row in table.sample()])
    if has_systems:
        return replace(guessed, rater=_SHEET) if guessed.rater == role else found
    return replace(guessed, system=_SHEET) if guessed.system == role else found


READS = (
    Format(
        key="xlsx",
        title="Workbook (XLSX, XLSM, XLSB, XLS, ODS)",
        endings=ENDINGS,
        is_like=lambda head: head.startswith((ZIP, _COMPOUND)),
        rank=30,
        table=open_workbook,
        propose=_propose,
        sheets=sheet_names,
        options=("sheet", "header", "above"),
        is_text=False,
        carries=ALL,
        page="xlsx",
    ),
)
