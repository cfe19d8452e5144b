"""Participants whom a crowd platform sends: arriving, joining with a share of the work, leaving it,
and their one completion code.

If several rows are locked, the order is: campaign, enrollment, participation, places.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from judging.base.actions import seals
from judging.base.limits import MAX_ARRIVALS_PER_MINUTE
from judging.base.models.statements import named_statements, query_rows
from judging.base.refusals import Refused
from judging.campaigns.actions import panels
from judging.campaigns.campaign_texts import whole_consent
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.crowd import crowd_kinds
from judging.crowd.actions import removals, signed_links
from judging.crowd.models.crowd import CrowdEvent, CrowdPlatform, Participation
from judging.enrolments.actions import enrollments
from judging.enrolments.actions.enrollments import NotAgreed, TooManyNow
from judging.people.actions import history, visits
from judging.people.models.event import Event
from judging.work.actions import assignments, reservations

End, Left = Participation.End, Participation.Left
PACE = timedelta(minutes=1)
ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
# Platforms' statuses of submissions that a participant does not go on with.
FREEING = {"RETURNED": Left.RETURNED, "TIMED-OUT": Left.TIMED_OUT, "REJECTED": Left.REJECTED}
LATER = (
    Left.TIMED_OUT,
    Left.EXPIRED,
)  # participants who left only because time ran out may get its code
# A sign of life is any request of a logged-in browser, stored to the minute, and any save, as for
# the lease of a task. Getting a share counts as one too.
SILENT = timedelta(minutes=assignments.NEWCOMER_MINUTES) + visits.EXACT
SQL = named_statements(Path(__file__).with_suffix(".sql"))


class BadLink(Refused):
    """The link lacks an id, or does not come from the platform; the message is for the person who
    opened it."""

    code = "bad_link"
    status = 400


class NotOpen(Refused):
    """The study takes no participants at this moment, and has not ended."""

    code = "study_not_open"


@dataclass(frozen=True, slots=True)
class Arrival:
    """The participant who came by a study's link, and the submission: keyed hashes; no id is stored.

    given: the participant's id encrypted, for their browser's session alone, if the platform grants
    a credit by it; else "".
    """

    person: str
    session: str
    given: str = ""


def parse_arrival(*, platform: CrowdPlatform, said: Mapping[str, str], now: datetime) -> Arrival:
    """Return the participant of a link with these parameters; raise BadLink if they cannot be
    identified for sure."""
    names = [
        name
        for name in (platform.person_param, platform.study_param, platform.session_param)
        if name
    ]
    ids = {name: said.get(name, "") for name in names}
    if not all(map(crowd_kinds.is_id, ids.values())):
        raise BadLink(
            _(
                "This link lacks an id, or it is not one of the platform's. Open the study there again."
            )
        )
    if platform.signed:
        token = said.get(crowd_kinds.KINDS[platform.kind].token or "token", "")
        try:
            signed_links.check_signed_link(platform=platform, token=token, ids=ids, now=now)
        except (signed_links.BadToken, signed_links.NoKeys):
            refused = _(
                "This link is not, or no longer, signed by the platform. Open the study there again."
            )
            raise BadLink(refused) from None
    if platform.study_param and not _leads_here(platform, ids[platform.study_param]):
        raise BadLink(
            _(
                "This link belongs to another study. Go back to the platform, and open the study there."
            )
        )
    session = ids.get(platform.session_param, "")
    return Arrival(
        person=hash_external_id(platform, "person", ids[platform.person_param]),
        session=hash_external_id(platform, "session", session) if session else "",
        given=seals.seal_secret(ids[platform.person_param])
        if crowd_kinds.gives_credit(platform.return_template)
        else "",
    )


def _leads_here(platform: CrowdPlatform, study: str) -> bool:
    """Return whether a study of the platform is this campaign's, because all studies' links are
    signed by the same key. If no manager has entered the study, the first signed link sets it."""
    if platform.signed and not platform.studies:
        with transaction.atomic():
            held = CrowdPlatform.objects.select_for_update().get(pk=platform.pk)
            if not held.studies:
                held.studies = [study]
                held.save(update_fields=["studies"])
                history.record_event(
                    Event.Act.CROWD_CHANGED,
                    campaign=platform.campaign,
                    after=f"studies: {study}, by the first signed link",
                )
        platform.studies = held.studies
    return not platform.studies or study in platform.studies


def hash_external_id(platform: CrowdPlatform, what: str, external: str) -> str:
    """Return the stored form of an id: a hash with the site's key for pseudonyms, different in each
    campaign."""
    salt = f"judging.crowd.{what}.{platform.campaign.uuid}"
    return salted_hmac(
        salt, external, secret=settings.PSEUDONYM_KEY, algorithm="sha256"
    ).hexdigest()


def find(*, platform: CrowdPlatform, came: Arrival) -> Participation | None:
    """Return the participation of an arrival; None for a new participant, such as one who was
    rejected with another submission."""
    known = Participation.objects.select_related(
        "platform__campaign", "enrollment__user", "round__campaign"
    ).filter(platform=platform, person=came.person)
    return known.turned_away().filter(session=came.session).first() or known.of_people().first()


def is_over(*, participation: Participation, came: Arrival) -> bool:
    """Return whether the participant can only be shown the end page."""
    if participation.enrollment is None:
        return True
    return bool(participation.end) and not _may_ask_again(participation, came.session)


def _may_ask_again(own: Participation, session: str) -> bool:
    """Return whether a participant who has submitted no task comes with a new submission after one
    that found everything taken: this ends a submission; every other end is the participant's."""
    if own.end != End.QUOTA_FULL or session == own.session:
        return False
    return bool(
        own.enrollment and own.round and not reservations.count_submitted(own.enrollment, own.round)
    )


def participation_of(enrollment: Enrollment) -> Participation | None:
    """Return an annotator's participation; None for annotators who did not come from a platform."""
    known = Participation.objects.select_related("platform", "round")
    found = known.filter(enrollment=enrollment).first()
    if found:
        found.enrollment, found.platform.campaign = enrollment, enrollment.campaign
        if found.round:
            found.round.campaign = enrollment.campaign
    return found


def code(participation: Participation) -> str:
    """Return the one code that a participant gets; "" before their end, and if the platform has no
    code for it."""
    return str(participation.platform.codes.get(participation.end, "")) if participation.end else ""


def has_place(*, platform: CrowdPlatform) -> bool:
    """Return whether a new participant may get a share of the work; raise NotOpen while the main
    round assigns no tasks."""
    campaign = platform.campaign
    if campaign.state in ENDED:
        return False
    round = _round(campaign)
    if round is None:
        raise NotOpen(
            _("This study takes nobody at this moment. Come back later, or return your submission.")
        )
    return not panels.is_full(campaign) if panels.seats(campaign) else reservations.any_free(round)


def join_from_platform(
    *, platform: CrowdPlatform, came: Arrival, agreed: bool, now: datetime, visitor: str = ""
) -> Participation:
    """Enrol a participant with a share of the work, once however often they ask; if no share is
    free, they get the end of a full quota."""
    free_due_shares(now=now, platform=platform)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=platform.campaign_id)
        if known := find(platform=platform, came=came):
            return known
        has_place(platform=platform)
        if campaign.consent and not agreed:
            raise NotAgreed(_("Tick the box to take part."))
        enrollments.check_text(campaign, shown=whole_consent(platform.campaign))
        _check_pace(platform, now)
        own = Participation.objects.create(
            platform=platform, person=came.person, session=came.session, came_at=now
        )
        if gone := _gone_before(own):
            return _set(own, left=gone, left_at=now)
        _give_first_share(own, campaign, now)
        if own.enrollment and campaign.consent:
            enrollments.store_consent(enrollment=own.enrollment, now=now)
        if own.enrollment:
            enrollments.note_visitor(enrollment=own.enrollment, visitor=visitor, now=now)
    return own


def decline_participation(
    *, platform: CrowdPlatform, came: Arrival, now: datetime
) -> Participation:
    """Note that a participant does not want to take part; for one who has joined already, return
    the participation unchanged."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=platform.campaign_id)
        if known := find(platform=platform, came=came):
            return known
        _check_pace(platform, now)
        return Participation.objects.create(
            platform=platform,
            person=came.person,
            session=came.session,
            came_at=now,
            end=End.NO_CONSENT,
            ended_at=now,
        )


def resume_participation(
    *, participation: Participation, came: Arrival | None, now: datetime
) -> Participation:
    """Let a participant who joined go on; one who left, or was rejected, gets a new share with a
    new submission, or if only their time ran out."""
    with transaction.atomic():
        own = _locked(participation, with_campaign=True)
        session = came.session if came and came.session else own.session
        is_new = session != own.session
        if _may_ask_again(own, session):
            return _ask_again(own, session, now)
        if own.end or own.enrollment is None or not (is_new or own.left == Left.EXPIRED):
            return own
        _set(own, session=session)
        if own.left and not _gone_before(own):
            _give_new_share(own, now, is_new=is_new)
    return own


def _ask_again(own: Participation, session: str, now: datetime) -> Participation:
    """Look for a share for a new submission; the old one, which found everything taken, stays on
    record with its end and code."""
    has_place(platform=own.platform)
    _check_pace(own.platform, now)
    before = (own.session, own.came_at, own.ended_at)
    _set(own, session=session, came_at=now, end="", ended_at=None)
    Participation.objects.create(
        platform=own.platform,
        person=own.person,
        session=before[0],
        came_at=before[1],
        end=End.QUOTA_FULL,
        ended_at=before[2],
    )
    if gone := _gone_before(own):
        return _set(own, left=gone, left_at=now)
    _give_new_share(own, now, is_new=True)
    if own.reserved_until is None and not own.end:
        _finish(own, End.QUOTA_FULL, now)
    return own


def _give_first_share(own: Participation, campaign: Campaign, now: datetime) -> None:
    """Enrol a new participant with a reserved share; if none is free, end their submission."""
    round = _round(campaign)
    user = enrollments.new_user()
    enrollment = enrollments.enroll(campaign=campaign, user=user)
    enrollment.campaign = campaign
    kept = reservations.reserve_tasks(enrollment=enrollment, round=round) if round else 0
    if not kept:
        removals.remove_newcomer(enrollment=enrollment)
        _set(own, end=End.QUOTA_FULL, ended_at=now)
        return
    _set(own, enrollment=enrollment, round=round, share=kept, reserved_until=_until(own, now))


def _give_new_share(own: Participation, now: datetime, *, is_new: bool) -> None:
    """Reserve again the tasks that a participant has still to do."""
    if own.enrollment is None or own.round is None:
        return
    done = reservations.count_submitted(own.enrollment, own.round)
    wanted = (
        assignments.assigns_tasks(own.round)
        and not _is_excluded(own.enrollment)
        and done < own.share
    )
    kept = reservations.reserve_tasks(enrollment=own.enrollment, round=own.round) if wanted else 0
    if kept:
        Enrollment.objects.filter(pk=own.enrollment.pk).update(stopped_at=None)
        _set(own, left="", left_at=None, share=done + kept, reserved_until=_until(own, now))
    elif wanted and is_new:
        _finish(own, End.QUOTA_FULL, now)


def _until(own: Participation, now: datetime) -> datetime:
    return now + timedelta(minutes=own.platform.minutes)


def go_on(*, participation: Participation, now: datetime) -> Participation:
    """Let an annotator whose time ran out go on if tasks are free; for all others nothing
    changes."""
    if participation.left != Left.EXPIRED or participation.end:
        return participation
    return resume_participation(participation=participation, came=None, now=now)


def end_participation(*, participation: Participation, now: datetime) -> Participation:
    """Give a participant who can get no more tasks the end that they have reached, for good.

    The code for completing is given only here, after all answers are stored.
    """
    with transaction.atomic():
        own = _locked(participation)
        if not own.end and (end := _end(own)):
            _finish(own, end, now)
    return own


def _end(own: Participation) -> str:
    """Return the end that a participant has reached; "" if none, or if they returned their
    submission."""
    if own.enrollment is None or own.round is None:
        return ""
    done = reservations.count_submitted(own.enrollment, own.round)
    if done >= own.share:
        return End.COMPLETED
    if _is_excluded(own.enrollment):
        return End.FAILED_CHECKS
    if own.left:
        return End.TIMED_OUT if own.left in LATER else ""
    if reservations.is_waiting(own.enrollment, own.round) and assignments.assigns_tasks(own.round):
        return ""
    if own.platform.campaign.state not in ENDED and not assignments.assigns_tasks(own.round):
        return ""  # paused: the work will go on
    return End.COMPLETED if done else End.QUOTA_FULL


def _is_excluded(enrollment: Enrollment) -> bool:
    return Exclusion.objects.standing().filter(enrollment=enrollment).exists()


def screen_out(*, enrollment: Enrollment, now: datetime) -> Participation | None:
    """End the work of an annotator who did not qualify; None for one who did not come from a
    platform."""
    found = participation_of(enrollment)
    if found is None:
        return None
    with transaction.atomic():
        own = _locked(found)
        if not own.end:
            _finish(own, End.SCREENED_OUT, now)
    return own


def free_left_share(
    *, participation: Participation, session: str, left: str, now: datetime
) -> bool:
    """Free the share of a participant who left a submission; return whether there was one to free.

    Submitted tasks stay, and a late answer is still accepted. Nothing happens to participants who
    have reached an end, or have another submission by now.
    """
    with transaction.atomic():
        own = _locked(participation)
        gone = own.left and (own.left == left or own.left not in LATER)
        if own.end or gone or session != own.session:
            return False
        _set(own, left=left, left_at=now, reserved_until=None)
        if own.enrollment is None:
            return False
        _stop(own.enrollment, now, keeps_seat=False)
        history.record_event(
            Event.Act.CROWD_LEFT,
            campaign=own.platform.campaign,
            about=own.enrollment.label,
            after=left,
        )
    return True


def free_due_shares(*, now: datetime, platform: CrowdPlatform | None = None) -> int:
    """Free the shares whose time has run out, and those of newcomers who give no sign of life;
    return how many."""
    names = {"now": now, "silent": now - SILENT, "platform": platform.pk if platform else None}
    found = [pk for (pk,) in query_rows(SQL["due"], names | {"own": None})]
    due = Participation.objects.select_related("platform", "enrollment").filter(pk__in=found)
    return sum(_release(own, names, now) for own in due)


def _release(own: Participation, names: Mapping[str, Any], now: datetime) -> bool:
    """Free a share that is due, unless its annotator gave a sign of life meanwhile; return whether
    it was freed."""
    with transaction.atomic():
        _locked(own)
        still = bool(query_rows(SQL["due"], {**names, "own": own.pk}))
        return still and free_left_share(
            participation=own, session=own.session, left=Left.EXPIRED, now=now
        )


def _locked(participation: Participation, *, with_campaign: bool = False) -> Participation:
    """Lock and reload a participation, after the rows that come before it in the locking order."""
    enrollment = participation.enrollment
    if with_campaign:
        Campaign.objects.select_for_update(no_key=True).get(pk=participation.platform.campaign_id)
    if enrollment is not None:
        assignments.lock_annotator(enrollment=enrollment)
    rows = Participation.objects.select_for_update(of=("self",))
    own = rows.select_related("platform__campaign", "round").get(pk=participation.pk)
    campaign = own.platform.campaign
    if enrollment is not None:
        enrollment.campaign, own.enrollment = campaign, enrollment
    if own.round is not None:
        own.round.campaign = campaign
    return own


def _finish(own: Participation, end: str, now: datetime) -> None:
    _set(own, end=end, ended_at=now, reserved_until=None)
    if own.enrollment:
        _stop(own.enrollment, now, keeps_seat=end == End.COMPLETED)


def _stop(enrollment: Enrollment, now: datetime, *, keeps_seat: bool) -> None:
    """Give an annotator no more tasks, and free their reserved places; with `keeps_seat` they keep
    their seat in a panel."""
    reservations.release_tasks(enrollment=enrollment)
    seat = enrollment.seat if keeps_seat else None
    Enrollment.objects.filter(pk=enrollment.pk).update(stopped_at=now, seat=seat, cursor_round=None)
    enrollment.seat = seat


def _set(own: Participation, **columns: Any) -> Participation:
    Participation.objects.filter(pk=own.pk).update(**columns)
    for name, value in columns.items():
        setattr(own, name, value)
    return own


def _gone_before(own: Participation) -> str:
    """Return how a participant left a submission before they came with it, as the platform
    reported; "" if they did not."""
    if not own.session:
        return ""
    told = CrowdEvent.objects.filter(platform=own.platform, session=own.session)
    told.filter(participation__isnull=True).update(participation=own)
    status = (
        told.filter(status__in=FREEING).order_by("sent_at").values_list("status", flat=True).last()
    )
    return FREEING[status] if status else ""


def store_platform_event(*, platform: CrowdPlatform, event: CrowdEvent, person: str) -> CrowdEvent:
    """Store an event that a platform reported, and free the participant's share if the event ends
    their submission, once however often it is reported."""
    with transaction.atomic():
        rows = Participation.objects.select_related("platform", "enrollment")
        rows = rows.filter(platform=platform, session=event.session)
        rows = rows.filter(person=person) if person else rows
        participation = rows.first() if event.session else None
        event.participation = participation
        try:
            with transaction.atomic():
                event.save()
        except IntegrityError:  # reported before
            earlier = CrowdEvent.objects.filter(platform=platform, event=event.event)
            return earlier.first() or event
        if participation is not None and event.status in FREEING:
            event.freed = free_left_share(
                participation=participation,
                session=event.session,
                left=FREEING[event.status],
                now=event.received_at,
            )
            event.save(update_fields=["freed"])
    return event


def end_newcomer(*, platform: CrowdPlatform, came: Arrival, now: datetime) -> Participation | None:
    """Give a new participant the end of a full quota if everything is taken or the study has ended;
    None if there is a share for them."""
    free_due_shares(now=now, platform=platform)
    if has_place(platform=platform):
        return None
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=platform.campaign_id)
        if known := find(platform=platform, came=came):
            return known
        if has_place(platform=platform):
            return None
        _check_pace(platform, now)
        return Participation.objects.create(
            platform=platform,
            person=came.person,
            session=came.session,
            came_at=now,
            end=End.QUOTA_FULL,
            ended_at=now,
        )


def _round(campaign: Campaign) -> Round | None:
    """Return the main round while it assigns tasks; pilots and calibrations take no participants
    from platforms."""
    round = campaign.rounds.filter(kind=Round.Kind.MAIN, opened_at__isnull=False).first()
    if round is None:
        return None
    round.campaign = campaign
    return round if assignments.assigns_tasks(round) else None


def _check_pace(platform: CrowdPlatform, now: datetime) -> None:
    lately = platform.participations.filter(came_at__gt=now - PACE).count()
    if not platform.signed and lately >= MAX_ARRIVALS_PER_MINUTE:
        raise TooManyNow(_("Many people are joining just now. Try again in a minute."))
