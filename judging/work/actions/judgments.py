"""Judgments: drafts become judgments, all or none, and only once however often they are sent."""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from judging.base.limits import MAX_PAGE_ROWS
from judging.base.models.statements import named_statements, query_rows, run_statement
from judging.base.refusals import Refused
from judging.campaigns.actions import live_agreements, webhooks
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.work.actions import assignments, drafts, sheets
from judging.work.actions.assignments import Here
from judging.work.actions.drafts import (
    DONE,
    AnswerFirst,
    ClearableEntry,
    Entry,
    MissingAnswers,
    SentPage,
    TaskClosed,
)
from judging.work.actions.sheets import ControlPlace, EnteredAnswers, Sheet
from judging.work.models.judgment import Judgment

LOOKED_AT = 100  # tasks that are checked for changes at once
ClaimNext = Callable[..., assignments.Here | assignments.NoneNow | assignments.Finished | None]
ValuesByPlace = Mapping[ControlPlace, tuple[int, str]]


SQL = named_statements(Path(__file__).with_suffix(".sql"))
# Every save stores a sign of life too, and few tasks have one after their submission: an index
# contains those alone. A submission is a sign of life just before it is stored.
CHANGED = """
SELECT done.id FROM judging_assignment done
JOIN judging_enrollment enrolled ON enrolled.id = done.enrollment_id
WHERE done.submitted_at IS NOT NULL AND done.last_seen_at > done.submitted_at AND {which} AND EXISTS (
    SELECT FROM judging_draft draft WHERE draft.assignment_id = done.id AND draft.saved_at > done.submitted_at)
ORDER BY done.submitted_at DESC, done.id
"""
BY_ONE = CHANGED.format(which="done.enrollment_id = %(enrollment)s")
IN_CAMPAIGN = CHANGED.format(which="enrolled.campaign_id = %(campaign)s")


class StaleToken(Refused):
    """The page is older than the last submission, and its answers differ."""

    code = "stale_page"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The outcome of a submission: its state, submitted or, if the place was gone, extra; and how
    many values were stored now."""

    state: str
    stored: int


@dataclass(frozen=True, slots=True)
class SubmittedPage:
    """The outcome of a page: answers that lost against later ones, for the annotator to check, or
    the next task."""

    lost: tuple[Entry, ...]
    following: Assignment | None


@dataclass(frozen=True, slots=True)
class PageConditions:
    """How the page was shown from which a task is submitted; "" if the page does not report it."""

    language: str = ""
    view: str = ""
    device: str = ""
    keywords: str = ""
    review: str = ""


UNKNOWN_CONDITIONS = PageConditions()


@dataclass(frozen=True, slots=True)
class Change:
    """An assignment's current judgments, the latest revision of each, and the wanted judgments."""

    standing: Mapping[ControlPlace, tuple[int, int, str]]
    latest: Mapping[ControlPlace, int]
    wanted: ValuesByPlace

    def superseded(self) -> list[int]:
        return [
            pk
            for place, (pk, *said) in self.standing.items()
            if self.wanted.get(place) != tuple(said)
        ]

    def new(self) -> list[tuple[int, int, int, str, int]]:
        """Return unit, criterion, value, cause and revision of each judgment that is not stored
        yet."""
        return [
            (*place, *said, self.latest.get(place, 0) + 1)
            for place, said in self.wanted.items()
            if self.standing.get(place, (0, None, None))[1:] != said
        ]


def submit_task(
    *, assignment: Assignment, token: uuid.UUID, sheet: Sheet | None = None
) -> Submitted:
    """Turn a task's drafts into judgments; submitting again supersedes judgments that changed.

    A token is valid for one submission, so a double click or a replay finds everything stored and
    stores nothing.
    """
    with transaction.atomic():
        assignments.lock_annotator(enrollment=cast(Enrollment, assignment.enrollment))
        assignments.lock_assignment(assignment=assignment)
        return _submit(
            assignment,
            token,
            sheet or sheets.sheet_of_assignment(assignment),
            drafts.draft_answers(assignment),
        )


def submit_and_claim_next(
    *,
    assignment: Assignment,
    page: SentPage,
    token: uuid.UUID,
    sheet: Sheet,
    claim_next: ClaimNext,
    conditions: PageConditions = UNKNOWN_CONDITIONS,
) -> SubmittedPage:
    """Store a page, submit its task and claim the next one by `claim_next`, in one transaction.

    If the task is not accepted, because answers are missing or the page is older than the last
    submission, what was entered stays. Raise AnswerFirst if the page takes a report back without
    answers in its place.
    """
    annotator = cast(Enrollment, assignment.enrollment)  # an assignment that is submitted has one
    refused, onward = None, None
    with transaction.atomic():
        excluded = assignments.lock_annotator(enrollment=annotator)
        noted = assignments.lock_assignment(assignment=assignment)
        is_noted = noted or page.note or any(page.reports.values())
        stored = drafts.store_page(
            assignment, page if is_noted else replace(page, note=None, reports={})
        )
        try:
            if not stored.lost:
                _submit(assignment, token, sheet, stored.answers, stored.required, conditions)
                if stored.required:
                    drafts.clear(assignment, page, stored.required)
        except (
            AnswerFirst,
            MissingAnswers,
            StaleToken,
            TaskClosed,
        ) as error:  # raised before any judgment was written
            refused = error
        if stored.lost or refused:
            assignments.renew(assignment=assignment)
        elif (
            not excluded
            and assignments.assigns_tasks(assignment.round)
            and assignments.may_get_tasks(annotator, assignment.round)
        ):
            onward = claim_next(enrollment=annotator, round=assignment.round)
    if refused:
        raise _shown_refusal(refused, stored.required)
    return SubmittedPage(stored.lost, onward.assignment if isinstance(onward, Here) else None)


def _shown_refusal(refused: Refused, required: tuple[ClearableEntry, ...]) -> Refused:
    """Return why a page is not accepted: its missing answers may be those in whose place the
    cleared reports and marks were submitted."""
    units = {entry.unit for entry in required}
    if isinstance(refused, MissingAnswers) and any(asked.unit in units for asked in refused.asked):
        return AnswerFirst(required)
    return refused


def is_changed(*, assignment: Assignment, sheet: Sheet, given: EnteredAnswers) -> bool:
    """Return whether the answers of a submitted task differ from its current judgments."""
    change = _change(assignment, sheet.values(given))
    return assignment.state in DONE and bool(change.superseded() or change.new())


def corrections(*, enrollment: Enrollment) -> list[Assignment]:
    """Return the tasks that an annotator submitted, changed since, and has not resubmitted."""
    return _corrected(BY_ONE, {"enrollment": enrollment.pk})


def corrections_in(*, campaign: Campaign) -> list[Assignment]:
    """Return the tasks of all annotators of a campaign that were changed after their submission and
    not resubmitted."""
    return _corrected(IN_CAMPAIGN, {"campaign": campaign.pk})


def _corrected(statement: str, names: Mapping[str, int]) -> list[Assignment]:
    """Return tasks whose answers changed after submission: of those with later saves, which may
    equal the current judgments, the MAX_PAGE_ROWS that were submitted last."""
    keys = [pk for (pk,) in query_rows(statement, names)]
    changed: list[Assignment] = []
    for start in range(0, len(keys), LOOKED_AT):
        changed += _changed_of(keys[start : start + LOOKED_AT])
        if len(changed) >= MAX_PAGE_ROWS:
            break
    return changed[:MAX_PAGE_ROWS]


def _changed_of(keys: Sequence[uuid.UUID]) -> Iterator[Assignment]:
    """Yield those of a few tasks whose answers differ from their current judgments."""
    wanted = Assignment.objects.filter(pk__in=keys).order_by("-submitted_at", "pk")
    found = list(wanted.select_related("task", "enrollment", "round__campaign__protocol"))
    given: dict[uuid.UUID, dict[ControlPlace, int]] = defaultdict(dict)
    for own, unit, criterion, value in query_rows(
        SQL["drafted_answers"], {"keys": [str(key) for key in keys]}
    ):
        given[own][unit, criterion] = value
    standing: dict[uuid.UUID, dict[ControlPlace, tuple[int, str]]] = defaultdict(dict)
    for row in Judgment.objects.standing().filter(assignment__in=keys):
        standing[row.assignment_id][_place(row)] = (row.value, row.cause)
    for own, sheet in zip(found, sheets.sheets_of_assignments(found), strict=True):
        if sheet.values(given[own.pk]) != standing[own.pk]:
            yield own


def resubmit_task(*, assignment: Assignment) -> int:
    """Resubmit a task with its corrections; return how many values were stored. Raise
    MissingAnswers or TaskClosed if they are not accepted."""
    with transaction.atomic():
        assignments.lock_assignment(assignment=assignment)
        given = drafts.draft_answers(assignment)
        return _submit(
            assignment, assignment.submit_token, sheets.sheet_of_assignment(assignment), given
        ).stored


def _submit(
    assignment: Assignment,
    token: uuid.UUID,
    sheet: Sheet,
    given: EnteredAnswers,
    without: Sequence[ClearableEntry] = (),
    conditions: PageConditions = UNKNOWN_CONDITIONS,
) -> Submitted:
    """Store a task's answers as judgments; the caller has locked the assignment. `without`: reports
    and marks that are to be cleared with it."""
    change = _change(assignment, sheet.values(given))
    if token != assignment.submit_token:
        return _replayed(assignment, change)
    if not assignments.assigns_tasks(assignment.round):
        _check_late(assignment)
    drafts.check_complete(assignment, sheet, given, without=without)
    was_submitted = assignment.state in DONE
    stored = _store(assignment, change, sheet.entered_at(), conditions)
    webhooks.note_submission(assignment=assignment, resubmitted=was_submitted)
    if assignment.round.kind == Round.Kind.MAIN:
        live_agreements.request_agreement(assignment.round.campaign)
    return Submitted(assignment.state, stored)


def _change(assignment: Assignment, wanted: ValuesByPlace) -> Change:
    if assignment.state not in DONE:
        return Change({}, {}, wanted)
    found = list(Judgment.objects.filter(assignment=assignment).order_by("revision"))
    return Change(
        standing={
            _place(row): (row.pk, row.value, row.cause)
            for row in found
            if row.superseded_at is None
        },
        latest={_place(row): row.revision for row in found},
        wanted=wanted,
    )


def _place(row: Judgment) -> ControlPlace:
    return row.unit_id, row.criterion_id


def _replayed(assignment: Assignment, change: Change) -> Submitted:
    if assignment.state not in DONE or change.superseded() or change.new():
        raise StaleToken(
            _("This page is older than your last answers. Look at them and submit again.")
        )
    return Submitted(assignment.state, 0)


def _check_late(assignment: Assignment) -> None:
    """Raise TaskClosed for a task of a closed round, unless it is still held: it is accepted as an
    extra until the round is over, but not while the campaign is paused."""
    if ended := assignments.closed_reason(assignment.round):
        raise TaskClosed(ended)
    if assignment.state in DONE or assignment.round.campaign.state == Campaign.State.PAUSED:
        raise TaskClosed(_("This study takes no answers now. What you entered is kept."))


def _store(
    assignment: Assignment,
    change: Change,
    entered_at: Mapping[ControlPlace, ControlPlace],
    conditions: PageConditions,
) -> int:
    """Store new judgments, and set the assignment's final state, once; return how many values were
    stored.

    A late assignment takes a free place of its task, or is an extra.
    """
    assignments.renew(assignment=assignment)
    if gone := change.superseded():
        Judgment.objects.filter(pk__in=gone).update(superseded_at=Now())
    if assignment.state not in DONE:
        assignment.state = _last_state(assignment)
    new = change.new()
    units, criteria, values, causes, revisions = (
        map(list, zip(*new, strict=True)) if new else ([],) * 5
    )
    said = {
        "units": units,
        "criteria": criteria,
        "values": values,
        "causes": causes,
        "revisions": revisions,
        "controls": [entered_at[place][0] for place in zip(units, criteria, strict=True)],
    }
    own = {"assignment": assignment.pk, "state": assignment.state}
    run_statement(SQL["store_submission"], said | own | asdict(conditions))
    return len(new)


def _last_state(assignment: Assignment) -> str:
    if not assignments.assigns_tasks(assignment.round):
        assignments.give_back(assignment=assignment)
        return Assignment.State.EXTRA
    if assignment.state == Assignment.State.HELD:
        return Assignment.State.SUBMITTED
    has_place = not assignments.has_share(assignment) and assignments.take_place_again(
        assignment=assignment
    )
    return Assignment.State.SUBMITTED if has_place else Assignment.State.EXTRA
