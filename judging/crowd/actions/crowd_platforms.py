"""The crowd platform of a campaign: its settings, the rules they break, and its signed requests."""

import hashlib
import hmac
import json
import re
import secrets
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils.crypto import constant_time_compare

from judging.base.actions import seals
from judging.base.refusals import InvalidInput, Refused, check_between, check_length
from judging.campaigns import quality_plan
from judging.campaigns.actions import selections
from judging.campaigns.actions.campaigns import check_own_people
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.crowd import crowd_kinds, crowd_policies
from judging.crowd.actions import participations, signed_links
from judging.crowd.crowd_policies import PlatformStudy, PolicyCheck
from judging.crowd.models.crowd import CrowdEvent, CrowdPlatform, Participation
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols import documents
from judging.quality.pay import rate_of

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without signs that look alike
PARAMETERS = ("person_param", "study_param", "session_param")
FIXED = (*PARAMETERS, "return_template")  # once a participant has come
LONGEST = {"return_template": 300, "keys_url": 300, "audience": 200}  # characters
MINUTES = (5, 7 * 24 * 60)  # that a share of the work is kept
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


def initial_settings(kind: str) -> dict[str, Any]:
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


def add_crowd_platform(*, campaign: Campaign, kind: str, by: User) -> CrowdPlatform:
    """Give a campaign a crowd platform, once; the same kind may be asked for again."""
    check_own_people(campaign)
    with transaction.atomic():
        held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if found := CrowdPlatform.objects.filter(campaign=held).first():
            if found.kind != kind:
                raise NotNow(f"The campaign has the platform {found.get_kind_display()} already.")
            return found
        history.record_event(Event.Act.CROWD_CHANGED, by=by, campaign=held, after=kind)
        return CrowdPlatform.objects.create(campaign=held, **initial_settings(kind))


@dataclass(frozen=True, kw_only=True, slots=True)
class PlatformSettings:
    """The settings of a platform that managers change; `codes` by end, without ends that have
    none."""

    person_param: str
    study_param: str
    session_param: str
    return_template: str
    minutes: int
    signed: bool
    keys_url: str
    audience: str
    studies: Sequence[str]
    codes: Mapping[str, str]


SETTINGS = tuple(each.name for each in fields(PlatformSettings))


def platform_settings(platform: CrowdPlatform) -> PlatformSettings:
    """Return the present settings of a platform."""
    return PlatformSettings(**{name: getattr(platform, name) for name in SETTINGS})


def change_platform(
    *, platform: CrowdPlatform, settings: PlatformSettings, webhook_secret: str = "", by: User
) -> CrowdPlatform:
    """Change settings; raise NotNow for parameters that participants already came with, and for
    codes that participants were given.

    The secret of the platform's requests is changed if one is given, and no event contains it.
    """
    check_settings(settings)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=platform.campaign_id)
        held = CrowdPlatform.objects.select_for_update().get(pk=platform.pk)
        if campaign.state == Campaign.State.ARCHIVED:
            raise NotNow(
                "The campaign is archived, so its settings cannot change.", code="campaign_archived"
            )
        wanted = asdict(settings) | {"studies": list(settings.studies)}
        changed = [name for name, value in wanted.items() if getattr(held, name) != value]
        _check_change(held, changed, settings)
        for name in changed:
            setattr(held, name, wanted[name])
        if "keys_url" in changed:
            held.keys = held.keys_at = None
        if webhook_secret:
            held.webhook_secret = seals.seal_secret(webhook_secret)
            changed.append("webhook_secret")
        held.save()
        if changed:
            history.record_event(
                Event.Act.CROWD_CHANGED, by=by, campaign=campaign, after=", ".join(changed)
            )
    return held


def check_settings(settings: PlatformSettings) -> None:
    """Raise InvalidInput for the first setting that cannot be used."""
    _check_parameters(settings)
    check_between(settings.minutes, *MINUTES, field="minutes")
    for field, most in LONGEST.items():
        check_length(getattr(settings, field), most, field=field)
    template = settings.return_template
    has_place = "{code}" in template or crowd_kinds.gives_credit(template)
    if template and not (template.startswith("https://") and has_place):
        raise InvalidInput("It begins with https:// and contains {code}.", field="return_template")
    if wrong := [study for study in settings.studies if not crowd_kinds.is_id(study)]:
        raise InvalidInput(f"This is no id of a study: {wrong[0][:80]}.", field="studies")
    _check_signing(settings)
    for end, code in settings.codes.items():
        if not crowd_kinds.CODE.fullmatch(code):
            raise InvalidInput(
                "A code has 4 to 40 letters, digits, hyphens or underscores.", field=f"codes.{end}"
            )
    if _has_repeats(settings.codes.values()):
        raise InvalidInput("Two ends have the same code; each needs its own.")


def _check_parameters(settings: PlatformSettings) -> None:
    names = (settings.person_param, settings.study_param, settings.session_param)
    for field, name in zip(PARAMETERS, names, strict=True):
        if (name or field == "person_param") and not crowd_kinds.PARAMETER.fullmatch(name):
            raise InvalidInput(
                "A parameter is up to 40 letters, digits, dots, hyphens or underscores, and begins "
                "with a letter.",
                field=field,
            )
    if _has_repeats(filter(None, names)):
        raise InvalidInput("Two parameters have the same name.")


def _check_signing(settings: PlatformSettings) -> None:
    if settings.keys_url and not signed_links.is_allowed(settings.keys_url):
        raise InvalidInput(
            "This site may not read keys there; its operator can allow it (QUAESTOR_CROWD_ORIGINS).",
            field="keys_url",
        )
    for field in ("keys_url", "audience"):
        if settings.signed and not getattr(settings, field):
            raise InvalidInput("Signed links cannot be checked without it.", field=field)
    if (settings.signed or settings.studies) and not settings.study_param:
        raise InvalidInput(
            "Links of other studies cannot be detected without it.", field="study_param"
        )


def _has_repeats(texts: Iterable[str]) -> bool:
    listed = list(texts)
    return len(set(listed)) < len(listed)


def _check_change(held: CrowdPlatform, changed: list[str], settings: PlatformSettings) -> None:
    if held.participations.exists() and (fixed := [name for name in changed if name in FIXED]):
        raise NotNow(
            f"Participants have come from the platform already, so these settings cannot change: {', '.join(fixed)}."
        )
    given = held.participations.exclude(end="").values_list("end", flat=True).distinct()
    for end in given if "codes" in changed else ():
        if held.codes.get(end, "") and held.codes.get(end) != settings.codes.get(end):
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


def platform_standing(platform: CrowdPlatform) -> PlatformStanding:
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
    protocol = documents.protocol_from_document(campaign.protocol.document)
    panel = campaign.order == Campaign.Order.PANEL
    sources = selections.judged_sources(campaign).count() if panel else None
    plan = quality_plan.quality_plan_from_document(campaign.quality)
    study = PlatformStudy(
        kind=platform.kind,
        rate=rate_of(campaign.rate),
        page_seconds=protocol.estimated_seconds,
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
    submitted = Assignment.objects.filter(
        round__in=campaign.rounds.trials(), submitted_at__isnull=False, active_seconds__gt=0
    )
    seconds = list(submitted.values_list("active_seconds", flat=True))
    return median(seconds) if seconds else None


def unmet(campaign: Campaign) -> list[PolicyCheck]:
    """Return the rules of a campaign's platform that it does not meet; none without a platform."""
    platform = CrowdPlatform.objects.filter(campaign=campaign).first()
    if platform is None:
        return []
    platform.campaign = campaign
    return [check for check in policy_checks(platform) if check.state == "fails"]


def note_unmet(*, campaign: Campaign, rules: Sequence[PolicyCheck], by: User) -> None:
    """Note that a campaign is opened although it does not meet rules of its platform."""
    broken = ", ".join(rule.rule for rule in rules)
    history.record_event(
        Event.Act.CROWD_CHANGED, by=by, campaign=campaign, after=f"opened against rules: {broken}"
    )


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """A platform's request as received: its body, and values of its headers."""

    body: bytes
    signature: str
    sent: str
    event: str


def receive_request(
    *, platform: CrowdPlatform, request: PlatformRequest, now: datetime
) -> CrowdEvent:
    """Check the signature of a platform's request, store it once, and free the share of a participant
    who it says has left.

    Raises Forged or UnreadableRequest.
    """
    sent_at = _check_signature(platform, request, now)
    content = _read(request.body)

    def hashed(what: str, external: str) -> str:
        return participations.hash_external_id(platform, what, external) if external else ""

    event = CrowdEvent(
        platform=platform,
        event=hashlib.sha256((request.event or request.signature).encode()).hexdigest(),
        signature=hashlib.sha256(request.signature.encode()).hexdigest(),
        session=hashed("session", content["resource_id"]),
        kind=content["event_type"],
        # it writes TIMED-OUT and AWAITING REVIEW
        status=re.sub(r"[\s_]+", "-", content["status"].upper()),
        sent_at=sent_at,
        received_at=now,
    )
    person = hashed("person", content["participant_id"])
    return participations.store_platform_event(platform=platform, event=event, person=person)


def _check_signature(platform: CrowdPlatform, request: PlatformRequest, now: datetime) -> datetime:
    """Return when a request was sent; raise Forged unless the platform signed it just now."""
    secret = seals.unseal_secret(platform.webhook_secret)
    digest = hmac.digest(secret.encode(), request.sent.encode() + request.body, "sha256")
    if not secret or not constant_time_compare(b64encode(digest).decode(), request.signature):
        raise Forged
    if not request.sent.isdecimal() or len(request.sent) > 12:
        raise Forged
    try:
        sent_at = datetime.fromtimestamp(int(request.sent), tz=UTC)
    except (ValueError, OverflowError):  # a year that datetime lacks
        raise Forged from None
    if not now - OLDEST <= sent_at <= now + NEWEST:
        raise Forged
    return sent_at


def _read(body: bytes) -> dict[str, str]:
    """Return the fields that are read from a request; ids only if it is about a submission."""
    try:
        sent = json.loads(body)
        kind = str(sent["event_type"])[:60]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableRequest from None
    content = {"event_type": kind, "status": str(sent.get("status") or "")[:30]}
    is_about_submission = kind == "submission.status.change"
    for name in ("resource_id", "participant_id"):
        value = sent.get(name) if is_about_submission else ""
        content[name] = value if isinstance(value, str) and crowd_kinds.is_id(value) else ""
    if re.search(r"[\0\ud800-\udfff]", kind + content["status"]):  # PostgreSQL stores neither
        raise UnreadableRequest
    return content


def rotate_platform_secrets() -> int:
    """Encrypt every platform's secret again with the site's newest key; return how many."""
    with transaction.atomic():
        held = list(CrowdPlatform.objects.select_for_update().exclude(webhook_secret=""))
        for each in held:
            each.webhook_secret = seals.reseal_secret(each.webhook_secret)
            each.save(update_fields=["webhook_secret"])
    return len(held)
