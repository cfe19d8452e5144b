"""Plain tables for the commands that need no campaign: a file in, columns out; records out as text
or JSON."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import isfinite, nan
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from analysis.stats.estimate import Estimate
from judging.imports.formats.workbook import ENDINGS as WORKBOOK_ENDINGS
from judging.imports.formats.workbook import read_workbook
from judging.imports.readers.numbers import is_number
from judging.imports.readers.tables import RowTable, read_delimited, read_jsonl
from judging.imports.readers.text import ENCODINGS, Unreadable, as_utf8, decodings

PlainRecord = dict[str, Any]
READERS: dict[str, Callable[[bytes], RowTable]] = {
    ".jsonl": read_jsonl,
    **dict.fromkeys(WORKBOOK_ENDINGS, read_workbook),
}
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


def add_encoding(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--encoding",
        default="",
        help=f"of a text that is not UTF-8, one of {', '.join(ENCODINGS)}",
    )


def parsed(path: Path, encoding: str, reader: Callable[[bytes], RowTable]) -> RowTable:
    """Return the table of a file, or raise an error that says why it cannot be read, and which
    option names another encoding."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    try:
        return reader(as_utf8(data, encoding) if encoding else data)
    except Unreadable as error:
        option = "" if encoding or _is_utf8(data) else _option(data)
        raise CommandError(f"{path}: {error}{option}") from None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _option(data: bytes) -> str:
    likely = (each.encoding for each in decodings(data) if not each.encoding.startswith("utf-"))
    return f" (--encoding {found})" if (found := next(likely, "")) else ""


def read(path: Path, encoding: str = "") -> RowTable:
    """Return the table of a CSV, TSV, JSON Lines or workbook file, or raise an error that says why
    it cannot be read."""
    table = parsed(path, encoding, READERS.get(path.suffix.lower(), read_delimited))
    if refused := [problem for problem in table.problems if problem.kind == "row"]:
        raise CommandError(
            f"{path}, row {refused[0].row}: {refused[0].reason} ({len(refused)} row(s) like that)"
        )
    return table


def labels(table: RowTable, column: str) -> list[str]:
    """Return a column as text; every cell must hold something."""
    place = _place(table, column)
    cells = [row.cells[place].strip() for row in table.rows]
    for row, cell in zip(table.rows, cells, strict=True):
        if not cell:
            raise CommandError(f"row {row.number}: the column {column} is blank")
    return cells


def numbers(table: RowTable, column: str) -> list[float]:
    """Return a column as numbers, nan where a cell is blank or says that there is none."""
    place = _place(table, column)
    return [_number(row.cells[place].strip(), column, row.number) for row in table.rows]


def categories(table: RowTable, column: str) -> tuple[list[float], list[str]]:
    """Return a column of names as numbers 1, 2, ... in alphabetical order, and the names."""
    place = _place(table, column)
    cells = [row.cells[place].strip() for row in table.rows]
    names = sorted({cell for cell in cells if cell.lower() not in MISSING})
    codes = {name: float(code) for code, name in enumerate(names, 1)}
    return [codes.get(cell, nan) for cell in cells], names


def all_numbers(table: RowTable, column: str) -> bool:
    place = _place(table, column)
    return all(
        is_number(cell) or cell.lower() in MISSING
        for cell in (row.cells[place].strip() for row in table.rows)
    )


def _place(table: RowTable, column: str) -> int:
    if column not in table.header:
        raise CommandError(f"there is no column {column}; the table has {', '.join(table.header)}")
    return table.header.index(column)


def _number(cell: str, column: str, row: int) -> float:
    if cell.lower() in MISSING:
        return nan
    if not is_number(cell):
        raise CommandError(f"row {row}, column {column}: {cell!r} is not a number")
    return float(cell)


def of_estimate(found: Estimate, **where: Any) -> PlainRecord:
    """Return an estimate as a flat record at full precision, None where undefined, after what it is
    of."""
    return where | {key: full(value) for key, value in asdict(found).items()}


def full(value: Any) -> Any:
    """Return a number unchanged, None if it is not finite."""
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value


def as_json(records: Sequence[PlainRecord]) -> str:
    return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False)


def as_text(records: Sequence[PlainRecord], columns: Sequence[str]) -> str:
    """Return the named columns as an aligned table; columns without any value are omitted."""
    used = [
        column
        for column in columns
        if any(record.get(column) not in (None, "") for record in records)
    ]
    rows = [used, *([_cell(record.get(column)) for column in used] for record in records)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(used))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
