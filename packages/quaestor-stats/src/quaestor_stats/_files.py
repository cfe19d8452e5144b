"""Files of tables: CSV, TSV and JSON Lines."""

import csv
import json
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


def read_rows(path: Path) -> Rows:
    """Return the rows of a file as mappings.

    Raises
    ------
    ValueError
        The file is empty, is not UTF-8, or a line is no row; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: the file is not encoded as UTF-8") from None
    rows = _json_lines(text) if path.suffix in (".jsonl", ".ndjson") else _delimited(path, text)
    if not rows:
        raise ValueError(f"{path}: the file has no rows")
    return rows


def _json_lines(text: str) -> Rows:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if not isinstance(row, dict):
            raise ValueError(f'line {number}: a row is an object such as {{"unit": "q1"}}')
        rows.append(row)
    return rows


def _delimited(path: Path, text: str) -> Rows:
    delimiter = "\t" if path.suffix in (".tsv", ".tab") else ","
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    rows = []
    for row in reader:
        if None in row or None in row.values():
            raise ValueError(f"line {reader.line_num}: the row has not as many cells as the header")
        rows.append(row)
    return rows
