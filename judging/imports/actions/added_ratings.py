"""Ratings of an added file, in the campaign that holds the dataset's ratings under their
protocol."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count, Max

from judging.actions import campaigns, machine_judges
from judging.actions.bulk import CopiedRow, copy, take_ids
from judging.imports.actions.brought_rows import (
    Brought,
    JudgedPlace,
    RatedPlace,
    put_judgments,
    put_marks,
    put_notes,
    put_places,
)
from judging.imports.actions.ratings import StorableValue
from judging.imports.actions.storing import Units
from judging.imports.readers.machine_tables import JudgeAnswer, JudgeAnswers
from judging.imports.readers.records import MarkRecord, NoteRecord, Problem, StudyRecords
from judging.models import (
    Assignment,
    Campaign,
    Collection,
    Enrollment,
    JudgmentAttribute,
    Marking,
    Note,
    Rubric,
    Task,
    TaskUnit,
    Unit,
    User,
)
from judging.spans import NOTHING, Marked

UnitOfRater = tuple[int, str]


def campaign_of(collection: Collection, rubric: Rubric) -> Campaign | None:
    """Return the campaign that holds the dataset's ratings under a protocol, the first if there
    are several."""
    known = collection.campaigns.filter(rubric=rubric, origin=Campaign.Origin.IMPORTED)
    return known.order_by("pk").first()


def new_campaign(
    *, collection: Collection, rubric: Rubric, title: str, by: User, now: datetime
) -> Campaign:
    """Create the campaign that holds the dataset's ratings under a protocol."""
    plan = {"title": title or f"{collection.name}: released ratings", "annotators_per_task": 1}
    return closed_campaign(collection=collection, rubric=rubric, plan=plan, by=by, now=now)


def closed_campaign(
    *, collection: Collection, rubric: Rubric, plan: Mapping[str, Any], by: User, now: datetime
) -> Campaign:
    """Create a closed campaign to hold ratings, opened and closed at the time of the import."""
    campaign = campaigns.create(
        by=by, collection=collection, rubric=rubric, plan=plan, origin=Campaign.Origin.IMPORTED
    )
    campaigns.lock(campaign=campaign, now=now, by=by)
    for state in (Campaign.State.OPEN, Campaign.State.CLOSED):
        campaigns.move(campaign=campaign, to=state, now=now, by=by)
    campaign.rounds.update(opened_at=now, closed_at=now)
    return campaign


def store(
    *,
    campaign: Campaign,
    values: Sequence[StorableValue],
    units: Units,
    study: StudyRecords,
    brought: Brought,
    now: datetime,
) -> list[Problem]:
    """Store ratings with their notes and marks; return the notes and marks without a rating."""
    storing = _Ratings(campaign, values, units, brought, now)
    storing.tasks()
    storing.assignments()
    storing.judgments()
    homeless = storing.notes(study.notes) + storing.marks(study.marks)
    count_annotators(campaign)
    return [without_place(each) for each in homeless]


def store_judges(
    *, campaign: Campaign, values: Sequence[StorableValue], units: Units, by: User
) -> None:
    """Store ratings by LLM judges in the campaign, separately from the annotators'."""
    answers: dict[str, list[JudgeAnswer]] = {}
    for value in values:
        answers.setdefault(value.rater, []).append(
            JudgeAnswer(units.of(*value.slot), value.criterion.key, value.value, 1)
        )
    for name, given in answers.items():
        found = JudgeAnswers(answers=tuple(given), blank=0, problems=())
        if known := campaign.machine_judges.filter(name=name).first():
            machine_judges.store(known, found)
            continue
        machine_judges.keep(
            campaign=campaign,
            by=by,
            file=None,
            file_name="",
            about={"name": name, "model": name},
            found=found,
        )


def homeless(study: StudyRecords) -> list[Problem]:
    """Return a problem for each note and mark of a file without any rating that could be stored."""
    beside: tuple[NoteRecord | MarkRecord, ...] = (*study.notes, *study.marks)
    return [without_place(each) for each in beside]


def with_mark(marked: Marked, mark: MarkRecord) -> Marked:
    """Return a rater's marks on a question with one more mark added."""
    if mark.start is None or mark.end is None:
        return Marked(nothing=True)
    return marked.adding((mark.start, mark.end))


def without_place(said: NoteRecord | MarkRecord) -> Problem:
    """Return the problem of a note or mark that belongs to no stored rating."""
    if isinstance(said, NoteRecord):
        what, value = "note", said.text
    else:
        what, value = "mark", NOTHING if said.start is None else f"{said.start}-{said.end}"
    reason = f"The {what} belongs to no rating that could be stored."
    return Problem(row=said.row, column="", value=value, reason=reason, kind="value")


def count_annotators(campaign: Campaign) -> None:
    """Store in the campaign's plan the largest number of annotators of any of its tasks."""
    counted = Task.objects.filter(round__campaign=campaign).annotate(n=Count("assignments"))
    most = counted.aggregate(most=Max("n"))["most"] or 1
    Campaign.objects.filter(pk=campaign.pk).update(annotators_per_task=most)
    campaign.annotators_per_task = most


class _Ratings:
    """Ratings being stored in a campaign that may already hold others."""

    def __init__(
        self,
        campaign: Campaign,
        values: Sequence[StorableValue],
        units: Units,
        brought: Brought,
        now: datetime,
    ) -> None:
        self.campaign, self.values, self.put, self.now = campaign, values, brought.put, now
        self.units = units
        self.main = campaign.rounds.get(kind="main")
        self.rated = [units.of(*value.slot) for value in values]
        self.task_of: dict[int, int] = dict(
            TaskUnit.objects.filter(task__round=self.main).values_list("unit", "task").iterator()
        )
        self.assignment_of: dict[UnitOfRater, uuid.UUID] = {
            (task, label): pk
            for task, label, pk in Assignment.objects.filter(round=self.main)
            .values_list("task", "enrollment__label", "id")
            .iterator()
        }

    def tasks(self) -> None:
        """Give each unit without earlier ratings a task, grouped as the protocol groups units."""
        new = [unit for unit in dict.fromkeys(self.rated) if unit not in self.task_of]
        if not new:
            return
        tasks = Task.objects.filter(round=self.main)
        number = tasks.aggregate(last=Max("number"))["last"] or 0
        position = dict(tasks.annotate(last=Max("task_units__position")).values_list("pk", "last"))
        groups = self._groups(new)
        known = self._known_groups()
        ids = dict(
            zip(
                missing := [g for g in groups if g not in known],
                take_ids(Task, len(missing)),
                strict=True,
            )
        )
        self.put(
            Task,
            ("id", "round_id", "number"),
            ((pk, self.main.pk, number + place) for place, pk in enumerate(ids.values(), 1)),
        )
        rows: list[CopiedRow] = []
        for group, units in groups.items():
            task = known.get(group) or ids[group]
            for unit in units:
                position[task] = (position.get(task) or 0) + 1
                rows.append((task, unit, position[task]))
                self.task_of[unit] = task
        self.put(TaskUnit, ("task_id", "unit_id", "position"), rows)

    def _groups(self, units: Sequence[int]) -> dict[object, list[int]]:
        """Return units by the group that forms one task, in the order of the dataset."""
        rubric = self.campaign.rubric
        ordered = Unit.objects.filter(pk__in=units).order_by(
            "question_set__source__position", "question_set__system", "position"
        )
        found: dict[object, list[int]] = {}
        rows = ordered.values_list("pk", "question_set", "question_set__source").iterator()
        for place, (pk, question_set, source) in enumerate(rows):
            page = ("page", place // rubric.page_size) if rubric.task == Rubric.Task.UNIT else None
            group = page or (source if rubric.task == Rubric.Task.SOURCE else question_set)
            found.setdefault(group, []).append(pk)
        return found

    def _known_groups(self) -> dict[object, int]:
        """Return the tasks that further units may join: a source's, or a question set's. Pages of
        single questions stay as they are."""
        task = self.campaign.rubric.task
        if task == Rubric.Task.UNIT:
            return {}
        path = "unit__question_set__source" if task == Rubric.Task.SOURCE else "unit__question_set"
        return dict(TaskUnit.objects.filter(task__round=self.main).values_list(path, "task"))

    def assignments(self) -> None:
        """Enroll new raters, and give each rater an assignment in every task that they rated."""
        enrolled = dict(self.campaign.enrollments.values_list("label", "pk"))
        labels = [
            each
            for each in dict.fromkeys(value.rater for value in self.values)
            if each not in enrolled
        ]
        made = Enrollment.objects.bulk_create(
            Enrollment(campaign=self.campaign, label=label) for label in labels
        )
        enrolled |= {enrollment.label: enrollment.pk for enrollment in made}
        places = dict(
            Assignment.objects.filter(round=self.main)
            .values_list("task")
            .annotate(last=Max("place"))
        )
        last = (
            Assignment.objects.filter(round=self.main).aggregate(last=Max("position"))["last"] or 0
        )
        new: list[RatedPlace] = []
        for place in dict.fromkeys(self._places()):
            if place not in self.assignment_of:
                task, rater = place
                pk = self.assignment_of[place] = uuid.uuid4()
                places[task] = places.get(task, 0) + 1
                position = last + len(new) + 1
                new.append(RatedPlace(pk, task, places[task], position, enrolled[rater]))
        put_places(new, round=self.main, now=self.now, put=self.put)

    def _places(self) -> Iterator[UnitOfRater]:
        return (
            (self.task_of[unit], value.rater)
            for unit, value in zip(self.rated, self.values, strict=True)
        )

    def judgments(self) -> None:
        places = (
            (self.assignment_of[place], unit)
            for place, unit in zip(self._places(), self.rated, strict=True)
        )
        about = put_judgments(self.values, places, put=self.put)
        copy(JudgmentAttribute, ("judgment_id", "name", "value"), about)

    def notes(self, notes: Iterable[NoteRecord]) -> list[NoteRecord]:
        """Store notes; return those whose rater gave no value there, or has a note from another
        file."""
        taken = set(
            Note.objects.filter(assignment__round=self.main).values_list("assignment", "unit")
        )
        texts: dict[JudgedPlace, list[str]] = {}
        left = []
        for note in notes:
            place = self._said(note)
            if place is None or place in taken:
                left.append(note)
            else:
                texts.setdefault(place, []).append(note.text)
        put_notes(texts, now=self.now, put=self.put)
        return left

    def marks(self, marks: Iterable[MarkRecord]) -> list[MarkRecord]:
        """Store marked spans; return those whose rater gave no value there, or marked in another
        file."""
        taken = set(
            Marking.objects.filter(assignment__round=self.main).values_list("assignment", "unit")
        )
        said: dict[JudgedPlace, Marked] = {}
        left = []
        for mark in marks:
            place = self._said(mark)
            if place is None or place in taken:
                left.append(mark)
            else:
                said[place] = with_mark(said.get(place, Marked()), mark)
        put_marks(said, now=self.now, put=self.put)
        return left

    def _said(self, said: NoteRecord | MarkRecord) -> JudgedPlace | None:
        """Return the assignment and the unit of a note or mark; None if it has no rating."""
        pair = said.source_key, said.system
        try:
            unit = self.units.of(pair, said.position)
        except KeyError:
            return None
        task = self.task_of.get(unit) or self._task_of_set.get(pair)
        assignment = self.assignment_of.get((task or 0, said.rater))
        return None if assignment is None else (assignment, unit)

    @cached_property
    def _task_of_set(self) -> dict[tuple[str, str], int]:
        return {
            (source, system): self.task_of[unit]
            for (source, system, _), unit in self.units.slots.items()
            if unit in self.task_of
        }
