"""What was said: drafts become judgments, all or nothing, once however often they are sent."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now

from judging.actions import assignments, drafts, sheets
from judging.actions.drafts import MissingAnswers, TaskClosed
from judging.actions.sheets import Place, Sheet
from judging.models import Assignment, Campaign, Judgment

DONE = (Assignment.State.SUBMITTED, Assignment.State.EXTRA)
Values = Mapping[Place, tuple[int, str]]


class StaleToken(Exception):
    """The page is older than what was submitted since, and its answers differ."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of an assignment: submitted, or extra where its place was gone; how many values were stored now."""

    state: str
    stored: int


@dataclass(frozen=True, slots=True)
class Change:
    """The standing judgments of an assignment, and what is to stand instead."""

    standing: Mapping[Place, Judgment]
    latest: Mapping[Place, int]
    wanted: Values

    def superseded(self) -> list[int]:
        return [row.pk for place, row in self.standing.items() if self.wanted.get(place) != (row.value, row.cause)]

    def new(self, assignment: Assignment) -> list[Judgment]:
        return [
            Judgment(
                assignment=assignment,
                unit_id=unit,
                criterion_id=criterion,
                value=value,
                cause=cause,
                origin=Judgment.Origin.RULE if cause else Judgment.Origin.JUDGED,
                revision=self.latest.get((unit, criterion), 0) + 1,
            )
            for (unit, criterion), (value, cause) in self.wanted.items()
            if not self._stands((unit, criterion))
        ]

    def _stands(self, place: Place) -> bool:
        row = self.standing.get(place)
        return row is not None and (row.value, row.cause) == self.wanted[place]


def submit(*, assignment: Assignment, token: uuid.UUID, sheet: Sheet | None = None) -> Submitted:
    """Turn a task's drafts into judgments; going back and submitting again supersedes what has changed.

    A token is spent by what it stores, so a double click or a replay finds everything done and stores nothing.
    """
    with transaction.atomic():
        held = _locked(assignment)
        given = drafts.answers(held)
        sheet = sheet or sheets.of(assignment)
        change = _change(held, sheet.values(given))
        if token != held.submit_token:
            return _replayed(held, change)
        _check_open(held)
        if missing := sheet.missing(given):
            raise MissingAnswers(missing)
        stored = _store(held, change)
        _end(held)
    return Submitted(held.state, stored)


def _locked(assignment: Assignment) -> Assignment:
    rows = Assignment.objects.select_related("round__campaign", "enrollment")
    return rows.defer("round__campaign__protocol").select_for_update(of=("self",)).get(pk=assignment.pk)


def _change(assignment: Assignment, wanted: Values) -> Change:
    rows = list(Judgment.objects.filter(assignment=assignment).order_by("revision"))
    return Change(
        standing={(row.unit_id, row.criterion_id): row for row in rows if row.superseded_at is None},
        latest={(row.unit_id, row.criterion_id): row.revision for row in rows},
        wanted=wanted,
    )


def _replayed(assignment: Assignment, change: Change) -> Submitted:
    if assignment.state not in DONE or change.superseded() or change.new(assignment):
        raise StaleToken("This page is older than your last answers. Look at them and submit again.")
    return Submitted(assignment.state, 0)


def _check_open(assignment: Assignment) -> None:
    """Changes need an open round. A task still held when the round closed is taken, as an extra."""
    state = assignment.round.campaign.state
    if assignments.accepts(assignment.round):
        return
    if assignment.state in DONE or state in (Campaign.State.PAUSED, Campaign.State.ARCHIVED):
        raise TaskClosed("This study takes no answers now. What you entered is kept.")


def _store(assignment: Assignment, change: Change) -> int:
    gone, new = change.superseded(), change.new(assignment)
    if gone:
        Judgment.objects.filter(pk__in=gone).update(superseded_at=Now())
    Judgment.objects.bulk_create(new)
    return len(new)


def _end(assignment: Assignment) -> None:
    """Give the assignment its last state, once; one that comes late takes a free place of its task, or is an extra."""
    columns: dict[str, object] = {"submit_token": uuid.uuid4()}
    if assignment.state not in DONE:
        assignment.state = _last_state(assignment)
        columns |= {"state": assignment.state, "submitted_at": Now(), "lease_expires_at": None}
    Assignment.objects.filter(pk=assignment.pk).update(**columns)


def _last_state(assignment: Assignment) -> str:
    if not assignments.accepts(assignment.round):
        assignments.give_back(assignment=assignment)
        return Assignment.State.EXTRA
    if assignment.state == Assignment.State.HELD or assignments.take_place_again(assignment=assignment):
        return Assignment.State.SUBMITTED
    return Assignment.State.EXTRA
