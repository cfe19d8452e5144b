"""Ratings of an added file, in the campaign that holds the dataset's ratings under their
protocol."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import pandas as pd
from django.db.models import Max, QuerySet
from pandas import DataFrame, Series

from judging.base.actions.bulk import copy_rows, random_uuids, take_ids
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Unit
from judging.formats.frames import Problem, iterate_rows
from judging.formats.judge_tables import JudgeAnswer, JudgeAnswers
from judging.formats.tiers import NONE, iterate_cells
from judging.imports.actions.rated_campaigns import count_annotators
from judging.llm_judges.actions import llm_judges
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion, Protocol
from judging.protocols.spans import NOTHING, Marked
from judging.work.models.assignment import Marking, Note, SpanMark
from judging.work.models.judgment import Judgment, JudgmentAttribute

if TYPE_CHECKING:
    from judging.imports.actions.store import Storing

SEAT_COLUMNS = ("id", "round_id", "task_id", "place", "position", "enrollment_id")
STATE_COLUMNS = ("state", "stage", "submit_token", "active_seconds", "submitted_at")
JUDGED_COLUMNS = ("id", "assignment_id", "unit_id", "criterion_id")
JUDGMENT_COLUMNS = (*JUDGED_COLUMNS, "value", "origin", "cause", "revision")
JudgedPlace = tuple[str, int]  # the assignment and the unit of a judgment, note or mark
TaskOfRater = tuple[int, str]


def store_rating_rows(storing: "Storing", campaign: Campaign, *, now: datetime) -> DataFrame:
    """Store ratings with their notes and marks; return the notes and marks without a rating."""
    main = campaign.rounds.get(kind="main")
    ratings = storing.joined.ratings
    units = _units(storing, ratings)
    task_of = _store_tasks(storing, main, units)
    places = [(task_of[unit], rater) for unit, rater in zip(units, ratings["rater"], strict=True)]
    assignment_of = _store_assignments(storing, main, places, now)
    judged = [(assignment_of[place], unit) for place, unit in zip(places, units, strict=True)]
    _store_judgments(storing, judged)
    notes = storing.joined.study.notes
    judged_places = _places_of_notes(storing, notes, task_of, assignment_of)
    is_note = notes["kind"] == "note"
    left = [
        _store_notes(storing, main, notes[is_note], judged_places[is_note], now),
        _store_marks(storing, main, notes[~is_note], judged_places[~is_note], now),
    ]
    count_annotators(campaign)
    return pd.concat(left)


def _units(storing: "Storing", values: DataFrame) -> list[int]:
    """Return the ids of the rated units."""
    return [
        storing.wholes[source, system] if question == NONE else storing.units[question]
        for _, question, source, system in iterate_cells(values, "question", "source", "system")
    ]


def _store_tasks(storing: "Storing", main: Round, rated: Sequence[int]) -> dict[int, int]:
    """Give each unit without earlier ratings a task, grouped as the protocol groups units; return
    the task of every unit."""
    task_units = TaskUnit.objects.filter(task__round=main)
    task_of = dict(task_units.values_list("unit", "task").iterator())
    new = [unit for unit in dict.fromkeys(rated) if unit not in task_of]
    groups, known = _groups(main.campaign.protocol, new), _known_groups(main)
    made = _new_tasks(storing, main, [group for group in groups if group not in known])
    placed = list(_task_units(task_units, groups, known | made))
    storing.put(TaskUnit, ("task_id", "unit_id", "position"), placed)
    return task_of | {unit: task for task, unit, _ in placed}


def _new_tasks(storing: "Storing", main: Round, groups: Sequence[object]) -> dict[object, int]:
    tasks = dict(zip(groups, take_ids(Task, len(groups)), strict=True))
    last = Task.objects.filter(round=main).aggregate(last=Max("number"))["last"] or 0
    rows = ((pk, main.pk, number) for number, pk in enumerate(tasks.values(), last + 1))
    storing.put(Task, ("id", "round_id", "number"), rows)
    return tasks


def _task_units(
    there: QuerySet[TaskUnit],
    groups: Mapping[object, Sequence[int]],
    tasks: Mapping[object, int],
) -> Iterator[tuple[int, int, int]]:
    """Yield task, unit and position of the units in each group, after those that are there."""
    position = Counter(dict(there.values_list("task").annotate(last=Max("position"))))
    for group, units in groups.items():
        for unit in units:
            position[tasks[group]] += 1
            yield tasks[group], unit, position[tasks[group]]


def _groups(protocol: Protocol, units: Sequence[int]) -> dict[object, list[int]]:
    """Return units by the group that forms one task, in the order of the dataset."""
    ordered = Unit.objects.filter(pk__in=units).order_by(
        "question_set__source__position", "question_set__system", "position"
    )
    found: dict[object, list[int]] = {}
    rows = ordered.values_list("pk", "question_set", "question_set__source").iterator()
    for place, (pk, question_set, source) in enumerate(rows):
        page = (
            ("page", place // protocol.page_size) if protocol.task == Protocol.Task.UNIT else None
        )
        group = page or (source if protocol.task == Protocol.Task.SOURCE else question_set)
        found.setdefault(group, []).append(pk)
    return found


def _known_groups(main: Round) -> dict[object, int]:
    """Return the tasks that further units may join: a source's, or a question set's. Pages of
    single questions stay as they are."""
    task = main.campaign.protocol.task
    if task == Protocol.Task.UNIT:
        return {}
    path = "unit__question_set__source" if task == Protocol.Task.SOURCE else "unit__question_set"
    return dict(TaskUnit.objects.filter(task__round=main).values_list(path, "task"))


def _store_assignments(
    storing: "Storing", main: Round, places: Sequence[TaskOfRater], now: datetime
) -> dict[TaskOfRater, str]:
    """Give each rater an assignment in every task that they rated; return all assignments."""
    there = Assignment.objects.filter(round=main)
    known = there.values_list("task", "enrollment__label", "id").iterator()
    assignment_of = {(task, label): str(pk) for task, label, pk in known}
    new = [place for place in dict.fromkeys(places) if place not in assignment_of]
    uuids = random_uuids()
    assignment_of |= dict(zip(new, uuids, strict=False))
    state, since = Assignment.State.SUBMITTED.value, now.isoformat()
    rows = (
        (assignment_of[place], *seat, state, 0, next(uuids), 0, since)
        for place, seat in zip(new, _seats(main, new), strict=True)
    )
    storing.put(Assignment, (*SEAT_COLUMNS, *STATE_COLUMNS), rows)
    return assignment_of


def _seats(main: Round, places: Sequence[TaskOfRater]) -> list[tuple[int, ...]]:
    """Return round, task, place, position and enrollment of new assignments."""
    there = Assignment.objects.filter(round=main)
    enrolled = _enroll(main.campaign, [rater for _, rater in places])
    last_place = Counter(dict(there.values_list("task").annotate(last=Max("place"))))
    last = there.aggregate(last=Max("position"))["last"] or 0
    seats: list[tuple[int, ...]] = []
    for position, (task, rater) in enumerate(places, last + 1):
        last_place[task] += 1
        seats.append((main.pk, task, last_place[task], position, enrolled[rater]))
    return seats


def _enroll(campaign: Campaign, raters: Sequence[str]) -> dict[str, int]:
    """Enroll new raters; return the enrollments of all by label."""
    enrolled = dict(campaign.enrollments.values_list("label", "pk"))
    labels = [label for label in dict.fromkeys(raters) if label not in enrolled]
    made = Enrollment.objects.bulk_create(
        Enrollment(campaign=campaign, label=label) for label in labels
    )
    return enrolled | {enrollment.label: enrollment.pk for enrollment in made}


def _store_judgments(storing: "Storing", places: Sequence[tuple[str, int]]) -> None:
    ratings = storing.joined.ratings
    ids = take_ids(Judgment, len(ratings))
    imported = Judgment.Origin.IMPORTED.value
    cells = zip(ids, places, ratings["criterion"], ratings["point"], strict=True)
    rows = (
        (pk, *place, criterion, point, imported, "", 1) for pk, place, criterion, point in cells
    )
    storing.put(Judgment, JUDGMENT_COLUMNS, rows)
    about = (
        (pk, name, text)
        for pk, metadata in zip(ids, ratings["metadata"], strict=True)
        for name, text in metadata.items()
    )
    copy_rows(JudgmentAttribute, ("judgment_id", "name", "value"), about)


def _places_of_notes(
    storing: "Storing",
    notes: DataFrame,
    task_of: Mapping[int, int],
    assignment_of: Mapping[TaskOfRater, str],
) -> Series:
    """Return assignment and unit of each note or mark; None if its rater gave no rating there."""
    units, questions = storing.units, storing.joined.questions
    sets = iterate_cells(questions, "source", "system")
    task_of_set = {
        (source, system): task_of[units[question]]
        for question, source, system in sets
        if units.get(question, 0) in task_of
    }
    places: list[JudgedPlace | None] = []
    for _, question, source, system, rater in iterate_cells(
        notes, "question", "source", "system", "rater"
    ):
        pair = source, system
        unit = storing.wholes.get(pair) if pd.isna(question) else units.get(question)
        task = (unit and task_of.get(unit)) or task_of_set.get(pair, 0)
        assignment = assignment_of.get((task, rater))
        places.append((assignment, unit) if unit and assignment else None)
    return Series(places, notes.index, dtype=object)


def _store_notes(
    storing: "Storing", main: Round, notes: DataFrame, places: Series, now: datetime
) -> DataFrame:
    """Store notes, several of one rater on a unit as the lines of one; return those whose rater gave
    no rating there, or has a note from another file."""
    is_left = _is_left(places, Note, main)
    texts: dict[JudgedPlace, list[str]] = {}
    for place, text in zip(places[~is_left], notes["text"][~is_left], strict=True):
        texts.setdefault(place, []).append(text)
    rows = ((*place, "\n".join(lines), 0, now.isoformat()) for place, lines in texts.items())
    storing.put(Note, ("assignment_id", "unit_id", "text", "sequence", "saved_at"), rows)
    return notes[is_left]


def _store_marks(
    storing: "Storing", main: Round, marks: DataFrame, places: Series, now: datetime
) -> DataFrame:
    """Store marked spans in the same way as for annotators of a campaign; return those whose rater
    gave no rating there, or marked in another file."""
    is_left = _is_left(places, Marking, main)
    marked: dict[JudgedPlace, Marked] = {}
    kept = marks[~is_left].assign(place=places[~is_left])
    for _, place, kind, start, end in iterate_cells(kept, "place", "kind", "start", "end"):
        before = marked.get(place, Marked())
        marked[place] = before.adding((start, end)) if kind == "span" else Marked(nothing=True)
    since = now.isoformat()
    rows = ((*place, each.nothing, 0, since) for place, each in marked.items())
    storing.put(Marking, ("assignment_id", "unit_id", "nothing", "sequence", "saved_at"), rows)
    spans = ((*place, *span, since) for place, each in marked.items() for span in each.ranges)
    storing.put(SpanMark, ("assignment_id", "unit_id", "start", "end", "created_at"), spans)
    return marks[is_left]


def _is_left(places: Series, model: type[Note] | type[Marking], main: Round) -> Series:
    """Return whether there is no rating at these places, or a note or mark from another file."""
    there = model._default_manager.filter(assignment__round=main)
    taken = {(str(pk), unit) for pk, unit in there.values_list("assignment", "unit")}
    is_left = [place is None or place in taken for place in places]
    return Series(is_left, places.index, dtype=bool)


def without_place(notes: DataFrame) -> Iterator[Problem]:
    """Yield the problem of each note or mark that belongs to no stored rating."""
    for note in iterate_rows(notes):
        what, value = "mark", f"{note.start}-{note.end}" if note.kind == "span" else NOTHING
        if note.kind == "note":
            what, value = "note", note.text
        reason = f"The {what} belongs to no rating that could be stored."
        yield Problem(row=note.row, column="", value=value, reason=reason, kind="value")


def store_judges(storing: "Storing", campaign: Campaign, *, by: User) -> None:
    """Store ratings by LLM judges in the campaign, separately from the annotators'."""
    ratings = storing.joined.judge_ratings
    keys = dict(Criterion.objects.filter(protocol=campaign.protocol_id).values_list("pk", "key"))
    answers: dict[str, list[JudgeAnswer]] = {}
    cells = zip(ratings["rater"], ratings["criterion"], ratings["point"], strict=True)
    for unit, (rater, criterion, point) in zip(_units(storing, ratings), cells, strict=True):
        answers.setdefault(rater, []).append(JudgeAnswer(unit, keys[criterion], point, 1))
    for name, given in answers.items():
        found = JudgeAnswers(answers=tuple(given), blank=0, problems=())
        if known := campaign.llm_judges.filter(name=name).first():
            llm_judges.store_judge_answers(known, found)
            continue
        llm_judges.store_llm_judge(
            campaign=campaign,
            by=by,
            file=None,
            file_name="",
            about={"name": name, "model": name},
            found=found,
        )
