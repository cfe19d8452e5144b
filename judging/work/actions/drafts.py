"""Drafts: answers that are saved with every click, kept whatever happens, and final only when a
stage is frozen."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _

from judging.base.models.statements import query_rows, run_statement
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.protocols.spans import Marked
from judging.work.actions import assignments, sheets, span_marks
from judging.work.actions.sheets import (
    AskedControl,
    AskedMark,
    AskedReport,
    ControlPlace,
    EnteredAnswers,
    Sheet,
)
from judging.work.models.assignment import Marking
from judging.work.models.judgment import Judgment

ControlValues = Sequence[tuple[AskedControl, int | None]]
DraftMarks = Mapping[AskedMark, Marked]
Reports = Mapping[AskedReport, str]
Entry = AskedControl | AskedMark | AskedReport | str  # what a control holds, or a comment
LAST_SEQUENCE = 2**53  # up to which a browser counts exactly
MANY = 2**40  # more than the clicks of any annotator
DONE = (Assignment.State.SUBMITTED, Assignment.State.EXTRA)


class OffScale(Refused):
    """The value is not on its criterion's scale."""

    code = "not_on_scale"
    status = 422


class StageFrozen(Refused):
    """The answer belongs to a stage that is completed."""

    code = "stage_closed"


class StageNotReached(Refused):
    """The answer belongs to a stage that has not been shown yet."""

    code = "stage_not_open"


class TaskClosed(Refused):
    """The task was submitted and its round accepts no more changes, or the round is over."""

    code = "task_closed"


@dataclass(frozen=True)
class MissingAnswers(Refused):
    """Required answers or marks are missing."""

    code = "answers_missing"
    status = 422

    asked: tuple[AskedControl | AskedMark, ...]

    def __str__(self) -> str:
        return _("Still to answer: %(names)s") % {
            "names": ", ".join(each.title for each in self.asked)
        }


@dataclass(frozen=True)
class AnswerFirst(Refused):
    """Reports and marks of a submitted task cannot be taken back: without them their question has
    neither an answer nor a report. All else that was sent is stored, or is among `lost`."""

    code = "answer_first"

    held_back: tuple[AskedReport | AskedMark, ...]
    lost: tuple[Entry, ...] = ()

    def __str__(self) -> str:
        reports = [each.title for each in self.held_back if isinstance(each, AskedReport)]
        marks = [each.title for each in self.held_back if isinstance(each, AskedMark)]
        said = []
        if reports:
            said.append(
                _(
                    "%(names)s: you handed the task in with this report and without an answer, so "
                    "the report stands. To take it back, answer the question where that is still "
                    "open, clear the report, and hand the task in again on its page."
                )
                % {"names": ", ".join(reports)}
            )
        if marks:
            said.append(
                _(
                    "%(names)s: you handed the task in with what is marked, so it stands. Mark "
                    "something else in its place where that is still open."
                )
                % {"names": ", ".join(marks)}
            )
        return " ".join(said)


# By the clock rather than the transaction's beginning, so that answers before and after submission
# can be distinguished. Returns all drafts of the assignment: those written now, and those that are
# older or have a later number. The form that submits a task repeats its answers without their
# times: the times that were saved with the same value are kept.
UPSERT = """
WITH entered AS (
INSERT INTO judging_draft (assignment_id, unit_id, criterion_id, value, first_shown_at, answered_at,
    input, sequence, saved_at)
SELECT %(assignment)s::uuid, given.*, %(sequence)s, clock_timestamp()
FROM unnest(%(units)s::bigint[], %(criteria)s::bigint[], %(values)s::smallint[],
            %(shown)s::timestamptz[], %(answered)s::timestamptz[], %(inputs)s::text[]) AS given
ON CONFLICT (assignment_id, unit_id, criterion_id) DO UPDATE
SET value = excluded.value, sequence = excluded.sequence, saved_at = excluded.saved_at,
    first_shown_at = least(judging_draft.first_shown_at, excluded.first_shown_at),
    answered_at = coalesce(excluded.answered_at,
        CASE WHEN judging_draft.value = excluded.value THEN judging_draft.answered_at END),
    input = CASE WHEN excluded.input = '' AND judging_draft.value = excluded.value
        THEN judging_draft.input ELSE excluded.input END
WHERE judging_draft.sequence < excluded.sequence
RETURNING unit_id, criterion_id, value)
SELECT unit_id, criterion_id, value FROM entered
UNION ALL
SELECT unit_id, criterion_id, value FROM judging_draft before
WHERE assignment_id = %(assignment)s AND NOT EXISTS (
    SELECT FROM entered WHERE entered.unit_id = before.unit_id AND entered.criterion_id = before.criterion_id)
"""
UPSERT_NOTE = """
INSERT INTO judging_note (assignment_id, unit_id, text, sequence, saved_at)
SELECT %(assignment)s::uuid, %(unit)s, %(text)s, %(sequence)s, now()
WHERE %(text)s <> '' OR EXISTS (
    SELECT FROM judging_note WHERE assignment_id = %(assignment)s AND unit_id IS NOT DISTINCT FROM %(unit)s)
ON CONFLICT (assignment_id, unit_id) DO UPDATE
SET text = excluded.text, sequence = excluded.sequence, saved_at = excluded.saved_at
WHERE judging_note.sequence < excluded.sequence
"""
ENTERED = "SELECT unit_id, criterion_id, value, sequence FROM judging_draft WHERE assignment_id = %(assignment)s"
NOTES = "SELECT unit_id, text, sequence FROM judging_note WHERE assignment_id = %(assignment)s"
AFRESH = """
WITH answers AS (UPDATE judging_draft SET sequence = 0 WHERE assignment_id = %(assignment)s),
    notes AS (UPDATE judging_note SET sequence = 0 WHERE assignment_id = %(assignment)s)
UPDATE judging_marking SET sequence = 0 WHERE assignment_id = %(assignment)s
"""


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """When an answer's control was first shown and when the answer was given, by the clock of the
    annotator's device, and by which input; None and "" if the page does not report them."""

    first_shown_at: datetime | None = None
    answered_at: datetime | None = None
    input: str = ""


@dataclass(frozen=True, slots=True)
class SentPage:
    """What a page sends in one request, and the number by which the latest request is known; a
    comment of None was not asked for."""

    given: ControlValues
    sequence: int
    note: str | None = None
    marks: DraftMarks = field(default_factory=dict)
    reports: Reports = field(default_factory=dict)
    times: Mapping[AskedControl, AnswerTimes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftStanding:
    """The answers that are stored now, entries that lost against a later, different one, and
    reports and marks that a submitted task needs."""

    answers: EnteredAnswers
    lost: tuple[Entry, ...]
    held_back: tuple[AskedReport | AskedMark, ...] = ()


def save_draft(*, assignment: Assignment, page: SentPage) -> tuple[Entry, ...]:
    """Store a page's answers, all or none; return those that lost against a later, different one.
    Raise AnswerFirst if the task was submitted and is incomplete without what the page takes back;
    the rest is stored all the same."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        standing = store_page(assignment, page)
    if standing.held_back:
        raise AnswerFirst(standing.held_back, standing.lost)
    return standing.lost


def store_page(assignment: Assignment, page: SentPage) -> DraftStanding:
    """Store a page's answers in a transaction of the caller, who has locked the assignment's row."""
    _check_working(assignment)
    held_back = _held_back(assignment, page) if assignment.state in DONE else ()
    reports = {of: text for of, text in page.reports.items() if of not in held_back}
    marks = {of: marked for of, marked in page.marks.items() if of not in held_back}
    page = replace(page, reports=reports, marks=marks)
    lost: tuple[Entry, ...] = ()
    if page.note is not None:
        lost += _lost_note(assignment, page.note, page.sequence)
    lost += tuple(
        report
        for report, text in page.reports.items()
        if _lost_note(assignment, text, page.sequence, report.unit)
    )
    everything: tuple[AskedControl | AskedMark, ...] = (
        *(asked for asked, _value in page.given),
        *page.marks,
    )
    for asked in everything:
        _check_stage(assignment, asked.title, asked.stage)
    lost += _lost_marks(assignment, page.marks, page.sequence)
    given = {asked.place: value for asked, value in page.given}
    times = {asked.place: own for asked, own in page.times.items()}
    held = _store(assignment, given, times, page.sequence)
    lost += tuple(asked for asked, value in page.given if held.get(asked.place) != value)
    return DraftStanding(
        {place: value for place, value in held.items() if value is not None}, lost, held_back
    )


def clear_held_back(
    assignment: Assignment, page: SentPage, held_back: Collection[AskedReport | AskedMark]
) -> None:
    """Take back what `keep` held back, once the submitted task is complete without it; raise
    AnswerFirst if it is not. The caller has locked the assignment's row."""
    if standing := _held_back(assignment, page):  # a replayed page has submitted nothing
        raise AnswerFirst(standing)
    for each in held_back:
        if isinstance(each, AskedReport):
            _store_note(assignment, "", page.sequence, each.unit)


def _held_back(assignment: Assignment, page: SentPage) -> tuple[AskedReport | AskedMark, ...]:
    """Return the reports and marks that a page takes back from a submitted task although the task
    needs them. Only submitted values, not drafts, replace a report, because the task is not checked
    again before it is resubmitted."""
    if all(page.reports.values()) and all(page.marks.values()):
        return ()
    noted = {unit: (text, number) for unit, text, number in _notes(assignment)}
    numbers = dict(Marking.objects.filter(assignment=assignment).values_list("unit", "sequence"))
    marked = span_marks.load_marks(assignment)[0] if page.marks or numbers else {}
    said = {
        report: text
        for report, text in page.reports.items()
        if noted.get(report.unit, ("", -1))[1] < page.sequence
    }
    marks = {
        mark: own for mark, own in page.marks.items() if numbers.get(mark.unit, -1) < page.sequence
    }
    gone: list[AskedReport | AskedMark] = [
        each for each, text in said.items() if not text and noted.get(each.unit, ("",))[0]
    ]
    gone += [
        each
        for each, own in marks.items()
        if not own and not each.optional and marked.get(each.unit)
    ]
    if not gone:
        return ()
    texts = {unit: text for unit, (text, _number) in noted.items()}
    texts |= {report.unit: text for report, text in said.items()}
    marked |= {mark.unit: own for mark, own in marks.items()}
    sheet = sheets.sheet_of_assignment(assignment)
    answered = submitted_values(assignment=assignment, sheet=sheet)
    lacking = {each.unit for each in sheet.missing(answered)}
    lacking |= {each.unit for each in sheet.unmarked(marked)}
    return tuple(each for each in gone if each.unit in lacking and not texts.get(each.unit))


def submitted_values(*, assignment: Assignment, sheet: Sheet) -> dict[ControlPlace, int]:
    """Return the current judgments of a submitted task, by the place of the control they were given
    with."""
    standing = Judgment.objects.standing().filter(assignment=assignment)
    values = {
        (unit, criterion): value
        for unit, criterion, value in standing.values_list("unit", "criterion", "value")
    }
    found = {asked.place: sheet.stored_at(asked) for asked in sheet.asked()}
    return {place: values[stored] for place, stored in found.items() if stored in values}


def _notes(assignment: Assignment) -> list[tuple[Any, ...]]:
    return query_rows(NOTES, {"assignment": assignment.pk})


def _lost_note(
    assignment: Assignment, text: str, sequence: int, unit: int | None = None
) -> tuple[str, ...]:
    """Store a comment; return it if a later, different one is stored. White space is not compared,
    because it depends on how the comment was sent."""
    if _store_note(assignment, text, sequence, unit) or not text:
        return ()
    standing = {of: said for of, said, _sequence in _notes(assignment)}
    return () if standing.get(unit, "").split() == text.split() else (text,)


def _lost_marks(assignment: Assignment, marks: DraftMarks, sequence: int) -> tuple[AskedMark, ...]:
    """Store marks; return those that lost against later, different ones."""
    entered = {asked.unit: marked for asked, marked in marks.items()}
    lost = span_marks.store_marks(assignment, entered, sequence) if entered else ()
    return tuple(asked for asked in marks if asked.unit in lost)


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """What an annotator has entered so far in a task, and the highest number of its requests."""

    answers: Mapping[ControlPlace, int]
    note: str
    sequence: int
    reports: Mapping[int, str]  # what the annotator reports as wrong with a unit


def load_draft(assignment: Assignment) -> KeptDraft:
    """Return everything entered so far."""
    entered, noted = (
        query_rows(ENTERED, {"assignment": assignment.pk}),
        query_rows(NOTES, {"assignment": assignment.pk}),
    )
    numbers = (row[-1] for row in (*entered, *noted))
    texts = {unit: text for unit, text, _sequence in noted if text}
    return KeptDraft(_given(entered), texts.pop(None, ""), max(numbers, default=0), texts)


def renumber_draft(*, assignment: Assignment) -> None:
    """Keep what was entered and number it from 0 again: after the last possible number, nothing
    later could be stored."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        run_statement(AFRESH, {"assignment": assignment.pk})


def draft_answers(assignment: Assignment) -> dict[ControlPlace, int]:
    """Return the answers entered so far."""
    return _given(query_rows(ENTERED, {"assignment": assignment.pk}))


def _given(entered: Iterable[tuple[Any, ...]]) -> dict[ControlPlace, int]:
    return {
        (unit, criterion): value
        for unit, criterion, value, _sequence in entered
        if value is not None
    }


def task_comment(assignment: Assignment) -> str:
    """Return the comment on the whole task."""
    return load_draft(assignment).note


def freeze_stage(*, assignment: Assignment, stage: int, sheet: Sheet | None = None) -> None:
    """Complete a stage: its answers are final, and the next one opens. Raise MissingAnswers if some
    are missing."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        if assignment.stage > stage:
            return
        if assignment.stage < stage:
            raise StageNotReached(_("This step has not been opened yet."))
        sheet = sheet or sheets.sheet_of_assignment(assignment)
        if stage + 1 >= len(sheet.rubric.stages):
            raise StageNotReached(_("There is no step after this one."))
        check_complete(assignment, sheet, draft_answers(assignment), stage=stage)
        Assignment.objects.filter(pk=assignment.pk).update(stage=stage + 1)
        assignment.stage = stage + 1


def check_complete(
    assignment: Assignment,
    sheet: Sheet,
    given: EnteredAnswers,
    *,
    stage: int | None = None,
    without: Collection[AskedReport | AskedMark] = (),
) -> None:
    """Raise MissingAnswers if an answer or mark is missing, in one stage or in all. A question that
    is reported as broken needs neither. `without`: stored reports and marks that are to be taken
    back."""
    marked = span_marks.load_marks(assignment)[0] if sheet.rubric.span_mark else {}
    for each in without:
        if isinstance(each, AskedMark):
            marked.pop(each.unit, None)
    missing: tuple[AskedControl | AskedMark, ...] = (
        *sheet.missing(given, stage=stage),
        *sheet.unmarked(marked, stage=stage),
    )
    reported = set(load_draft(assignment).reports if missing else ())
    reported -= {each.unit for each in without if isinstance(each, AskedReport)}
    if missing := tuple(each for each in missing if each.unit not in reported):
        raise MissingAnswers(missing)


def _check_working(assignment: Assignment) -> None:
    """Raise TaskClosed if the round is closed and the task was submitted, or if the round is over
    and accepts nothing."""
    if assignments.assigns_tasks(assignment.round):
        return
    if assignment.state in (Assignment.State.SUBMITTED, Assignment.State.EXTRA):
        raise TaskClosed(_("This task was submitted, and changes are no longer taken."))
    if ended := assignments.closed_reason(assignment.round):
        raise TaskClosed(ended)


def _check_stage(assignment: Assignment, name: str, stage: int) -> None:
    if stage < assignment.stage:
        raise StageFrozen(_("%(name)s belongs to a step that is closed.") % {"name": name})
    if stage > assignment.stage:
        raise StageNotReached(
            _("%(name)s belongs to a step that has not been opened yet.") % {"name": name}
        )


def _store(
    assignment: Assignment,
    entered: Mapping[ControlPlace, int | None],
    times: Mapping[ControlPlace, AnswerTimes],
    sequence: int,
) -> dict[ControlPlace, int | None]:
    """Store drafts and return all of the assignment; the database refuses values off the scale."""
    timed = [times.get(place, AnswerTimes()) for place in entered]
    names: dict[str, Any] = {
        "assignment": assignment.pk,
        "sequence": sequence,
        "units": [unit for unit, _criterion in entered],
        "criteria": [criterion for _unit, criterion in entered],
        "values": list(entered.values()),
        "shown": [own.first_shown_at for own in timed],
        "answered": [own.answered_at for own in timed],
        "inputs": [own.input for own in timed],
    }
    try:
        return {(unit, criterion): value for unit, criterion, value in query_rows(UPSERT, names)}
    except DataError as error:
        raise OffScale(_("That value is not on the scale.")) from error
    except IntegrityError as error:
        if _constraint(error) != "draft_value_on_scale":
            raise
        raise OffScale(_("That value is not on the scale.")) from error


def _store_note(assignment: Assignment, text: str, sequence: int, unit: int | None = None) -> bool:
    of = {"assignment": assignment.pk, "unit": unit}
    return bool(run_statement(UPSERT_NOTE, of | {"text": text, "sequence": sequence}))


def _constraint(error: IntegrityError) -> str | None:
    return getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
