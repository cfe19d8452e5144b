"""Plain tables for the commands that need no campaign: a file in, columns out; records out as text
or JSON."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from judging.imports.frames import Problem, Unreadable
from judging.imports.mapping import ENCODINGS, MappingRefused, mapping_from
from judging.imports.open import open_file
from judging.imports.shape import tabulate
from judging.imports.texts import is_number
from quaestor_stats._result import Result

PlainRecord = dict[str, Any]
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, with its number in the file."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table as it was written; `problems` are rows that could not be read."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def add_encoding(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--encoding",
        default="",
        help=f"of a text that is not UTF-8, one of {', '.join(ENCODINGS)}",
    )


def parsed(path: Path, encoding: str) -> PlainTable:
    """Return the table of a CSV, TSV, JSON Lines or workbook file, or raise an error that says why
    it cannot be read. If the encoding of a text was guessed, the standard error says so."""
    try:
        mapping = mapping_from({"recipe": "table", "encoding": encoding})
        opened = open_file(path.name, path.read_bytes(), mapping)
        frame = tabulate(opened, mapping)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except Unreadable as error:
        raise CommandError(f"{path}: {error}") from None
    except MappingRefused as refused:
        raise CommandError(f"--encoding: {refused}") from None
    sys.stderr.writelines(f"{path}: {note}\n" for note in opened.notes if "UTF-8" in note)
    cells = zip(frame.index, frame.itertuples(index=False, name=None), strict=True)
    return PlainTable(
        header=tuple(frame.columns),
        rows=tuple(Row(int(number), row) for number, row in cells),
        problems=tuple(problem for sheet in opened.sheets for problem in sheet.problems),
    )


def read(path: Path, encoding: str = "") -> PlainTable:
    """Return the table of a file, or raise an error that says which row cannot be read."""
    table = parsed(path, encoding)
    if refused := [problem for problem in table.problems if problem.kind == "row"]:
        raise CommandError(
            f"{path}, row {refused[0].row}: {refused[0].reason} ({len(refused)} row(s) like that)"
        )
    return table


def labels(table: PlainTable, column: str) -> list[str]:
    """Return a column as text; every cell must hold something."""
    place = _place(table, column)
    cells = [row.cells[place].strip() for row in table.rows]
    for row, cell in zip(table.rows, cells, strict=True):
        if not cell:
            raise CommandError(f"row {row.number}: the column {column} is blank")
    return cells


def numbers(table: PlainTable, column: str) -> list[float]:
    """Return a column as numbers, nan where a cell is blank or says that there is none."""
    place = _place(table, column)
    return [_number(row.cells[place].strip(), column, row.number) for row in table.rows]


def categories(table: PlainTable, column: str) -> tuple[list[float], list[str]]:
    """Return a column of names as numbers 1, 2, ... in alphabetical order, and the names."""
    place = _place(table, column)
    cells = [row.cells[place].strip() for row in table.rows]
    names = sorted({cell for cell in cells if cell.lower() not in MISSING})
    codes = {name: float(code) for code, name in enumerate(names, 1)}
    return [codes.get(cell, nan) for cell in cells], names


def all_numbers(table: PlainTable, column: str) -> bool:
    place = _place(table, column)
    return all(
        is_number(cell) or cell.lower() in MISSING
        for cell in (row.cells[place].strip() for row in table.rows)
    )


def _place(table: PlainTable, column: str) -> int:
    if column not in table.header:
        raise CommandError(f"there is no column {column}; the table has {', '.join(table.header)}")
    return table.header.index(column)


def _number(cell: str, column: str, row: int) -> float:
    if cell.lower() in MISSING:
        return nan
    if not is_number(cell):
        raise CommandError(f"row {row}, column {column}: {cell!r} is not a number")
    return float(cell)


def of_estimate(found: Result, **where: Any) -> PlainRecord:
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
