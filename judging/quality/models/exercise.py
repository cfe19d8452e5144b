"""Training and qualification items, which annotators do before their first task, with their keys."""

from django.db import models
from django.db.models import Q

from judging.base.models.constraints import CompositeForeignKey


class Exercise(models.Model):
    """A question with the texts shown beside it: no row of the dataset, so that it names no
    system."""

    class Kind(models.TextChoices):
        TRAINING = "training", "training"
        QUALIFICATION = "qualification", "qualification"

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="exercises", db_index=False
    )
    kind = models.CharField(max_length=13, choices=Kind.choices)
    number = models.PositiveSmallIntegerField()
    passage = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    question = models.TextField()
    repeats = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        related_name="repetitions",
        null=True,
        blank=True,
        help_text="The exercise that this one asks again, to see whether somebody agrees with themselves.",
    )

    class Meta:
        ordering = ["campaign", "kind", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "kind", "number"], name="exercise_number"),
            models.CheckConstraint(
                condition=Q(kind__in=["training", "qualification"]), name="exercise_kind"
            ),
            models.CheckConstraint(condition=~Q(question=""), name="exercise_has_question"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


class ExerciseKey(models.Model):
    """The right values on one criterion, and why they are right."""

    exercise = models.ForeignKey(
        Exercise, on_delete=models.CASCADE, related_name="keys", db_index=False
    )
    criterion = models.ForeignKey("judging.Criterion", on_delete=models.PROTECT, related_name="+")
    accepted = models.JSONField(help_text="A list of the criterion's values.")
    explanation = models.TextField(blank=True)

    class Meta:
        ordering = ["exercise", "criterion__position"]
        constraints = [
            models.UniqueConstraint(fields=["exercise", "criterion"], name="exercise_key_once")
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.accepted}"


class TrainedExercise(models.Model):
    """The fact that an annotator has tried a training item; their answers are not stored."""

    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="trained"
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "exercise"], name="trained_exercise_once")
        ]

    def __str__(self) -> str:
        return f"{self.enrollment_id}: {self.exercise_id}"


class QualificationTry(models.Model):
    """One try at the qualification, and its result by the current key."""

    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="tries", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    made_at = models.DateTimeField()
    right = models.PositiveSmallIntegerField(default=0)
    asked = models.PositiveSmallIntegerField(default=0)
    consistent = models.BooleanField(
        default=True, help_text="Whether what was asked again got the same answers."
    )
    passed = models.BooleanField(default=False)

    class Meta:
        ordering = ["enrollment", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["enrollment", "number"], name="qualification_try_number"
            )
        ]

    def __str__(self) -> str:
        return f"try {self.number}: {self.right} of {self.asked}"

    def values(self) -> dict[tuple[int, int], int]:
        """Return the answers by exercise and criterion."""
        return {(row.exercise_id, row.criterion_id): row.value for row in self.answers.all()}


class TryAnswer(models.Model):
    """One value given in a try."""

    attempt = models.ForeignKey(
        QualificationTry, on_delete=models.CASCADE, related_name="answers", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.PROTECT, related_name="+")
    criterion = models.ForeignKey(
        "judging.Criterion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    value = models.SmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "exercise", "criterion"], name="try_answer_once"
            ),
            CompositeForeignKey(
                name="try_answer_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"
