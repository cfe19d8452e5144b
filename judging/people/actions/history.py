"""The history: noting what users and commands did, and checking that no event was changed or
removed since.

The chain of hashes is made by the database as each transaction commits (migration 0060); it is
computed again here.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.people.models.event import Event, EventSeal
from judging.people.models.user import User

if TYPE_CHECKING:
    from judging.campaigns.models.campaign import Campaign

FIRST = "0" * 64  # the previous hash of the first event


def record_event(
    act: Event.Act,
    *,
    by: User | None = None,
    campaign: "Campaign | None" = None,
    about: str = "",
    before: object = "",
    after: object = "",
) -> None:
    """Store an event, in the transaction of the act itself; `by` is None for commands and visitors
    without an account.

    Name people by account or label, because the rest of an event can never be erased.
    """
    Event.objects.create(
        act=act,
        who=by.pk if by else None,
        campaign=campaign.uuid if campaign else None,
        about=about,
        before=_short(str(before)),
        after=_short(str(after)),
    )


def _short(text: str) -> str:
    return text if len(text) <= MAX_NAME_CHARACTERS else f"{text[: MAX_NAME_CHARACTERS - 1]}…"


def account_name(user: User) -> str:
    """Return the name of an account for events."""
    return f"account {user.pk}"


@dataclass(frozen=True, slots=True)
class Chain:
    """The result of a check: how many events the chain has, the last hash, and each problem as a
    sentence."""

    length: int
    last: str
    problems: tuple[str, ...]


def verify_history(*, noted: str = "") -> Chain:
    """Compute the chain again. `noted` is a hash that was written down before: it shows whether the
    end was cut off."""
    problems = list(_unsealed())
    position, last, met = 0, FIRST, not noted or noted == FIRST
    for event in Event.objects.filter(seal__isnull=False).sealed().iterator(chunk_size=2_000):
        seal, position = event.seal, position + 1
        if seal.position != position:
            problems.append(
                f"Before position {seal.position}, {seal.position - position} events are missing."
            )
            position = seal.position
        if seal.previous != last or seal.digest != hash_event(event, seal.previous):
            problems.append(
                f"The event at position {seal.position} is not the one that was written."
            )
        last = seal.digest
        met = met or last == noted
    if not met:
        problems.append(
            f"No event has the hash {noted}: events were removed, or it belongs to another site."
        )
    return Chain(position, last, tuple(problems))


def _unsealed() -> Iterator[str]:
    """Yield a sentence for each event without a seal and each seal without an event."""
    for pk in Event.objects.filter(seal__isnull=True).values_list("pk", flat=True):
        yield f"Event {pk} is outside the chain."
    lone = EventSeal.objects.exclude(event__in=Event.objects.all()).order_by("position")
    for position in lone.values_list("position", flat=True):
        yield f"The event at position {position} is missing."


def hash_event(event: Event, previous: str) -> str:
    """Return an event's hash: SHA-256 of a JSON list of the previous hash and all fields of the
    event."""
    at = event.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    campaign = str(event.campaign) if event.campaign else None
    said = [
        previous,
        event.pk,
        at,
        event.who,
        event.act,
        campaign,
        event.about,
        event.before,
        event.after,
    ]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def last_hash() -> str:
    """Return the hash of the newest event, which a user may write down elsewhere for `check`."""
    return EventSeal.objects.order_by("-position").values_list("digest", flat=True).first() or FIRST
