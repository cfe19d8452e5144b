"""Tasks besides the study's own that check how annotators work: gold questions, hidden repeats
and degraded copies.

They are judged in a round of their own kind, so that their answers never count as judgments of the
study.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from judging.base.models.constraints import CompositeForeignKey


class CheckKind(models.TextChoices):
    GOLD = "gold", "gold question"
    REPEAT = "repeat", "hidden repeat"
    DEGRADED = "degraded", "degraded copy"


class CheckItem(models.Model):
    """A question with known values, or a degraded one, that a task shows among its other questions.

    It has units of its own, in a dataset that contains nothing else, so that no analysis of the
    judged dataset includes them.
    """

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="check_items"
    )
    kind = models.CharField(max_length=8, choices=CheckKind.choices)
    unit = models.OneToOneField("judging.Unit", on_delete=models.CASCADE, related_name="check_item")
    original = models.ForeignKey(
        "judging.Unit",
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The unit of the material it comes from.",
    )
    method = models.CharField(max_length=60, blank=True, help_text="How a degraded copy was made.")
    created_at = models.DateTimeField(default=timezone.now)
    retired_at = models.DateTimeField(
        null=True, blank=True, help_text="From when on nobody meets it any more."
    )

    class Meta:
        ordering = ["campaign", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["gold", "degraded"]), name="check_item_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    def accepted_values(self) -> dict[int, list[int]]:
        """Return the accepted values in their order, by criterion."""
        values: dict[int, list[int]] = {}
        rows = self.accepted.order_by("criterion", "value")
        for criterion, value in rows.values_list("criterion", "value"):
            values.setdefault(criterion, []).append(value)
        return values


class AcceptedValue(models.Model):
    """A value that is right for a gold question on a criterion; several may be right."""

    item = models.ForeignKey(CheckItem, on_delete=models.CASCADE, related_name="accepted")
    criterion = models.ForeignKey("judging.Criterion", on_delete=models.PROTECT, related_name="+")
    value = models.SmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion", "value"], name="accepted_value_once"
            ),
            CompositeForeignKey(
                name="accepted_value_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"


class CheckTask(models.Model):
    """A check that one annotator got: a task of its own, and after how many tasks of the study it
    came."""

    task = models.OneToOneField(
        "judging.Task", on_delete=models.CASCADE, related_name="check_task", primary_key=True
    )
    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="check_tasks"
    )
    kind = models.CharField(max_length=8, choices=CheckKind.choices)
    item = models.ForeignKey(
        CheckItem, on_delete=models.PROTECT, related_name="met", null=True, blank=True
    )
    of_task = models.ForeignKey(
        "judging.Task",
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        help_text="The task of the study that comes again, whole or with one question made worse.",
    )
    after = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "after"], name="check_task_once_a_turn"),
            models.UniqueConstraint(
                fields=["enrollment", "item"],
                condition=Q(item__isnull=False),
                name="check_task_item_once",
            ),
            models.UniqueConstraint(
                fields=["enrollment", "of_task"],
                condition=Q(kind="repeat"),
                name="check_task_repeat_once",
            ),
            models.CheckConstraint(
                condition=Q(kind="repeat", item__isnull=True, of_task__isnull=False)
                | Q(kind="gold", item__isnull=False)
                | Q(kind="degraded", item__isnull=False, of_task__isnull=False),
                name="check_task_fits_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} after {self.after}"
