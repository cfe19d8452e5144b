"""Enrollments: joining by a link, returning by a personal one, being excluded, and being erased."""

import hashlib
import re
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.utils.translation import gettext as _

from judging.base.limits import MAX_ARRIVALS_PER_MINUTE
from judging.base.refusals import Refused
from judging.campaigns.actions import panels
from judging.campaigns.actions.campaigns import judged_the_first
from judging.campaigns.campaign_texts import whole_consent
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Invitation, Membership
from judging.people.actions import history, visits
from judging.people.models.event import Event
from judging.people.models.user import BY_LINK_PREFIX, User, new_nonce

A_DAY = timedelta(days=1)
PACE = timedelta(minutes=1)


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


def check_invitation(*, invitation: Invitation, now: datetime) -> None:
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


def accepts_newcomers(campaign: Campaign, *, now: datetime) -> bool:
    """Return whether an annotator can join a campaign by one of its links now."""
    for invitation in campaign.invitations.filter(revoked_at__isnull=True).select_related(
        "campaign"
    ):
        with suppress(InvitationOver):
            check_invitation(invitation=invitation, now=now)
            return True
    return False


def join_by_link(
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
        check_invitation(invitation=held, now=now)
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
            store_consent(
                enrollment=Enrollment.objects.get(campaign=held.campaign, user=user), now=now
            )
    return user


def check_text(campaign: Campaign, *, shown: str) -> None:
    """Raise TextChanged if a campaign's consent text is not the one that was shown; the caller has
    locked the campaign's row."""
    if whole_consent(campaign) != shown:
        raise TextChanged(
            _("The text has changed since you opened this page. Please read it again.")
        )


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


def new_user() -> User:
    """Make an account without a password, for an annotator who came by a link."""
    return User.objects.create_user(f"{BY_LINK_PREFIX}{secrets.token_hex(6)}")


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


def decline_enrolment(*, campaign: Campaign, user: User) -> None:
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
        history.record_event(
            Event.Act.DECLINED, by=user, campaign=campaign, about=history.account_name(user)
        )


def _next_label(campaign: Campaign) -> str:
    used = Enrollment.objects.filter(campaign=campaign).values_list("label", flat=True)
    numbers = [int(found[1]) for label in used if (found := re.fullmatch(r"A(\d{1,9})", label))]
    erased = campaign.erasures.values_list("label", flat=True)
    numbers += [int(found[1]) for label in erased if (found := re.fullmatch(r"A(\d{1,9})", label))]
    return f"A{max(numbers, default=0) + 1:02d}"


def store_consent(*, enrollment: Enrollment, now: datetime) -> None:
    """Store when the annotator agreed, and to which text."""
    digest = consent_digest(whole_consent(enrollment.campaign))
    Enrollment.objects.filter(pk=enrollment.pk).update(consented_at=now, consent_digest=digest)


def has_agreed(enrollment: Enrollment) -> bool:
    """Return whether an annotator agreed to the current consent text; they are asked again after it
    changed."""
    campaign = enrollment.campaign
    if not campaign.consent:
        return True
    return enrollment.consented_at is not None and (
        enrollment.consent_digest == consent_digest(whole_consent(campaign))
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


def may_withdraw(campaign: Campaign) -> bool:
    """Return whether annotators may erase their work now."""
    return campaign.withdrawal and campaign.state not in (
        Campaign.State.CLOSED,
        Campaign.State.ARCHIVED,
    )
