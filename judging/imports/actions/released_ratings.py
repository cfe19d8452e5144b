"""Released ratings as a campaign: closed, with its raters, and a submitted assignment for each
rater of a task."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import count
from typing import Any

from judging.actions import campaigns
from judging.actions.bulk import take_ids
from judging.actions.collections import Put, UnitIds
from judging.imports.actions.brought_rows import (
    JudgedPlace,
    RatedPlace,
    put_judgments,
    put_marks,
    put_notes,
    put_places,
)
from judging.imports.actions.ratings import RatedSlot, RatingsRead
from judging.imports.readers.records import MarkRecord, NoteRecord, Problem, StudyRecords
from judging.models import (
    Campaign,
    Collection,
    Enrollment,
    JudgmentAttribute,
    Rubric,
    Task,
    TaskUnit,
    User,
)
from judging.spans import NOTHING, Marked

Beside = NoteRecord | MarkRecord


def store(
    *,
    collection: Collection,
    rubric: Rubric,
    released: "Released",
    title: str,
    by: User,
    now: datetime,
    put: Put,
) -> Campaign:
    """Make the closed campaign with all its ratings."""
    plan = {"title": title, "annotators_per_task": max(map(len, released.places))}
    campaign = closed_campaign(collection=collection, rubric=rubric, plan=plan, by=by, now=now)
    released.store_tasks(campaign, put)
    released.store_assignments(campaign, now, put)
    released.store_judgments(put)
    released.store_notes(now, put)
    released.store_marks(now, put)
    return campaign


def closed_campaign(
    *, collection: Collection, rubric: Rubric, plan: Mapping[str, Any], by: User, now: datetime
) -> Campaign:
    """Make a campaign to hold ratings; nobody can judge in it, and everything about it is as old as
    the import."""
    campaign = campaigns.create(
        by=by, collection=collection, rubric=rubric, plan=plan, origin=Campaign.Origin.IMPORTED
    )
    campaigns.lock(campaign=campaign, now=now, by=by)
    for state in (Campaign.State.OPEN, Campaign.State.CLOSED):
        campaigns.move(campaign=campaign, to=state, now=now, by=by)
    campaign.rounds.update(opened_at=now, closed_at=now)
    return campaign


@dataclass(frozen=True)
class Released:
    """Ratings cut into tasks as the rubric cuts its material; what nobody rated is in no task."""

    rubric: Rubric
    reading: RatingsRead
    study: StudyRecords
    units: UnitIds

    @cached_property
    def tasks(self) -> dict[RatedSlot, int]:
        """Return the number of each rated unit's task, from 0."""
        slots = list(dict.fromkeys(value.slot for value in self.reading.values))
        keys: dict[object, int] = {}
        ordered = enumerate(sorted(slots, key=_by_first(slots)))
        return {
            slot: keys.setdefault(self._task_key(slot, number), len(keys))
            for number, slot in ordered
        }

    @cached_property
    def places(self) -> list[list[str]]:
        """Return the raters of each task, in the order in which the file names them."""
        raters: list[dict[str, None]] = [{} for _ in set(self.tasks.values())]
        for value in self.reading.values:
            raters[self.tasks[value.slot]].setdefault(value.rater)
        return [list(each) for each in raters]

    @cached_property
    def task_ids(self) -> Sequence[int]:
        return take_ids(Task, len(self.places))

    @cached_property
    def assignments(self) -> dict[tuple[int, str], uuid.UUID]:
        """Return the id of the assignment of each task and rater."""
        return {
            (task, rater): uuid.uuid4()
            for task, raters in enumerate(self.places)
            for rater in raters
        }

    @cached_property
    def homeless(self) -> tuple[Problem, ...]:
        """Return the notes and marks whose rater gave no value in that task."""
        return tuple(
            without_place(each) for each in beside(self.study) if self._assignment_of(each) is None
        )

    def store_tasks(self, campaign: Campaign, put: Put) -> None:
        main = campaign.rounds.get()
        put(
            Task,
            ("id", "round_id", "number"),
            ((pk, main.pk, n) for n, pk in enumerate(self.task_ids, start=1)),
        )
        put(TaskUnit, ("task_id", "unit_id", "position"), self._task_units())

    def store_assignments(self, campaign: Campaign, now: datetime, put: Put) -> None:
        main = campaign.rounds.get()
        labels = dict.fromkeys(value.rater for value in self.reading.values)
        enrolled = Enrollment.objects.bulk_create(
            Enrollment(campaign=campaign, label=label) for label in labels
        )
        raters = {enrollment.label: enrollment.pk for enrollment in enrolled}
        positions = count(1)
        places = (
            RatedPlace(
                self.assignments[task, rater],
                self.task_ids[task],
                place,
                next(positions),
                raters[rater],
            )
            for task, own in enumerate(self.places)
            for place, rater in enumerate(own, start=1)
        )
        put_places(places, round=main, now=now, put=put)

    def store_judgments(self, put: Put) -> None:
        places = (
            (self.assignments[self.tasks[value.slot], value.rater], self.units.of(*value.slot))
            for value in self.reading.values
        )
        about = put_judgments(self.reading.values, places, put=put)
        put(JudgmentAttribute, ("judgment_id", "name", "value"), about)

    def store_notes(self, now: datetime, put: Put) -> None:
        texts: dict[JudgedPlace, list[str]] = {}
        for note in self.study.notes:
            if place := self._place_of(note):
                texts.setdefault(place, []).append(note.text)
        put_notes(texts, now=now, put=put)

    def store_marks(self, now: datetime, put: Put) -> None:
        said: dict[JudgedPlace, Marked] = {}
        for mark in self.study.marks:
            if place := self._place_of(mark):
                said[place] = with_mark(said.get(place, Marked()), mark)
        put_marks(said, now=now, put=put)

    def _place_of(self, said: Beside) -> JudgedPlace | None:
        assignment = self._assignment_of(said)
        if assignment is None:
            return None
        return assignment, self.units.of((said.source_key, said.system), said.position)

    def _task_key(self, slot: RatedSlot, number: int) -> object:
        if self.rubric.task == Rubric.Task.SOURCE:
            return slot[0][0]
        return (
            slot[0]
            if self.rubric.task == Rubric.Task.QUESTION_SET
            else number // self.rubric.page_size
        )

    def _task_units(self) -> Iterator[tuple[object, ...]]:
        positions = [0] * len(self.task_ids)
        for slot, task in self.tasks.items():
            positions[task] += 1
            yield self.task_ids[task], self.units.of(*slot), positions[task]

    def _assignment_of(self, said: Beside) -> uuid.UUID | None:
        """A note on a set as a whole belongs to the task of its questions."""
        pair = (said.source_key, said.system)
        task = self.tasks.get((pair, said.position), self._task_of_set.get(pair, -1))
        return self.assignments.get((task, said.rater))

    @cached_property
    def _task_of_set(self) -> dict[tuple[str, str], int]:
        return {pair: task for (pair, _), task in self.tasks.items()}


def beside(study: StudyRecords) -> tuple[Beside, ...]:
    """Return what raters said besides their ratings."""
    return (*study.notes, *study.marks)


def with_mark(marked: Marked, mark: MarkRecord) -> Marked:
    """Return what a rater marked for a question with one mark more."""
    if mark.start is None or mark.end is None:
        return Marked(nothing=True)
    return marked.adding((mark.start, mark.end))


def without_place(said: Beside) -> Problem:
    """Return the problem of a note or mark that cannot be kept as one."""
    if isinstance(said, NoteRecord):
        what, value = "note", said.text
    else:
        what, value = "mark", NOTHING if said.start is None else f"{said.start}-{said.end}"
    reason = f"The {what} stands beside no rating that could be stored."
    return Problem(row=said.row, column="", value=value, reason=reason, kind="value")


def _by_first(slots: Sequence[RatedSlot]) -> Callable[[RatedSlot], tuple[int, int, int]]:
    """Order by source, then by system within it, as the file named them first; then by position."""
    sources = {key: n for n, key in enumerate(dict.fromkeys(pair[0] for pair, _ in slots))}
    pairs = {pair: n for n, pair in enumerate(dict.fromkeys(pair for pair, _ in slots))}
    return lambda slot: (sources[slot[0][0]], pairs[slot[0]], slot[1] or 0)
