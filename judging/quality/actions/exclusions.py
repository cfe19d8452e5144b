"""Excluding annotators from analyses, and including them again."""

from datetime import datetime

from django.db import transaction

from judging.base.refusals import Refused
from judging.campaigns.actions import live_agreements, panels
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.work.actions import reservations


class AlreadyExcluded(Refused):
    """The annotator is excluded already."""

    code = "already_excluded"


def exclude_annotator(*, enrollment: Enrollment, reason: str, by: User, now: datetime) -> Exclusion:
    """Exclude an annotator from the analysis, and give them no more tasks; their judgments stay."""
    with transaction.atomic():
        held = Enrollment.objects.select_for_update(no_key=True).get(pk=enrollment.pk)
        if Exclusion.objects.standing().filter(enrollment=held).exists():
            raise AlreadyExcluded(f"{held.label} is excluded already.")
        _leave_seat(held)
        history.record_event(Event.Act.EXCLUDED, by=by, campaign=held.campaign, about=held.label)
        live_agreements.request_agreement(held.campaign)
        return Exclusion.objects.create(
            enrollment=held, reason=reason, excluded_by=by, excluded_at=now
        )


def readmit(*, enrollment: Enrollment, by: User, now: datetime) -> None:
    """Re-include an annotator in the analysis; the exclusion and its reason stay on record."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=enrollment.campaign_id)
        standing = Exclusion.objects.standing().filter(enrollment=enrollment)
        if standing.update(lifted_by=by, lifted_at=now):
            history.record_event(
                Event.Act.READMITTED, by=by, campaign=enrollment.campaign, about=enrollment.label
            )
            live_agreements.request_agreement(enrollment.campaign)
        if seat := panels.own_seat(enrollment):
            Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat, cursor_round=None)


def free_seat(*, enrollment: Enrollment, by: User | None = None) -> None:
    """Let the next annotator who joins a panel go on where this one stopped; what was submitted
    stays and counts."""
    with transaction.atomic():
        held = Enrollment.objects.select_for_update(no_key=True).get(pk=enrollment.pk)
        _leave_seat(held)
        history.record_event(
            Event.Act.SEAT_FREED,
            by=by,
            campaign=held.campaign,
            about=held.label,
            before=f"seat {held.seat}",
        )


def _leave_seat(enrollment: Enrollment) -> None:
    reservations.release_tasks(enrollment=enrollment)
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=None, cursor_round=None)
