"""Drafts: answers that are saved with every click, kept whatever happens, and final only when a
stage is frozen."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from judging.base.models.statements import named_statements, query_rows, run_statement
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

SQL = named_statements(Path(__file__).with_suffix(".sql"))
ControlValues = Sequence[tuple[AskedControl, int | None]]
DraftMarks = Mapping[AskedMark, Marked]
Reports = Mapping[AskedReport, str]
Entry = AskedControl | AskedMark | AskedReport | str  # what a control holds, or a comment
ClearableEntry = AskedReport | AskedMark
RequiredEntry = AskedControl | AskedMark
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


class ContinueFirst(Refused):
    """The task has a further stage, so it cannot be submitted yet."""

    code = "continue_first"


class TaskClosed(Refused):
    """The task was submitted and its round accepts no more changes, or the round is over."""

    code = "task_closed"


@dataclass(frozen=True)
class MissingAnswers(Refused):
    """Required answers or marks are missing."""

    code = "answers_missing"
    status = 422

    asked: tuple[RequiredEntry, ...]

    def __str__(self) -> str:
        return _("Still to answer: %(names)s") % {
            "names": ", ".join(each.title for each in self.asked)
        }


@dataclass(frozen=True)
class AnswerFirst(Refused):
    """Reports and marks of a submitted task cannot be cleared: without them their question has
    neither an answer nor a report. All else that was sent is stored, or is among `lost`."""

    code = "answer_first"

    required: tuple[ClearableEntry, ...]
    lost: tuple[Entry, ...] = ()

    def __str__(self) -> str:
        reports = [entry.title for entry in self.required if isinstance(entry, AskedReport)]
        marks = [entry.title for entry in self.required if isinstance(entry, AskedMark)]
        sentences = []
        if reports:
            sentences.append(
                _(
                    "%(names)s: you submitted the task with this report and without an answer, so "
                    "the report stands. To take it back, answer the question where that is still "
                    "open, clear the report, and submit the task again on its page."
                )
                % {"names": ", ".join(reports)}
            )
        if marks:
            sentences.append(
                _(
                    "%(names)s: you submitted the task with what is marked, so it stands. Mark "
                    "something else in its place where that is still open."
                )
                % {"names": ", ".join(marks)}
            )
        return " ".join(sentences)


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """When an answer's control was first shown and when the answer was given, by the clock of the
    annotator's device, and by which input; None and "" if the page does not report them."""

    first_shown_at: datetime | None = None
    answered_at: datetime | None = None
    input: str = ""


UNKNOWN_TIMES = AnswerTimes()


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
class StoredPage:
    """The answers that are stored now, entries that lost against a later, different one, and
    reports and marks that stay because a submitted task needs them."""

    answers: EnteredAnswers
    lost: tuple[Entry, ...]
    required: tuple[ClearableEntry, ...] = ()


def save_draft(*, assignment: Assignment, page: SentPage) -> tuple[Entry, ...]:
    """Store a page's answers, all or none; return those that lost against a later, different one.
    Raise AnswerFirst if the task was submitted and is incomplete without what the page clears; the
    rest is stored all the same."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        stored = store_page(assignment, page)
    if stored.required:
        raise AnswerFirst(stored.required, stored.lost)
    return stored.lost


def store_page(assignment: Assignment, page: SentPage) -> StoredPage:
    """Store a page's answers in a transaction of the caller, who has locked the assignment's row."""
    if not assignments.assigns_tasks(assignment.round):
        _check_not_ended(assignment)
    required = still_required(assignment, page) if assignment.state in DONE else ()
    reports = {report: text for report, text in page.reports.items() if report not in required}
    marks = {mark: marked for mark, marked in page.marks.items() if mark not in required}
    sent: tuple[RequiredEntry, ...] = (*(asked for asked, _value in page.given), *marks)
    for asked in sent:
        if asked.stage != assignment.stage:
            raise _wrong_stage(asked, assignment.stage)
    lost: list[Entry] = []
    if page.note is not None or reports:
        lost += _store_texts(assignment, page, reports)
    if marks:
        lost += _store_marks(assignment, marks, page.sequence)
    stored = _store_answers(assignment, page)
    lost += [asked for asked, value in page.given if stored.get(asked.place) != value]
    answers = {place: value for place, value in stored.items() if value is not None}
    return StoredPage(answers, tuple(lost), required)


def clear(assignment: Assignment, page: SentPage, entries: Collection[ClearableEntry]) -> None:
    """Clear the reports that `store_page` left in place, once the submitted task is complete
    without them; raise AnswerFirst if it is not. The caller has locked the assignment's row."""
    if required := still_required(assignment, page):  # a replayed page has submitted nothing
        raise AnswerFirst(required)
    for entry in entries:
        if isinstance(entry, AskedReport):
            _store_note(assignment, "", page.sequence, entry.unit)


@dataclass(frozen=True, slots=True)
class ReportsAndMarks:
    """The reports and the marks of a task, each by its unit."""

    reports: Mapping[int, str]
    marks: Mapping[int, Marked]


def cleared_answers(
    page: SentPage, before: ReportsAndMarks, after: ReportsAndMarks
) -> tuple[ClearableEntry, ...]:
    """Return the reports and the required marks that a page clears."""
    reports = [
        report
        for report in page.reports
        if before.reports.get(report.unit) and not after.reports.get(report.unit)
    ]
    marks = [
        mark
        for mark in page.marks
        if not mark.optional and before.marks.get(mark.unit) and not after.marks.get(mark.unit)
    ]
    return (*reports, *marks)


def still_required(assignment: Assignment, page: SentPage) -> tuple[ClearableEntry, ...]:
    """Return the reports and marks that a page clears although the submitted task needs them.

    Only submitted values, not drafts, replace a report, because the task is not checked again
    before it is resubmitted.
    """
    if all(page.reports.values()) and all(page.marks.values()):
        return ()
    before, after = _before_and_after(assignment, page)
    cleared = cleared_answers(page, before, after)
    if not cleared:
        return ()
    sheet = sheets.sheet_of_assignment(assignment)
    values = submitted_values(assignment=assignment, sheet=sheet)
    missing: tuple[RequiredEntry, ...] = (*sheet.missing(values), *sheet.unmarked(after.marks))
    incomplete = {asked.unit for asked in missing}
    return tuple(
        entry for entry in cleared if entry.unit in incomplete and not after.reports.get(entry.unit)
    )


def _before_and_after(
    assignment: Assignment, page: SentPage
) -> tuple[ReportsAndMarks, ReportsAndMarks]:
    """Return the stored reports and marks, and those once the page is stored: an entry with a later
    number stays."""
    notes = {unit: (text, number) for unit, text, number in _notes(assignment)}
    numbers = dict(Marking.objects.filter(assignment=assignment).values_list("unit", "sequence"))
    marks = span_marks.load_marks(assignment)[0] if page.marks or numbers else {}
    reports = {unit: text for unit, (text, _number) in notes.items()}
    new_reports = {
        report.unit: text
        for report, text in page.reports.items()
        if notes.get(report.unit, ("", -1))[1] < page.sequence
    }
    new_marks = {
        mark.unit: marked
        for mark, marked in page.marks.items()
        if numbers.get(mark.unit, -1) < page.sequence
    }
    return (
        ReportsAndMarks(reports, marks),
        ReportsAndMarks(reports | new_reports, marks | new_marks),
    )


def submitted_values(*, assignment: Assignment, sheet: Sheet) -> dict[ControlPlace, int]:
    """Return the current judgments of a submitted task, by the place of the control they were given
    with."""
    current = Judgment.objects.standing().filter(assignment=assignment)
    values = {
        (unit, criterion): value
        for unit, criterion, value in current.values_list("unit", "criterion", "value")
    }
    stored_at = {asked.place: sheet.stored_at(asked) for asked in sheet.asked()}
    return {place: values[stored] for place, stored in stored_at.items() if stored in values}


def _notes(assignment: Assignment) -> list[tuple[Any, ...]]:
    return query_rows(SQL["notes"], {"assignment": assignment.pk})


def _lost_note(
    assignment: Assignment, text: str, sequence: int, unit: int | None = None
) -> tuple[str, ...]:
    """Store a comment; return it if a later, different one is stored. White space is not compared,
    because it depends on how the comment was sent."""
    if _store_note(assignment, text, sequence, unit) or not text:
        return ()
    standing = {of: said for of, said, _sequence in _notes(assignment)}
    return () if standing.get(unit, "").split() == text.split() else (text,)


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """What an annotator has entered so far in a task, and the highest number of its requests."""

    answers: Mapping[ControlPlace, int]
    note: str
    sequence: int
    reports: Mapping[int, str]  # what the annotator reports as wrong with a unit


def load_draft(assignment: Assignment) -> StoredDraft:
    """Return everything entered so far."""
    entered, notes = query_rows(SQL["answers"], {"assignment": assignment.pk}), _notes(assignment)
    texts = {unit: text for unit, text, _sequence in notes if text}
    sequence = max((row[-1] for row in (*entered, *notes)), default=0)
    return StoredDraft(_values(entered), texts.pop(None, ""), sequence, texts)


def renumber_draft(*, assignment: Assignment) -> None:
    """Keep what was entered and number it from 0 again: after the last possible number, nothing
    later could be stored."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        run_statement(SQL["reset_sequences"], {"assignment": assignment.pk})


def draft_answers(assignment: Assignment) -> dict[ControlPlace, int]:
    """Return the answers entered so far."""
    return _values(query_rows(SQL["answers"], {"assignment": assignment.pk}))


def _values(entered: Iterable[tuple[Any, ...]]) -> dict[ControlPlace, int]:
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
        if stage + 1 >= len(sheet.protocol.stages):
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
    without: Collection[ClearableEntry] = (),
) -> None:
    """Raise MissingAnswers if an answer or mark is missing, in one stage or in all. A question that
    is reported as broken needs neither. `without`: stored reports and marks that are to be
    cleared."""
    cleared_marks = {entry.unit for entry in without if isinstance(entry, AskedMark)}
    cleared_reports = {entry.unit for entry in without if isinstance(entry, AskedReport)}
    stored_marks = span_marks.load_marks(assignment)[0] if sheet.protocol.span_mark else {}
    marks = {unit: marked for unit, marked in stored_marks.items() if unit not in cleared_marks}
    missing: tuple[RequiredEntry, ...] = (
        *sheet.missing(given, stage=stage),
        *sheet.unmarked(marks, stage=stage),
    )
    if not missing:
        return
    reported = load_draft(assignment).reports.keys() - cleared_reports
    if unreported := tuple(asked for asked in missing if asked.unit not in reported):
        raise MissingAnswers(unreported)


def _check_not_ended(assignment: Assignment) -> None:
    """Raise TaskClosed if a task of a closed round was submitted, or if the round is over and
    accepts nothing."""
    if assignment.state in DONE:
        raise TaskClosed(_("This task was submitted, and changes are no longer taken."))
    if ended := assignments.closed_reason(assignment.round):
        raise TaskClosed(ended)


def _wrong_stage(asked: RequiredEntry, stage: int) -> Refused:
    """Return why an entry is refused that does not belong to the open stage."""
    if asked.stage < stage:
        return StageFrozen(_("%(name)s belongs to a step that is closed.") % {"name": asked.title})
    return StageNotReached(
        _("%(name)s belongs to a step that has not been opened yet.") % {"name": asked.title}
    )


def _store_texts(
    assignment: Assignment, page: SentPage, reports: Reports
) -> Iterator[AskedReport | str]:
    """Store a page's comment and reports; yield those that lost against later, different ones."""
    if page.note is not None:
        yield from _lost_note(assignment, page.note, page.sequence)
    for report, text in reports.items():
        if _lost_note(assignment, text, page.sequence, report.unit):
            yield report


def _store_marks(assignment: Assignment, marks: DraftMarks, sequence: int) -> list[AskedMark]:
    """Store marks; return those that lost against later, different ones."""
    entered = {mark.unit: marked for mark, marked in marks.items()}
    lost_units = span_marks.store_marks(assignment, entered, sequence)
    return [mark for mark in marks if mark.unit in lost_units]


def _store_answers(assignment: Assignment, page: SentPage) -> dict[ControlPlace, int | None]:
    """Store a page's answers and return all of the assignment."""
    _check_on_scale(page.given)
    values = {asked.place: value for asked, value in page.given}
    times = {asked.place: page.times.get(asked, UNKNOWN_TIMES) for asked, _value in page.given}
    names: dict[str, Any] = {
        "assignment": assignment.pk,
        "sequence": page.sequence,
        "units": [unit for unit, _criterion in values],
        "criteria": [criterion for _unit, criterion in values],
        "values": list(values.values()),
        "shown": [time.first_shown_at for time in times.values()],
        "answered": [time.answered_at for time in times.values()],
        "inputs": [time.input for time in times.values()],
    }
    return {
        (unit, criterion): value
        for unit, criterion, value in query_rows(SQL["save_answers"], names)
    }


def _check_on_scale(answers: ControlValues) -> None:
    """Raise OffScale for the first value that is no point of its criterion."""
    for asked, value in answers:
        points = {point.value for point in asked.criterion.points}
        if value is not None and value not in points:
            raise OffScale(
                _("%(value)s is not on the scale %(scale)s.")
                % {"value": value, "scale": asked.criterion.shown_scale},
                field=f"answers.{asked.name}",
            )


def _store_note(assignment: Assignment, text: str, sequence: int, unit: int | None = None) -> bool:
    of = {"assignment": assignment.pk, "unit": unit}
    return bool(run_statement(SQL["save_note"], of | {"text": text, "sequence": sequence}))
