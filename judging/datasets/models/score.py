"""Scores of automatic metrics: values with the fingerprint of how they were computed."""

from django.db import models
from django.db.models import Q

from judging.datasets.models.added_file import origin_column


class Metric(models.Model):
    """A column of scores over a dataset. Imported columns are never replaced by computed ones."""

    class Kind(models.TextChoices):
        IMPORTED = "imported", "imported"
        COMPUTED = "computed", "computed here"
        HUMAN_MEAN = "human_mean", "mean human score, imported"

    class Direction(models.TextChoices):
        HIGHER = "higher", "higher is better"
        LOWER = "lower", "lower is better"

    class Scale(models.TextChoices):
        FRACTION = "fraction", "0 to 1"
        PERCENT = "percent", "0 to 100"
        OTHER = "other", "its own scale"

    dataset = models.ForeignKey(
        "judging.Dataset", on_delete=models.CASCADE, related_name="metrics", db_index=False
    )
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    direction = models.CharField(max_length=6, choices=Direction.choices, default=Direction.HIGHER)
    scale = models.CharField(max_length=8, choices=Scale.choices, default=Scale.OTHER)
    fingerprint = models.CharField(max_length=64)
    made = models.JSONField(
        default=dict,
        help_text="Id, version, parameters, preparation, libraries, or file and column.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    added_file = origin_column()

    class Meta:
        ordering = ["dataset", "id"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "fingerprint"], name="metric_fingerprint")
        ]

    def __str__(self) -> str:
        return self.name


class Score(models.Model):
    """One metric's value for a unit (a question or a set) or a system."""

    metric = models.ForeignKey(
        Metric, on_delete=models.CASCADE, related_name="scores", db_index=False
    )
    unit = models.ForeignKey(
        "judging.Unit", on_delete=models.CASCADE, related_name="scores", null=True, blank=True
    )
    system = models.ForeignKey(
        "judging.System", on_delete=models.CASCADE, related_name="scores", null=True, blank=True
    )
    value = models.FloatField(null=True, blank=True)
    text = models.CharField(
        max_length=100, blank=True, help_text="An imported value with every digit of its file."
    )
    reason = models.CharField(max_length=300, blank=True, help_text="Why there is no value.")
    detail = models.JSONField(
        null=True, blank=True, help_text="What its metric told besides its value."
    )
    added_file = origin_column()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["metric", "unit"],
                condition=Q(unit__isnull=False),
                include=["value"],  # so that lists read a metric's values from the index alone
                name="score_once_per_unit",
            ),
            models.UniqueConstraint(
                fields=["metric", "system"],
                condition=Q(system__isnull=False),
                name="score_once_per_system",
            ),
            models.CheckConstraint(
                condition=Q(unit__isnull=True, system__isnull=False)
                | Q(unit__isnull=False, system__isnull=True),
                name="score_of_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(reason=""), name="score_or_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.reason if self.value is None else str(self.value)
