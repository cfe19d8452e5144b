"""The source of a campaign's orders: a secret that no user sees while the campaign runs, and that
anyone can check afterwards.

Each draw is HMAC-SHA-256 of the campaign's secret over the draw's purpose. The plan contains
the secret's hash, so that the secret cannot be chosen later; once the campaign is closed, a manager
can reveal it.
"""

import hashlib
import itertools
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import F, PositiveSmallIntegerField, Value

from judging.base.refusals import Refused
from judging.campaigns.actions import selections
from judging.campaigns.design import KeyedDraws
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import HEX_OF_256_BITS, Campaign, Round, TaskUnit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

METHOD = "HMAC-SHA-256"
SOURCES_AT_ONCE = 1_000


class GuessableSecret(ValueError):
    """The given secret is not 64 hexadecimal digits, or the campaign is not a simulation."""


def round_name(round: Round) -> str:
    """Return the name of a round in its draws."""
    return f"{round.kind}/{round.number}"


def of_campaign(campaign: Campaign, within: str = "") -> KeyedDraws:
    """Return the draws from a campaign's secret; a draft without one has those from zeros, for its
    preview."""
    key = bytes.fromhex(campaign.secret) if campaign.secret else bytes(32)
    return KeyedDraws(key, within)


def round_draws(round: Round) -> KeyedDraws:
    """Return the draws for a round's tasks and places."""
    return of_campaign(round.campaign, within=round_name(round))


def hash_secret(secret: str) -> str:
    """Return the hash of a secret: SHA-256 of its 32 bytes."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def keep_secret(*, campaign: Campaign, given: str = "") -> None:
    """Make sure that a campaign has a secret, and refresh `campaign`; the caller has locked its row
    or is its only user."""
    if given and (
        campaign.origin != Campaign.Origin.SIMULATED or not re.match(HEX_OF_256_BITS, given)
    ):
        raise GuessableSecret("Only a simulation may be given its secret: 64 hexadecimal digits.")
    made = given or secrets.token_hex(32)
    Campaign.objects.filter(pk=campaign.pk, secret="").update(secret=made)
    campaign.refresh_from_db(fields=["secret"])


def commitment(campaign: Campaign) -> dict[str, str]:
    """Return the plan's entry on the draws: their method, and the secret's hash."""
    return {"method": METHOD, "secret_sha256": hash_secret(campaign.secret)}


class NotOverYet(Refused):
    """The campaign still runs, or its secret is not revealed yet; the message says which."""

    code = "draws_not_revealed"


def reveal_secret(*, campaign: Campaign, now: datetime, by: User | None = None) -> None:
    """Reveal the secret of a closed campaign, which can then never open again; refreshes
    `campaign`."""
    with transaction.atomic():
        held = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if held.state not in (Campaign.State.CLOSED, Campaign.State.ARCHIVED):
            raise NotOverYet("The secret of the draws is revealed once the campaign is closed.")
        if held.secret and held.secret_revealed_at is None:
            Campaign.objects.filter(pk=held.pk).update(secret_revealed_at=now)
            history.record_event(Event.Act.DRAWS_REVEALED, by=by, campaign=held)
    campaign.refresh_from_db(fields=["secret_revealed_at"])


def draws_document(campaign: Campaign) -> dict[str, Any]:
    """Return all draws of a campaign whose secret is revealed, with what they were drawn from; long
    lists are iterators, which `written` reads from the database."""
    if campaign.secret_revealed_at is None:
        raise NotOverYet("The secret of the draws is not revealed.")
    rounds = (
        campaign.rounds.filter(opened_at__isnull=False)
        .exclude(kind=Round.Kind.CHECKS)
        .order_by("pk")
    )
    return {
        "campaign": str(campaign.uuid),
        "method": METHOD,
        "secret": campaign.secret,
        "plan": campaign.locked_plan,
        "plan_sha256": campaign.locked_digest,
        "systems": sorted(selections.judged_systems(campaign).values_list("name", flat=True)),
        "order": campaign.order,
        "annotators_per_task": campaign.annotators_per_task,
        "rounds": (_round(each) for each in rounds),
        "annotators": {
            enrollment.label: str(enrollment.draw_id)
            for enrollment in campaign.enrollments.order_by("label")
            if enrollment.user_id
        },
    }


def json_document_pieces(document: object) -> Iterator[str]:
    """Yield a document as JSON in pieces; an iterator is written as an array while it is read."""
    if isinstance(document, Mapping):
        yield "{"
        for before, (key, value) in zip(_commas(), document.items(), strict=False):
            yield f"{before}{json.dumps(key)}: "
            yield from json_document_pieces(value)
        yield "}"
    elif isinstance(document, Iterator):
        yield "["
        for before, value in zip(_commas(), document, strict=False):
            yield before
            yield from json_document_pieces(value)
        yield "]"
    else:
        yield json.dumps(document)


def _commas() -> Iterator[str]:
    return itertools.chain([""], itertools.repeat(", "))


def _round(round: Round) -> dict[str, Any]:
    """Return a round's tasks, each unit as source, system and slot, and its places in the order of
    the queue."""
    return _own_design(round) | {
        "name": round_name(round),
        "tasks": _task_rows(round),
        "places": _place_rows(round),
        "sources": _source_rows(round),
    }


def _own_design(round: Round) -> dict[str, Any]:
    """Return the design of a pilot or calibration; that of the main round is the campaign's."""
    if round.kind == Round.Kind.MAIN:
        return {}
    is_deep = round.campaign.order == Campaign.Order.DEPTH
    order = Campaign.Order.DEPTH if is_deep else Campaign.Order.BREADTH
    return {"order": order, "annotators_per_task": round.per_task}


def _task_rows(round: Round) -> Iterator[dict[str, Any]]:
    shown = TaskUnit.objects.filter(task__round=round).order_by("task__number", "position")
    units = shown.values_list(
        "task__number",
        "unit__question_set__source__key",
        "unit__question_set__system__name",
        "unit__position",
    )
    for number, rows in itertools.groupby(units.iterator(), key=itemgetter(0)):
        yield {"number": number, "units": [unit for _number, *unit in rows]}


def _place_rows(round: Round) -> Iterator[list[Any]]:
    # outside a panel, seats are lent to annotators for a share of the work, and not drawn
    is_panel = round.campaign.order == Campaign.Order.PANEL
    seat = F("seat") if is_panel else Value(None, output_field=PositiveSmallIntegerField())
    places = Assignment.objects.filter(round=round).order_by("position").distinct()
    columns = places.values_list("position", "task__number", "place", seat)
    return map(list, columns.iterator())


def _source_rows(round: Round) -> Iterator[list[Any]]:
    if round.kind == Round.Kind.MAIN:
        sources = selections.judged_sources(round.campaign)
    else:
        units = TaskUnit.objects.filter(task__round=round)
        sources = round.campaign.dataset.sources.filter(
            pk__in=units.values("unit__question_set__source")
        )
    sources = sources.order_by("position").prefetch_related("question_sets__system")
    for source in sources.iterator(chunk_size=SOURCES_AT_ONCE):
        sets = source.question_sets.all()
        yield [source.key, sorted(question_set.system.name for question_set in sets)]
