"""Tables as files: CSV for spreadsheets and R, JSON for programs; the same text for the same
numbers."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.rows import Record
from judging.formulas import inert


def to_csv(rows: Sequence[Record], columns: Sequence[str] = ()) -> str:
    """Return records as CSV, empty where undefined: the named columns first, then what else the
    records hold.

    Text that a spreadsheet would take for a formula has an apostrophe before it; the JSON of a
    report has it as it is.
    """
    held = {key for row in rows for key in row}
    known = [column for column in columns if column in held or not rows]
    order = [*known, *sorted(held.difference(known))]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(inert, order))
    writer.writerows([_cell(row.get(column)) for column in order] for row in rows)
    return buffer.getvalue()


def to_json(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with its keys in order, so that equal results are equal files."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return inert(value) if isinstance(value, str) else value
