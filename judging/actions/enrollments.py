"""Enrollments: joining by a link, returning by a personal one, being excluded, and being erased."""

import hashlib
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.signing import BadSignature, Signer
from django.db import connection, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from judging.actions import (
    bulk,
    checks,
    history,
    jobs,
    live_agreements,
    panels,
    reservations,
    visits,
)
from judging.actions.campaigns import judged_the_first, name_of
from judging.actions.rounds import TellProgress, silent
from judging.campaign_texts import whole_consent
from judging.limits import MAX_ARRIVALS_PER_MINUTE
from judging.models import (
    Campaign,
    Draft,
    Enrollment,
    Erasure,
    Event,
    Exclusion,
    Invitation,
    Job,
    Marking,
    Membership,
    Note,
    Participation,
    SpanMark,
    User,
)
from judging.models.people import new_nonce
from judging.refusals import Refused

A_DAY = timedelta(days=1)
PACE = timedelta(minutes=1)
ERASING = 1_903_782  # class of the advisory locks of erasures, one lock per campaign
FLOOD = "Joined by a link that strangers had found."
OUTSIDE = "annotator-"  # prefix of the user names of annotators who came by a link


class InvitationOver(Refused):
    """The link is expired, revoked or full, or its campaign has ended; the message says which."""

    code = "invitation_over"
    status = 410


class TextChanged(Refused):
    """The consent text was amended while an annotator joined; the message says so."""

    code = "text_changed"


class NotAgreed(Refused):
    """The campaign has a consent text, and the annotator did not agree to it."""

    code = "consent_required"
    field = "consent"


class TooManyNow(Refused):
    """More people join at this moment than a study has annotators."""

    code = "too_many_now"
    status = 429
    wait = 60  # seconds


class AlreadyExcluded(Refused):
    """The annotator is excluded already."""

    code = "already_excluded"


def check(*, invitation: Invitation, now: datetime) -> None:
    """Raise InvitationOver if no further annotator can join by the link."""
    if invitation.revoked_at:
        raise InvitationOver(_("This invitation was withdrawn."), code="invitation_revoked")
    if invitation.expires_at and invitation.expires_at <= now:
        raise InvitationOver(_("This invitation has expired."), code="invitation_expired")
    if invitation.campaign.state in (Campaign.State.CLOSED, Campaign.State.ARCHIVED):
        raise InvitationOver(_("This study has ended."), code="campaign_ended")
    over = invitation.places is not None and invitation.enrollments.count() >= invitation.places
    if over or (
        invitation.role == Membership.Role.ANNOTATOR and panels.is_full(invitation.campaign)
    ):
        raise InvitationOver(
            _("Everybody this invitation was meant for has joined."), code="invitation_full"
        )


def lets_in(campaign: Campaign, *, now: datetime) -> bool:
    """Return whether an annotator can join a campaign by one of its links now."""
    for each in campaign.invitations.filter(revoked_at__isnull=True).select_related("campaign"):
        with suppress(InvitationOver):
            check(invitation=each, now=now)
            return True
    return False


def join(
    *, invitation: Invitation, user: User | None, agreed: bool, now: datetime, visitor: str = ""
) -> User:
    """Enrol a person in a campaign by a link, once; a person without an account gets one without a
    password.

    `visitor` is where they come from, as a hash that changes with the day.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=invitation.campaign_id)
        held = (
            Invitation.objects.select_for_update(of=("self",))
            .select_related("campaign")
            .get(pk=invitation.pk)
        )
        role = {"user": user, "campaign": held.campaign, "role": held.role}
        if user and Membership.objects.filter(**role).exists():
            return user
        check(invitation=held, now=now)
        if user and judged_the_first(held.campaign, user):
            raise InvitationOver(
                _("You took part in the study that this one repeats, so you cannot join it."),
                code="took_part_before",
            )
        if held.campaign.consent and not agreed:
            raise NotAgreed(_("Tick the box to take part."))
        check_text(held.campaign, shown=whole_consent(invitation.campaign))
        _check_pace(held, now)
        user = user or new_user()
        made = enroll(campaign=held.campaign, user=user, invitation=held)
        note_visitor(enrollment=made, visitor=visitor, now=now)
        if held.campaign.consent:
            agree(enrollment=Enrollment.objects.get(campaign=held.campaign, user=user), now=now)
    return user


def check_text(campaign: Campaign, *, shown: str) -> None:
    """Raise TextChanged if a campaign's consent text is not the one that was shown; the caller has
    locked the campaign's row."""
    if whole_consent(campaign) != shown:
        raise TextChanged(
            _("The text has changed since you opened this page. Please read it again.")
        )


def remove_newcomer(*, enrollment: Enrollment) -> None:
    """Delete an annotator who has just joined and for whom there is no place after all."""
    _remove_person(enrollment)


def note_visitor(*, enrollment: Enrollment, visitor: str, now: datetime) -> None:
    """Store where an annotator came from, as a hash that changes with the day, and which annotator
    came from there before them."""
    if visitor:
        others = enrollment.campaign.enrollments.filter(visitor=visitor, created_at__gt=now - A_DAY)
        twin = others.exclude(pk=enrollment.pk).order_by("pk").first()
        Enrollment.objects.filter(pk=enrollment.pk).update(visitor=visitor, twin_of=twin)


def _check_pace(invitation: Invitation, now: datetime) -> None:
    """Raise TooManyNow if a program rather than people seems to join, whatever the addresses."""
    recently = now - PACE
    campaign = invitation.campaign
    joined = campaign.enrollments.filter(created_at__gt=recently, invitation__isnull=False).count()
    erased = campaign.erasures.filter(erased_at__gt=recently).count()
    if joined + erased >= MAX_ARRIVALS_PER_MINUTE:
        raise TooManyNow(_("Many people are joining just now. Try again in a minute."))


def forget_visitors(*, now: datetime) -> int:
    """Delete hashes, older than a day, of where annotators joined from; return how many."""
    return (
        Enrollment.objects.filter(created_at__lt=now - A_DAY).exclude(visitor="").update(visitor="")
    )


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
        for each in invitation.enrollments.select_related("campaign", "user").order_by("pk"):
            _hold_places(each)
            if not each.assignments.filter(submitted_at__isnull=False).exists():
                reservations.let_go(enrollment=each)
                _remove_entered(each)  # there are no judgments yet
                _free_places(each)
                checks.forget(enrollment=each)
                _remove_person(each)
                removed += 1
            elif not Exclusion.objects.standing().filter(enrollment=each).exists():
                exclude(enrollment=each, reason=FLOOD, by=by, now=now)
                excluded += 1
        history.note(
            Event.Act.LINK_UNDONE,
            by=by,
            campaign=invitation.campaign,
            about=name_of(invitation),
            after=f"{removed} removed, {excluded} left out",
        )
    return Undone(removed, excluded)


def new_user() -> User:
    """Make an account without a password, for an annotator who came by a link."""
    return User.objects.create_user(f"{OUTSIDE}{secrets.token_hex(6)}")


def enroll(*, campaign: Campaign, user: User, invitation: Invitation | None = None) -> Enrollment:
    """Make a user an annotator of a campaign, under the next free label; return the enrollment."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        Membership.objects.get_or_create(
            user=user, campaign=campaign, role=Membership.Role.ANNOTATOR
        )
        defaults = {
            "label": _next_label(campaign),
            "invitation": invitation,
            "seat": panels.next_seat(campaign),
        }
        return Enrollment.objects.get_or_create(campaign=campaign, user=user, defaults=defaults)[0]


def enroll_member(*, campaign: Campaign, user: User) -> Enrollment:
    """Enrol an annotator whom a manager named. Raise Membership.DoesNotExist if the role was taken,
    or they withdrew, meanwhile: a request under way would enrol them as a new annotator."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        role = {"campaign": campaign, "role": Membership.Role.ANNOTATOR}
        Membership.objects.select_for_update().get(user=user, **role)
        return enroll(campaign=campaign, user=user)


class CannotDecline(Refused):
    """The annotator has begun to judge, so they can no longer decline."""

    code = "already_begun"


def decline(*, campaign: Campaign, user: User) -> None:
    """Remove from a campaign, by their own wish, a user whom a manager named annotator and who has
    not begun, as if they had never been in it; only they themselves can join again."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        # beginning needs this row: the user has begun by now, or finds it deleted
        own = campaign.enrollments.select_for_update().filter(user=user).first()
        role = Membership.objects.not_begun().filter(campaign=campaign, user=user).first()
        if role is None:
            raise CannotDecline(
                _("You have begun to judge in this study, so there is nothing to decline.")
            )
        if (
            own and not own.exclusions.exists()
        ):  # excluded annotators stay excluded, however they return
            own.delete()
        role.delete()
        history.note(Event.Act.DECLINED, by=user, campaign=campaign, about=history.account(user))


def _next_label(campaign: Campaign) -> str:
    used = Enrollment.objects.filter(campaign=campaign).values_list("label", flat=True)
    numbers = [int(found[1]) for label in used if (found := re.fullmatch(r"A(\d{1,9})", label))]
    erased = campaign.erasures.values_list("label", flat=True)
    numbers += [int(found[1]) for label in erased if (found := re.fullmatch(r"A(\d{1,9})", label))]
    return f"A{max(numbers, default=0) + 1:02d}"


def agree(*, enrollment: Enrollment, now: datetime) -> None:
    """Store when the annotator agreed, and to which text."""
    digest = consent_digest(whole_consent(enrollment.campaign))
    Enrollment.objects.filter(pk=enrollment.pk).update(consented_at=now, consent_digest=digest)


def has_agreed(enrollment: Enrollment) -> bool:
    """Return whether an annotator agreed to the current consent text; they are asked again after it
    changed."""
    text = whole_consent(enrollment.campaign)
    return not text or (
        enrollment.consented_at is not None and enrollment.consent_digest == consent_digest(text)
    )


def consent_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def personal_link(user: User) -> str:
    """Return the personal link by which a user without a password returns, "" if they can log in.

    It is signed together with the account's nonce: a new nonce makes older links invalid.
    """
    return "" if user.has_usable_password() else _signer(user).sign(str(user.pk))


def user_of_link(signed: str) -> User | None:
    """Return the user of a personal link; None if the link is invalid."""
    number = signed.partition(".")[0]
    if not re.fullmatch(r"[0-9]{1,18}", number):
        return None
    user = User.objects.filter(pk=int(number), is_active=True).first()
    if user is None or user.has_usable_password():
        return None
    try:
        _signer(user).unsign(signed)
    except BadSignature:
        return None
    return user


def withdraw_link(*, user: User) -> None:
    """Revoke every personal link of a user, and log the user out everywhere; the next link works.

    Refreshes `user`, so that the caller can keep the browser that asked logged in.
    """
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(link_nonce=new_nonce())
        visits.end_all(user=user)
    user.refresh_from_db(fields=["link_nonce"])


def _signer(user: User) -> Signer:
    return Signer(sep=".", salt=f"personal link {user.link_nonce}")


def exclude(*, enrollment: Enrollment, reason: str, by: User, now: datetime) -> Exclusion:
    """Exclude an annotator from the analysis, and give them no more tasks; their judgments stay."""
    with transaction.atomic():
        held = Enrollment.objects.select_for_update(no_key=True).get(pk=enrollment.pk)
        if Exclusion.objects.standing().filter(enrollment=held).exists():
            raise AlreadyExcluded(f"{held.label} is excluded already.")
        _leave_seat(held)
        history.note(Event.Act.EXCLUDED, by=by, campaign=held.campaign, about=held.label)
        live_agreements.ask(held.campaign)
        return Exclusion.objects.create(
            enrollment=held, reason=reason, excluded_by=by, excluded_at=now
        )


def readmit(*, enrollment: Enrollment, by: User, now: datetime) -> None:
    """Re-include an annotator in the analysis; the exclusion and its reason stay on record."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=enrollment.campaign_id)
        standing = Exclusion.objects.standing().filter(enrollment=enrollment)
        if standing.update(lifted_by=by, lifted_at=now):
            history.note(
                Event.Act.READMITTED, by=by, campaign=enrollment.campaign, about=enrollment.label
            )
            live_agreements.ask(enrollment.campaign)
        if seat := panels.own_seat(enrollment):
            Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat, cursor_round=None)


def free_seat(*, enrollment: Enrollment, by: User | None = None) -> None:
    """Let the next annotator who joins a panel go on where this one stopped; what was submitted
    stays and counts."""
    with transaction.atomic():
        held = Enrollment.objects.select_for_update(no_key=True).get(pk=enrollment.pk)
        _leave_seat(held)
        history.note(
            Event.Act.SEAT_FREED,
            by=by,
            campaign=held.campaign,
            about=held.label,
            before=f"seat {held.seat}",
        )


def _leave_seat(enrollment: Enrollment) -> None:
    reservations.let_go(enrollment=enrollment)
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=None, cursor_round=None)


class CannotWithdraw(Refused):
    """The study does not let annotators erase their work, or it is over; the message says so."""

    code = "cannot_withdraw"


class AlreadyWithdrawn(Refused):
    """Another request of the same annotator erased everything a moment before."""

    code = "already_withdrawn"
    sentence = "Your work in this study is erased already."


def may_withdraw(campaign: Campaign) -> bool:
    """Return whether annotators may erase their work now."""
    return campaign.withdrawal and campaign.state not in (
        Campaign.State.CLOSED,
        Campaign.State.ARCHIVED,
    )


def withdraw(*, enrollment: Enrollment, now: datetime) -> Erasure:
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
        return erase(enrollment=enrollment, by=None, now=now)


def erase(
    *, enrollment: Enrollment, by: User | None, now: datetime, progress: TellProgress = silent
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
        reservations.let_go(enrollment=held)
        progress(0, places, "Removing judgments")
        counts = {"judgment": _remove_judgments(held, by=by)}
        progress(places // 2, places, "Removing notes and releasing assignments")
        counts |= _remove_entered(held)
        counts["assignment"] = _free_places(held)
        checks.forget(enrollment=held)
        erasure = Erasure.objects.create(
            campaign=held.campaign, label=held.label, counts=counts, erased_by=by, erased_at=now
        )
        _remove_person(held)
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
        model._meta.model_name or "": bulk.delete(model._base_manager.filter(**own))
        for model in (Draft, Note, SpanMark, Marking)
    }


# The database makes the new places itself, so that none of a million rows is loaded.
FREE_PLACES = """
WITH gone AS (
    DELETE FROM judging_assignment WHERE enrollment_id = %s
    RETURNING round_id, task_id, place, "position", seat, state
), opened AS (
    INSERT INTO judging_assignment (id, round_id, task_id, place, "position", seat, state, reopened,
        stage, submit_token, active_seconds)
    SELECT gen_random_uuid(), round_id, task_id, place, "position", seat, 'open', true,
        0, gen_random_uuid(), 0
    FROM gone WHERE state IN ('held', 'submitted')
)
SELECT count(*) FROM gone
"""


def _free_places(enrollment: Enrollment) -> int:
    """Delete an annotator's assignments, and open the places of those held or submitted; return how
    many were deleted."""
    with connection.cursor() as cursor:
        cursor.execute(FREE_PLACES, [enrollment.pk])
        return int(cursor.fetchone()[0])


def _remove_person(enrollment: Enrollment) -> None:
    """Delete the enrollment, and the account too if it has no password and no other use."""
    user = enrollment.user
    Exclusion.objects.filter(enrollment=enrollment).delete()
    for own in Participation.objects.filter(enrollment=enrollment):
        # their submissions that found everything taken go too: they would identify the person
        Participation.objects.filter(platform=own.platform_id, person=own.person).delete()
    enrollment.delete()
    if user is None:
        return
    Membership.objects.filter(
        user=user, campaign=enrollment.campaign, role=Membership.Role.ANNOTATOR
    ).delete()
    if not (user.has_usable_password() or user.enrollments.exists() or user.memberships.exists()):
        visits.end_all(user=user)
        user.delete()
