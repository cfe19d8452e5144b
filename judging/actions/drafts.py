"""Answers on their way: saved with every click, kept whatever happens, final only when a stage is
frozen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _

from judging.actions import assignments, sheets, span_marks
from judging.actions.sheets import (
    AskedControl,
    AskedMark,
    AskedReport,
    ControlPlace,
    EnteredAnswers,
    Sheet,
)
from judging.models import Assignment
from judging.models.statements import rows, run
from judging.spans import Marked

ControlValues = Sequence[tuple[AskedControl, int | None]]
DraftMarks = Mapping[AskedMark, Marked]
Reports = Mapping[AskedReport, str]
Entry = AskedControl | AskedMark | AskedReport | str  # what a control holds, or a comment
LAST_SEQUENCE = 2**53  # what a browser can count to
MANY = 2**40  # more than anybody ever clicks


class OffScale(ValueError):
    """A value that is none of its criterion's scale."""


class StageFrozen(Exception):
    """The answer belongs to a stage that was left."""


class StageNotReached(Exception):
    """The answer belongs to a stage that has not been shown yet."""


class TaskClosed(Exception):
    """The task was submitted, and its round takes no changes any more; or the round is over."""


@dataclass(frozen=True)
class MissingAnswers(Exception):
    """Required answers that are not there."""

    asked: tuple[AskedControl | AskedMark, ...]

    def __str__(self) -> str:
        return _("Still to answer: %(names)s") % {
            "names": ", ".join(each.title for each in self.asked)
        }


# By the clock rather than the transaction's beginning, so that answers before and after handing in
# can be told apart. What stands afterwards: the answers written now, and those that are older or
# came under a later number.
UPSERT = """
WITH entered AS (
INSERT INTO judging_draft (assignment_id, unit_id, criterion_id, value, sequence, saved_at)
SELECT %(assignment)s::uuid, given.*, %(sequence)s, clock_timestamp()
FROM unnest(%(units)s::bigint[], %(criteria)s::bigint[], %(values)s::smallint[]) AS given
ON CONFLICT (assignment_id, unit_id, criterion_id) DO UPDATE
SET value = excluded.value, sequence = excluded.sequence, saved_at = excluded.saved_at
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
class SentPage:
    """What a page sends at once, and the number that says which is the latest; a comment of None is
    not asked for."""

    given: ControlValues
    sequence: int
    note: str | None = None
    marks: DraftMarks = field(default_factory=dict)
    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftStanding:
    """The answers that stand now, and what was sent but lost against a later, different one."""

    answers: EnteredAnswers
    lost: tuple[Entry, ...]


def save(*, assignment: Assignment, page: SentPage) -> tuple[Entry, ...]:
    """Keep answers at once, all or none; return those that lost against a later, different one."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        return keep(assignment, page).lost


def keep(assignment: Assignment, page: SentPage) -> DraftStanding:
    """Do so in a transaction of the caller's, who holds the assignment's row."""
    _check_working(assignment)
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
    held = _store(assignment, {asked.place: value for asked, value in page.given}, page.sequence)
    lost += tuple(asked for asked, value in page.given if held.get(asked.place) != value)
    return DraftStanding({place: value for place, value in held.items() if value is not None}, lost)


def _lost_note(
    assignment: Assignment, text: str, sequence: int, unit: int | None = None
) -> tuple[str, ...]:
    """Keep a comment; return it where a later, different one stands. Its blanks and line ends
    depend on how it came."""
    if _store_note(assignment, text, sequence, unit) or not text:
        return ()
    standing = {of: said for of, said, _sequence in rows(NOTES, {"assignment": assignment.pk})}
    return () if standing.get(unit, "").split() == text.split() else (text,)


def _lost_marks(assignment: Assignment, marks: DraftMarks, sequence: int) -> tuple[AskedMark, ...]:
    """Do the same with marks."""
    entered = {asked.unit: marked for asked, marked in marks.items()}
    lost = span_marks.store(assignment, entered, sequence) if entered else ()
    return tuple(asked for asked in marks if asked.unit in lost)


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """What an annotator has entered so far in a task, and the highest number it came under."""

    answers: Mapping[ControlPlace, int]
    note: str
    sequence: int
    reports: Mapping[int, str]  # what is said to be wrong with a unit


def kept(assignment: Assignment) -> KeptDraft:
    """Return everything entered so far."""
    entered, noted = (
        rows(ENTERED, {"assignment": assignment.pk}),
        rows(NOTES, {"assignment": assignment.pk}),
    )
    numbers = (row[-1] for row in (*entered, *noted))
    texts = {unit: text for unit, text, _sequence in noted if text}
    return KeptDraft(_given(entered), texts.pop(None, ""), max(numbers, default=0), texts)


def count_afresh(*, assignment: Assignment) -> None:
    """Keep what was entered and number it from 0 again: under the last number there is, nothing
    later could be kept."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        run(AFRESH, {"assignment": assignment.pk})


def answers(assignment: Assignment) -> dict[ControlPlace, int]:
    """Return the answers entered so far."""
    return _given(rows(ENTERED, {"assignment": assignment.pk}))


def _given(entered: Iterable[tuple[Any, ...]]) -> dict[ControlPlace, int]:
    return {
        (unit, criterion): value
        for unit, criterion, value, _sequence in entered
        if value is not None
    }


def note(assignment: Assignment) -> str:
    """Return the comment on the whole task."""
    return kept(assignment).note


def freeze_stage(*, assignment: Assignment, stage: int, sheet: Sheet | None = None) -> None:
    """Leave a stage: its answers are final, and the next one opens. MissingAnswers where some are
    not there."""
    with transaction.atomic():
        assignments.renew(assignment=assignment)
        if assignment.stage > stage:
            return
        if assignment.stage < stage:
            raise StageNotReached(_("This step has not been opened yet."))
        sheet = sheet or sheets.of(assignment)
        if stage + 1 >= len(sheet.rubric.stages):
            raise StageNotReached(_("There is no step after this one."))
        check_complete(assignment, sheet, answers(assignment), stage=stage)
        Assignment.objects.filter(pk=assignment.pk).update(stage=stage + 1)
        assignment.stage = stage + 1


def check_complete(
    assignment: Assignment, sheet: Sheet, given: EnteredAnswers, *, stage: int | None = None
) -> None:
    """Raise MissingAnswers where something is neither answered nor marked, in one stage or in all.
    Of a question that is reported as broken nothing is missing."""
    marked = span_marks.kept(assignment)[0] if sheet.rubric.span_mark else {}
    missing: tuple[AskedControl | AskedMark, ...] = (
        *sheet.missing(given, stage=stage),
        *sheet.unmarked(marked, stage=stage),
    )
    reported = kept(assignment).reports if missing else {}
    if missing := tuple(each for each in missing if each.unit not in reported):
        raise MissingAnswers(missing)


def _check_working(assignment: Assignment) -> None:
    """Nothing that is submitted changes once the round is closed, and nothing at all is entered
    once it is over."""
    if assignments.accepts(assignment.round):
        return
    if assignment.state in (Assignment.State.SUBMITTED, Assignment.State.EXTRA):
        raise TaskClosed(_("This task was submitted, and changes are no longer taken."))
    if ended := assignments.over(assignment.round):
        raise TaskClosed(ended)


def _check_stage(assignment: Assignment, name: str, stage: int) -> None:
    if stage < assignment.stage:
        raise StageFrozen(_("%(name)s belongs to a step that is closed.") % {"name": name})
    if stage > assignment.stage:
        raise StageNotReached(
            _("%(name)s belongs to a step that has not been opened yet.") % {"name": name}
        )


def _store(
    assignment: Assignment, entered: Mapping[ControlPlace, int | None], sequence: int
) -> dict[ControlPlace, int | None]:
    """Write drafts and return all that stand; the database itself refuses what is on no scale."""
    names: dict[str, Any] = {
        "assignment": assignment.pk,
        "sequence": sequence,
        "units": [unit for unit, _criterion in entered],
        "criteria": [criterion for _unit, criterion in entered],
        "values": list(entered.values()),
    }
    try:
        return {(unit, criterion): value for unit, criterion, value in rows(UPSERT, names)}
    except DataError as error:
        raise OffScale(_("That value is not on the scale.")) from error
    except IntegrityError as error:
        if _constraint(error) != "draft_value_on_scale":
            raise
        raise OffScale(_("That value is not on the scale.")) from error


def _store_note(assignment: Assignment, text: str, sequence: int, unit: int | None = None) -> bool:
    of = {"assignment": assignment.pk, "unit": unit}
    return bool(run(UPSERT_NOTE, of | {"text": text, "sequence": sequence}))


def _constraint(error: IntegrityError) -> str | None:
    return getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
