"""Tables with any columns, whose roles are proposed and confirmed: CSV, TSV, JSON and JSON
Lines."""

from judging.imports.readers.contract import ALL, Format, proposed
from judging.imports.readers.shape.orientations import is_not_lines, open_json
from judging.imports.readers.tables import open_delimited, open_jsonl

READS = (
    Format(
        key="json",
        title="JSON by column, row, id or system",
        endings=(".json",),
        is_like=is_not_lines,
        rank=88,
        table=open_json,
        propose=proposed,
        carries=ALL,
        page="json",
    ),
    Format(
        key="jsonl",
        title="JSON Lines",
        endings=(".jsonl", ".ndjson"),
        is_like=lambda head: head.startswith(b"{"),
        rank=100,
        table=open_jsonl,
        propose=proposed,
        carries=ALL,
        page="jsonl",
    ),
    Format(
        key="csv",
        title="CSV or TSV",
        endings=(".csv", ".tsv", ".txt"),
        is_like=lambda _head: False,
        rank=1_000,
        table=open_delimited,
        propose=proposed,
        options=("delimiter", "quoted", "header", "above"),
        carries=ALL,
        page="csv",
    ),
)
