"""Training and qualification items: adding and removing them, marking tries, and correcting a
wrong key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q

from judging.base.limits import MAX_DOCUMENT_CHARACTERS, MAX_PAGE_CHOICES, MAX_PAGE_QUESTIONS
from judging.base.refusals import InvalidInput, Refused, check_length
from judging.campaigns.actions.plan_parts import PARTS, PlanPart
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.campaigns.models.members import Enrollment
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.models.protocol import Criterion, ScalePoint
from judging.quality import qualifying
from judging.quality.models.exercise import Exercise, ExerciseKey, QualificationTry
from judging.quality.qualifying import QualificationItem


class CannotChangeExercises(Refused):
    """The items are fixed by the lock, too many for a page, or what was entered does not fit the
    protocol; the message says which."""

    code = "invalid_exercise"


class ExercisesLocked(CannotChangeExercises):
    """The items are fixed by the lock."""

    code = "plan_locked"


@dataclass(frozen=True, slots=True)
class KeyText:
    """The right values of one criterion, and why."""

    accepted: Sequence[int]
    explanation: str = ""


def criteria_of_items(campaign: Campaign) -> list[Criterion]:
    """Return the criteria about single questions; an item is one question."""
    own = campaign.protocol.criteria.filter(
        unit=Criterion.Unit.QUESTION, asked=Criterion.Asked.PER_UNIT
    )
    return list(own.prefetch_related("points"))


@dataclass(frozen=True, kw_only=True, slots=True)
class NewExercise:
    """A training or qualification item as a manager writes it; `keys` by the keys of criteria."""

    kind: str
    question: str
    passage: str = ""
    answer: str = ""
    keys: Mapping[str, KeyText]


def add_exercise(*, campaign: Campaign, exercise: NewExercise, by: User) -> Exercise:
    """Add an item to a draft. Criteria for which no value is accepted get no key."""
    with transaction.atomic():
        return _add(_draft(campaign), exercise, by)


def repeat(*, exercise: Exercise, by: User) -> Exercise:
    """Ask an item of a draft again as the last one of its kind."""
    if exercise.repeats_id is not None:
        raise CannotChangeExercises(
            "This item repeats another one. Repeat that one.", code="is_repeat"
        )
    with transaction.atomic():
        held = _draft(exercise.campaign)
        keys = exercise.keys.select_related("criterion")
        copy = NewExercise(
            kind=exercise.kind,
            question=exercise.question,
            passage=exercise.passage,
            answer=exercise.answer,
            keys={key.criterion.key: KeyText(key.accepted, key.explanation) for key in keys},
        )
        return _add(held, copy, by, repeats=exercise)


def _add(
    campaign: Campaign, exercise: NewExercise, by: User, repeats: Exercise | None = None
) -> Exercise:
    """Add an item to a draft that is locked in this transaction."""
    keys = {name: key for name, key in exercise.keys.items() if key.accepted}
    if not keys:
        raise CannotChangeExercises(
            "Say which value is right on at least one criterion.", field="keys"
        )
    check_length(exercise.passage, MAX_DOCUMENT_CHARACTERS, field="passage")
    of_kind = campaign.exercises.filter(kind=exercise.kind)
    item = Exercise.objects.create(
        campaign=campaign,
        kind=exercise.kind,
        number=(of_kind.aggregate(last=Max("number"))["last"] or 0) + 1,
        repeats=repeats,
        question=exercise.question,
        passage=exercise.passage,
        answer=exercise.answer,
    )
    _add_keys(item, keys)
    _check_page(campaign)
    _note_gates(campaign)
    history.record_event(Event.Act.EXERCISE_ADDED, by=by, campaign=campaign, about=str(item))
    return item


def _add_keys(item: Exercise, keys: Mapping[str, KeyText]) -> None:
    """Store the right values of an item, by the keys of criteria."""
    criteria = {criterion.key: criterion for criterion in criteria_of_items(item.campaign)}
    for name, key in keys.items():
        if name not in criteria:
            raise InvalidInput(
                f"No criterion about single questions has the key {name}.", field="keys"
            )
        _check_scale(criteria[name].pk, key.accepted, field=f"keys.{name}")
        ExerciseKey.objects.create(
            exercise=item,
            criterion=criteria[name],
            accepted=sorted(set(key.accepted)),
            explanation=key.explanation,
        )


def remove_exercise(*, exercise: Exercise, by: User) -> None:
    """Delete an item of a draft, with the items that repeat it."""
    with transaction.atomic():
        held = _draft(exercise.campaign)
        if QualificationTry.objects.filter(answers__exercise=exercise).exists():
            raise CannotChangeExercises(
                "Annotators have answered this item already. Correct its key instead.",
                code="already_answered",
            )
        history.record_event(Event.Act.EXERCISE_REMOVED, by=by, campaign=held, about=str(exercise))
        exercise.delete()
        _note_gates(held)


def _check_page(campaign: Campaign) -> None:
    """Raise CannotChangeExercises if the page of the qualification would show too many items or
    points."""
    items = campaign.exercises.filter(kind=Exercise.Kind.QUALIFICATION)
    questions = items.count()
    keys = ExerciseKey.objects.filter(exercise__in=items).order_by()
    asked = keys.values_list("criterion__key").annotate(n=Count("pk"))
    criteria = documents.protocol_from_document(campaign.protocol.document).criteria
    points = {
        criterion.key: 1 if criterion.is_typed else len(criterion.points) for criterion in criteria
    }
    choices = sum(points[key] * n for key, n in asked)
    if questions > MAX_PAGE_QUESTIONS or choices > MAX_PAGE_CHOICES:
        raise CannotChangeExercises(
            f"The page of the qualification would show {questions:,} items with {choices:,} points to choose from; "
            f"the limit is {MAX_PAGE_QUESTIONS:,} with {MAX_PAGE_CHOICES:,}. Remove items, or give the right "
            "values of fewer criteria.",
            code="page_too_large",
        )


def copy_exercises(of: Campaign, to: Campaign) -> None:
    """Give a draft the items of another campaign that judges by the same protocol."""
    made: dict[int, Exercise] = {}
    for exercise in of.exercises.prefetch_related("keys").order_by("kind", "number"):
        repeats = made.get(exercise.repeats_id or 0)
        new = Exercise.objects.create(
            campaign=to,
            kind=exercise.kind,
            number=exercise.number,
            passage=exercise.passage,
            answer=exercise.answer,
            question=exercise.question,
            repeats=repeats,
        )
        made[exercise.pk] = new
        ExerciseKey.objects.bulk_create(
            ExerciseKey(
                exercise=new,
                criterion_id=key.criterion_id,
                accepted=key.accepted,
                explanation=key.explanation,
            )
            for key in exercise.keys.all()
        )
    _note_gates(to)


def _note_gates(campaign: Campaign) -> None:
    """Store on the campaign whether it has training and qualification, so that a claim of a task
    need not query their items."""
    kinds = set(campaign.exercises.values_list("kind", flat=True))
    gates = {
        "trains": Exercise.Kind.TRAINING in kinds,
        "qualifies": Exercise.Kind.QUALIFICATION in kinds,
    }
    Campaign.objects.filter(pk=campaign.pk).update(**gates)


def _draft(campaign: Campaign) -> Campaign:
    held = (
        Campaign.objects.select_for_update(of=("self",))
        .select_related("protocol")
        .get(pk=campaign.pk)
    )
    if held.state != Campaign.State.DRAFT:
        raise ExercisesLocked("The plan is locked, and its training and qualification with it.")
    return held


def _check_scale(criterion: int, values: Sequence[int], *, field: str) -> None:
    scale = set(ScalePoint.objects.filter(criterion=criterion).values_list("value", flat=True))
    if wrong := sorted(set(values) - scale):
        points = ", ".join(map(str, sorted(scale)))
        raise CannotChangeExercises(
            f"{wrong[0]} is not on the scale {points}.", code="not_on_scale", field=field
        )


def correct_key(
    *,
    key: ExerciseKey,
    accepted: Sequence[int],
    explanation: str,
    by: User,
    now: datetime,
    reason: str = "",
) -> tuple[int, int]:
    """Correct the right values of a key, and mark every try again; return how many tries pass now,
    and passed before.

    Annotators who pass by the corrected key are qualified. None who had passed loses the
    qualification. After the lock it is a deviation.
    """
    if key.exercise.repeats_id is not None:
        raise CannotChangeExercises(
            "This item repeats another one. Correct the key of that one.", code="is_repeat"
        )
    if not accepted:
        raise CannotChangeExercises("Accept at least one value.", field="accepted")
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=key.exercise.campaign_id)
        key.refresh_from_db(fields=["accepted", "explanation"])
        _check_scale(key.criterion_id, accepted, field="accepted")
        values = sorted(set(accepted))
        is_repeat = Q(criterion=key.criterion_id, exercise__repeats=key.exercise_id)
        ExerciseKey.objects.filter(Q(pk=key.pk) | is_repeat).update(
            accepted=values, explanation=explanation
        )
        passed_before, passed_after = _mark_again(campaign, now=now)
        about = f"{key.exercise}, {key.criterion.key}"
        change = {
            "before": f"{key.accepted}, {passed_before} passed",
            "after": f"{values}, {passed_after} passed",
        }
        history.record_event(Event.Act.KEY_MENDED, by=by, campaign=campaign, about=about, **change)
        if campaign.state != Campaign.State.DRAFT:
            Deviation.objects.create(
                campaign=campaign,
                what=f"key of {about}"[:100],
                reason=reason,
                made_by=by,
                made_at=now,
                **change,
            )
    return passed_after, passed_before


def _mark_again(campaign: Campaign, *, now: datetime) -> tuple[int, int]:
    """Mark every try of a campaign again; return how many passed before, and pass now."""
    tries = QualificationTry.objects.filter(enrollment__campaign=campaign)
    passed = tries.filter(passed=True)
    before = passed.count()
    for attempt in tries.select_related("enrollment").order_by("pk"):
        mark_attempt(attempt=attempt, campaign=campaign, now=now)
    return before, passed.count()


def mark_attempt(
    *, attempt: QualificationTry, campaign: Campaign, now: datetime
) -> QualificationTry:
    """Compare a try with the key, and qualify its annotator if it passes; the caller has locked the
    enrollment's or the campaign's row."""
    mark = qualifying.compare_with_key(
        qualification_items(campaign), attempt.values(), pass_mark=campaign.pass_mark
    )
    attempt.asked, attempt.right = mark.asked, mark.right
    attempt.consistent, attempt.passed = mark.consistent, mark.passed
    attempt.save(update_fields=["asked", "right", "consistent", "passed"])
    if attempt.passed:
        Enrollment.objects.filter(pk=attempt.enrollment_id, qualified_at__isnull=True).update(
            qualified_at=now
        )
    return attempt


def qualification_items(campaign: Campaign) -> dict[int, QualificationItem]:
    """Return the items of the qualification with their right values, by their keys."""
    items = campaign.exercises.filter(kind=Exercise.Kind.QUALIFICATION)
    return {
        item.pk: QualificationItem(
            {key.criterion_id: key.accepted for key in item.keys.all()}, item.repeats_id
        )
        for item in items.prefetch_related("keys").order_by("number")
    }


def exercises_document(campaign: Campaign) -> dict[str, Any]:
    """Return the protocol's entries on training and qualification; empty if there is neither."""
    found: dict[str, Any] = {}
    for exercise in campaign.exercises.prefetch_related("keys__criterion", "repeats").order_by(
        "kind", "number"
    ):
        said = {name: getattr(exercise, name) for name in ("passage", "answer", "question")}
        keys = {
            key.criterion.key: {"accepted": key.accepted, "explanation": key.explanation}
            for key in exercise.keys.all()
        }
        repeats = {"repeats": exercise.repeats.number} if exercise.repeats else {}
        found.setdefault(exercise.kind, {"items": []})["items"].append(
            said | repeats | {"keys": keys}
        )
    if "qualification" in found:
        found["qualification"] |= {
            "pass_mark": campaign.pass_mark,
            "tries": campaign.tries,
            "paid": campaign.qualification_paid,
        }
    return found


PARTS["exercises"] = PlanPart(copy=copy_exercises, document=exercises_document)
