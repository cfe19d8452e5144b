"""Potato's annotated instances: one annotator's JSON Lines, or the table of all annotators with its
`schema:::label` columns.

Potato 2 exports the ids of instances without their texts, with columns such as `schema.label`: such
ratings are added to a dataset that has the questions.

Each schema holds the labels that were clicked. Some versions kept every point of a scale that was
clicked before the last; the file does not say which was the last, so several points of one schema
are refused and reported.
"""

from collections.abc import Iterator, Mapping

from judging.imports.readers.columns import ColumnRoles, RatingColumn
from judging.imports.readers.contract import Format, first_line, is_object
from judging.imports.readers.json_files import items, object_at, refused, text_at
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    RowOrProblem,
    open_objects,
    read_delimited,
)

_SEPARATOR = ":::"
_PREFIX = "schema:"
_NOTE, _TEXT_BOX = "note", "text_box"
_CHOSEN = ("true", "on", "yes")


def open_potato(data: bytes) -> OpenTable:
    """Return the instances as rows, with a column for each schema.

    Raises
    ------
    Unreadable
        If nothing in the file is an instance.
    """
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    instances = items(data) if head.startswith((b"{", b"[")) else _from_table(data)
    rows: list[RowOrProblem] = []
    remarks: list[Problem] = []
    for number, instance in instances:
        text, instance_id = text_at(instance, "displayed_text"), text_at(instance, "instance_id")
        if not text and not instance_id:
            rows.append(
                refused(number, instance, "An instance is an object with “displayed_text”.")
            )
            continue
        shown: dict[str, object] = {"instance_id": instance_id}
        if text:
            shown = {"id": text_at(instance, "id"), "displayed_text": text}
        if user := text_at(instance, "user") or text_at(instance, "user_id"):
            shown["user"] = user
        labels = object_at(instance, "label_annotations") or object_at(instance, "labels")
        rows.append((number, shown | dict(_ratings(number, labels, remarks))))
    return open_objects(rows, remarks=remarks)


def potato_columns(table: AnyTable, *, rater: str = "potato") -> ColumnRoles:
    """Return the columns of such a table. JSON Lines are by one annotator, named only by the
    folder: give the annotator as `rater`."""
    by_row = "user" in table.header
    schemas = [name for name in table.header if name.startswith(_PREFIX)]
    ratings = [(name, name.removeprefix(_PREFIX)) for name in schemas]
    has_texts = "displayed_text" in table.header
    return ColumnRoles(
        question="displayed_text" if has_texts else "",
        source_id="id" if has_texts else "",
        key="" if has_texts else "instance_id",
        rater="user" if by_row else "",
        note=_NOTE if _NOTE in table.header else "",
        ratings=tuple(
            RatingColumn(column=column, criterion=criterion, rater="" if by_row else rater)
            for column, criterion in ratings
        ),
    )


def _from_table(data: bytes) -> Iterator[tuple[int, object]]:
    """Yield the rows of the table in the shape of the JSON."""
    table = read_delimited(data)
    yield from ((problem.row, problem) for problem in table.problems if problem.kind == "row")
    for row in table.rows:
        cells = dict(zip(table.header, row.cells, strict=True))
        labels: dict[str, dict[str, str]] = {}
        has_texts = "displayed_text" in cells
        for name, cell in cells.items():
            schema, found, label = name.partition(_SEPARATOR if has_texts else ".")
            if found and cell.strip():
                labels.setdefault(schema, {})[label] = cell.strip()
        instance_id = cells.get("instance_id", cells.get("id", ""))
        known = {"id": instance_id, "instance_id": instance_id, "label_annotations": labels}
        yield row.number, cells | known


def _ratings(
    number: int, schemas: Mapping[str, object], remarks: list[Problem]
) -> Iterator[tuple[str, str]]:
    for schema, labels in schemas.items():
        if note := text_at(labels, _TEXT_BOX):
            yield _NOTE, note
            continue
        values = [
            value
            for value in (_value(label, each) for label, each in object_at(labels).items())
            if value
        ]
        if len(values) == 1:
            yield _PREFIX + schema, values[0]
        elif values:
            reason = f"{len(values)} values are stored under one schema; the file does not say which was the last."
            remarks.append(
                Problem(
                    row=number, column=schema, value=", ".join(values), reason=reason, kind="value"
                )
            )


def _value(label: str, value: object) -> str:
    """Return the label if the value only says that it was chosen, else the value."""
    if value is True or (isinstance(value, str) and value.casefold() in _CHOSEN):
        return label
    return value if isinstance(value, str) and value.casefold() != "false" else ""


def _is_like(head: bytes) -> bool:
    line = first_line(head)
    is_second = (
        line.startswith((b"instance_id,user_id,", b"instance_id\tuser_id\t")) and b"." in line
    )
    return (
        is_second
        or b'"label_annotations"' in head
        or is_object(head, b"instance_id", b"user_id", b"labels")
        or (b"displayed_text" in line and b":::" in line)
    )


READS = (
    Format(
        key="potato",
        title="Potato annotated instances",
        endings=(".jsonl",),
        is_like=_is_like,
        rank=60,
        table=open_potato,
        propose=lambda table, name: potato_columns(table, rater=name or "potato"),
        carries=("questions", "ratings", "notes"),
        page="potato",
    ),
)
