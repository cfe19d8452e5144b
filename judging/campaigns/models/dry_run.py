"""Copies of drafts that simulated annotators fill, to see before a study is opened what it would
find."""

from django.db import models

from judging.campaigns.models.campaign import Campaign


class DryRunQuerySet(models.QuerySet["DryRun"]):
    """Dry runs, filled or not."""

    def filled(self) -> "DryRunQuerySet":
        """Dry runs that have an outcome."""
        return self.exclude(outcome={})

    def unfilled(self) -> "DryRunQuerySet":
        """Dry runs that are being filled, or were when their worker died."""
        return self.filter(outcome={})


class DryRun(models.Model):
    """A copy of a draft that only simulated annotators judge: a trigger refuses enrollments with an
    account."""

    campaign = models.OneToOneField(
        Campaign, on_delete=models.CASCADE, related_name="dry_run", primary_key=True
    )
    draft = models.ForeignKey(
        Campaign,
        on_delete=models.SET_NULL,
        related_name="dry_runs",
        null=True,
        help_text="What it is a copy of.",
    )
    number = models.PositiveSmallIntegerField()
    settings = models.JSONField(
        default=dict, help_text="What was assumed of systems and annotators."
    )
    outcome = models.JSONField(
        default=dict, blank=True, help_text="What was planted, and with what power it is found."
    )

    objects = DryRunQuerySet.as_manager()

    class Meta:
        ordering = ["draft", "-number"]
        constraints = [models.UniqueConstraint(fields=["draft", "number"], name="dry_run_number")]

    def __str__(self) -> str:
        return f"dry run {self.number}"
