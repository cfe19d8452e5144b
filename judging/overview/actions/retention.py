"""Forgetting who annotators were, a number of days after a study has closed; their judgments stay
under their labels."""

from contextlib import suppress
from datetime import datetime, timedelta

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import transaction
from django.db.models import F, ProtectedError, Q, QuerySet

from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Membership
from judging.crowd.models.crowd import CrowdEvent, Participation
from judging.people.actions import history, visits
from judging.people.models.event import Event
from judging.people.models.user import BY_LINK_PREFIX, User

BATCH = 500  # people in a transaction, so that other requests do not wait long for their rows
# acts that show in the history which users saw systems and judgments: by, about, and for them
BY_STAFF = (Event.Act.CAMPAIGN_MADE, Event.Act.DATASET_DEGRADED, Event.Act.DATASET_DELETED)
ABOUT_STAFF = (Event.Act.ROLE_GIVEN, Event.Act.ADJUDICATOR_NAMED)
FOR_STAFF = (Event.Act.DATASET_SHARED, Event.Act.DATASET_HANDED_OVER)


def forget_due(*, now: datetime) -> int:
    """Forget the annotators of studies whose retention period is over; return how many people."""
    over = Campaign.objects.filter(
        state__in=[Campaign.State.CLOSED, Campaign.State.ARCHIVED],
        retention_days__isnull=False,
        closed_at__lt=now - F("retention_days") * timedelta(days=1),
    )
    known = Q(pk__in=_known().values("campaign"))
    sent = Q(pk__in=Participation.objects.values("platform__campaign"))
    return sum(
        forget_people(campaign=campaign) for campaign in over.filter(known | sent).order_by("pk")
    )


def forget_people(*, campaign: Campaign) -> int:
    """Delete what links a study's labels to people who came by a link or from a platform; return
    how many there were.

    People whom a manager named are known to the user who gave them their account: they are erased
    one by one, on demand. People who came by a link with an account of their own keep it, and those
    who could have known the systems stay linked to their label too: reports name them by it.
    """
    people = 0
    while batch := _forget_some(campaign):
        people += batch
    with transaction.atomic():
        CrowdEvent.objects.filter(platform__campaign=campaign).delete()
        Participation.objects.filter(platform__campaign=campaign).delete()
        if people:
            history.record_event(
                Event.Act.FORGOTTEN, by=None, campaign=campaign, after=f"{people} annotators"
            )
    return people


def _known() -> QuerySet[Enrollment]:
    """Return the enrollments of people who came by a link or from a platform, even if they chose a
    password since, and of all people without a password."""
    came = Q(invitation__isnull=False) | Q(user__username__startswith=BY_LINK_PREFIX)
    came |= Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX)
    return Enrollment.objects.filter(came, user__isnull=False)


def _staff(campaign: Campaign) -> set[int]:
    """Return the accounts behind a study's labels that have, or had, a role or right by which
    researchers see systems and judgments."""
    judged = User.objects.filter(enrollments__campaign=campaign)
    names = {history.account_name(user): user.pk for user in judged.only("pk")}
    now = Q(datasets__isnull=False) | Q(dataset_shares__isnull=False)
    now |= Q(memberships__role__in=[Membership.Role.MANAGER, Membership.Role.ANALYST])
    now |= Q(pk__in=Campaign.objects.values("created_by"))
    told = Event.objects.exclude(act=Event.Act.ROLE_GIVEN, after=Membership.Role.ANNOTATOR)
    did = told.filter(act__in=BY_STAFF, who__in=names.values()).values_list("who", flat=True)
    given = told.filter(act__in=ABOUT_STAFF, about__in=names).values_list("about", flat=True)
    lent = told.filter(act__in=FOR_STAFF, after__in=names).values_list("after", flat=True)
    known = {*judged.filter(now).values_list("pk", flat=True), *(pk for pk in did if pk)}
    return known | {names[name] for name in (*given, *lent)}


def _forget_some(campaign: Campaign) -> int:
    with transaction.atomic():
        found = (
            _known()
            .filter(campaign=campaign)
            .exclude(user__in=_staff(campaign))
            .select_related("user")
            .select_for_update(of=("self",))[:BATCH]
        )
        for enrollment in found:
            user = enrollment.user
            Enrollment.objects.filter(pk=enrollment.pk).update(
                user=None, pseudonym="", visitor="", twin_of=None
            )
            Membership.objects.filter(
                user=user, campaign=campaign, role=Membership.Role.ANNOTATOR
            ).delete()
            if user and _is_done_with(user):
                visits.end_all(user=user)
                with suppress(ProtectedError), transaction.atomic():
                    User.objects.filter(pk=user.pk).delete()
        return len(found)


def _is_done_with(user: User) -> bool:
    """Return whether an account was made for an annotator only and has no further use."""
    came = user.username.startswith(BY_LINK_PREFIX) or not user.has_usable_password()
    return came and not (
        user.can_create_campaigns or user.enrollments.exists() or user.memberships.exists()
    )
