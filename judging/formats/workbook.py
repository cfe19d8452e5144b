"""Workbooks (.xlsx): the first sheet that holds anything, as a table.

A workbook is a zip of XML, so a small file can unpack to any size: what it will unpack to is read from its directory
and refused before anything is parsed.
"""

import io
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from openpyxl import load_workbook
from openpyxl.worksheet.formula import ArrayFormula

from judging.formats.tables import Parsed, Table, shape_rows
from judging.formats.text import Unreadable

LARGEST_UNPACKED = 200_000_000
MOST_PARTS = 2_000
LAST_ROW = 1_048_576


def read_workbook(data: bytes, *, sheet: str = "") -> Table:
    """Return the rows of a sheet, by default of the first that is not empty; its first row with cells is the header.

    Numbers are written as short as they can be without losing a digit, dates in ISO form. A cell with a formula holds
    the value that the spreadsheet stored with it, or the formula's text where it stored none.

    Raises
    ------
    Unreadable
        Where the file is no workbook, unpacks to too much, or has no such sheet.
    """
    _refuse_bombs(data)
    try:
        return shape_rows(_rows(data, sheet))
    except Unreadable:
        raise
    except Exception as error:  # openpyxl raises whatever its parts happen to raise on a damaged file
        raise Unreadable(
            f"The workbook is damaged: {type(error).__name__}. Save it again, or save it as CSV."
        ) from error


def _refuse_bombs(data: bytes) -> None:
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable("The file is no workbook of the kind .xlsx, or is cut off.") from error
    if len(parts) > MOST_PARTS:
        raise Unreadable(f"The workbook has {len(parts):,} parts; at most {MOST_PARTS:,} are read.")
    size = sum(part.file_size for part in parts)
    if size > LARGEST_UNPACKED:
        raise Unreadable(
            f"The workbook unpacks to {size:,} bytes; at most {LARGEST_UNPACKED:,} are read. Save it as CSV."
        )
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("The workbook is encrypted; save it without a password.")


def _rows(data: bytes, sheet: str) -> Iterator[Parsed]:
    """Yield each row that is not blank, by its number in the sheet, at least as wide as the first."""
    typed = list(_cells(data, sheet, values=False))
    formulas = any(isinstance(cell, ArrayFormula) or _is_formula(cell) for _, cells in typed for cell in cells)
    stored = list(_cells(data, sheet, values=True)) if formulas else typed
    width = 0
    for (number, texts), (_, values) in zip(typed, stored, strict=True):
        cells = [_text(text if value is None else value) for text, value in zip(texts, values, strict=True)]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))


def _is_formula(cell: object) -> bool:
    return isinstance(cell, str) and cell.startswith("=")


def _cells(data: bytes, sheet: str, *, values: bool) -> Iterator[tuple[int, tuple[object, ...]]]:
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=values, keep_links=False)
    for number, row in enumerate(_sheet(book.worksheets, sheet).iter_rows(values_only=True), 1):
        if number > LAST_ROW:
            raise Unreadable(f"The sheet claims more than {LAST_ROW:,} rows.")
        yield number, row


def _sheet(sheets: Any, name: str) -> Any:  # read-only sheets, which the type stubs know little of
    for sheet in sheets:
        sheet.reset_dimensions()  # what a sheet claims about its size may be anything
        if sheet.title == name or (not name and _holds_anything(sheet)):
            return sheet
    raise Unreadable(f"The workbook has no sheet “{name}”." if name else "The workbook is empty.")


def _holds_anything(sheet: Any) -> bool:
    rows = sheet.iter_rows(values_only=True, max_row=LAST_ROW)
    return any(cell is not None for row in rows for cell in row)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, ArrayFormula):
        return value.text or ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)
