"""One annotator's attempt at one place of a task, and what they have entered so far."""

import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from judging.models.added_file import brought_by
from judging.models.conditions import (
    Device,
    InputKind,
    KeywordDisplay,
    PageView,
    ReviewDisplay,
)
from judging.models.constraints import CompositeForeignKey

if TYPE_CHECKING:
    from judging.models.people import Enrollment


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
        default=0, help_text="Time at work until first handed in: gaps between saves, each capped."
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


class Draft(models.Model):
    """An answer as entered on the page: the latest by the page's sequence number; a lower number
    never overwrites it."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="drafts", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="+")
    criterion = models.ForeignKey(
        "judging.Criterion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    value = models.SmallIntegerField(null=True, blank=True)
    point = models.ForeignObject(
        "judging.ScalePoint",
        on_delete=models.PROTECT,
        from_fields=["criterion", "value"],
        to_fields=["criterion", "value"],
        related_name="+",
        null=True,
    )
    sequence = models.PositiveBigIntegerField()
    saved_at = models.DateTimeField(auto_now=True)
    first_shown_at = models.DateTimeField(
        null=True, blank=True, help_text="By the clock of the annotator's device."
    )
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="By the clock of the annotator's device."
    )
    input = models.CharField(
        max_length=8, choices=InputKind.choices, blank=True, default="", db_default=""
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "unit", "criterion"], name="draft_once"),
            CompositeForeignKey(
                name="draft_value_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"


class NoteQuerySet(models.QuerySet["Note"]):
    def reports(self) -> "NoteQuerySet":
        """Annotators' reports of broken questions in studies judged here, checks included."""
        return self.filter(
            unit__isnull=False, assignment__round__campaign__origin="judged"
        ).exclude(text="")


class Note(models.Model):
    """An annotator's comment on a unit, or on the whole task."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="notes", db_index=False
    )
    unit = models.ForeignKey(
        "judging.Unit", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    text = models.TextField(blank=True)
    sequence = models.PositiveBigIntegerField()
    saved_at = models.DateTimeField(auto_now=True)
    added_file = brought_by()

    objects = NoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "unit"], nulls_distinct=False, name="note_once"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class SpanMark(models.Model):
    """A range of code points that an annotator marked in a passage for a question."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="span_marks", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="span_marks")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    added_file = brought_by()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "unit", "start", "end"], name="span_mark_once"
            ),
            models.CheckConstraint(
                condition=Q(end__gt=models.F("start")), name="span_mark_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"


class Marking(models.Model):
    """An annotator's latest statement on where a question's answer is: its marks, or that nothing
    answers it.

    The marks themselves are span marks; this row stores the number of the request that made them,
    so that a late request loses.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="markings", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="+")
    nothing = models.BooleanField(help_text="Nothing in the passage answers the question.")
    sequence = models.PositiveBigIntegerField()
    saved_at = models.DateTimeField(auto_now=True)
    added_file = brought_by()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "unit"], name="marking_once")]

    def __str__(self) -> str:
        return f"{self.unit_id}: {'nothing' if self.nothing else 'marked'}"
