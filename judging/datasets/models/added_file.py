"""The files of a dataset: what each one added, so that it can be taken back."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q


class AddedFileQuerySet(models.QuerySet["AddedFile"]):
    def waiting(self) -> "AddedFileQuerySet":
        """Files that were uploaded and not yet added."""
        return self.filter(state="waiting")

    def standing(self) -> "AddedFileQuerySet":
        """Files whose content is in the dataset."""
        return self.filter(state="added")

    def listed(self) -> "AddedFileQuerySet":
        """Files in the order in which they came, with who added them and without their bytes
        and long texts."""
        related = self.select_related(
            "file", "added_by", "taken_back_by", "campaign", "dataset", "protocol"
        )
        campaign: Any = self.model._meta.get_field("campaign").related_model
        long_texts = (f"campaign__{name}" for name in campaign.UNLISTED if "__" not in name)
        return related.defer("file__content", "protocol__document", *long_texts).order_by("number")


class AddedFile(models.Model):
    """One file of a dataset. The dataset's rows refer to the file that they came from."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        ADDED = "added", "added"
        TAKEN_BACK = "taken_back", "taken back"

    dataset = models.ForeignKey(
        "judging.Dataset", on_delete=models.CASCADE, related_name="added_files", db_index=False
    )
    number = models.PositiveIntegerField(
        help_text="In the order in which files came; never given twice."
    )
    file = models.ForeignKey(
        "judging.StoredFile", on_delete=models.PROTECT, related_name="added_files"
    )
    name = models.CharField(max_length=255)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    plan = models.JSONField(default=dict, blank=True, help_text="Format, options and columns.")
    choices = models.JSONField(
        default=dict, blank=True, help_text="How its rows are matched and what is done then."
    )
    examined = models.JSONField(
        default=dict, blank=True, help_text="What a preview found: counts and examples."
    )
    brought = models.JSONField(
        default=dict, blank=True, help_text="How many rows of each kind it brought."
    )
    protocol = models.ForeignKey(
        "judging.Protocol",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="The protocol of its ratings.",
    )
    campaign = models.ForeignKey(
        "judging.Campaign",
        on_delete=models.SET_NULL,
        related_name="added_files",
        null=True,
        blank=True,
        help_text="The campaign its ratings went into.",
    )
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    uploaded_at = models.DateTimeField(auto_now_add=True)
    added_at = models.DateTimeField(null=True, blank=True)
    keys_taken_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the ids behind its labels were handed out, which is done once.",
    )
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    taken_back_at = models.DateTimeField(null=True, blank=True)

    objects = AddedFileQuerySet.as_manager()

    class Meta:
        ordering = ["dataset", "number"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="added_file_number"),
            models.UniqueConstraint(
                fields=["dataset", "file"],
                condition=~Q(state="taken_back"),
                name="added_file_once",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", added_at__isnull=True, taken_back_at__isnull=True)
                | Q(state="added", added_at__isnull=False, taken_back_at__isnull=True)
                | Q(state="taken_back", added_at__isnull=False, taken_back_at__isnull=False),
                name="added_file_state_fits_columns",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_examined(self) -> bool:
        """Return whether a preview has counted what the file would add now."""
        return "matched" in self.examined


class FileRow(models.Model):
    """A question of a waiting file, or a value of it, with what the preview found about it."""

    class Kind(models.TextChoices):
        KEPT = "kept", "kept"
        MATCHED = "matched", "matched"
        SIMILAR = "similar", "matched by similar text"
        NEW = "new", "new"
        UNMATCHED = "unmatched", "fits nothing"
        AMBIGUOUS = "ambiguous", "fits more than one question"
        CONFLICTING = "conflicting", "contradicts the dataset"
        REFUSED = "refused", "cannot be kept"

    added_file = models.ForeignKey(AddedFile, on_delete=models.CASCADE, related_name="rows")
    number = models.IntegerField(help_text="The row of the file, 0 if it is about the whole file.")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    source = models.CharField(max_length=300, blank=True)
    system = models.CharField(max_length=300, blank=True)
    position = models.IntegerField(default=0)
    text = models.TextField(blank=True, help_text="Blank if the system gave no question.")
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["added_file", "number", "id"]

    def __str__(self) -> str:
        return f"{self.added_file_id}: {self.number}"


def origin_column() -> models.ForeignKey:  # type: ignore[type-arg]
    """Return the column that names the file a row came with; it is null for what was made here.

    It has neither index nor constraint: an import of 100,000 questions stores half a million rows,
    and a check of each would cost seconds. Files are only deleted with their dataset, and rows
    are looked for within one dataset.
    """
    return models.ForeignKey(
        AddedFile,
        on_delete=models.DO_NOTHING,
        related_name="+",
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
    )


class FilledBlank(models.Model):
    """A blank of a source that a later file filled; taking the file back empties it again."""

    added_file = models.ForeignKey(
        AddedFile, on_delete=models.CASCADE, related_name="filled_blanks"
    )
    source = models.ForeignKey(
        "judging.Source", on_delete=models.CASCADE, related_name="filled_blanks"
    )
    name = models.CharField(max_length=30, help_text="The column of the source.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "name"], name="filled_blank_once")]

    def __str__(self) -> str:
        return f"{self.name} of {self.source_id}"
