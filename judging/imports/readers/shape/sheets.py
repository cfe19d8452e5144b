"""Sheets of a workbook that are one table: annotators, systems or criteria.

Sheets are annotators if they hold the same questions with ratings, criteria if that is what they are
called, else systems.
"""

import re
from collections.abc import Iterable, Sequence

from judging.imports.readers.guessing import is_criterion
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import (
    SHEET_NAMES,
    Propose,
    remark,
    replaced,
    shown,
    unused_name,
)
from judging.imports.readers.tables import AnyTable, OpenTable, Row

_SAME = 0.5  # share of the questions of the smaller sheet that two annotators' sheets must have in common
_SHEETS_NAMED = 5
_AS_ANNOTATORS = "are read as annotators"
_MODEL = re.compile(
    r"gpt|t5|bart|bert|llama|mistral|mixtral|qwen|gemini|gemma|claude|deepseek|phi|falcon|lstm|seq2seq"
    r"|prophetnet|pegasus|model|system|baseline|human|reference",
    re.I,
)


def name_sheets(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table with its sheet column renamed after the kind of the sheets, and a remark
    with the reason."""
    if not table.header or table.header[0] not in SHEET_NAMES:
        return table
    rows = list(table.rows)
    sheets = list(dict.fromkeys(row.cells[0] for row in rows))
    whole = replaced(table, rows)
    if len(sheets) < 2 or propose(whole).rater:
        return whole
    whole.sample(len(rows))
    if all(map(is_criterion, sheets)):
        return _called("criterion", "their names are criteria", whole, sheets)
    if reason := _why_annotators(whole, rows, sheets, propose):
        return _called("annotator", reason, whole, sheets)
    return whole


def _why_annotators(
    table: OpenTable, rows: Sequence[Row], sheets: Sequence[str], propose: Propose
) -> str:
    """Return why the sheets are annotators; "" if they are not."""
    header = ("annotator", *table.header[1:])
    as_annotators = propose(OpenTable(header, iter(rows)))
    if as_annotators.rater != "annotator" or not (as_annotators.ratings or as_annotators.value):
        return ""
    asked = as_annotators.question or as_annotators.key or as_annotators.source_id
    if not asked:
        return ""
    place = header.index(asked)
    of_sheets = [
        {row.cells[place].strip() for row in rows if row.cells[0] == sheet} for sheet in sheets
    ]
    first = of_sheets[0]
    is_same = all(
        len(first & other) >= _SAME * min(len(first), len(other)) for other in of_sheets[1:]
    )
    if not is_same:
        return ""
    if as_annotators.question:
        return "they hold ratings of the same questions"
    return "" if all(map(_MODEL.search, sheets)) else "they hold ratings of the same items"


def are_sheets(column: str, problems: Iterable[Problem]) -> bool:
    """Return whether a column of annotators holds the names of sheets, by its name or by the remark
    that they are read so."""
    return column in SHEET_NAMES or any(
        problem.column == column and _AS_ANNOTATORS in problem.reason for problem in problems
    )


def _called(role: str, reason: str, table: OpenTable, sheets: Sequence[str]) -> OpenTable:
    name = unused_name(role, table.header[1:])
    read_as = {"annotator": _AS_ANNOTATORS, "criterion": "are read as criteria"}[role]
    listed = ", ".join(map(shown, sheets[:_SHEETS_NAMED])) + (
        f" and {len(sheets) - _SHEETS_NAMED:,} more" if len(sheets) > _SHEETS_NAMED else ""
    )
    said = (
        f"The sheets {listed} {read_as}, because {reason}. If they are something else, "
        f"change column “{name}”."
    )
    header = (name, *table.header[1:])
    return replaced(table, table.rows, header=header, remarks=[remark(said, name)])
