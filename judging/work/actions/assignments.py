"""Assignments: claiming the next one, keeping it, and releasing it when its annotator no longer
works on it."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from judging.base.models.statements import instances, named_statements, query_rows, run_statement
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment

LOOKED_AT = (
    3_000  # open places that are counted for the number of tasks left; None if it is reached
)


class NotAdmitted(Refused):
    """The annotator must complete the training or the qualification first."""

    code = "training_first"
    sentence = "Complete the training or the qualification first."


class RoundClosed(Refused):
    """The round neither assigns nor accepts tasks now."""

    code = "round_closed"


@dataclass(frozen=True, slots=True)
class Here:
    """A task to work on."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class NoneNow:
    """No task is free, but tasks that other annotators hold may become free."""

    held_by_others: int


@dataclass(frozen=True, slots=True)
class Finished:
    """No task is left, and none can become free: the only outcome that completes an annotator's
    work."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many tasks an annotator has done, and how many remain; None if these are too many to
    count."""

    done: int
    remaining: int | None

    @property
    def total(self) -> int | None:
        return None if self.remaining is None else self.done + self.remaining


# An annotator who has submitted nothing yet keeps a place for a quarter of an hour after each sign
# of life, however long leases are: people who join by the dozen and do nothing cannot block a study.
NEWCOMER_MINUTES = 15
SQL = named_statements(Path(__file__).with_suffix(".sql"))
WITHDRAWN = "The annotator withdrew, or was erased, a moment ago."


def assigns_tasks(round: Round) -> bool:
    """Return whether a round assigns tasks now: the main one in an open campaign, others from the
    draft on."""
    states = {Campaign.State.OPEN}
    if round.kind != Round.Kind.MAIN:
        states |= {Campaign.State.DRAFT, Campaign.State.LOCKED}
    return (
        round.opened_at is not None and round.closed_at is None and round.campaign.state in states
    )


def closed_reason(round: Round) -> str:
    """Return why a closed round does not even accept extras: its annotators may have learnt what
    they were not to know. Return "" if it accepts them."""
    campaign = round.campaign
    if campaign.secret_revealed_at:
        return _("This study is over, and how its tasks were drawn is known. It takes no answers.")
    if campaign.state == Campaign.State.ARCHIVED:
        return _("This study is over. It takes no answers.")
    is_ended_trial = round.kind != Round.Kind.MAIN and round.closed_at is not None
    if (
        is_ended_trial
        and campaign.guideline_versions.filter(written_at__gte=round.closed_at).exists()
    ):
        return _("This round is over, and what it showed was decided on. It takes no answers.")
    return ""


def claim_assignment(*, enrollment: Enrollment, round: Round) -> Here | NoneNow | Finished:
    """Give an annotator the task they hold, or the next one; raise RoundClosed if the round assigns
    none, NotAdmitted if training or qualification comes first."""
    if not assigns_tasks(round):
        raise RoundClosed(_("This study gives out no tasks now."))
    with transaction.atomic():
        excluded = lock_annotator(enrollment=enrollment)
        if not may_get_tasks(enrollment, round):
            raise NotAdmitted
        found = Finished() if excluded else claim_next(enrollment=enrollment, round=round)
    if found is not None:
        return found
    left = query_rows(SQL["left"], _names(enrollment, round))[0][0]
    return NoneNow(left) if left else Finished()


def lock_annotator(*, enrollment: Enrollment) -> bool:
    """Lock the enrollment's row and refresh it; return whether the annotator gets no more tasks,
    because they are excluded from the analysis or were stopped.

    Only claims of the same annotator wait for each other. Code that also locks an assignment does
    so after this, so that two windows of one annotator cannot deadlock.
    """
    found = query_rows(SQL["alone"], {"enrollment": enrollment.pk})
    if not found:
        raise Enrollment.DoesNotExist(WITHDRAWN)
    cursor, cursor_round, seat, trained, qualified, excluded = found[0]
    enrollment.cursor, enrollment.cursor_round_id, enrollment.seat = cursor, cursor_round, seat
    enrollment.trained_at, enrollment.qualified_at = trained, qualified
    return bool(excluded)


def may_get_tasks(enrollment: Enrollment, round: Round) -> bool:
    """Return whether an annotator may have tasks of a round; it reads no further row.

    Training and qualification come before the main round.
    """
    campaign = round.campaign
    if round.kind != Round.Kind.MAIN:
        return True
    is_trained = not campaign.trains or enrollment.trained_at is not None
    return is_trained and (not campaign.qualifies or enrollment.qualified_at is not None)


def claim_next(*, enrollment: Enrollment, round: Round) -> Here | Finished | None:
    """Claim a task in a transaction in which the annotator is locked by `alone`; return None if
    only a count tells whether a task may become free."""
    if _has_own_share(enrollment, round):
        return Finished()
    taken = _look(enrollment, round)
    if taken is None and release_expired(round=round):  # places whose lease has run out
        taken = _look(enrollment, round)
    return Here(taken) if taken else None


def _most(round: Round) -> int | None:
    """Return how many tasks an annotator gets; None without a limit, as in a pilot or calibration,
    in which every annotator does all tasks."""
    return round.campaign.tasks_per_annotator if round.kind == Round.Kind.MAIN else None


def _has_own_share(annotator: Enrollment, round: Round) -> bool:
    """Return whether an annotator holds no task and has submitted as many as the plan gives each
    annotator."""
    most = _most(round)
    if most is None:
        return False
    [(done, held)] = query_rows(SQL["share"], _names(annotator, round))
    return bool(done >= most and not held)


def has_share(assignment: Assignment) -> bool:
    """Return whether an annotator has submitted as many tasks as the plan gives each; their lapsed
    tasks, which may still be open in a browser, then take no more places."""
    most = _most(assignment.round)
    if most is None:
        return False
    enrollment = cast(Enrollment, assignment.enrollment)
    [(done, _held)] = query_rows(SQL["share"], _names(enrollment, assignment.round))
    return bool(done >= most)


def _look(annotator: Enrollment, round: Round) -> Assignment | None:
    """Return an unfinished assignment, else the next place from the cursor on, else one behind it
    that was opened again.

    Most often nothing is unfinished; one statement checks that and takes the place.
    """
    names = _names(annotator, round)
    if taken := _take("take", names | {"even_if_unfinished": False}):
        return taken
    unfinished = query_rows(SQL["unfinished"], names)
    if unfinished and (
        taken := _again(annotator, round, unfinished)
        or _take("take", names | {"even_if_unfinished": True})
    ):
        return taken
    return _take("take_behind", names)


def _again(
    annotator: Enrollment, round: Round, unfinished: Iterable[tuple[uuid.UUID, str]]
) -> Assignment | None:
    """Return the held assignment with a fresh lease, or a released one whose task has a free place
    again."""
    for pk, state in unfinished:
        own = Assignment(pk=pk, state=state, enrollment=annotator, round=round)
        if state == Assignment.State.HELD and renew(assignment=own).state == Assignment.State.HELD:
            return Assignment.objects.get(pk=pk)
        if take_place_again(assignment=own):
            hold_again(assignment=own)
            return Assignment.objects.get(pk=pk)
    return None


def _take(statement: str, names: Mapping[str, Any]) -> Assignment | None:
    return next(iter(instances(Assignment, SQL[statement], names)), None)


def hold_again(*, assignment: Assignment) -> None:
    """Give a released assignment that has a place back to its annotator, with a fresh lease."""
    Assignment.objects.filter(pk=assignment.pk).update(
        state=Assignment.State.HELD, released_at=None, last_seen_at=Now(), lease_expires_at=Now()
    )
    renew(assignment=assignment)


def take_place_again(*, assignment: Assignment) -> bool:
    """Move a released assignment into a free place of its task, and return whether there was one;
    the caller sets its state."""
    seat = assignment.enrollment.seat if assignment.enrollment else None
    found = query_rows(SQL["free_again"], {"own": assignment.pk, "seat": seat})
    return bool(
        found and run_statement(SQL["move_into"], {"own": assignment.pk, "place": found[0][0]})
    )


def release_expired(*, round: Round | None = None) -> int:
    """Turn places whose lease has run out into released rows and open ones; return how many."""
    due = Assignment.objects.held().filter(lease_expires_at__lt=Now())
    if round:
        due = due.filter(round=round)
    with transaction.atomic():
        return _release(due.select_for_update(skip_locked=True))


def _release(held: QuerySet[Assignment]) -> int:
    """Release assignments of a query that locks them; return how many."""
    ids = list(held.values_list("pk", flat=True))
    return run_statement(SQL["release"], {"ids": ids}) if ids else 0


class DatabaseClock:
    """Detects that the database's clock was set, forward or back, by comparing a monotonic clock."""

    SET_BY = 60.0  # seconds

    def __init__(self) -> None:
        self._ahead: float | None = None

    def was_set(self, *, now: float) -> bool:
        """Return whether it was set since the last call; `now` is the monotonic time in seconds."""
        before, self._ahead = self._ahead, float(query_rows(SQL["clock"], {})[0][0]) - now
        return before is not None and abs(self._ahead - before) > self.SET_BY


def restart_leases(*, clock_was_set: bool) -> int:
    """Restart leases that a change of the clock would shorten or lengthen: all if it was set, else
    those whose last sign of life lies in the future; return how many."""
    return run_statement(SQL["begin_anew"], {"all": clock_was_set})


def give_back(*, assignment: Assignment) -> None:
    """Release a held assignment once no request works on it, and open its place to other
    annotators; what was entered stays with the released row."""
    with transaction.atomic():
        _release(Assignment.objects.held().filter(pk=assignment.pk).select_for_update())


def renew(*, assignment: Assignment) -> Assignment:
    """Note a sign of life: time at work, and a fresh lease if the place is held. Lock the row, after
    the enrollment's if time counts, and refresh it."""
    names = {
        "assignment": assignment.pk,
        "minutes": assignment.round.campaign.lease_minutes,
        "newcomer_minutes": NEWCOMER_MINUTES,
    }
    found = query_rows(SQL["renew"], names)
    if not found:
        raise Assignment.DoesNotExist(WITHDRAWN)
    assignment.state, assignment.stage = found[0]
    return assignment


def lock_assignment(*, assignment: Assignment) -> bool:
    """Lock the row, and refresh the fields that decide whether it may be submitted; return whether
    it has a comment."""
    round = assignment.round
    found = query_rows(SQL["lock"], {"id": assignment.pk})
    if not found:
        raise Assignment.DoesNotExist(WITHDRAWN)
    assignment.state, assignment.stage, token, round.closed_at, state, revealed, noted = found[0]
    assignment.submit_token = uuid.UUID(str(token))
    round.campaign.state, round.campaign.secret_revealed_at = state, revealed
    return bool(noted)


def round_progress(*, enrollment: Enrollment, round: Round) -> Progress:
    """Return how far an annotator is in a round."""
    names = _names(enrollment, round) | {"most": LOOKED_AT}
    [(tasks, places, done, held)] = query_rows(SQL["progress"], names)
    remaining = None if places == LOOKED_AT else tasks + held
    if (most := _most(round)) is not None:
        share = max(most - done, 0)
        remaining = share if remaining is None else min(share, remaining)
    return Progress(done, remaining)


def previous_assignment(*, assignment: Assignment) -> uuid.UUID | None:
    """Return the id of the assignment that its annotator submitted before this one, if any."""
    names = {
        "enrollment": assignment.enrollment_id,
        "round": assignment.round_id,
        "than": assignment.submitted_at,
    }
    found = query_rows(SQL["before"], names)
    return found[0][0] if found else None


def _names(enrollment: Enrollment, round: Round) -> dict[str, Any]:
    return {
        "round": round.pk,
        "enrollment": enrollment.pk,
        "seat": enrollment.seat,
        "minutes": round.campaign.lease_minutes,
        "newcomer_minutes": NEWCOMER_MINUTES,
        "first": enrollment.cursor if enrollment.cursor_round_id == round.pk else 0,
    }
