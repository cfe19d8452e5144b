"""Discussions between rounds: notes on where annotators differed, and the guideline decisions that
follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from judging.base.limits import MAX_NOTE_CHARACTERS
from judging.base.refusals import Refused
from judging.campaigns.actions.unit_names import unit_name
from judging.campaigns.models.campaign import Campaign, Round, TaskUnit
from judging.campaigns.models.guideline import DiscussionNote, GuidelineVersion
from judging.datasets.models.dataset import Unit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion

NoteSubject = tuple[int, int | None]  # criterion, and unit or none for the criterion as a whole


class GuidelineLocked(Refused):
    """The plan is locked, and the guideline with it."""

    code = "plan_locked"


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions annotators read beside the protocol's guideline, and which version they are."""

    number: int
    text: str


def current_decisions(campaign: Campaign) -> Decided | None:
    """Return the current decisions; None if there are none, without a query."""
    if not campaign.guideline_version:
        return None
    version = GuidelineVersion.objects.get(campaign=campaign, number=campaign.guideline_version)
    return Decided(version.number, version.text)


def write_notes(*, round: Round, notes: Mapping[NoteSubject, str], by: User, now: datetime) -> int:
    """Store notes on differences and criteria; an empty text deletes a note. Return how many
    changed.

    Notes that are not about a criterion of the protocol or a unit of the round are skipped.
    """
    criteria = set(
        Criterion.objects.filter(protocol=round.campaign.protocol_id).values_list("pk", flat=True)
    )
    units: set[int | None] = {
        None,
        *TaskUnit.objects.filter(task__round=round).values_list("unit", flat=True),
    }
    changed = 0
    with transaction.atomic():
        _draft(round.campaign)
        standing = {(note.criterion_id, note.unit_id): note.text for note in round.notes.all()}
        for about, said in notes.items():
            text, (criterion, unit) = said.strip()[:MAX_NOTE_CHARACTERS], about
            if criterion not in criteria or unit not in units or text == standing.get(about, ""):
                continue
            changed += 1
            own = DiscussionNote.objects.filter(round=round, criterion=criterion, unit=unit)
            if not text:
                own.delete()
            elif not own.update(text=text, written_by=by, written_at=now):
                DiscussionNote.objects.create(
                    round=round,
                    criterion_id=criterion,
                    unit=Unit.objects.get(pk=unit) if unit else None,
                    text=text,
                    written_by=by,
                    written_at=now,
                )
    return changed


def named_units(round: Round) -> dict[str, int]:
    """Return the units of a round by their names in forms."""
    units = TaskUnit.objects.filter(task__round=round).values_list("unit", flat=True)
    return {unit_name(round.campaign, unit): unit for unit in units}


def proposed_decisions(round: Round) -> str:
    """Return the current decisions with the notes of a round as further items, for a manager to
    edit."""
    before = current_decisions(round.campaign)
    text = before.text if before else ""
    notes = round.notes.select_related("criterion").order_by("criterion__position", "pk")
    items = [f"- {note.criterion.name}: {' '.join(note.text.split())}" for note in notes]
    new = "\n".join(item for item in items if item not in text)
    return "\n".join(part for part in (text, new) if part)


def store_decisions(
    *, campaign: Campaign, text: str, round: Round | None, by: User, now: datetime
) -> Decided | None:
    """Store a text as the next version of the decisions, unless it is the current text. Refresh
    `campaign`."""
    wanted = "\n".join(text.splitlines()).strip()
    with transaction.atomic():
        held = _draft(campaign)
        before = current_decisions(held)
        if wanted != (before.text if before else ""):
            number = held.guideline_versions.count() + 1
            GuidelineVersion.objects.create(
                campaign=held,
                number=number,
                text=wanted,
                round=round,
                written_by=by,
                written_at=now,
            )
            Campaign.objects.filter(pk=held.pk).update(guideline_version=number)
            history.record_event(
                Event.Act.GUIDELINE_DECIDED, by=by, campaign=held, after=f"version {number}"
            )
    campaign.refresh_from_db(fields=["guideline_version"])
    return current_decisions(campaign)


def _draft(campaign: Campaign) -> Campaign:
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if held.state != Campaign.State.DRAFT:
        raise GuidelineLocked("The plan is locked, and the guideline with it.")
    return held
