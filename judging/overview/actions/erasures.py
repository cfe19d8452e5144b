"""Erasing annotators on their demand, and undoing what strangers joined by a link."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from judging.base.actions import bulk
from judging.base.models.statements import named_statements, query_rows
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.actions import live_agreements
from judging.campaigns.actions.campaigns import invitation_name
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Erasure, Exclusion, Invitation
from judging.crowd.actions.removals import remove_person
from judging.enrolments.actions.enrollments import may_withdraw
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import checks
from judging.quality.actions.exclusions import exclude_annotator
from judging.work.actions import reservations
from judging.work.models.assignment import Draft, Marking, Note, SpanMark

ERASING = 1_903_782  # class of the advisory locks of erasures, one lock per campaign
SQL = named_statements(Path(__file__).with_suffix(".sql"))
FLOOD = "Joined by a link that strangers had found."


@dataclass(frozen=True, slots=True)
class Undone:
    """How many annotators were deleted because they had submitted nothing, and how many are now
    excluded from the analysis."""

    removed: int
    excluded: int


def undo_joins(*, invitation: Invitation, by: User, now: datetime) -> Undone:
    """Revoke a link and undo its joins: annotators who submitted nothing are deleted, the others
    are excluded and their judgments kept."""
    removed = excluded = 0
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=invitation.campaign_id)
        Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(revoked_at=now)
        for enrollment in invitation.enrollments.select_related("campaign", "user").order_by("pk"):
            _hold_places(enrollment)
            if not enrollment.assignments.filter(submitted_at__isnull=False).exists():
                reservations.release_tasks(enrollment=enrollment)
                _remove_entered(enrollment)  # there are no judgments yet
                _free_places(enrollment)
                checks.delete_annotator_checks(enrollment=enrollment)
                remove_person(enrollment)
                removed += 1
            elif not Exclusion.objects.standing().filter(enrollment=enrollment).exists():
                exclude_annotator(enrollment=enrollment, reason=FLOOD, by=by, now=now)
                excluded += 1
        history.record_event(
            Event.Act.LINK_UNDONE,
            by=by,
            campaign=invitation.campaign,
            about=invitation_name(invitation),
            after=f"{removed} removed, {excluded} left out",
        )
    return Undone(removed, excluded)


class CannotWithdraw(Refused):
    """The study does not let annotators erase their work, or it is over; the message says so."""

    code = "cannot_withdraw"


class AlreadyWithdrawn(Refused):
    """Another request of the same annotator erased everything a moment before."""

    code = "already_withdrawn"
    sentence = "Your work in this study is erased already."


def withdraw_annotator(*, enrollment: Enrollment, now: datetime) -> Erasure:
    """Erase an annotator's work, by their own wish, if the study allows it."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=enrollment.campaign_id)
        if not may_withdraw(campaign):
            raise CannotWithdraw(
                _("This study does not let you withdraw here, or it is over. Ask those who run it.")
            )
        if not Enrollment.objects.filter(pk=enrollment.pk).exists():
            raise AlreadyWithdrawn
        if (
            enrollment.invitation_id
        ):  # its place stays used, else an excluded annotator could return as a new one
            used = Invitation.objects.filter(pk=enrollment.invitation_id, places__gt=0)
            used.update(places=F("places") - 1)
        return erase_annotator(enrollment=enrollment, by=None, now=now)


def erase_annotator(
    *,
    enrollment: Enrollment,
    by: User | None,
    now: datetime,
    progress: TellProgress = ignore_progress,
) -> Erasure:
    """Delete everything a person did in a campaign, on their demand; their places open again.

    `by` is None if they do it themselves.
    """
    with transaction.atomic():
        bulk.check_at_once()
        _begin_erasing(enrollment.campaign_id)
        rows = Enrollment.objects.select_related("campaign", "user").select_for_update(of=("self",))
        held = rows.get(pk=enrollment.pk)
        places = _hold_places(held)
        reservations.release_tasks(enrollment=held)
        progress(0, places, "Removing judgments")
        counts = {"judgment": _remove_judgments(held, by=by)}
        progress(places // 2, places, "Removing notes and releasing assignments")
        counts |= _remove_entered(held)
        counts["assignment"] = _free_places(held)
        checks.delete_annotator_checks(enrollment=held)
        erasure = Erasure.objects.create(
            campaign=held.campaign, label=held.label, counts=counts, erased_by=by, erased_at=now
        )
        remove_person(held)
        _forget_in_reports(held, by=by)
        live_agreements.forget_pairs(held.campaign)
    return erasure


def _forget_in_reports(enrollment: Enrollment, *, by: User | None) -> None:
    """Queue a job that removes the person from finished analyses; workers find it without a
    notification. Annotators who are erased while it is queued are added to it."""
    campaign, kind = enrollment.campaign, jobs.FORGET_ANNOTATORS
    analyses = campaign.jobs.filter(kind__startswith="analysis.")
    if not analyses.exclude(kind=jobs.LIVE_AGREEMENT).exists():
        return
    queued = campaign.jobs.select_for_update().filter(kind=kind, state=Job.State.QUEUED)
    # a job that goes on where another stopped has passed reports that this person may be in
    waiting = queued.exclude(parameters__has_key="after").first()
    if waiting is None:
        told = {"labels": [enrollment.label]}
        jobs.enqueue(kind=kind, parameters=told, by=by or campaign.created_by, campaign=campaign)
    else:
        told = {"labels": [*waiting.parameters["labels"], enrollment.label]}
        Job.objects.filter(pk=waiting.pk).update(parameters=told)


def hold_erasures(*, campaign: Campaign) -> None:
    """Have erasures in a campaign wait for the end of this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [ERASING, campaign.pk])


def _begin_erasing(campaign: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ERASING, campaign])


def _hold_places(enrollment: Enrollment) -> int:
    """Lock an annotator's assignments, and return how many: one that is being submitted is either
    submitted before, or refused."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM (SELECT FROM judging_assignment WHERE enrollment_id = %s FOR UPDATE) held",
            [enrollment.pk],
        )
        return int(cursor.fetchone()[0])


def _remove_judgments(enrollment: Enrollment, *, by: User | None) -> int:
    """Delete judgments by the one function of the database that may, which also writes the event.
    The event names annotators who withdraw by their label alone: an account could never be removed
    from it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT judging_erase_judgments(%s, %s)", [enrollment.pk, by.pk if by else None]
        )
        return int(cursor.fetchone()[0])


def _remove_entered(enrollment: Enrollment) -> dict[str, int]:
    """Delete drafts, notes and marks; return how many there were of each."""
    own = {"assignment__enrollment": enrollment}
    return {
        model._meta.model_name or "": bulk.delete_rows(model._base_manager.filter(**own))
        for model in (Draft, Note, SpanMark, Marking)
    }


def _free_places(enrollment: Enrollment) -> int:
    """Delete an annotator's assignments, and open the places of those held or submitted; return how
    many were deleted."""
    [[deleted]] = query_rows(SQL["free_places"], {"enrollment": enrollment.pk})
    return int(deleted)
