"""What systems got by every metric, laid out: a table for each way of getting there."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.layout import Cell, Row, Table
from analysis.reports.making import KINDS
from analysis.reports.records import Record

TITLES = {
    "system": "Scores of a system as a whole",
    "question": "Means of scores of questions",
    "set": "Means of scores of sets, within a source, then over sources",
}


def tables(found: Mapping[str, Any]) -> list[Table]:
    """Return a table of metrics by systems for each level."""
    rows = found.get("system_scores", [])
    return [
        _table(title, kept) for level, title in TITLES.items() if (kept := [r for r in rows if r["level"] == level])
    ]


def _table(title: str, rows: Sequence[Record]) -> Table:
    systems = sorted({row["system"] for row in rows})
    by_place = {(row["metric"], row["system"]): row for row in rows}
    kinds = {row["metric"]: KINDS[row["kind"]] for row in rows}
    body = [
        Row(name, [_cell(by_place.get((name, system))) for system in systems], kind) for name, kind in kinds.items()
    ]
    return Table(title, systems, body)


def _cell(row: Record | None) -> Cell:
    return Cell("–") if row is None else Cell(f"{row['value']:.4g}")
