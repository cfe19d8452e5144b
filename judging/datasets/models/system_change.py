"""Changes of a dataset's systems after its import, stored so that they can be undone."""

from django.conf import settings
from django.db import models


class SystemChange(models.Model):
    """A system that got another name or kind, was merged with another, or whose questions got a
    subset."""

    class What(models.TextChoices):
        RENAMED = "renamed", "renamed"
        MARKED = "marked", "marked"
        MERGED = "merged", "merged"
        SPLIT = "split", "split into subset and system"

    dataset = models.ForeignKey(
        "judging.Dataset", on_delete=models.CASCADE, related_name="system_changes"
    )
    what = models.CharField(max_length=7, choices=What.choices)
    before = models.CharField(max_length=200, help_text="Its name or kind before.")
    after = models.CharField(
        max_length=200, help_text="Its name or kind since; of merged systems, the one that stays."
    )
    details = models.JSONField(
        default=dict, blank=True, help_text="What undoing needs, by keys of rows."
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["dataset", "-id"]

    def __str__(self) -> str:
        return f"{self.before} to {self.after}"
