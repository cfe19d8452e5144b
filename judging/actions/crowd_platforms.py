"""The crowd platform of a campaign: its settings, the rules they break, and its signed requests."""

import hashlib
import hmac
import json
import re
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils.crypto import constant_time_compare

from judging import crowd_kinds, crowd_policies, quality
from judging.actions import history, participations, seals, selections
from judging.actions.campaigns import check_own_people
from judging.crowd_policies import PlatformStudy, PolicyCheck
from judging.models import (
    Assignment,
    Campaign,
    CrowdEvent,
    CrowdPlatform,
    Event,
    Participation,
    User,
)
from judging.pay import rate_of
from judging.protocols import documents
from judging.refusals import Refused

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without signs that look alike
PARAMETERS = ("kind", "person_param", "study_param", "session_param", "return_template")
OPTIONS = ("minutes", "signed", "studies", "keys_url", "audience")
OLDEST = timedelta(days=3)  # age of a request: platforms resend one for two days
NEWEST = timedelta(minutes=5)  # by which the platform's clock may be ahead


class NotNow(Refused):
    """This setting cannot change any more; the message says why."""

    code = "setting_fixed"


class Forged(Exception):
    """The request does not carry the platform's signature, or its time is too far from now."""


class UnreadableRequest(Exception):
    """The request is signed, but is not what the platform sends."""


def new_code() -> str:
    """Return a completion code."""
    return "".join(secrets.choice(LETTERS) for _ in range(8))


def proposed(kind: str) -> dict[str, Any]:
    """Return the initial settings of a kind of platform, with a code for each end."""
    known = crowd_kinds.KINDS[kind]
    return {
        "kind": kind,
        "person_param": known.person,
        "study_param": known.study,
        "session_param": known.session,
        "return_template": known.return_template,
        "keys_url": known.keys_url,
        "codes": {end: new_code() for end in Participation.End.values},
    }


def begin(*, campaign: Campaign, kind: str, by: User) -> CrowdPlatform:
    """Give a campaign a crowd platform, once."""
    check_own_people(campaign)
    with transaction.atomic():
        held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if found := CrowdPlatform.objects.filter(campaign=held).first():
            return found
        history.note(Event.Act.CROWD_CHANGED, by=by, campaign=held, after=kind)
        return CrowdPlatform.objects.create(campaign=held, **proposed(kind))


def change(*, platform: CrowdPlatform, to: Mapping[str, Any], by: User) -> CrowdPlatform:
    """Change settings; raise NotNow for parameters that participants already came with, and for
    codes that participants were given.

    The secret of the platform's requests is changed if one is given, and no event contains it.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=platform.campaign_id)
        held = CrowdPlatform.objects.select_for_update().get(pk=platform.pk)
        if campaign.state == Campaign.State.ARCHIVED:
            raise NotNow(
                "The campaign is archived, so its settings cannot change.", code="campaign_archived"
            )
        changed = [
            name
            for name in (*PARAMETERS, *OPTIONS, "codes")
            if name in to and getattr(held, name) != to[name]
        ]
        _check_change(held, changed, to)
        for name in changed:
            setattr(held, name, to[name])
        if "keys_url" in changed:
            held.keys = held.keys_at = None
        if secret := to.get("webhook_secret"):
            held.webhook_secret = seals.sealed(secret)
            changed.append("webhook_secret")
        held.save()
        if changed:
            history.note(
                Event.Act.CROWD_CHANGED, by=by, campaign=campaign, after=", ".join(changed)
            )
    return held


def _check_change(held: CrowdPlatform, changed: list[str], to: Mapping[str, Any]) -> None:
    if held.participations.exists() and (fixed := [name for name in changed if name in PARAMETERS]):
        raise NotNow(
            f"Participants have come from the platform already, so these settings cannot change: {', '.join(fixed)}."
        )
    given = held.participations.exclude(end="").values_list("end", flat=True).distinct()
    for end in given if "codes" in changed else ():
        if held.codes.get(end, "") and held.codes.get(end) != to["codes"].get(end):
            label = Participation.End(end).label
            raise NotNow(
                f"A participant was given the code for “{label}” already, so it cannot change."
            )


@dataclass(frozen=True, slots=True)
class PlatformStanding:
    """Numbers of participants who came, who are at work and who left, and of submissions by end."""

    came: int
    at_work: int
    left: int
    ends: Mapping[str, int]


def standing(platform: CrowdPlatform) -> PlatformStanding:
    """Count the participants whom the platform sent, and their submissions by end, as the platform
    counts codes: a rejected participant may have come with another submission."""
    rows = platform.participations.values_list("end", "left").annotate(n=Count("pk")).order_by()
    ends = {
        end: sum(n for found, _left, n in rows if found == end) for end in Participation.End.values
    }
    left = sum(n for end, left, n in rows if not end and left)
    at_work = sum(n for end, left, n in rows if not end and not left)
    came = platform.participations.aggregate(n=Count("person", distinct=True))["n"]
    return PlatformStanding(came, at_work, left, ends)


def policy_checks(platform: CrowdPlatform) -> list[PolicyCheck]:
    """Check the campaign against the rules of its platform; unmet rules come first."""
    campaign = platform.campaign
    rubric = documents.from_document(campaign.rubric.document)
    panel = campaign.order == Campaign.Order.PANEL
    sources = selections.sources_of(campaign).count() if panel else None
    plan = quality.from_document(campaign.quality)
    study = PlatformStudy(
        kind=platform.kind,
        rate=rate_of(campaign.rate),
        page_seconds=rubric.estimated_seconds,
        pilot_seconds=_pilot_seconds(campaign),
        tasks=campaign.tasks_per_annotator or sources,
        minutes=platform.minutes,
        texts={
            "introduction": campaign.introduction,
            "consent text": campaign.consent,
            "text about pay": campaign.pay,
        },
        asked=list(campaign.exit_questions.values_list("text", flat=True)),
        consent=bool(campaign.consent),
        contact=bool(campaign.contact),
        pay=bool(campaign.pay),
        qualifies=campaign.qualifies,
        tries=campaign.tries,
        plan=plan,
        codes=platform.codes,
        needed={end.value: str(end.label) for end in Participation.End},
        return_template=platform.return_template,
        signed=platform.signed,
        hears=bool(platform.webhook_secret),
    )
    return crowd_policies.checks(study)


def _pilot_seconds(campaign: Campaign) -> float | None:
    """Return the median time in seconds of the tasks submitted in pilots and calibrations, if any."""
    handed_in = Assignment.objects.filter(
        round__in=campaign.rounds.trials(), submitted_at__isnull=False, active_seconds__gt=0
    )
    seconds = list(handed_in.values_list("active_seconds", flat=True))
    return median(seconds) if seconds else None


def unmet(campaign: Campaign) -> list[PolicyCheck]:
    """Return the rules of a campaign's platform that it does not meet; none without a platform."""
    platform = CrowdPlatform.objects.filter(campaign=campaign).first()
    if platform is None:
        return []
    platform.campaign = campaign
    return [each for each in policy_checks(platform) if each.state == "fails"]


def note_unmet(*, campaign: Campaign, rules: Sequence[PolicyCheck], by: User) -> None:
    """Note that a campaign is opened although it does not meet rules of its platform."""
    broken = ", ".join(each.rule for each in rules)
    history.note(
        Event.Act.CROWD_CHANGED, by=by, campaign=campaign, after=f"opened against rules: {broken}"
    )


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """A platform's request as received: its body, and values of its headers."""

    body: bytes
    signature: str
    sent: str
    event: str


def take(*, platform: CrowdPlatform, told: PlatformRequest, now: datetime) -> CrowdEvent:
    """Check the signature of a platform's request, store it once, and free the share of a participant
    who it says has left.

    Raises Forged or UnreadableRequest.
    """
    secret = seals.unsealed(platform.webhook_secret)
    signed = b64encode(
        hmac.digest(secret.encode(), told.sent.encode() + told.body, "sha256")
    ).decode()
    if not secret or not constant_time_compare(signed, told.signature):
        raise Forged
    if not told.sent.isdecimal() or len(told.sent) > 12:
        raise Forged
    try:
        sent_at = datetime.fromtimestamp(int(told.sent), tz=UTC)
    except (ValueError, OverflowError):  # a year that datetime lacks
        raise Forged from None
    if not now - OLDEST <= sent_at <= now + NEWEST:
        raise Forged
    said = _read(told.body)
    submission, person = said["resource_id"], said["participant_id"]
    event = CrowdEvent(
        platform=platform,
        event=hashlib.sha256((told.event or told.signature).encode()).hexdigest(),
        signature=hashlib.sha256(told.signature.encode()).hexdigest(),
        session=participations.hashed(platform, "session", submission) if submission else "",
        kind=said["event_type"],
        # it writes TIMED-OUT and AWAITING REVIEW
        status=re.sub(r"[\s_]+", "-", said["status"].upper()),
        sent_at=sent_at,
        received_at=now,
    )
    person = participations.hashed(platform, "person", person) if person else ""
    return participations.hear(platform=platform, told=event, person=person)


def _read(body: bytes) -> dict[str, str]:
    """Return the fields that are read from a request; ids only if it is about a submission."""
    try:
        said = json.loads(body)
        kind = str(said["event_type"])[:60]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableRequest from None
    found = {"event_type": kind, "status": str(said.get("status") or "")[:30]}
    about = kind == "submission.status.change"
    for name in ("resource_id", "participant_id"):
        value = said.get(name) if about else ""
        found[name] = value if isinstance(value, str) and crowd_kinds.is_id(value) else ""
    if re.search(r"[\0\ud800-\udfff]", kind + found["status"]):  # PostgreSQL stores neither
        raise UnreadableRequest
    return found


def rotate() -> int:
    """Encrypt every platform's secret again with the site's newest key; return how many."""
    with transaction.atomic():
        held = list(CrowdPlatform.objects.select_for_update().exclude(webhook_secret=""))
        for each in held:
            each.webhook_secret = seals.resealed(each.webhook_secret)
            each.save(update_fields=["webhook_secret"])
    return len(held)
