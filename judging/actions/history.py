"""The history: noting what somebody who manages has done, and checking that no event was changed or
taken out since.

The chain of hashes is made by the database as each transaction commits (migration 0060); it is
computed again here.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from judging.limits import MAX_NAME_CHARACTERS
from judging.models import Campaign, Event, EventSeal, User

FIRST = "0" * 64  # what stands before the first event


def note(
    act: Event.Act,
    *,
    by: User | None = None,
    campaign: Campaign | None = None,
    about: str = "",
    before: object = "",
    after: object = "",
) -> None:
    """Write down an act, within the transaction of what it does; `by` is nobody for commands and
    strangers.

    Name people by account or label, for the rest of an event can never be erased.
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


def account(user: User) -> str:
    """Return what an event calls an account."""
    return f"account {user.pk}"


@dataclass(frozen=True, slots=True)
class Chain:
    """What checking found: how many events hold together, the last hash, and what is wrong, each as
    a sentence."""

    length: int
    last: str
    problems: tuple[str, ...]


def check(*, noted: str = "") -> Chain:
    """Compute the chain again. `noted` is a hash somebody wrote down before: it shows whether the
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
        if seal.previous != last or seal.digest != digest(event, seal.previous):
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
    """Say which events or seals have lost each other."""
    for pk in Event.objects.filter(seal__isnull=True).values_list("pk", flat=True):
        yield f"Event {pk} stands outside the chain."
    lone = EventSeal.objects.exclude(event__in=Event.objects.all()).order_by("position")
    for position in lone.values_list("position", flat=True):
        yield f"The event at position {position} is gone."


def digest(event: Event, previous: str) -> str:
    """Return an event's hash: SHA-256 of a JSON list of the hash before and all that the event
    says."""
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
    """Return the hash of the newest event, for somebody to write down elsewhere."""
    return EventSeal.objects.order_by("-position").values_list("digest", flat=True).first() or FIRST
