"""Agreements between rounds: notes on where annotators differed, and the guideline decisions that
follow from them."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class DiscussionNote(models.Model):
    """A note from the discussion of a difference, or about a criterion as a whole."""

    round = models.ForeignKey(
        "judging.Round", on_delete=models.CASCADE, related_name="notes", db_index=False
    )
    criterion = models.ForeignKey("judging.Criterion", on_delete=models.PROTECT, related_name="+")
    unit = models.ForeignKey(
        "judging.Unit",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="None where the note is about the criterion.",
    )
    text = models.TextField()
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["round", "criterion__position", "unit"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "criterion", "unit"],
                nulls_distinct=False,
                name="discussion_note_once",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="discussion_note_has_text"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class GuidelineVersion(models.Model):
    """The decisions shown beside a protocol's guideline in one campaign. A version is never
    changed."""

    campaign = models.ForeignKey(
        "judging.Campaign",
        on_delete=models.CASCADE,
        related_name="guideline_versions",
        db_index=False,
    )
    number = models.PositiveSmallIntegerField()
    text = models.TextField()
    round = models.ForeignKey(
        "judging.Round",
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        help_text="After which round it was written.",
    )
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="guideline_version_once")
        ]

    def __str__(self) -> str:
        return f"decisions, version {self.number}"
