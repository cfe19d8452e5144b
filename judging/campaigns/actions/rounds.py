"""Rounds of a campaign: cutting the dataset into tasks, laying out the places, opening and
closing."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import Count, F, Max, QuerySet

from judging.base.actions.bulk import BATCH as COPIED
from judging.base.actions.bulk import (
    CopiedRow,
    check_at_once,
    copy_rows,
    let_planner_know,
    random_uuids,
    take_ids,
)
from judging.base.limits import MAX_ASSIGNMENTS, MAX_PAGE_CHOICES, MAX_PAGE_QUESTIONS
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns import design
from judging.campaigns.actions import authorships, draws, panels, selections
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task, TaskUnit
from judging.campaigns.selection import CannotChoose
from judging.datasets.models.dataset import QuestionSet, Unit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.models.protocol import Protocol
from judging.protocols.rules import Rule, Values, apply_slot_rules

RoundRow = TypeVar("RoundRow")


class NothingToJudge(Refused):
    """The dataset contains no question that the protocol would ask about."""

    code = "nothing_to_judge"


class CutSet(NamedTuple):
    """A question set from which tasks are cut. A row of plain values, because a large study has
    hundreds of thousands."""

    pk: int
    source: int
    system: int


class CutUnit(NamedTuple):
    """A slot of a question set with its question's text, or, without position, the set as a
    whole."""

    pk: int
    question_set: int
    position: int | None
    text: str | None


class CannotBegin(Refused):
    """The round cannot be opened now; the message says why."""

    code = "cannot_begin_round"


# How many sources a round takes by default: QG-STEC+ calibrated on nine sentences at a time, and
# Nema and Khapra's pilots took about thirty questions.
USUAL_SIZE = {Round.Kind.CALIBRATION: 9, Round.Kind.PILOT: 30}


def start_round(
    *,
    campaign: Campaign,
    kind: str,
    size: int,
    annotators: int,
    apart: bool,
    by: User,
    now: datetime,
) -> Round:
    """Open a pilot or calibration round of a draft on sources that no earlier round was judged on.

    `apart`: the main round excludes these sources. Which sources are taken is drawn from the
    campaign's secret.
    """
    with transaction.atomic():
        held = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if held.state != Campaign.State.DRAFT:
            raise CannotBegin(
                "The plan is locked: pilots and calibrations come before the lock.",
                code="plan_locked",
            )
        if running := held.rounds.trials().running().first():
            raise CannotBegin(f"The {running} still runs. Close it first.", code="round_running")
        draws.keep_secret(campaign=held)
        number = held.rounds.filter(kind=kind).count() + 1
        round = Round(
            campaign=held, kind=kind, number=number, annotators_per_task=annotators, apart=apart
        )
        units = _sampled(round, size)
        round.save()
        open_round(round=round, now=now, units=units)
        if not keeps_use(held):
            raise CannotBegin(USE_ENDED, code="use_ended")
        round.opened_at = now
        history.record_event(
            Event.Act.ROUND_OPENED,
            by=by,
            campaign=held,
            about=str(round),
            after=f"{size} sources, {annotators} annotators each{', kept apart' if apart else ''}",
        )
    return round


def _sampled(round: Round, size: int) -> list[int]:
    """Return the units of the sources drawn for a round."""
    try:
        fresh = selections.fresh_units(round.campaign, apart=round.apart)
    except CannotChoose as refused:
        raise CannotBegin(
            f"The selection of what is judged no longer fits the dataset: {refused}"
        ) from None
    if size > len(fresh):
        raise CannotBegin(
            f"The round takes {size} sources; only {len(fresh)} are left that no other round judged.",
            code="too_few_sources",
        )
    drawn = design.draw_sample(fresh, size=size, draws=draws.round_draws(round))
    return [unit for source in drawn for unit in fresh[source]]


def keeps_use(campaign: Campaign) -> bool:
    """Return whether the creator of a campaign still has a right to its dataset.

    A user who ends the right now waits for this transaction, and then sees what it opened; so call
    this last.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM judging_datasetshare WHERE dataset_id = %s AND user_id = %s FOR SHARE",
            [campaign.dataset_id, campaign.created_by_id],
        )
        is_shared = cursor.fetchone() is not None
    own = Campaign.objects.filter(pk=campaign.pk, dataset__owner=F("created_by"))
    return is_shared or own.exists()


def end_round(*, round: Round, by: User | None, now: datetime) -> None:
    """Close a pilot or calibration round; its submitted tasks are kept, and never count in the main
    round."""
    with transaction.atomic():
        close_round(round=round, now=now)
        history.record_event(
            Event.Act.ROUND_CLOSED, by=by, campaign=round.campaign, about=str(round)
        )


def open_round(
    *,
    round: Round,
    now: datetime,
    progress: TellProgress = ignore_progress,
    units: Sequence[int] | None = None,
) -> None:
    """Make a round's tasks and places as drawn from the campaign's secret, and open it.

    `units`: those of a pilot or calibration; by default, all that the campaign judges.
    """
    campaign = round.campaign
    with transaction.atomic():
        check_at_once()
        draws.keep_secret(campaign=campaign)
        tasks = _make_tasks(round, units, progress)
        if not tasks:
            raise NothingToJudge("The dataset holds no question to judge. Import questions first.")
        total, batches = len(tasks) * round.per_task, itertools.count(1)
        copy_rows(
            Assignment,
            PLACE,
            _places(round, tasks),
            stored=lambda _count: progress(
                min(next(batches) * COPIED, total), total, "Drawing assignments"
            ),
        )
        authorships.bar_own_tasks(round=round)
        Round.objects.filter(pk=round.pk).update(opened_at=now)
        let_planner_know(Task, TaskUnit, Assignment)


USE_ENDED = "The creator of this campaign may no longer use the dataset, so annotators cannot join."


class TooManyAssignments(NothingToJudge):
    """A round would have more assignments than a database should hold."""

    code = "too_many_assignments"


class TooLargePage(NothingToJudge):
    """A page of judging would show too many questions or points of scales."""

    code = "page_too_large"


def check_page(protocol: Protocol, questions: int) -> None:
    """Raise TooLargePage if a page with this number of questions exceeds the limit of questions, or
    of points to choose from."""
    document = documents.protocol_from_document(protocol.document)
    choices = questions * sum(
        1 if criterion.is_typed else len(criterion.points) for criterion in document.criteria
    )
    if questions > MAX_PAGE_QUESTIONS or choices > MAX_PAGE_CHOICES:
        raise TooLargePage(
            f"A page would show {questions:,} questions with {choices:,} points to choose from; the limit is "
            f"{MAX_PAGE_QUESTIONS:,} with {MAX_PAGE_CHOICES:,}. Use a protocol that shows fewer questions at "
            "once, or choose fewer questions."
        )


def check_round_pages(campaign: Campaign, units: QuerySet[Unit]) -> None:
    """Raise TooLargePage if the largest page of these units has too many points to choose from."""
    held = {
        Protocol.Task.SOURCE: "question_set__source",
        Protocol.Task.QUESTION_SET: "question_set",
    }
    by, most = held.get(Protocol.Task(campaign.protocol.task)), campaign.protocol.page_size
    if by:
        asked = units.filter(question__isnull=False).order_by().values(by)
        most = asked.annotate(n=Count("pk")).aggregate(most=Max("n"))["most"] or 0
    check_page(campaign.protocol, most)


def check_assignments(planned: int) -> None:
    """Raise TooManyAssignments if a round would have more assignments than the limit; each is a
    row."""
    if planned > MAX_ASSIGNMENTS:
        raise TooManyAssignments(
            f"The round would have {planned:,} assignments; the limit is {MAX_ASSIGNMENTS:,}. "
            "Have fewer annotators for each task, or choose fewer questions."
        )


PLACE = (
    "id", "round_id", "task_id", "place", "position", "seat", "state", "stage", "submit_token",
    "active_seconds",
)  # fmt: skip


def _places(round: Round, tasks: Sequence[tuple[int, CutSet]]) -> Iterable[CopiedRow]:
    """Return the rows of all places; in a panel, with the seats they are reserved for."""
    if round.campaign.order == Campaign.Order.PANEL and round.kind == Round.Kind.MAIN:
        places = _panel_places(round, tasks)
    else:
        is_deep = round.campaign.order == Campaign.Order.DEPTH
        order: design.PlaceOrder = "depth" if is_deep else "breadth"
        drawn = design.places(
            len(tasks), per_task=round.per_task, order=order, draws=draws.round_draws(round)
        )
        places = ((tasks[place.task][0], place.place, None) for place in drawn)
    laid_out = Assignment.objects.filter(round__campaign=round.campaign)
    last = laid_out.aggregate(last=Max("position"))["last"] or 0
    uuids = random_uuids()
    return (
        (next(uuids), round.pk, task, place, position, seat, "open", 0, next(uuids), 0)
        for position, (task, place, seat) in enumerate(places, start=last + 1)
    )


def _panel_places(
    round: Round, tasks: Sequence[tuple[int, CutSet]]
) -> Iterator[tuple[int, int, int | None]]:
    """Give seats to the annotators of a panel; return task, place and seat in the order of the
    queue."""
    if not panels.fits_panel(round.campaign.protocol):
        raise NothingToJudge(
            "The protocol shows several systems at once; a panel needs one system to a task.",
            code="plan_misfit",
        )
    panels.seat_everybody(round.campaign)
    places = panels.lay_out_panel(round=round, tasks=_by_system(tasks))
    return ((place.task, place.place, place.seat) for place in places)


def _by_system(tasks: Sequence[tuple[int, CutSet]]) -> dict[tuple[int, int], list[int]]:
    """Return the tasks of each source and system; a set of single questions has several."""
    by_system: dict[tuple[int, int], list[int]] = {}
    for task, question_set in tasks:
        by_system.setdefault((question_set.source, question_set.system), []).append(task)
    return by_system


def reopen(*, round: Round) -> None:
    """Assign tasks of a round again."""
    Round.objects.filter(pk=round.pk).update(closed_at=None)


def close_round(*, round: Round, now: datetime) -> None:
    """Assign no more tasks of a round."""
    Round.objects.filter(pk=round.pk).update(closed_at=now)


def cut_units(units: QuerySet[Unit]) -> Iterator[CutUnit]:
    """Read units as tasks are cut from them."""
    found = units.values_list("pk", "question_set_id", "position", "question__text")
    return map(CutUnit._make, found.iterator())


def units_of_tasks(
    *, protocol: Protocol, sets: Iterable[CutSet], units: Iterable[CutUnit]
) -> list[list[CutUnit]]:
    """Return the units of each task: a source's, a question set's, or pages of single questions.

    `units`: those of these sets that may be judged. Slots without a question, and those whose
    values the protocol's rules set beforehand, are never asked, so they are omitted.
    """
    document = documents.protocol_from_document(protocol.document)
    asks_of_sets = any(
        criterion.unit == "set" or criterion.asked == "once_per_set"
        for criterion in document.criteria
    )
    rules = _UnitRules(document.rules, document.worst(), asks_of_sets)
    of_set = defaultdict[int, list[CutUnit]](list)
    for unit in units:
        of_set[unit.question_set].append(unit)
    cuts = ((question_set, rules.of(of_set[question_set.pk])) for question_set in sets)
    if protocol.task == Protocol.Task.SOURCE:
        grouped = itertools.groupby(cuts, key=lambda pair: pair[0].source)
        tasks = [[unit for _, units in pairs for unit in units] for _, pairs in grouped]
    elif protocol.task == Protocol.Task.QUESTION_SET:
        tasks = [units for _, units in cuts]
    else:
        single = (unit for _, units in cuts for unit in units)
        tasks = list(_batches(single, protocol.page_size))
    return [units for units in tasks if units]


@dataclass(frozen=True, slots=True)
class _UnitRules:
    """The rules of a protocol that decide which units are asked."""

    rules: Sequence[Rule]
    worst: Values
    of_sets: bool  # whether it asks something of a set as a whole

    def of(self, units: list[CutUnit]) -> list[CutUnit]:
        """Return a set's questions that are to be judged, and the set itself if something is asked
        about it."""
        units.sort(key=lambda unit: unit.position or 0)
        slots = [unit for unit in units if unit.position]
        marks = apply_slot_rules([unit.text for unit in slots], self.rules, self.worst)
        questions = [
            unit for unit, mark in zip(slots, marks, strict=True) if unit.text and not mark.missing
        ]
        if not (self.of_sets and questions):
            return questions
        return [*(unit for unit in units if unit.position is None), *questions]


def _make_tasks(
    round: Round, chosen: Sequence[int] | None, progress: TellProgress
) -> list[tuple[int, CutSet]]:
    """Store the tasks; return the key of each with the first question set in it."""
    campaign = round.campaign
    sets = QuestionSet.objects.filter(
        source__dataset=campaign.dataset, source__repeat_of__isnull=True
    )
    if chosen is not None:
        sets = sets.filter(units__in=chosen).distinct()
    drawn = _in_drawn_order(round, sets)
    cuts = units_of_tasks(
        protocol=campaign.protocol, sets=drawn, units=cut_units(_units_to_cut(campaign, chosen))
    )
    check_page(campaign.protocol, max(map(len, cuts), default=0))
    check_assignments(len(cuts) * round.per_task)
    keys = _store_tasks(round, cuts, progress)
    by_key = {question_set.pk: question_set for question_set in drawn}
    return [(key, by_key[units[0].question_set]) for key, units in zip(keys, cuts, strict=True)]


def _units_to_cut(campaign: Campaign, chosen: Sequence[int] | None) -> QuerySet[Unit]:
    """Return the chosen units of the dataset; by default, all that the campaign judges."""
    try:
        units = (
            selections.judged_units(campaign)
            if chosen is None
            else Unit.objects.filter(pk__in=chosen)
        )
    except CannotChoose as refused:
        raise NothingToJudge(
            f"The selection of what is judged no longer fits the dataset: {refused}"
        ) from None
    return units.filter(question_set__source__dataset=campaign.dataset)


def _store_tasks(
    round: Round, cuts: Sequence[Sequence[CutUnit]], progress: TellProgress
) -> Sequence[int]:
    """Store tasks with their units; return their keys."""
    keys = take_ids(Task, len(cuts))
    copy_rows(
        Task,
        ("id", "round_id", "number"),
        ((key, round.pk, number) for number, key in enumerate(keys, start=1)),
    )
    total, batches = sum(map(len, cuts)), itertools.count(1)
    copy_rows(
        TaskUnit,
        ("task_id", "unit_id", "position"),
        (
            (key, unit.pk, position)
            for key, units in zip(keys, cuts, strict=True)
            for position, unit in enumerate(units, start=1)
        ),
        stored=lambda _count: progress(
            min(next(batches) * COPIED, total), total, "Cutting the dataset into tasks"
        ),
    )
    return keys


def _in_drawn_order(round: Round, sets: QuerySet[QuestionSet]) -> list[CutSet]:
    """Return the sets source by source, the systems in an order drawn for each source."""
    columns = ("pk", "source_id", "system_id", "source__key", "source__position", "system__name")
    by_source: dict[tuple[int, str], dict[str, CutSet]] = {}
    for *row, key, position, name in sets.values_list(*columns).iterator():
        by_source.setdefault((position, key), {})[name] = CutSet(*row)
    drawn = draws.round_draws(round)
    return [
        by_system[name]
        for (_position, key), by_system in sorted(by_source.items())
        for name in design.order_of_systems(by_system, draws=drawn, source_key=key)
    ]


def _batches(rows: Iterator[RoundRow], size: int) -> Iterator[list[RoundRow]]:
    while batch := list(itertools.islice(rows, size)):
        yield batch
