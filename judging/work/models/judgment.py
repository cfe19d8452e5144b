"""Judgments: one value for a unit on a criterion. Rows are only ever added (a trigger ensures
that)."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from judging.base.models.constraints import CompositeForeignKey
from judging.datasets.models.added_file import origin_column


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def standing(self) -> "JudgmentQuerySet":
        """Judgments that no later revision has superseded."""
        return self.filter(superseded_at__isnull=True)


class Judgment(models.Model):
    """One value that an annotator gave, a rule forced on the page, or a file contained."""

    class Origin(models.TextChoices):
        JUDGED = "judged", "judged"
        RULE = "rule", "forced by a rule on the page"
        IMPORTED = "imported", "imported"

    assignment = models.ForeignKey(
        "judging.Assignment", on_delete=models.PROTECT, related_name="judgments", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="judgments")
    criterion = models.ForeignKey(
        "judging.Criterion", on_delete=models.PROTECT, related_name="judgments", db_index=False
    )
    value = models.SmallIntegerField()
    point = models.ForeignObject(
        "judging.ScalePoint",
        on_delete=models.PROTECT,
        from_fields=["criterion", "value"],
        to_fields=["criterion", "value"],
        related_name="+",
    )
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.JUDGED)
    cause = models.CharField(max_length=60, blank=True, help_text="The rule that forced the value.")
    revision = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(db_default=Now())
    superseded_at = models.DateTimeField(null=True, blank=True)
    first_shown_at = models.DateTimeField(
        null=True, blank=True, help_text="By the clock of the annotator's device."
    )
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="By the clock of the annotator's device."
    )
    added_file = origin_column()

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "unit", "criterion"],
                condition=Q(superseded_at__isnull=True),
                name="judgment_once",
            ),
            models.UniqueConstraint(
                fields=["assignment", "unit", "criterion", "revision"], name="judgment_revision"
            ),
            models.CheckConstraint(
                condition=Q(origin__in=["judged", "rule", "imported"]), name="judgment_origin"
            ),
            models.CheckConstraint(
                condition=Q(origin="rule") ^ Q(cause=""), name="judgment_rule_has_cause"
            ),
            CompositeForeignKey(
                name="judgment_value_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"


class JudgmentAttribute(models.Model):
    """A detail of a rating in its file besides the value, such as when it was given."""

    judgment = models.ForeignKey(
        Judgment, on_delete=models.CASCADE, related_name="attributes", db_index=False
    )
    name = models.CharField(max_length=100)
    value = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "name"], name="judgment_attribute_once")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
