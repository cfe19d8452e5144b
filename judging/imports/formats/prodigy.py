"""Prodigy's JSON Lines, or a list of the same: each is a task and one annotator's decision.

The text of a task is the question, its `meta` are columns. A choice is a rating by the id of the
option; without options, accept and reject are ratings on the task's label. Tasks that were ignored,
and choices that were rejected, hold no rating.
"""

from collections.abc import Iterator, Mapping

from judging.imports.readers.annotations import (
    NOTE,
    RATER,
    TASK,
    Remarks,
    annotated_columns,
    rating,
)
from judging.imports.readers.contract import Format
from judging.imports.readers.json_files import items, list_at, object_at, refused, text_at
from judging.imports.readers.nesting import json_text
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import OpenTable, open_objects

_PROGRAM = (
    "accept",
    "answer",
    "config",
    "label",
    "meta",
    "options",
    "spans",
    "tokens",
    "user_input",
)
_NO_ANNOTATOR = "prodigy"


def open_prodigy(data: bytes) -> OpenTable:
    """Return the decisions as rows.

    Raises
    ------
    Unreadable
        If no line is a task.
    """
    remarks = Remarks()
    rows = ((number, row) for number, task in items(data) for row in _rows(number, task, remarks))
    return open_objects(rows, remarks=remarks.problems)


def _rows(number: int, task: object, remarks: Remarks) -> Iterator[Mapping[str, object] | Problem]:
    if not isinstance(task, dict) or not text_at(task, "answer"):
        yield refused(number, task, "A task is an object with “answer”.")[1]
        return
    own = {name: value for name, value in task.items() if name not in _PROGRAM and name[0:1] != "_"}
    meta = {name: value for name, value in object_at(task, "meta").items() if name not in own}
    shown = {name: json_text(value) for name, value in (own | meta).items()}
    shown[TASK] = text_at(task, "_input_hash")
    rater = text_at(task, "_annotator_id") or text_at(task, "_session_id") or _NO_ANNOTATOR
    said: list[dict[str, object]] = (
        [{RATER: rater, NOTE: note}] if (note := text_at(task, "user_input")) else []
    )
    if decided := _decision(number, task, rater, remarks):
        said.append(decided)
    yield from (shown | each for each in said or [{}])


def _decision(
    number: int, task: Mapping[str, object], rater: str, remarks: Remarks
) -> dict[str, object] | None:
    answer, label = text_at(task, "answer"), text_at(task, "label")
    if answer == "ignore" or ("options" in task and answer == "reject"):
        remarks.say(
            number,
            "A task that was ignored or rejected without a choice holds no rating.",
            "answer",
        )
        return None
    if "options" in task:
        return rating(number, rater, label or "choice", list_at(task, "accept"), remarks)
    return rating(number, rater, label or "accepted", [answer], remarks)


def _is_like(head: bytes) -> bool:
    is_json = head.startswith((b"{", b"["))
    return is_json and b'"answer"' in head and b'"_input_hash"' in head


READS = (
    Format(
        key="prodigy",
        title="Prodigy JSON Lines",
        endings=(),
        is_like=_is_like,
        rank=45,
        table=open_prodigy,
        propose=lambda table, _name: annotated_columns(table, question="text"),
        carries=("questions", "references", "answers", "ratings", "notes", "metadata"),
        page="prodigy",
    ),
)
