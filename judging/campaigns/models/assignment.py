"""Assignments: one annotator's part of a task."""

import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from judging.base.models.conditions import (
    Device,
    InputKind,
    KeywordDisplay,
    PageView,
    ReviewDisplay,
)

if TYPE_CHECKING:
    from judging.campaigns.models.members import Enrollment


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def open(self) -> "AssignmentQuerySet":
        """Places without an annotator."""
        return self.filter(state="open")

    def held(self) -> "AssignmentQuerySet":
        return self.filter(state="held")

    def submitted(self) -> "AssignmentQuerySet":
        return self.filter(state="submitted")

    def held_by(self, enrollment: "Enrollment") -> "AssignmentQuerySet":
        return self.held().filter(enrollment=enrollment)

    def done_by(self, enrollment: "Enrollment") -> "AssignmentQuerySet":
        """Assignments that an annotator has submitted, extras included."""
        return self.filter(enrollment=enrollment, submitted_at__isnull=False)


class Assignment(models.Model):
    """An attempt at a place. Its annotator never changes: if another annotator takes the place, the
    old row is released and a new one made."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        HELD = "held", "held"
        SUBMITTED = "submitted", "submitted"
        RELEASED = "released", "released"
        EXTRA = "extra", "extra"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    round = models.ForeignKey(
        "judging.Round", on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
    task = models.ForeignKey(
        "judging.Task", on_delete=models.PROTECT, related_name="assignments", db_index=False
    )
    place = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField(
        help_text="Where the place stands in the campaign's queue."
    )
    seat = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The enrollment's seat this place is kept for."
    )
    enrollment = models.ForeignKey(
        "judging.Enrollment",
        on_delete=models.PROTECT,
        related_name="assignments",
        null=True,
        blank=True,
        db_index=False,
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    reopened = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether an open place was somebody's before: it may lie behind an annotator's cursor.",
    )
    stage = models.PositiveSmallIntegerField(default=0, help_text="How many stages are frozen.")
    submit_token = models.UUIDField(default=uuid.uuid4)
    held_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(
        default=0, help_text="Time at work until first submitted: gaps between saves, each capped."
    )
    # The conditions of judging; empty if the page did not report them
    language = models.CharField(
        max_length=10,
        blank=True,
        default="",
        db_default="",
        help_text="The language of the instructions.",
    )
    view = models.CharField(
        max_length=5, choices=PageView.choices, blank=True, default="", db_default=""
    )
    device = models.CharField(
        max_length=7, choices=Device.choices, blank=True, default="", db_default=""
    )
    input = models.CharField(
        max_length=8,
        choices=InputKind.choices,
        blank=True,
        default="",
        db_default="",
        help_text="What gave most of the answers.",
    )
    keywords = models.CharField(
        max_length=11,
        choices=KeywordDisplay.choices,
        blank=True,
        default="",
        db_default="",
        help_text="Whether the words of the question in view were highlighted in its passage.",
    )
    review = models.CharField(
        max_length=5,
        choices=ReviewDisplay.choices,
        blank=True,
        default="",
        db_default="",
        help_text="Whether the review was shown, if its annotator could switch it off.",
    )
    total_shown = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How many tasks in all its annotator was told of on its page.",
    )
    submitted_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "place"],
                condition=Q(state__in=["open", "held", "submitted"]),
                name="assignment_place_once",
            ),
            models.UniqueConstraint(
                fields=["enrollment", "task"], name="assignment_once_per_enrollment"
            ),
            models.UniqueConstraint(
                fields=["enrollment", "round"],
                condition=Q(state="held"),
                name="assignment_one_held",
            ),
            models.CheckConstraint(
                condition=Q(
                    state="open",
                    enrollment__isnull=True,
                    held_at__isnull=True,
                    lease_expires_at__isnull=True,
                    submitted_at__isnull=True,
                    released_at__isnull=True,
                )
                | Q(
                    state="held",
                    enrollment__isnull=False,
                    held_at__isnull=False,
                    lease_expires_at__isnull=False,
                    submitted_at__isnull=True,
                )
                | Q(
                    state="submitted",
                    enrollment__isnull=False,
                    submitted_at__isnull=False,
                    lease_expires_at__isnull=True,
                )
                | Q(
                    state="released",
                    enrollment__isnull=False,
                    released_at__isnull=False,
                    lease_expires_at__isnull=True,
                    submitted_at__isnull=True,
                )
                | Q(
                    state="extra",
                    enrollment__isnull=False,
                    submitted_at__isnull=False,
                    lease_expires_at__isnull=True,
                ),
                name="assignment_state_fits_columns",
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "position"],
                condition=Q(state="open"),
                name="assignment_open_places",
            ),
            models.Index(
                fields=["round", "position"],
                condition=Q(state="open", reopened=True),
                name="assignment_reopened_places",
            ),
            models.Index(
                fields=["round", "seat"],
                condition=Q(state="open", seat__isnull=False),
                name="assignment_reserved_places",
            ),
            models.Index(
                fields=["lease_expires_at"], condition=Q(state="held"), name="assignment_leases"
            ),
            models.Index(fields=["round", "state"], name="assignment_counts"),
            models.Index(
                fields=["enrollment", "round", "submitted_at"],
                condition=Q(submitted_at__isnull=False),
                name="assignment_done_by",
            ),
            models.Index(
                fields=["enrollment"],
                condition=Q(submitted_at__isnull=False, last_seen_at__gt=models.F("submitted_at")),
                name="assignment_seen_again",
            ),
            models.Index(
                fields=["enrollment", "round"],
                condition=Q(state="released"),
                name="assignment_left_by",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} place {self.place} of {self.task_id}"
