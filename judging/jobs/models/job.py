"""Long work. The row is authoritative; a message on the queue only names it."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> "JobQuerySet":
        return self.filter(state__in=["queued", "running"])

    def done(self, kind: str) -> "JobQuerySet":
        """Select the jobs of a kind that ended successfully, the newest first."""
        return self.filter(kind=kind, state="done").order_by("-finished_at")


class Job(models.Model):
    """Work that a worker does, with its progress, heartbeat and end."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    COMPUTES = (  # the kinds that may take hours of a processor
        "analysis.run",
        "analysis.score",
        "analysis.estimate",
        "analysis.reproduce",
        "analysis.dry_run",
        "analysis.planning",
        "analysis.tuning",
        "analysis.matching",
        "analysis.repeatability",
        "analysis.degrade",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40, help_text="The name of the task that does it.")
    queue = models.CharField(
        max_length=20, default="celery", help_text="The queue of the workers that may do it."
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        related_name="parts",
        null=True,
        blank=True,
        help_text="The job that this is a part of, and that goes on when all its parts have ended.",
    )
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=300, blank=True, help_text="What it is doing.")
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict, blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Fences: a worker may only finish the attempt it claimed."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="jobs"
    )
    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.PROTECT, related_name="jobs", null=True, blank=True
    )
    dataset = models.ForeignKey(
        "judging.Dataset", on_delete=models.SET_NULL, related_name="jobs", null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="queued", finished_at__isnull=True)
                | Q(
                    state="running",
                    started_at__isnull=False,
                    heartbeat_at__isnull=False,
                    finished_at__isnull=True,
                )
                | Q(state__in=["done", "cancelled"], finished_at__isnull=False)
                | (Q(state="failed", finished_at__isnull=False) & ~Q(error="")),
                name="job_state_fits_columns",
            ),
            models.UniqueConstraint(
                fields=["campaign"],
                condition=Q(kind="analysis.live_agreement", state="queued", attempts=0),
                name="job_one_live_agreement_waits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "heartbeat_at"],
                condition=Q(state__in=["queued", "running"]),
                name="job_unfinished",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}, {self.state}"


class WorkerPresence(models.Model):
    """When a worker last gave a sign of life; pages read this instead of asking the broker."""

    name = models.CharField(max_length=200, primary_key=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
