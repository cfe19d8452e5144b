"""Analyses and what they found, with everything needed to make the same numbers again."""

from django.conf import settings
from django.db import models


class Run(models.Model):
    """An analysis of a campaign, computed by its job; seed, versions and input hash document it."""

    job = models.OneToOneField("judging.Job", on_delete=models.PROTECT, related_name="run")
    campaign = models.ForeignKey("judging.Campaign", on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    seed = models.PositiveIntegerField(default=1)
    parameters = models.JSONField(default=dict)
    versions = models.JSONField(default=dict)
    input_sha256 = models.CharField(max_length=64, blank=True)
    read_state = models.JSONField(default=dict)  # of the campaign when the run read it
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "-number"]
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="run_number")]

    def __str__(self) -> str:
        return f"run {self.number}"

    @property
    def name(self) -> str:
        """The name that the user who started the run gave it."""
        return str(self.parameters.get("name", ""))


class Result(models.Model):
    """One thing a run found: a table as a document, or a figure as a file."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="results", db_index=False)
    key = models.CharField(max_length=60)
    document = models.JSONField(default=dict)
    file = models.ForeignKey(
        "judging.StoredFile", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    media_type = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="result_key")]

    def __str__(self) -> str:
        return self.key


class ReportPage(models.Model):
    """The parts of a report's page that depend only on its run, rendered as HTML in one language.

    It can be deleted at any time: the next request renders it again.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="pages", db_index=False)
    language = models.CharField(max_length=20)
    made_with = models.CharField(max_length=64)  # digest of all else that decides it
    parts = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "language"], name="report_page_once")]

    def __str__(self) -> str:
        return f"{self.run_id} in {self.language}"


class KeptExample(models.Model):
    """A question that an analyst keeps as an example for a paper, with a note on what it shows.

    It does not protect its question: if a file is withdrawn, its questions are deleted, and their
    examples are no longer shown.
    """

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="kept_examples"
    )
    unit = models.ForeignKey(
        "judging.Unit",
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        db_index=False,
    )
    note = models.CharField(max_length=500, blank=True)
    kept_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    kept_at = models.DateTimeField()

    class Meta:
        ordering = ["campaign", "kept_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "unit"], name="kept_example_once")
        ]

    def __str__(self) -> str:
        return self.note or f"example {self.pk}"
