"""Tables as files: CSV for spreadsheets and R, JSON for programs; the same text for the same
numbers."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.reports.rows import Record
from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell

AT_ONCE = 1_000  # rows of a piece


def to_csv(rows: Sequence[Record], columns: Sequence[str] = ()) -> str:
    """Return records as CSV, empty where undefined: the named columns first, then the other columns
    of the records.

    The text begins with a byte order mark. A cell that a spreadsheet would take for a formula has an
    apostrophe before it; the JSON of a report has it unchanged.
    """
    order = _column_order(rows, columns)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(defuse_cell, order))
    writer.writerows([_cell(row.get(column)) for column in order] for row in rows)
    return BYTE_ORDER_MARK + buffer.getvalue()


def ordered_records(rows: Sequence[Record], columns: Sequence[str] = ()) -> list[Record]:
    """Return records with their columns in the order in which `to_csv` writes them."""
    order = _column_order(rows, columns)
    return [{name: row[name] for name in order if name in row} for row in rows]


def _column_order(rows: Sequence[Record], columns: Sequence[str]) -> list[str]:
    used = {key for row in rows for key in row}
    first = [column for column in columns if column in used or not rows]
    return [*first, *sorted(used.difference(first))]


def document_json(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with its keys in order, so that equal results are equal files."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def run_json_pieces(made: Mapping[str, Any], tables: Mapping[str, Any]) -> Iterator[str]:
    """Yield a run as JSON, what `to_json` would write of it, in pieces: of its tables, one is read
    at a time."""
    yield f'{{\n "made": {_inside(made, 1)},\n "tables": {{'
    for place, key in enumerate(sorted(tables)):
        rows, before = tables[key], "," if place else ""
        yield f"{before}\n  {json.dumps(key, ensure_ascii=False)}: "
        if not isinstance(rows, list) or not rows:
            yield _inside(rows, 2)
            continue
        for first in range(0, len(rows), AT_ONCE):
            records = (_inside(row, 3) for row in rows[first : first + AT_ONCE])
            yield ("," if first else "[") + "\n   " + ",\n   ".join(records)
        yield "\n  ]"
    yield "\n }\n}\n" if tables else "}\n}\n"


def _inside(value: Any, depth: int) -> str:
    """Write a value as JSON for use inside a document, indented by `depth` spaces."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return text.replace("\n", "\n" + " " * depth)


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return defuse_cell(value) if isinstance(value, str) else value
