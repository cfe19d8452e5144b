"""Argilla's exports: a record for each question, with the responses of its annotators.

Three layouts are read, each as JSON or JSON Lines. Argilla 2 writes `fields` and `responses`, or
flat records with `fluency.responses` and `fluency.responses.users`. Argilla 1 writes a list of
responses under the name of each question of its form. Suggestions are a model's, not an annotator's:
they are metadata.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from judging.imports.readers.annotations import (
    NOTE,
    RATER,
    TASK,
    Remarks,
    annotated_columns,
    rating,
)
from judging.imports.readers.contract import Format
from judging.imports.readers.guessing import is_note
from judging.imports.readers.json_files import at, items, object_at, refused, text_at
from judging.imports.readers.nesting import json_text
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.literals import structure_in
from judging.imports.readers.tables import OpenTable, open_objects

_PROGRAM = ("_server_id", "status", "vectors")
_SUBMITTED = ("", "submitted")
_LABEL_CHARACTERS = 60  # a longer answer is free text


@dataclass(slots=True)
class _Record:
    """A record's fields, its metadata, and its responses by question of the form."""

    shown: dict[str, object] = field(default_factory=dict)
    known: dict[str, object] = field(default_factory=dict)
    responses: dict[str, list[object]] = field(default_factory=dict)


def open_argilla(data: bytes) -> OpenTable:
    """Return the responses of an export as rows, and a record without any as a row of its own.

    Raises
    ------
    Unreadable
        If the file is not JSON, or holds no record.
    """
    remarks = Remarks()
    rows = ((number, row) for number, item in items(data) for row in _rows(number, item, remarks))
    return open_objects(rows, remarks=remarks.problems)


def _rows(number: int, item: object, remarks: Remarks) -> Iterator[Mapping[str, object] | Problem]:
    if not isinstance(item, dict):
        yield refused(number, item, "A record is an object with fields and responses.")[1]
        return
    record = _record(item)
    known = {
        f"metadata.{name}" if name in record.shown else name: each
        for name, each in record.known.items()
    }
    shown = {name: json_text(value) for name, value in (record.shown | known).items()}
    said = [
        found
        for question, responses in record.responses.items()
        for place, response in enumerate(responses, 1)
        if (found := _said(number, question, response, place, remarks))
    ]
    yield from (shown | each for each in said or [{}])


def _record(item: Mapping[str, object]) -> _Record:
    record = _Record()
    for name, value in item.items():
        question, _, part = name.partition(".responses")
        if name == "fields":
            record.shown |= object_at(value)
        elif name == "metadata":
            record.known |= object_at(structure_in(value) if isinstance(value, str) else value)
        elif name == "external_id":
            record.shown[TASK] = value
        elif name == "responses":
            record.responses |= _by_question(value)
        elif name == "suggestions":
            made = object_at(value)
            record.known |= {f"{each}-suggestion": text_at(made, each, "value") for each in made}
        elif part or name.endswith(".responses"):
            record.responses[question] = _side_by_side(item, question)
        elif isinstance(value, list) and _are_responses(value):
            record.responses[name] = value
        elif name.endswith(("-suggestion", ".suggestion")):
            record.known[f"{name.removesuffix('suggestion')[:-1]}-suggestion"] = value
        elif name not in _PROGRAM and "suggestion" not in name:
            record.shown[name] = value
    return record


def _by_question(value: object) -> dict[str, list[object]]:
    """Return responses by question of the form, also if the file groups them by annotator."""
    found: dict[str, list[object]] = {}
    for question, responses in object_at(value).items():
        found[question] = list(responses) if isinstance(responses, list) else []
    for response in value if isinstance(value, list) else []:
        for question, answer in object_at(response, "values").items():
            about = {"user_id": at(response, "user_id"), "status": at(response, "status")}
            found.setdefault(question, []).append(about | dict(object_at(answer)))
    return found


def _are_responses(value: list[object]) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all("value" in object_at(each) for each in value)
    )


def _side_by_side(item: Mapping[str, object], question: str) -> list[object]:
    """Return the responses of a flat record, whose values, users and states are lists."""
    values = item.get(f"{question}.responses")
    users, states = (item.get(f"{question}.responses.{name}") for name in ("users", "status"))
    return [
        {"value": value, "user_id": _at(users, place), "status": _at(states, place)}
        for place, value in enumerate(values if isinstance(values, list) else [])
    ]


def _at(values: object, place: int) -> object:
    return values[place] if isinstance(values, list) and place < len(values) else None


def _said(
    number: int, question: str, response: object, place: int, remarks: Remarks
) -> dict[str, object] | None:
    rater = text_at(response, "user_id") or f"annotator {place}"
    value = object_at(response).get("value")
    if text_at(response, "status") not in _SUBMITTED:
        remarks.say(number, "A response that was not submitted is passed over.", question)
    elif isinstance(value, str) and (is_note(question) or len(value) > _LABEL_CHARACTERS):
        return {RATER: rater, NOTE: value}
    elif isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(each, dict) for each in value)
    ):
        remarks.say(
            number,
            "A response that ranks or marks something is no rating and is passed over.",
            question,
        )
    else:
        return rating(
            number, rater, question, value if isinstance(value, list) else [value], remarks
        )
    return None


def _is_like(head: bytes) -> bool:
    if not head.startswith((b"[", b"{")):
        return False
    nested = b'"fields"' in head and b'"responses"' in head and b'"suggestions"' in head
    beside_fields = b'-suggestion"' in head and b'"external_id"' in head
    return nested or beside_fields or b'.responses.users"' in head


READS = (
    Format(
        key="argilla",
        title="Argilla JSON or JSON Lines",
        endings=(),
        is_like=_is_like,
        rank=40,
        table=open_argilla,
        propose=lambda table, _name: annotated_columns(table),
        carries=("questions", "references", "answers", "ratings", "notes", "metadata"),
        page="argilla",
    ),
)
