"""Adjudicated ratings where annotators differ: the adjudicator of a campaign, and the ratings.

Judgments stay as they were given; an adjudicated rating is stored beside them.
"""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from judging.base.models.constraints import CompositeForeignKey


class Adjudication(models.Model):
    """The adjudicator whom the manager named, and the largest distance that is not adjudicated."""

    campaign = models.OneToOneField(
        "judging.Campaign", on_delete=models.CASCADE, related_name="adjudication", primary_key=True
    )
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications"
    )
    threshold = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(0)],
        help_text="Ranks that annotators may lie apart without it being settled.",
    )
    named_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"more than {self.threshold} apart"


class SettledValueQuerySet(models.QuerySet["SettledValue"]):
    def standing(self) -> "SettledValueQuerySet":
        """Ratings that no later one superseded."""
        return self.filter(superseded_at__isnull=True)


class SettledValue(models.Model):
    """The adjudicated rating of a unit on a criterion. A later one supersedes it; both are kept."""

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="settled_values", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="+")
    criterion = models.ForeignKey(
        "judging.Criterion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    value = models.SmallIntegerField()
    reason = models.CharField(max_length=500, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    settled_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = SettledValueQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "unit", "criterion"],
                condition=Q(superseded_at__isnull=True),
                name="settled_value_once",
            ),
            CompositeForeignKey(
                name="settled_value_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"
