"""Who takes part: joining by a link, coming back by a personal one, being left out, and being
erased."""

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

from judging.actions import bulk, checks, history, jobs, panels, reservations, visits
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

A_DAY = timedelta(days=1)
PACE = timedelta(minutes=1)
ERASING = 1_903_782  # marks the advisory locks of erasures, one a campaign
FLOOD = "Joined by a link that strangers had found."
OUTSIDE = "annotator-"  # how the user names begin of those who came by a link


class InvitationOver(Exception):
    """The link is expired, revoked or full, or its campaign has ended; the message says which."""


class TextChanged(Exception):
    """The text to agree to was amended while somebody joined; the message says so."""


class NotAgreed(Exception):
    """The campaign has a text to agree to, and nobody agreed."""


class TooManyNow(Exception):
    """More people join at this moment than a study has annotators."""


class AlreadyExcluded(Exception):
    """The annotator is left out already."""


def check(*, invitation: Invitation, now: datetime) -> None:
    """Raise InvitationOver where nobody can join by the link any more."""
    if invitation.revoked_at:
        raise InvitationOver(_("This invitation was withdrawn."))
    if invitation.expires_at and invitation.expires_at <= now:
        raise InvitationOver(_("This invitation has expired."))
    if invitation.campaign.state in (Campaign.State.CLOSED, Campaign.State.ARCHIVED):
        raise InvitationOver(_("This study has ended."))
    over = invitation.places is not None and invitation.enrollments.count() >= invitation.places
    if over or (
        invitation.role == Membership.Role.ANNOTATOR and panels.is_full(invitation.campaign)
    ):
        raise InvitationOver(_("Everybody this invitation was meant for has joined."))


def lets_in(campaign: Campaign, *, now: datetime) -> bool:
    """Say whether anybody can join a campaign by one of its links now."""
    for each in campaign.invitations.filter(revoked_at__isnull=True).select_related("campaign"):
        with suppress(InvitationOver):
            check(invitation=each, now=now)
            return True
    return False


def join(
    *, invitation: Invitation, user: User | None, agreed: bool, now: datetime, visitor: str = ""
) -> User:
    """Let somebody into a campaign by a link, once; whoever has no account gets one without a
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
                _("You took part in the study that this one repeats, so you cannot join it.")
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
    """Raise TextChanged where a campaign, locked meanwhile, has another text to agree to than was
    shown."""
    if whole_consent(campaign) != shown:
        raise TextChanged(
            _("The text has changed since you opened this page. Please read it again.")
        )


def remove_newcomer(*, enrollment: Enrollment) -> None:
    """Remove somebody for whom there was no place after all."""
    _remove_person(enrollment)


def note_visitor(*, enrollment: Enrollment, visitor: str, now: datetime) -> None:
    """Note where somebody came from, as a hash that changes with the day, and who came from there
    before them."""
    if visitor:
        others = enrollment.campaign.enrollments.filter(visitor=visitor, created_at__gt=now - A_DAY)
        twin = others.exclude(pk=enrollment.pk).order_by("pk").first()
        Enrollment.objects.filter(pk=enrollment.pk).update(visitor=visitor, twin_of=twin)


def _check_pace(invitation: Invitation, now: datetime) -> None:
    """Raise TooManyNow if a program rather than people seems to join; no address is looked at."""
    recently = now - PACE
    campaign = invitation.campaign
    joined = campaign.enrollments.filter(created_at__gt=recently, invitation__isnull=False).count()
    erased = campaign.erasures.filter(erased_at__gt=recently).count()
    if joined + erased >= MAX_ARRIVALS_PER_MINUTE:
        raise TooManyNow(_("Many people are joining just now. Try again in a minute."))


def forget_visitors(*, now: datetime) -> int:
    """Remove yesterday's hashes of where people joined from; return how many."""
    return (
        Enrollment.objects.filter(created_at__lt=now - A_DAY).exclude(visitor="").update(visitor="")
    )


@dataclass(frozen=True, slots=True)
class Undone:
    """How many were removed for they handed nothing in, and how many are left out of the analysis
    now."""

    removed: int
    excluded: int


def undo_joins(*, invitation: Invitation, by: User, now: datetime) -> Undone:
    """Revoke a link and undo what came by it: who handed nothing in goes, what others said is left
    out but kept."""
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
    """Make an account without a password, for somebody who came by a link."""
    return User.objects.create_user(f"{OUTSIDE}{secrets.token_hex(6)}")


def enroll(*, campaign: Campaign, user: User, invitation: Invitation | None = None) -> Enrollment:
    """Make a user an annotator of a campaign, under the next free label; return the place they
    have."""
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
    """Give an annotator whom a manager named their place. Raises Membership.DoesNotExist where the
    role was taken, or they withdrew, meanwhile: a request under way would bring them back as somebody new."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        role = {"campaign": campaign, "role": Membership.Role.ANNOTATOR}
        Membership.objects.select_for_update().get(user=user, **role)
        return enroll(campaign=campaign, user=user)


class CannotDecline(Exception):
    """Somebody has begun to judge, so there is nothing to decline any more."""


def decline(*, campaign: Campaign, user: User) -> None:
    """Take out of a campaign, by their own wish, whom others named an annotator and who has not
    begun, as if they had never been in it; only they themselves bring them back."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        # whoever begins needs this row: they have begun by now, or find it gone
        own = campaign.enrollments.select_for_update().filter(user=user).first()
        role = Membership.objects.not_begun().filter(campaign=campaign, user=user).first()
        if role is None:
            raise CannotDecline(
                _("You have begun to judge in this study, so there is nothing to decline.")
            )
        if (
            own and not own.exclusions.exists()
        ):  # who was left out stays so, by whichever way they come
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
    """Note that the annotator agreed, and to which text."""
    digest = consent_digest(whole_consent(enrollment.campaign))
    Enrollment.objects.filter(pk=enrollment.pk).update(consented_at=now, consent_digest=digest)


def has_agreed(enrollment: Enrollment) -> bool:
    """Say whether an annotator agreed to the text as it is now; a text that changed since is asked
    about again."""
    text = whole_consent(enrollment.campaign)
    return not text or (
        enrollment.consented_at is not None and enrollment.consent_digest == consent_digest(text)
    )


def consent_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def personal_link(user: User) -> str:
    """Return what a person without a password comes back by, or "" for people who can log in.

    It is signed together with the account's nonce: a new nonce makes older links worthless.
    """
    return "" if user.has_usable_password() else _signer(user).sign(str(user.pk))


def user_of_link(signed: str) -> User | None:
    """Return whose personal link it is; None where it is nobody's."""
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
    """Make every personal link of a user worthless, and log out whoever came by one; the next link
    works.

    Refreshes `user`, so that the caller can keep the browser that asked.
    """
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(link_nonce=new_nonce())
        visits.end_all(user=user)
    user.refresh_from_db(fields=["link_nonce"])


def _signer(user: User) -> Signer:
    return Signer(sep=".", salt=f"personal link {user.link_nonce}")


def exclude(*, enrollment: Enrollment, reason: str, by: User, now: datetime) -> Exclusion:
    """Leave an annotator out of the analysis, and give them no more tasks; what they said stays."""
    with transaction.atomic():
        held = Enrollment.objects.select_for_update(no_key=True).get(pk=enrollment.pk)
        if Exclusion.objects.standing().filter(enrollment=held).exists():
            raise AlreadyExcluded(f"{held.label} is left out already.")
        _leave_seat(held)
        history.note(Event.Act.EXCLUDED, by=by, campaign=held.campaign, about=held.label)
        return Exclusion.objects.create(
            enrollment=held, reason=reason, excluded_by=by, excluded_at=now
        )


def readmit(*, enrollment: Enrollment, by: User, now: datetime) -> None:
    """Take an annotator back into the analysis; that they were left out, and why, stays on
    record."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=enrollment.campaign_id)
        standing = Exclusion.objects.standing().filter(enrollment=enrollment)
        if standing.update(lifted_by=by, lifted_at=now):
            history.note(
                Event.Act.READMITTED, by=by, campaign=enrollment.campaign, about=enrollment.label
            )
        if seat := panels.own_seat(enrollment):
            Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat, cursor_round=None)


def free_seat(*, enrollment: Enrollment, by: User | None = None) -> None:
    """Let the next who joins go on in a panel where this annotator stopped; what was submitted
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


class CannotWithdraw(Exception):
    """The study does not let annotators erase what they did, or it is over; the message says
    which."""


class AlreadyWithdrawn(Exception):
    """Another request of the same person erased everything a moment before."""


def may_withdraw(campaign: Campaign) -> bool:
    """Say whether annotators may erase what they did now."""
    return campaign.withdrawal and campaign.state not in (
        Campaign.State.CLOSED,
        Campaign.State.ARCHIVED,
    )


def withdraw(*, enrollment: Enrollment, now: datetime) -> Erasure:
    """Erase what an annotator did, by their own wish, where the study allows it."""
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
        ):  # its place stays used, else somebody left out would come back as somebody new
            used = Invitation.objects.filter(pk=enrollment.invitation_id, places__gt=0)
            used.update(places=F("places") - 1)
        return erase(enrollment=enrollment, by=None, now=now)


def erase(
    *, enrollment: Enrollment, by: User | None, now: datetime, progress: TellProgress = silent
) -> Erasure:
    """Remove everything a person did in a campaign, on their demand; their places open again.

    `by` is nobody where they do it themselves.
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
        progress(places // 2, places, "Removing notes and opening places again")
        counts |= _remove_entered(held)
        counts["assignment"] = _free_places(held)
        checks.forget(enrollment=held)
        erasure = Erasure.objects.create(
            campaign=held.campaign, label=held.label, counts=counts, erased_by=by, erased_at=now
        )
        _remove_person(held)
        _forget_in_reports(held, by=by)
    return erasure


def _forget_in_reports(enrollment: Enrollment, *, by: User | None) -> None:
    """Have a worker take out of finished analyses what is about the person; it looks for work by
    itself. Whoever goes while it waits is taken out together with those before."""
    campaign, kind = enrollment.campaign, jobs.FORGET_ANNOTATORS
    if not campaign.jobs.filter(kind__startswith="analysis.").exists():
        return
    queued = campaign.jobs.select_for_update().filter(kind=kind, state=Job.State.QUEUED)
    # one that goes on where another stopped has passed reports that this person may be in
    waiting = queued.exclude(parameters__has_key="after").first()
    if waiting is None:
        told = {"labels": [enrollment.label]}
        jobs.enqueue(kind=kind, parameters=told, by=by or campaign.created_by, campaign=campaign)
    else:
        told = {"labels": [*waiting.parameters["labels"], enrollment.label]}
        Job.objects.filter(pk=waiting.pk).update(parameters=told)


def hold_erasures(*, campaign: Campaign) -> None:
    """Have whoever is erased in a campaign from now on wait for the end of this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [ERASING, campaign.pk])


def _begin_erasing(campaign: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ERASING, campaign])


def _hold_places(enrollment: Enrollment) -> int:
    """Hold the tasks that somebody has, and return how many: whoever hands one in at this moment is
    through with it before, or comes too late."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM (SELECT FROM judging_assignment WHERE enrollment_id = %s FOR UPDATE) held",
            [enrollment.pk],
        )
        return int(cursor.fetchone()[0])


def _remove_judgments(enrollment: Enrollment, *, by: User | None) -> int:
    """Delete what was said, by the one function of the database that may, and that writes the event.
    Who withdraws stands in it by their label alone: their account beside it could never be taken
    out."""
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


# The database makes the new places itself: none of a million passes through here.
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
    """Delete the tasks somebody had, and open the places that those held or submitted filled;
    return how many tasks they were."""
    with connection.cursor() as cursor:
        cursor.execute(FREE_PLACES, [enrollment.pk])
        return int(cursor.fetchone()[0])


def _remove_person(enrollment: Enrollment) -> None:
    """Delete the enrollment, and the account too where an invitation made it and nothing else needs
    it."""
    user = enrollment.user
    Exclusion.objects.filter(enrollment=enrollment).delete()
    for own in Participation.objects.filter(enrollment=enrollment):
        # their submissions that found everything taken go too: these would recognise them
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
