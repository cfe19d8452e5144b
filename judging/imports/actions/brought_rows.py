"""Rows of imported files, on their way into the database."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Model

from judging.actions.bulk import CopiedRow, copy, take_ids
from judging.actions.collections import Put
from judging.actions.rounds import TellProgress
from judging.imports.actions.ratings import StorableValue
from judging.models import (
    AddedFile,
    Assignment,
    Judgment,
    Marking,
    Note,
    Round,
    SpanMark,
)
from judging.spans import Marked

JudgedPlace = tuple[uuid.UUID, int]  # the assignment and the unit of a judgment, note or mark


class Brought:
    """Stores and counts rows, each with the file that it comes from, if there is one."""

    def __init__(self, added: AddedFile | None, total: int, progress: TellProgress) -> None:
        self.added, self.total, self.progress = added, total, progress
        self.done = 0
        self.counts: dict[str, int] = {}

    def put(self, model: type[Model], columns: tuple[str, ...], rows: Iterable[CopiedRow]) -> None:
        """Store rows; raises what `progress` raises, between two batches."""
        what = str(model._meta.verbose_name_plural)

        def stored(count: int) -> None:
            self.done += count
            self.counts[what] = self.counts.get(what, 0) + count
            self.progress(self.done, max(self.total, self.done), f"Storing {what}")

        if self.added and any(each.name == "added_file" for each in model._meta.fields):
            file = self.added.pk
            columns, rows = (*columns, "added_file_id"), ((*row, file) for row in rows)
        copy(model, columns, rows, stored=stored)


@dataclass(frozen=True, slots=True)
class RatedPlace:
    """A place of a task that an imported rater filled with ratings."""

    assignment: uuid.UUID
    task: int
    place: int
    position: int
    enrollment: int


def put_places(places: Iterable[RatedPlace], *, round: Round, now: datetime, put: Put) -> None:
    """Store a submitted assignment for each place."""
    columns = (
        "id",
        "round_id",
        "task_id",
        "place",
        "position",
        "enrollment_id",
        "state",
        "stage",
        "submit_token",
        "active_seconds",
        "submitted_at",
    )
    submitted, since = Assignment.State.SUBMITTED.value, now.isoformat()
    rows = (
        (
            each.assignment,
            round.pk,
            each.task,
            each.place,
            each.position,
            each.enrollment,
            submitted,
            0,
            uuid.uuid4(),
            0,
            since,
        )
        for each in places
    )
    put(Assignment, columns, rows)


def put_judgments(
    values: Sequence[StorableValue], places: Iterable[JudgedPlace], *, put: Put
) -> list[tuple[object, ...]]:
    """Store each value at its place; return the rows of the further attributes in the file."""
    ids = take_ids(Judgment, len(values))
    columns = (
        "id",
        "assignment_id",
        "unit_id",
        "criterion_id",
        "value",
        "origin",
        "cause",
        "revision",
    )
    imported = Judgment.Origin.IMPORTED.value
    rows = (
        (pk, *place, value.criterion.pk, value.value, imported, "", 1)
        for pk, place, value in zip(ids, places, values, strict=True)
    )
    put(Judgment, columns, rows)
    return [
        (pk, name, text)
        for pk, value in zip(ids, values, strict=True)
        for name, text in value.attributes.items()
    ]


def put_notes(texts: Mapping[JudgedPlace, Sequence[str]], *, now: datetime, put: Put) -> None:
    """Store notes on units; several notes at one place become lines of one note."""
    rows = ((*place, "\n".join(lines), 0, now.isoformat()) for place, lines in texts.items())
    put(Note, ("assignment_id", "unit_id", "text", "sequence", "saved_at"), rows)


def put_marks(marks: Mapping[JudgedPlace, Marked], *, now: datetime, put: Put) -> None:
    """Store marks in the same way as `span_marks` does for annotators of a campaign."""
    rows = ((*place, marked.nothing, 0, now.isoformat()) for place, marked in marks.items())
    put(Marking, ("assignment_id", "unit_id", "nothing", "sequence", "saved_at"), rows)
    spans = (
        (*place, *span, now.isoformat())
        for place, marked in marks.items()
        for span in marked.ranges
    )
    put(SpanMark, ("assignment_id", "unit_id", "start", "end", "created_at"), spans)
