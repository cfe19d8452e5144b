"""Rotated panels: every annotator has a seat and judges each source once, and the systems rotate
over the seats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judging.campaigns import design
from judging.campaigns.actions import draws, selections
from judging.campaigns.design import MeetingTable, Seating
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.protocols.models.protocol import Protocol


def seats(campaign: Campaign) -> int:
    """Return how many annotators the panel takes: for each system as many as judge each task; 0 if
    the campaign has no panel."""
    if campaign.order != Campaign.Order.PANEL:
        return 0
    return campaign.annotators_per_task * selections.judged_systems(campaign).count()


def free_seats(campaign: Campaign) -> list[int]:
    """Return the seats without an annotator, counted from 1."""
    if not (count := seats(campaign)):
        return []
    taken = set(campaign.enrollments.filter(seat__isnull=False).values_list("seat", flat=True))
    return [seat for seat in range(1, count + 1) if seat not in taken]


def is_full(campaign: Campaign) -> bool:
    return campaign.order == Campaign.Order.PANEL and not free_seats(campaign)


def next_seat(campaign: Campaign) -> int | None:
    """Return the seat of the annotator who joins next; the caller has locked the campaign's row."""
    return next(iter(free_seats(campaign)), None)


def seat_everybody(campaign: Campaign) -> None:
    """Give seats to annotators who joined before the plan was fixed, in the order of joining."""
    campaign.enrollments.filter(seat__gt=seats(campaign)).update(seat=None)
    waiting = campaign.enrollments.filter(seat__isnull=True, exclusions__isnull=True).order_by("pk")
    for enrollment, seat in zip(waiting, free_seats(campaign), strict=False):
        Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat)


def own_seat(enrollment: Enrollment) -> int | None:
    """Return the seat that an annotator had before, if it is free."""
    places = Assignment.objects.filter(
        enrollment=enrollment, round__campaign=enrollment.campaign, seat__isnull=False
    )
    before = places.values_list("seat", flat=True).first()
    return before if before in free_seats(enrollment.campaign) else None


def fits_panel(protocol: Protocol) -> bool:
    """Return whether a task of the protocol shows one system's questions on one source, and nothing
    else."""
    return protocol.task == Protocol.Task.QUESTION_SET or (
        protocol.task == Protocol.Task.UNIT and protocol.page_size == 1
    )


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A place of a task that is reserved for a seat; seats count from 1."""

    task: int
    place: int
    seat: int


def lay_out_panel(
    *, round: Round, tasks: Mapping[tuple[int, int], list[int]]
) -> Iterator[KeptPlace]:
    """Return the places of a round in the order of the queue; all queries run at the call, before
    the first place is read."""
    per_place = selections.judged_systems(round.campaign).count()
    return (
        KeptPlace(task, seating.seat // per_place + 1, seating.seat + 1)
        for seating, pair in _seatings(round)
        for task in tasks.get(pair, ())
    )


def _seatings(round: Round) -> Iterator[tuple[Seating, tuple[int, int]]]:
    """Return which seat judges what in the order of the queue, with the keys of source and system."""
    campaign = round.campaign
    sources = list(
        selections.judged_sources(campaign).order_by("position").values_list("pk", flat=True)
    )
    systems = [
        pk for _name, pk in sorted(selections.judged_systems(campaign).values_list("name", "pk"))
    ]
    laid = design.panel(
        seats(campaign),
        systems=len(systems),
        sources=len(sources),
        draws=draws.round_draws(round),
    )
    return ((each, (sources[each.source], systems[each.system])) for each in laid)


@dataclass(frozen=True, slots=True)
class Proof:
    """How evenly seats, turns or sources are combined with systems: the greatest count minus the
    smallest, and the counts."""

    key: str
    spread: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def count_panel_balance(campaign: Campaign) -> list[Proof]:
    """Count how often an opened panel combines seats, turns and sources with systems; empty if there
    is no panel."""
    main = campaign.rounds.get(kind=Round.Kind.MAIN)
    if campaign.order != Campaign.Order.PANEL or main.opened_at is None:
        return []
    held = TaskUnit.objects.filter(
        task__round__campaign=campaign, task__round__kind=Round.Kind.MAIN
    )
    asked = set(
        held.values_list("unit__question_set__source", "unit__question_set__system").distinct()
    )
    tables = design.count_balance(seating for seating, pair in _seatings(main) if pair in asked)
    names = sorted(selections.judged_systems(campaign).values_list("name", flat=True))
    return [_proof(key, table, names) for key, table in tables.items()]


def _proof(key: str, table: MeetingTable, names: Sequence[str]) -> Proof:
    rows = () if key == "source by system" else zip(table.rows, table.counts, strict=True)
    shown = tuple((_label(key, int(str(row)), names), counts) for row, counts in rows)
    return Proof(
        key, table.spread, tuple(names[int(str(column))] for column in table.columns), shown
    )


def _label(key: str, row: int, names: Sequence[str]) -> str:
    """Return a row's label: the number, from 1, of a seat or turn, or the name of a system."""
    return {"seat by system": str(row + 1), "turn by system": str(row)}.get(key) or names[row]
