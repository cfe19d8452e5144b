"""Training and qualification before the first task: what an annotator has still to do, their tries,
and the outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from judging.base.refusals import Refused
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.protocols.models.protocol import Criterion
from judging.quality import qualifying
from judging.quality.actions import exercises
from judging.quality.models.exercise import (
    Exercise,
    ExerciseKey,
    QualificationTry,
    TrainedExercise,
    TryAnswer,
)

ExerciseValues = Mapping[tuple[int, int], int]  # (exercise, criterion) -> value
QualificationOutcome = Literal["none", "open", "passed", "failed"]
ExerciseStep = Literal["", "training", "qualification"]


class NoTryLeft(Refused):
    """All tries are used up, or the annotator has passed already."""

    code = "no_try_left"
    sentence = "No attempt at the qualification is left."


@dataclass(frozen=True, slots=True)
class QualificationStanding:
    """An annotator's progress in the qualification: its outcome, their tries so far, and how many
    are left."""

    outcome: QualificationOutcome
    tries: tuple[QualificationTry, ...]
    left: int

    @property
    def next(self) -> int:
        """Return the number of the next try."""
        return len(self.tries) + 1


def qualification_step(enrollment: Enrollment) -> ExerciseStep:
    """Return what an annotator has to do before they get tasks of the main round; "" if nothing."""
    campaign = enrollment.campaign
    if campaign.trains and enrollment.trained_at is None:
        return "training"
    if campaign.qualifies and enrollment.qualified_at is None:
        return "qualification"
    return ""


def qualification_standing(enrollment: Enrollment) -> QualificationStanding:
    """Return an annotator's progress in the qualification."""
    campaign = enrollment.campaign
    if not campaign.qualifies:
        return QualificationStanding("none", (), 0)
    tries = tuple(enrollment.tries.order_by("number"))
    if enrollment.qualified_at is not None:
        return QualificationStanding("passed", tries, 0)
    further = max(0, campaign.tries - len(tries))
    return QualificationStanding("open" if further else "failed", tries, further)


def keys_of(campaign: Campaign, kind: str) -> list[tuple[Exercise, list[ExerciseKey]]]:
    """Return the items of a kind in their order, with their keys in the order of the criteria."""
    items = (
        campaign.exercises.filter(kind=kind).prefetch_related("keys__criterion").order_by("number")
    )
    return [
        (item, sorted(item.keys.all(), key=lambda key: key.criterion.position)) for item in items
    ]


def attempt(
    *, enrollment: Enrollment, number: int, given: ExerciseValues, now: datetime
) -> QualificationTry:
    """Store a try's answers and mark them. If the same number is sent again, from another window or
    by a double click, return that try.

    Raises
    ------
    NoTryLeft
        If the number is beyond the tries there are, or the annotator has passed already.
    """
    with transaction.atomic():
        held = (
            Enrollment.objects.select_for_update(no_key=True)
            .select_related("campaign")
            .get(pk=enrollment.pk)
        )
        before = qualification_standing(held)
        for each in before.tries:
            if each.number == number:
                return each
        if before.outcome != "open" or number != before.next:
            raise NoTryLeft
        made = QualificationTry.objects.create(enrollment=held, number=number, made_at=now)
        TryAnswer.objects.bulk_create(
            TryAnswer(attempt=made, exercise_id=item, criterion_id=criterion, value=value)
            for (item, criterion), value in given.items()
        )
        return exercises.mark_attempt(attempt=made, campaign=held.campaign, now=now)


def failed_criteria(*, attempt: QualificationTry, campaign: Campaign) -> list[Criterion]:
    """Return the criteria on which a try was wrong or inconsistent, in their order."""
    wrong = qualifying.wrong_criteria(exercises.qualification_items(campaign), attempt.values())
    return list(Criterion.objects.filter(pk__in=wrong).order_by("position"))


def train(*, enrollment: Enrollment, exercise: Exercise, now: datetime) -> None:
    """Note that an annotator has tried a training item; the last of them completes the training."""
    with transaction.atomic():
        TrainedExercise.objects.get_or_create(enrollment=enrollment, exercise=exercise)
        tried = TrainedExercise.objects.filter(enrollment=enrollment).values("exercise")
        items = Exercise.objects.filter(
            campaign=enrollment.campaign_id, kind=Exercise.Kind.TRAINING
        )
        if not items.exclude(pk__in=tried).exists():
            Enrollment.objects.filter(pk=enrollment.pk, trained_at__isnull=True).update(
                trained_at=now
            )
