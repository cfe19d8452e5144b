"""The parts of a plan that other subjects store. They register how a part is copied, checked, locked
and deleted; campaigns know none of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judging.campaigns.models.campaign import Campaign


def _ignore(campaign: Campaign) -> None:
    """Do nothing, because a part needs no such step."""


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A part of a plan.

    copy: give the part of a campaign to a draft about the same dataset and by the same protocol.
    document: return the part's entries in the document that the lock fixes; {} if there are none.
    check: raise Refused if a plan with this part cannot be locked. discard: delete the part.
    """

    copy: Callable[[Campaign, Campaign], None]
    document: Callable[[Campaign], Mapping[str, Any]]
    check: Callable[[Campaign], None] = _ignore
    discard: Callable[[Campaign], None] = _ignore


PARTS: dict[str, PlanPart] = {}


def copy_parts(of: Campaign, to: Campaign) -> None:
    """Give a draft all parts of another campaign."""
    for part in PARTS.values():
        part.copy(of, to)


def part_documents(campaign: Campaign) -> dict[str, Any]:
    """Return the entries of all parts in the document that the lock fixes."""
    document: dict[str, Any] = {}
    for part in PARTS.values():
        document |= part.document(campaign)
    return document


def check_parts(campaign: Campaign) -> None:
    """Raise Refused if a part keeps the plan from being locked."""
    for part in PARTS.values():
        part.check(campaign)


def discard_parts(campaign: Campaign) -> None:
    """Delete all parts of a campaign."""
    for part in PARTS.values():
        part.discard(campaign)
