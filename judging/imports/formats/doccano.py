"""doccano's exports of a text classification (JSON Lines, JSON, CSV): the text is the question, its
labels are one annotator's ratings, comments are notes.

doccano has no ratings, so users name their labels `fluency:3`, `fluency=3` or `fluency_3`; a label
with another form of name is a value of the criterion `label`. The export of a project is one file
for each annotator, named after them: give the annotator when you import one.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from judging.imports.readers.columns import ColumnRoles, RatingColumn
from judging.imports.readers.contract import Format, first_line, is_object
from judging.imports.readers.guessing import guess
from judging.imports.readers.json_files import items, list_at, refused, text_at
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    RowOrProblem,
    open_objects,
    read_delimited,
    shorten,
)

_LABEL = re.compile(r"(?P<criterion>.*[^\s:=_-])[\s:=_-]+(?P<value>[^\s:=_-]+)")
_PREFIX = "label:"
_LABELS, _COMMENTS = ("label", "labels", "cats"), "Comments"


def open_doccano(data: bytes) -> OpenTable:
    """Return the texts as rows, with a column for each criterion that their labels name.

    Raises
    ------
    Unreadable
        If no line is a text.
    """
    rows: list[RowOrProblem] = []
    remarks: list[Problem] = []
    is_json = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    for number, item in items(data) if is_json else _from_table(data):
        if not isinstance(item, dict) or not text_at(item, "text"):
            rows.append(refused(number, item, "An example is an object with “text”."))
            continue
        shown = {name: value for name, value in item.items() if name not in (*_LABELS, _COMMENTS)}
        if comments := [each for each in list_at(item, _COMMENTS) if isinstance(each, str)]:
            shown[_COMMENTS] = "\n".join(comments)
        ratings = _ratings(
            number,
            [label for name in _LABELS for label in list_at(item, name)],
            remarks,
        )
        rows.append((number, shown | ratings))
    return open_objects(rows, remarks=remarks)


def doccano_columns(table: AnyTable, *, rater: str = "doccano") -> ColumnRoles:
    """Return the columns of such a table; if no column names an annotator, all ratings are by
    `rater`."""
    columns = guess(
        [name for name in table.header if name != "text" and not name.startswith(_PREFIX)]
    )
    ratings = [name for name in table.header if name.startswith(_PREFIX)]
    by = "" if columns.rater else rater
    return replace(
        columns,
        question="text",
        note=_COMMENTS if _COMMENTS in table.header and ratings else "",
        metadata=tuple(name for name in columns.metadata if name != _COMMENTS),
        ratings=tuple(
            RatingColumn(column=name, criterion=name.removeprefix(_PREFIX), rater=by)
            for name in ratings
        ),
    )


def _ratings(number: int, labels: list[object], remarks: list[Problem]) -> dict[str, object]:
    """Return one value for each criterion; several labels of one criterion give no rating."""
    found: dict[str, list[str]] = {}
    for label in labels:
        criterion, value = _split(label) if isinstance(label, str) else ("", "")
        if criterion:
            found.setdefault(_PREFIX + criterion, []).append(value)
        else:
            reason = "A label that marks a part of the text is no rating and is passed over."
            remarks.append(
                Problem(
                    row=number,
                    column="label",
                    value=shorten(str(label)),
                    reason=reason,
                    kind="warning",
                )
            )
    for name, values in found.items():
        if len(values) > 1:
            reason = f"{len(values)} labels for one criterion are no rating."
            remarks.append(
                Problem(
                    row=number, column=name, value=", ".join(values), reason=reason, kind="value"
                )
            )
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _split(label: str) -> tuple[str, str]:
    named = _LABEL.fullmatch(label.strip())
    return (named["criterion"], named["value"]) if named else ("label", label.strip())


def _from_table(data: bytes) -> Iterator[tuple[int, object]]:
    """Yield the rows of the CSV, in which labels are divided by a hash, in the shape of the JSON."""
    table = read_delimited(data)
    yield from ((problem.row, problem) for problem in table.problems if problem.kind == "row")
    for row in table.rows:
        cells = dict(zip(table.header, row.cells, strict=True))
        lists = {
            name: cells[name].split("#") if cells[name] else []
            for name in (*_LABELS, _COMMENTS)
            if name in cells
        }
        yield row.number, cells | lists


def _is_like(head: bytes) -> bool:
    if head.startswith(b"["):
        return b'"text"' in head and b'"label"' in head and b'"Comments"' in head
    is_csv = first_line(head).rstrip(b"\r").endswith(b",label,Comments")
    return is_csv or (
        is_object(head, b"text") and any(b'"' + word.encode() + b'"' in head for word in _LABELS)
    )


READS = (
    Format(
        key="doccano",
        title="doccano JSON Lines, JSON or CSV",
        endings=(".jsonl",),
        is_like=_is_like,
        rank=80,
        table=open_doccano,
        propose=lambda table, name: doccano_columns(table, rater=name or "doccano"),
        carries=("questions", "references", "answers", "ratings", "scores", "notes", "metadata"),
        page="doccano",
    ),
)
