"""Placing checks between an annotator's tasks: gold questions, hidden repeats, degraded copies.

After which tasks a check comes is drawn from the campaign's secret for each annotator. A check is a
task of its own in a round of its own kind, made when it is due: pages, drafts and submission treat
it like any other task, and no analysis reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from judging.campaigns import quality_plan
from judging.campaigns.actions import authorships, draws, rounds, selections
from judging.campaigns.actions.plan_parts import PARTS, PlanPart
from judging.campaigns.design import KeyedDraws
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.campaigns.quality_plan import QualityPlan
from judging.datasets.models.dataset import Unit
from judging.protocols.models.protocol import Protocol
from judging.quality.actions import check_items
from judging.quality.models.check import CheckItem, CheckKind, CheckTask
from judging.work.actions import assignments
from judging.work.actions.assignments import Finished, Here, NoneNow, Progress


def claim_with_checks(*, enrollment: Enrollment, round: Round) -> Here | NoneNow | Finished:
    """Claim a task as `assignments.claim` does, with checks between the tasks of the main round."""
    if _has_checks(round) and assignments.assigns_tasks(round):
        with transaction.atomic():
            may = not assignments.lock_annotator(
                enrollment=enrollment
            ) and assignments.may_get_tasks(enrollment, round)
            if may and (due := _due(enrollment, round)):
                return Here(due)
    return assignments.claim_assignment(enrollment=enrollment, round=round)


def claim_next_with_checks(*, enrollment: Enrollment, round: Round) -> Here | Finished | None:
    """Claim a task as `assignments.following` does, with checks between those of the main round."""
    if round.kind == Round.Kind.CHECKS:
        round = _main_round(round.campaign)
    if _has_checks(round) and (due := _due(enrollment, round)):
        return Here(due)
    return assignments.claim_next(enrollment=enrollment, round=round)


def _has_checks(round: Round) -> bool:
    return round.campaign.checked and round.kind == Round.Kind.MAIN


def _main_round(campaign: Campaign) -> Round:
    main = Round.objects.get(campaign=campaign, kind=Round.Kind.MAIN)
    main.campaign = campaign
    return main


def planned_check(
    *, plan: QualityPlan, campaign: Campaign, enrollment: Enrollment, turn: int
) -> str:
    """Return the kind of check that comes after `turn` tasks of an annotator; "" for none.

    Repeats and degraded copies need more than `plan.gap` tasks before them, gold questions one.
    """
    stream = _draws(campaign).stream(f"{enrollment.draw_id}/{turn}")
    place = stream.random() * 100
    for kind, share in (
        (CheckKind.GOLD, plan.gold),
        (CheckKind.REPEAT, plan.repeats),
        (CheckKind.DEGRADED, plan.degraded),
    ):
        if place < share:
            return str(kind) if turn > 0 and (kind == CheckKind.GOLD or turn > plan.gap) else ""
        place -= share
    return ""


def _draws(campaign: Campaign) -> KeyedDraws:
    return draws.of_campaign(campaign, within="checks")


def _due(enrollment: Enrollment, main: Round) -> Assignment | None:
    """Return the check that an annotator holds, has left unfinished, or gets now; None if a task of
    the study comes next.

    The caller has locked the enrollment's row, so one annotator never gets two at once.
    """
    if Assignment.objects.held_by(enrollment).filter(round=main).exists():
        return None
    checks = Assignment.objects.filter(enrollment=enrollment, round__kind=Round.Kind.CHECKS)
    if unfinished := checks.filter(state__in=["held", "released"]).order_by("held_at").first():
        return _again(unfinished, main)
    campaign = main.campaign
    turn = Assignment.objects.done_by(enrollment).filter(round=main).count()
    most = campaign.tasks_per_annotator
    if (most is not None and turn >= most) or CheckTask.objects.filter(
        enrollment=enrollment, after=turn
    ).exists():
        return None
    plan = quality_plan.quality_plan_from_document(campaign.quality)
    kind = planned_check(plan=plan, campaign=campaign, enrollment=enrollment, turn=turn)
    return _make(kind, plan, enrollment, main, turn) if kind else None


def _again(unfinished: Assignment, main: Round) -> Assignment | None:
    """Return the check that an annotator holds, or a released one whose place is free again."""
    unfinished.round.campaign = main.campaign
    if unfinished.state == Assignment.State.RELEASED:
        if not assignments.take_place_again(assignment=unfinished):
            return None
        assignments.hold_again(assignment=unfinished)
    else:
        assignments.renew(assignment=unfinished)
    return Assignment.objects.get(pk=unfinished.pk)


def _make(
    kind: str, plan: QualityPlan, enrollment: Enrollment, main: Round, turn: int
) -> Assignment | None:
    """Make the check that is due; None if no item or earlier task fits yet."""
    stream = _draws(main.campaign).stream(f"{enrollment.draw_id}/{turn}/{kind}")
    done = Assignment.objects.done_by(enrollment).filter(round=main).order_by("submitted_at", "pk")
    earlier = list(done.values_list("task", flat=True))[: max(turn - plan.gap, 0)]
    met = CheckTask.objects.filter(enrollment=enrollment)
    if kind == CheckKind.REPEAT:
        again = set(met.exclude(of_task=None).values_list("of_task", flat=True))
        fitting = [_Check(kind, None, task) for task in earlier if task not in again]
    else:
        fitting = _fitting(kind, enrollment, main, earlier, met)
    if not fitting:
        return None
    return fitting[stream.randrange(len(fitting))].handed_to(enrollment, main, turn)


def _fitting(
    kind: str, enrollment: Enrollment, main: Round, earlier: Sequence[int], met: Any
) -> list["_Check"]:
    """Return the checks with items that an annotator may get now."""
    items = CheckItem.objects.filter(campaign=main.campaign, kind=kind, retired_at__isnull=True)
    items = items.exclude(pk__in=met.exclude(item=None).values("item")).order_by("pk")
    authored = authorships.own_names(enrollment)
    if authored:
        items = items.exclude(unit__question_set__system__name__in=authored)
    if kind == CheckKind.GOLD and main.campaign.protocol.task != Protocol.Task.UNIT:
        pages = [_Check(kind, item, None) for item in items]
        return [page for page in pages if not _shows(page.units(main.campaign), authored)]
    tasks = TaskUnit.objects.filter(unit__in=items.values("original"), task__in=earlier)
    task_of = dict(tasks.values_list("unit", "task"))
    on_originals = [
        _Check(kind, item, task_of[item.original_id])
        for item in items
        if item.original_id in task_of
    ]
    if kind == CheckKind.DEGRADED or (on_originals and main.campaign.protocol.page_size > 1):
        return on_originals
    # the gold question on an earlier page of single questions; on a page of several questions only
    # while the annotator has seen none of the originals, because it would be conspicuous then
    return [_Check(kind, item, earlier[-1]) for item in items] if earlier else []


def _shows(units: Sequence[int], own: Sequence[str]) -> bool:
    """Return whether a page shows a system that the annotator made: the study's pages never do, so
    the annotator would recognise the check."""
    return Unit.objects.filter(pk__in=units, question_set__system__name__in=own).exists()


@dataclass(frozen=True, slots=True)
class _Check:
    """A check that an annotator may get: an item, a repeat of an earlier task of theirs, or an item
    that replaces a unit of that task."""

    kind: str
    item: CheckItem | None
    of_task: int | None

    def units(self, campaign: Campaign) -> list[int]:
        """Return the units on its page, as many as on any other page."""
        shown = TaskUnit.objects.filter(task=self.of_task).order_by("position")
        before = list(shown.values_list("unit", flat=True))
        if self.item is None:
            return before
        if self.of_task is None:
            return _page_of(self.item, campaign)
        if self.item.original_id not in before:
            return [self.item.unit_id, *before[1:]]
        return _with_copies(self.item, before)

    def handed_to(self, enrollment: Enrollment, main: Round, turn: int) -> Assignment:
        """Store the check's task, and assign it to its annotator."""
        campaign = main.campaign
        round = Round.objects.select_for_update().get(campaign=campaign, kind=Round.Kind.CHECKS)
        round.campaign = campaign
        number = (round.tasks.aggregate(last=Max("number"))["last"] or 0) + 1
        task = Task.objects.create(round=round, number=number)
        TaskUnit.objects.bulk_create(
            TaskUnit(task=task, unit_id=unit, position=position)
            for position, unit in enumerate(self.units(campaign), start=1)
        )
        CheckTask.objects.create(
            task=task,
            enrollment=enrollment,
            kind=self.kind,
            item=self.item,
            of_task_id=self.of_task,
            after=turn,
        )
        released = Assignment.objects.create(
            round=round,
            task=task,
            place=1,
            position=number,
            enrollment=enrollment,
            state=Assignment.State.RELEASED,
            released_at=timezone.now(),
            held_at=timezone.now(),
        )
        released.round = round
        assignments.hold_again(assignment=released)
        return Assignment.objects.get(pk=released.pk)


def check_gold_pages(campaign: Campaign) -> None:
    """Raise TooLargePage if the page of a gold question would be too large: it shows the systems'
    questions about its source even if these are not judged."""
    gold = campaign.check_items.filter(kind=CheckKind.GOLD, retired_at__isnull=True)
    for item in gold.select_related("unit__question_set__source", "original__question_set"):
        page = Unit.objects.filter(pk__in=_page_of(item, campaign))
        rounds.check_page(campaign.protocol, page.filter(question__isnull=False).count())


def _page_of(item: CheckItem, campaign: Campaign) -> list[int]:
    """Return the units of the task that contains the item, as the protocol cuts the item's source
    into tasks."""
    rows = item.unit.question_set.source.question_sets.order_by("pk")
    sets = map(rounds.CutSet._make, rows.values_list("pk", "source_id", "system_id"))
    units = rounds.cut_units(_shown_with(item, campaign))
    cuts = rounds.units_of_tasks(protocol=campaign.protocol, sets=sets, units=units)
    pages = ([unit.pk for unit in page] for page in cuts)
    return next(page for page in pages if item.unit_id in page)


def _shown_with(item: CheckItem, campaign: Campaign) -> QuerySet[Unit]:
    """Return the item with copies of the judged units of its source; if none of them is judged,
    with copies of the judged systems' units. A page longer than all others would be recognised as a
    check."""
    copies = Unit.objects.filter(question_set__source=item.unit.question_set.source_id)
    if not selections.is_narrowed(campaign):
        return copies
    place = ("question_set__system__name", "position")
    origin = Unit.objects.filter(question_set__source=item.original.question_set.source_id)
    judged = set(origin.filter(pk__in=selections.judged_units(campaign)).values_list(*place))
    if not judged:
        systems = selections.judged_systems(campaign)
        judged = set(origin.filter(question_set__system__in=systems).values_list(*place))
    item_set = item.unit.question_set_id
    shown = [
        pk
        for pk, copied_set, name, position in copies.values_list("pk", "question_set", *place)
        if (name, position) in judged
        or pk == item.unit_id
        or (copied_set == item_set and position is None)
    ]
    return Unit.objects.filter(pk__in=shown)


def _with_copies(item: CheckItem, units: Sequence[int]) -> list[int]:
    """Return units, with those of the item's source replaced by their copies."""
    place = ("pk", "question_set__system__name", "position")
    copied = Unit.objects.filter(question_set__source=item.unit.question_set.source_id)
    copies = {(name, position): pk for pk, name, position in copied.values_list(*place)}
    origin = Unit.objects.filter(
        pk__in=units, question_set__source=item.original.question_set.source_id
    )
    copy_of = {pk: copies[name, position] for pk, name, position in origin.values_list(*place)}
    return [copy_of.get(pk, pk) for pk in units]


def progress_with_checks(*, assignment: Assignment) -> Progress:
    """Return how far an annotator is, checks counted as the tasks they look like."""
    enrollment, round = cast(Enrollment, assignment.enrollment), assignment.round
    if not _in_sequence(round):
        return assignments.round_progress(enrollment=enrollment, round=round)
    study = assignments.round_progress(enrollment=enrollment, round=_main_round(round.campaign))
    checks = Assignment.objects.filter(enrollment=enrollment, round__kind=Round.Kind.CHECKS)
    done = study.done + checks.filter(submitted_at__isnull=False).count()
    if study.remaining is None:
        return Progress(done, None)
    unfinished = checks.filter(submitted_at__isnull=True).count()
    planned = _count_planned(enrollment, round.campaign, study.done, study.remaining)
    return Progress(done, study.remaining + unfinished + planned)


def _count_planned(enrollment: Enrollment, campaign: Campaign, done: int, remaining: int) -> int:
    """Return how many checks come between an annotator's remaining tasks of the study."""
    plan = quality_plan.quality_plan_from_document(
        Campaign.objects.values_list("quality", flat=True).get(pk=campaign.pk)
    )
    last = done + remaining
    if campaign.tasks_per_annotator is not None:
        last = min(last, campaign.tasks_per_annotator - 1)  # none comes after the last task
    return sum(
        bool(planned_check(plan=plan, campaign=campaign, enrollment=enrollment, turn=turn))
        for turn in range(done + 1, last + 1)
    )


def _in_sequence(round: Round) -> bool:
    """Return whether an annotator sees a round's tasks in one sequence with those of another."""
    return round.campaign.checked and round.kind in (Round.Kind.MAIN, Round.Kind.CHECKS)


def own_rounds(assignment: Assignment) -> list[int]:
    """Return the rounds whose tasks an annotator sees as one sequence: the main one with its
    checks."""
    round = assignment.round
    if not _in_sequence(round):
        return [round.pk]
    kinds = (Round.Kind.MAIN, Round.Kind.CHECKS)
    rounds = Round.objects.filter(campaign=round.campaign, kind__in=kinds)
    return list(rounds.values_list("pk", flat=True))


def previous_with_checks(*, assignment: Assignment) -> Any:
    """Return the id of the assignment that its annotator submitted before this one, checks
    included."""
    rounds = own_rounds(assignment)
    if len(rounds) == 1:
        return assignments.previous_assignment(assignment=assignment)
    done = Assignment.objects.done_by(cast(Enrollment, assignment.enrollment))
    done = done.filter(round__in=rounds)
    if assignment.submitted_at:
        done = done.filter(submitted_at__lt=assignment.submitted_at)
    return done.order_by("-submitted_at").values_list("pk", flat=True).first()


def delete_annotator_checks(*, enrollment: Enrollment) -> None:
    """Delete the checks that were made for one annotator, whose assignments are deleted already."""
    tasks = list(CheckTask.objects.filter(enrollment=enrollment).values_list("task", flat=True))
    CheckTask.objects.filter(task__in=tasks).delete()
    Assignment.objects.filter(task__in=tasks, state=Assignment.State.OPEN).delete()
    TaskUnit.objects.filter(task__in=tasks).delete()
    Task.objects.filter(pk__in=tasks).delete()


PARTS["checks"] = PlanPart(
    copy=check_items.copy_checks,
    document=check_items.checks_document,
    check=check_gold_pages,
    discard=check_items.discard_checks,
)
