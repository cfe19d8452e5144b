"""One annotator's attempt at one place of a task, and what they have entered so far."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from judging.base.models.conditions import InputKind
from judging.base.models.constraints import CompositeForeignKey
from judging.datasets.models.added_file import origin_column

if TYPE_CHECKING:
    pass
from judging.campaigns.models.assignment import Assignment


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
    added_file = origin_column()

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
    added_file = origin_column()

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
    added_file = origin_column()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "unit"], name="marking_once")]

    def __str__(self) -> str:
        return f"{self.unit_id}: {'nothing' if self.nothing else 'marked'}"
