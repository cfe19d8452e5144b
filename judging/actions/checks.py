"""Checks between an annotator's tasks: gold questions, hidden repeats, degraded copies.

Which turn has one is drawn from the campaign's secret for each annotator. A check is a task of its
own in a round of its own kind, made when it is due: pages, drafts and submission treat it as any
other, and no analysis reads it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from judging import quality
from judging.actions import assignments, authorships, history, rounds
from judging.actions.assignments import Finished, Here, NoneNow, Progress
from judging.design import KeyedDraws
from judging.models import (
    AcceptedValue,
    Assignment,
    Campaign,
    CheckItem,
    CheckKind,
    CheckTask,
    Collection,
    Criterion,
    Deviation,
    Enrollment,
    Event,
    Question,
    QuestionSet,
    Round,
    Rubric,
    Source,
    System,
    Task,
    TaskUnit,
    Unit,
    User,
)
from judging.models.statements import rows
from judging.quality import Checked, QualityPlan


class NotAQuestion(ValueError):
    """What is to become a check is no question of the campaign's collection, or has no accepted
    value."""


# --- what is put in ---


def add_gold(
    *,
    campaign: Campaign,
    unit: Unit,
    text: str,
    accepted: Mapping[int, Iterable[int]],
    by: User | None = None,
) -> CheckItem:
    """Keep a question with the values that are right, by criterion; an empty text takes the
    question as it is."""
    values = {criterion: sorted(set(own)) for criterion, own in accepted.items() if own}
    if not values:
        raise NotAQuestion("Tick at least one accepted value.")
    with transaction.atomic():
        item = _add(campaign, CheckKind.GOLD, unit, text, "")
        _accept(item, values)
        history.note(
            Event.Act.GOLD_CHANGED,
            by=by,
            campaign=campaign,
            about=f"gold {item.pk}",
            after=_written(values),
        )
    return item


def add_degraded(*, campaign: Campaign, unit: Unit, text: str, method: str) -> CheckItem:
    """Keep a question that was made worse; it is shown long after the one it was made of."""
    with transaction.atomic():
        return _add(campaign, CheckKind.DEGRADED, unit, text, method)


def correct_gold(
    *,
    item: CheckItem,
    accepted: Mapping[int, Iterable[int]],
    by: User,
    now: datetime,
    reason: str,
) -> None:
    """Change what is right. What annotators answered stays; who passed is worked out anew from here
    on.

    After the lock this is a deviation, which the report lists with its reason.
    """
    values = {criterion: sorted(set(own)) for criterion, own in accepted.items() if own}
    if not values:
        raise NotAQuestion("Tick at least one accepted value.")
    with transaction.atomic():
        held = CheckItem.objects.select_for_update().get(pk=item.pk)
        before: dict[int, list[int]] = {}
        for criterion, value in held.accepted.order_by("criterion", "value").values_list(
            "criterion", "value"
        ):
            before.setdefault(criterion, []).append(value)
        held.accepted.all().delete()
        _accept(held, values)
        history.note(
            Event.Act.GOLD_CHANGED,
            by=by,
            campaign=held.campaign,
            about=f"gold {held.pk}",
            before=_written(before),
            after=_written(values),
        )
        if held.campaign.state != Campaign.State.DRAFT:
            Deviation.objects.create(
                campaign=held.campaign,
                what=f"accepted values of gold question {held.pk}",
                before=_written(before),
                after=_written(values),
                reason=reason,
                made_by=by,
                made_at=now,
            )


def copy(*, of: Campaign, to: Campaign) -> None:
    """Give a draft the checks of another campaign on the same material and by the same protocol."""
    standing = of.check_items.filter(retired_at__isnull=True)
    for item in standing.select_related(
        "unit__question", "original__question_set__source"
    ).order_by("pk"):
        made = _add(to, item.kind, item.original, item.unit.question.text, item.method)
        AcceptedValue.objects.bulk_create(
            AcceptedValue(item=made, criterion_id=criterion, value=value)
            for criterion, value in item.accepted.values_list("criterion", "value")
        )


def retire(*, item: CheckItem, by: User, now: datetime) -> None:
    """Show a check to nobody any more, and leave it out of all results; what was said of it
    stays."""
    with transaction.atomic():
        if CheckItem.objects.filter(pk=item.pk, retired_at__isnull=True).update(retired_at=now):
            about = f"{item.kind} {item.pk}"
            history.note(Event.Act.CHECK_RETIRED, by=by, campaign=item.campaign, about=about)


def discard(*, campaign: Campaign) -> None:
    """Remove the checks of a draft that nobody judged in."""
    CheckItem.objects.filter(campaign=campaign).delete()
    for own in Collection.objects.filter(checks_of=campaign):
        own.sources.all().delete()
        own.delete()


def _written(values: Mapping[int, Sequence[int]]) -> str:
    names = dict(Criterion.objects.filter(pk__in=values).values_list("pk", "key"))
    return "; ".join(
        f"{names[key]}: {', '.join(map(str, own))}" for key, own in sorted(values.items())
    )


def protocol(campaign: Campaign) -> dict[str, Any]:
    """Return what the lock fixes of the checks: how many there are of each kind, and a hash of
    them."""
    lines: list[list[Any]] = []
    for item in campaign.check_items.filter(retired_at__isnull=True).select_related(
        "unit__question", "original"
    ):
        right = sorted(item.accepted.values_list("criterion__key", "value"))
        lines.append([item.kind, item.unit.question.text, item.method, right])
    if not lines:
        return {}
    kinds = [line[0] for line in lines]
    written = json.dumps(sorted(lines), ensure_ascii=False)
    counts: dict[str, Any] = {str(kind): kinds.count(kind) for kind in sorted(set(kinds))}
    return {"checks": counts | {"sha256": hashlib.sha256(written.encode()).hexdigest()}}


def _accept(item: CheckItem, values: Mapping[int, Sequence[int]]) -> None:
    AcceptedValue.objects.bulk_create(
        AcceptedValue(item=item, criterion_id=criterion, value=value)
        for criterion, own in values.items()
        for value in own
    )


def _add(campaign: Campaign, kind: str, unit: Unit, text: str, method: str) -> CheckItem:
    """Copy the source of a question into the collection of the checks, with another text in the
    question's place."""
    if Campaign.objects.select_for_update().get(pk=campaign.pk).state != Campaign.State.DRAFT:
        raise NotAQuestion("The protocol is locked, and with it which checks there are.")
    origin = unit.question_set.source
    if (
        origin.collection_id != campaign.collection_id
        or not Question.objects.filter(unit=unit).exists()
    ):
        raise NotAQuestion("This is no question of the campaign's collection.")
    copied = _copy(
        origin, _collection(campaign), f"{kind} {CheckItem.objects.count() + 1} {unit.pk}"
    )
    own = copied[unit.pk]
    if text.strip():
        Question.objects.filter(unit=own).update(text=text.strip())
    return CheckItem.objects.create(
        campaign=campaign, kind=kind, unit_id=own, original=unit, method=method
    )


def _collection(campaign: Campaign) -> Collection:
    own, _new = Collection.objects.get_or_create(
        checks_of=campaign,
        defaults={
            "name": f"Checks of {campaign.title}"[:200],
            "owner": campaign.collection.owner,
            "language": campaign.collection.language,
        },
    )
    return own


def _copy(origin: Source, into: Collection, key: str) -> dict[int, int]:
    """Copy a source with every system's questions; return the copy of each unit."""
    passage = origin.passage
    if passage:
        passage, _new = into.passages.get_or_create(
            digest=passage.digest, defaults={"text": passage.text}
        )
    last = into.sources.aggregate(last=Max("position"))["last"] or 0
    kept = ("answer", "answer_start", "sentence", "sentence_start", "target_type", "modality")
    source = Source.objects.create(
        collection=into,
        key=key[:200],
        position=last + 1,
        passage=passage,
        **{name: getattr(origin, name) for name in kept},
    )
    copied: dict[int, int] = {}
    for held in origin.question_sets.select_related("system").prefetch_related("units__question"):
        system, _new = System.objects.get_or_create(collection=into, name=held.system.name)
        there = QuestionSet.objects.create(source=source, system=system, expected=held.expected)
        for unit in held.units.all():
            copied[unit.pk] = Unit.objects.create(question_set=there, position=unit.position).pk
            if question := getattr(unit, "question", None):
                Question.objects.create(
                    unit_id=copied[unit.pk],
                    text=question.text,
                    question_type=question.question_type,
                    submitted_answer=question.submitted_answer,
                )
    return copied


# --- when one is due ---


def claim(*, enrollment: Enrollment, round: Round) -> Here | NoneNow | Finished:
    """Do what `assignments.claim` does, with checks between the tasks of the main round."""
    if _has_checks(round) and assignments.accepts(round):
        with transaction.atomic():
            may = not assignments.alone(enrollment=enrollment) and assignments.admits(
                enrollment, round
            )
            if may and (due := _due(enrollment, round)):
                return Here(due)
    return assignments.claim(enrollment=enrollment, round=round)


def following(*, enrollment: Enrollment, round: Round) -> Here | Finished | None:
    """Do what `assignments.following` does, with checks between the tasks of the main round."""
    if round.kind == Round.Kind.CHECKS:
        campaign = round.campaign
        round = Round.objects.get(campaign=campaign, kind=Round.Kind.MAIN)
        round.campaign = campaign
    if _has_checks(round) and (due := _due(enrollment, round)):
        return Here(due)
    return assignments.following(enrollment=enrollment, round=round)


def _has_checks(round: Round) -> bool:
    return round.campaign.checked and round.kind == Round.Kind.MAIN


def planned(*, plan: QualityPlan, campaign: Campaign, enrollment: Enrollment, turn: int) -> str:
    """Return the kind of check that stands after so many tasks of an annotator; "" for none.

    Repeats and degraded copies need tasks that lie far enough back, gold questions do not.
    """
    drawn = KeyedDraws(bytes.fromhex(campaign.secret), within="checks").stream(
        f"{enrollment.draw_id}/{turn}"
    )
    place = drawn.random() * 100
    for kind, share in (
        (CheckKind.GOLD, plan.gold),
        (CheckKind.REPEAT, plan.repeats),
        (CheckKind.DEGRADED, plan.degraded),
    ):
        if place < share:
            return str(kind) if turn > 0 and (kind == CheckKind.GOLD or turn > plan.gap) else ""
        place -= share
    return ""


def _due(enrollment: Enrollment, main: Round) -> Assignment | None:
    """Return the check an annotator holds, left, or meets now; None where a task of the study comes
    next.

    The caller holds the enrollment's row, so one annotator never gets two at once.
    """
    if Assignment.objects.held_by(enrollment).filter(round=main).exists():
        return None
    own = Assignment.objects.filter(enrollment=enrollment, round__kind=Round.Kind.CHECKS)
    if unfinished := own.filter(state__in=["held", "released"]).order_by("held_at").first():
        return _again(unfinished, main)
    campaign = main.campaign
    turn = Assignment.objects.done_by(enrollment).filter(round=main).count()
    most = campaign.tasks_per_annotator
    if (most is not None and turn >= most) or CheckTask.objects.filter(
        enrollment=enrollment, after=turn
    ).exists():
        return None
    plan = quality.from_document(campaign.quality)
    kind = planned(plan=plan, campaign=campaign, enrollment=enrollment, turn=turn)
    return _make(kind, plan, enrollment, main, turn) if kind else None


def _again(unfinished: Assignment, main: Round) -> Assignment | None:
    """Give back the check that somebody holds, or left and finds free again."""
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
    """Make the check that is due; None where nothing fits yet."""
    stream = KeyedDraws(bytes.fromhex(main.campaign.secret), within="checks").stream(
        f"{enrollment.draw_id}/{turn}/{kind}"
    )
    done = Assignment.objects.done_by(enrollment).filter(round=main).order_by("submitted_at", "pk")
    earlier = list(done.values_list("task", flat=True))[: max(turn - plan.gap, 0)]
    met = CheckTask.objects.filter(enrollment=enrollment)
    if kind == CheckKind.REPEAT:
        again = set(met.exclude(of_task=None).values_list("of_task", flat=True))
        offered: list[tuple[CheckItem | None, int | None]] = [
            (None, task) for task in earlier if task not in again
        ]
    else:
        offered = _fitting(kind, enrollment, main, earlier, met)
    if not offered:
        return None
    item, of_task = offered[stream.randrange(len(offered))]
    units = _units(main.campaign, item, of_task)
    return _lay_out(kind, units, enrollment, main, turn, item, of_task)


def _fitting(
    kind: str, enrollment: Enrollment, main: Round, earlier: Sequence[int], met: Any
) -> list[tuple[CheckItem | None, int | None]]:
    """Return the items an annotator may meet now, each with the earlier task it is made of."""
    items = CheckItem.objects.filter(campaign=main.campaign, kind=kind, retired_at__isnull=True)
    items = items.exclude(pk__in=met.exclude(item=None).values("item")).order_by("pk")
    if own := authorships.own_names(enrollment):
        items = items.exclude(unit__question_set__system__name__in=own)
    if kind == CheckKind.GOLD and main.campaign.rubric.task != Rubric.Task.UNIT:
        return [(item, None) for item in items]
    if (
        kind == CheckKind.GOLD
    ):  # a page of single questions: an earlier one with the gold question among them
        return [(item, earlier[-1]) for item in items] if earlier else []
    tasks = TaskUnit.objects.filter(unit__in=items.values("original"), task__in=earlier)
    of_unit = dict(tasks.values_list("unit", "task"))
    return [(item, of_unit[item.original_id]) for item in items if item.original_id in of_unit]


def _units(campaign: Campaign, item: CheckItem | None, of_task: int | None) -> list[int]:
    """Return the units that stand on a check's page: as many as on any other."""
    before = list(
        TaskUnit.objects.filter(task=of_task).order_by("position").values_list("unit", flat=True)
    )
    if item is None:
        return before
    held = item.unit.question_set.source.question_sets.order_by("pk")
    if of_task is None:
        sets = map(rounds.CutSet._make, held.values_list("pk", "source_id", "system_id"))
        units = rounds.cut_units(Unit.objects.filter(question_set__in=held))
        cuts = rounds.cut(rubric=campaign.rubric, sets=sets, units=units)
        return [
            unit.pk
            for unit in next(cut for cut in cuts if any(unit.pk == item.unit_id for unit in cut))
        ]
    if item.kind == CheckKind.GOLD:
        return [item.unit_id, *before[1:]]
    copies = {
        (name, position): pk
        for pk, name, position in Unit.objects.filter(question_set__in=held).values_list(
            "pk", "question_set__system__name", "position"
        )
    }
    origin = item.original.question_set.source_id
    standing = Unit.objects.in_bulk(before) if before else {}
    names = dict(
        Unit.objects.filter(pk__in=before, question_set__source=origin).values_list(
            "pk", "question_set__system__name"
        )
    )
    return [copies[(names[pk], standing[pk].position)] if pk in names else pk for pk in before]


def _lay_out(
    kind: str,
    units: Sequence[int],
    enrollment: Enrollment,
    main: Round,
    turn: int,
    item: CheckItem | None,
    of_task: int | None,
) -> Assignment:
    """Store a check's task, and hand it to its annotator."""
    round = Round.objects.select_for_update().get(campaign=main.campaign, kind=Round.Kind.CHECKS)
    round.campaign = main.campaign
    number = (round.tasks.aggregate(last=Max("number"))["last"] or 0) + 1
    task = Task.objects.create(round=round, number=number)
    TaskUnit.objects.bulk_create(
        TaskUnit(task=task, unit_id=unit, position=position)
        for position, unit in enumerate(units, start=1)
    )
    CheckTask.objects.create(
        task=task, enrollment=enrollment, kind=kind, item=item, of_task_id=of_task, after=turn
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


# --- what an annotator sees of it: nothing ---


def progress(*, assignment: Assignment) -> Progress:
    """Return how far an annotator is, checks counted as the tasks they look like."""
    enrollment, campaign = cast(Enrollment, assignment.enrollment), assignment.round.campaign
    if not campaign.checked or assignment.round.kind not in (Round.Kind.MAIN, Round.Kind.CHECKS):
        return assignments.progress(enrollment=enrollment, round=assignment.round)
    main = Round.objects.get(campaign=campaign, kind=Round.Kind.MAIN)
    main.campaign = campaign
    of_study = assignments.progress(enrollment=enrollment, round=main)
    own = Assignment.objects.filter(enrollment=enrollment, round__kind=Round.Kind.CHECKS)
    done = own.filter(submitted_at__isnull=False).count()
    left = of_study.remaining
    if left is not None:
        plan = quality.from_document(
            Campaign.objects.values_list("quality", flat=True).get(pk=campaign.pk)
        )
        last = of_study.done + left
        if (most := campaign.tasks_per_annotator) is not None:
            last = min(last, most - 1)  # nothing comes after the last task of a share
        turns = range(of_study.done + 1, last + 1)
        left += sum(
            bool(planned(plan=plan, campaign=campaign, enrollment=enrollment, turn=turn))
            for turn in turns
        )
        left += own.filter(submitted_at__isnull=True).count()
    return Progress(of_study.done + done, left)


def own_rounds(assignment: Assignment) -> list[int]:
    """Return the rounds whose tasks an annotator takes for one row of tasks: the main one with its
    checks."""
    round = assignment.round
    if not round.campaign.checked or round.kind not in (Round.Kind.MAIN, Round.Kind.CHECKS):
        return [round.pk]
    kinds = (Round.Kind.MAIN, Round.Kind.CHECKS)
    return list(
        Round.objects.filter(campaign=round.campaign, kind__in=kinds).values_list("pk", flat=True)
    )


def before(*, assignment: Assignment) -> Any:
    """Return the key of the task that its annotator handed in before this one, checks among
    them."""
    if len(own := own_rounds(assignment)) == 1:
        return assignments.before(assignment=assignment)
    done = Assignment.objects.done_by(cast(Enrollment, assignment.enrollment)).filter(round__in=own)
    if assignment.submitted_at:
        done = done.filter(submitted_at__lt=assignment.submitted_at)
    return done.order_by("-submitted_at").values_list("pk", flat=True).first()


def forget(*, enrollment: Enrollment) -> None:
    """Remove the tasks that were made for one annotator, whose assignments are gone."""
    tasks = list(CheckTask.objects.filter(enrollment=enrollment).values_list("task", flat=True))
    CheckTask.objects.filter(task__in=tasks).delete()
    Assignment.objects.filter(task__in=tasks, state=Assignment.State.OPEN).delete()
    TaskUnit.objects.filter(task__in=tasks).delete()
    Task.objects.filter(pk__in=tasks).delete()


# --- what came out ---


GOLD = """
SELECT met.enrollment_id, met.item_id, bool_and(EXISTS (
    SELECT FROM judging_acceptedvalue ok
    WHERE ok.item_id = met.item_id AND ok.criterion_id = said.criterion_id
        AND ok.value = said.value))
FROM judging_checktask met
JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
    AND item.kind = 'gold'
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment said ON said.assignment_id = own.id AND said.unit_id = item.unit_id
    AND said.superseded_at IS NULL
WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
    AND said.criterion_id IN (SELECT criterion_id FROM judging_acceptedvalue
        WHERE item_id = met.item_id)
GROUP BY met.enrollment_id, met.item_id ORDER BY met.item_id
"""
REPEATED = """
SELECT met.enrollment_id, said.criterion_id, first.value, said.value
FROM judging_checktask met
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment said ON said.assignment_id = own.id AND said.superseded_at IS NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = said.unit_id
    AND first.criterion_id = said.criterion_id AND first.superseded_at IS NULL
WHERE met.kind = 'repeat' AND own.round_id = %(round)s
ORDER BY met.task_id, said.unit_id, said.criterion_id
"""
WORSE = """
SELECT met.enrollment_id, item.id,
    sum((said.value - first.value)
        * CASE criterion.best WHEN 'lowest' THEN -1 WHEN 'highest' THEN 1 ELSE 0 END)
FROM judging_checktask met
JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
    AND item.kind = 'degraded'
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment said ON said.assignment_id = own.id AND said.unit_id = item.unit_id
    AND said.superseded_at IS NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = item.original_id
    AND first.criterion_id = said.criterion_id AND first.superseded_at IS NULL
JOIN judging_criterion criterion ON criterion.id = said.criterion_id
WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
GROUP BY met.enrollment_id, item.id ORDER BY item.id
"""


def counted(campaign: Campaign) -> dict[str, list[list[Any]]]:
    """Return what annotators made of checks, as rows that JSON can hold."""
    round = (
        Round.objects.filter(campaign=campaign, kind=Round.Kind.CHECKS)
        .values_list("pk", flat=True)
        .first()
    )
    if round is None:
        return {}
    names = {"campaign": campaign.pk, "round": round}
    said = {"gold": GOLD, "repeats": REPEATED, "degraded": WORSE}
    return {
        kind: [[*map(_plain, row)] for row in rows(query, names)] for kind, query in said.items()
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool) else int(value)


def results(found: Mapping[str, Sequence[Sequence[Any]]]) -> dict[int, Checked]:
    """Return how each annotator did in checks, by the enrollment's key."""
    kinds = ("gold", "repeats", "degraded")
    answered: dict[int, dict[str, list[list[Any]]]] = {}
    for kind in kinds:
        for who, _item, *said in found.get(kind, ()):
            answered.setdefault(who, {each: [] for each in kinds})[kind].append(said)
    done = {}
    for who, of in sorted(answered.items()):
        differences = [said[0] for said in of["degraded"]]
        done[who] = Checked(
            gold=len(of["gold"]),
            passed=sum(bool(said[0]) for said in of["gold"]),
            pairs=len(of["repeats"]),
            same=sum(said[0] == said[1] for said in of["repeats"]),
            lower=sum(each < 0 for each in differences),
            higher=sum(each > 0 for each in differences),
            ties=differences.count(0),
            differences=differences,
        )
    return done
