"""Datasets: passages, sources, and the questions that systems made from them."""

from typing import TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from judging.datasets.models.added_file import origin_column

StoredRow = TypeVar("StoredRow", bound=models.Model)


def _counted(rows: models.QuerySet[StoredRow], of: str) -> Coalesce:
    """Count rows of another table for each row of a query, in a subquery, so that joins do not
    multiply the counts."""
    counts = (
        rows.filter(**{of: OuterRef("pk")})
        .order_by()
        .values(of)
        .annotate(n=Count("pk"))
        .values("n")
    )
    return Coalesce(Subquery(counts), 0)


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def counted(self) -> "DatasetQuerySet":
        """Add how many sources, systems, questions and quarantined values each holds."""
        return self.annotate(
            source_count=_counted(Source.objects.filter(repeat_of__isnull=True), "dataset"),
            system_count=_counted(System.objects.all(), "dataset"),
            question_count=_counted(
                Question.objects.filter(unit__question_set__source__repeat_of__isnull=True),
                "unit__question_set__source__dataset",
            ),
            quarantine_count=_counted(Quarantine.objects.all(), "dataset"),
        )


class Dataset(models.Model):
    """A dataset with its licence, file and owner; campaigns share it."""

    name = models.CharField(max_length=200)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="datasets"
    )
    licence = models.CharField(max_length=200, blank=True)
    language = models.CharField(
        max_length=35, default="en", help_text="Language tag of the texts, such as en or ar."
    )
    file = models.ForeignKey(
        "judging.StoredFile",
        on_delete=models.PROTECT,
        related_name="datasets",
        null=True,
        blank=True,
    )
    file_name = models.CharField(max_length=255, blank=True)
    file_sha256 = models.CharField(max_length=64, blank=True)
    mapping = models.JSONField(
        default=dict, blank=True, help_text="How the file's columns were read."
    )
    checks_of = models.ForeignKey(
        "judging.Campaign",
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
        help_text="The campaign whose checks it holds; such a dataset is on no list.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "file_sha256"], name="dataset_by_file")]

    def __str__(self) -> str:
        return self.name


class DatasetShare(models.Model):
    """A user's right to read a dataset and to plan campaigns about it; its owner gives it and takes
    it back.

    A campaign shows its staff the dataset only while its creator has this right, or owns the
    dataset.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="shares")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="dataset_shares"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "user"], name="dataset_share_once")
        ]

    def __str__(self) -> str:
        return f"{self.dataset} for {self.user}"


class Passage(models.Model):
    """A text that questions are about."""

    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, related_name="passages", db_index=False
    )
    digest = models.CharField(max_length=64)
    text = models.TextField()
    added_file = origin_column()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "digest"], name="passage_once"),
            models.CheckConstraint(condition=~Q(text=""), name="passage_has_text"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Source(models.Model):
    """The input that a system was given: a passage with, by protocol, an answer and its span, a
    sentence, a target type."""

    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, related_name="sources", db_index=False
    )
    passage = models.ForeignKey(
        Passage, on_delete=models.PROTECT, related_name="sources", null=True, blank=True
    )
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField(help_text="Order in the file.")
    answer = models.TextField(blank=True)
    answer_start = models.PositiveIntegerField(
        null=True, blank=True, help_text="In code points of the passage."
    )
    sentence = models.TextField(blank=True)
    sentence_start = models.PositiveIntegerField(null=True, blank=True)
    target_type = models.CharField(max_length=100, blank=True)
    modality = models.CharField(max_length=100, blank=True)
    language = models.CharField(
        max_length=35, blank=True, help_text="A tag; blank if it is the dataset's."
    )
    repeat_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        related_name="repeats",
        null=True,
        blank=True,
        db_index=False,
        help_text="The source whose questions were rated once more; see ADR 0013.",
    )
    repeat = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="1, or which rating of the same it is."
    )
    added_file = origin_column()

    class Meta:
        ordering = ["dataset", "position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "key"], name="source_key"),
            models.UniqueConstraint(fields=["dataset", "position"], name="source_position"),
            models.UniqueConstraint(
                fields=["repeat_of", "repeat"],
                condition=Q(repeat_of__isnull=False),
                name="source_repeat_once",
            ),
            models.CheckConstraint(
                condition=Q(repeat_of__isnull=True, repeat=1)
                | Q(repeat_of__isnull=False, repeat__gte=2),
                name="source_repeat_of_one",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Reference(models.Model):
    """A human-written question for a source."""

    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, related_name="references", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    added_file = origin_column()

    class Meta:
        ordering = ["source", "position"]
        constraints = [
            models.UniqueConstraint(fields=["source", "position"], name="reference_position"),
            models.CheckConstraint(condition=~Q(text=""), name="reference_has_text"),
        ]

    def __str__(self) -> str:
        return self.text


class System(models.Model):
    """A model, human or degradation that made questions."""

    class Kind(models.TextChoices):
        MODEL = "model", "model"
        HUMAN = "human", "human"
        DEGRADATION = "degradation", "deliberate degradation"

    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, related_name="systems", db_index=False
    )
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.MODEL)
    added_file = origin_column()

    class Meta:
        ordering = ["dataset", "name"]
        constraints = [models.UniqueConstraint(fields=["dataset", "name"], name="system_name")]

    def __str__(self) -> str:
        return self.name


class QuestionSet(models.Model):
    """The questions one system gave for one source, with how many were expected."""

    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, related_name="question_sets", db_index=False
    )
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="question_sets")
    expected = models.PositiveSmallIntegerField(default=1)
    added_file = origin_column()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "system"], name="question_set_once"),
            models.CheckConstraint(condition=Q(expected__gte=1), name="question_set_expects"),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.source}"


class Unit(models.Model):
    """An item that can be judged: a slot of a question set, or, without position, the whole set."""

    question_set = models.ForeignKey(
        QuestionSet, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    added_file = origin_column()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question_set", "position"], nulls_distinct=False, name="unit_once"
            ),
            models.CheckConstraint(
                condition=Q(position__isnull=True) | Q(position__gte=1), name="unit_position"
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.position}" if self.position else "set"


class Question(models.Model):
    """One generated question, in its slot. A missing question is a slot without this row."""

    unit = models.OneToOneField(
        Unit, on_delete=models.CASCADE, related_name="question", primary_key=True
    )
    text = models.TextField()
    key = models.CharField(max_length=200, blank=True)
    question_type = models.CharField(
        max_length=100, blank=True, help_text="As the system declared it."
    )
    submitted_answer = models.TextField(
        blank=True, help_text="The answer the system submitted with its question."
    )
    added_file = origin_column()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="question_has_text")]

    def __str__(self) -> str:
        return self.text


class Attribute(models.Model):
    """A metadata column's value for a unit; analyses slice by it."""

    unit = models.ForeignKey(
        Unit, on_delete=models.CASCADE, related_name="attributes", db_index=False
    )
    name = models.CharField(max_length=100)
    value = models.TextField()
    added_file = origin_column()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["unit", "name"], name="attribute_once")]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


class Quarantine(models.Model):
    """A value that could not be stored, with its row, its column and the reason: nothing of a file
    is lost silently."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="quarantine")
    row = models.PositiveIntegerField()
    column = models.CharField(max_length=200, blank=True)
    value = models.TextField(blank=True)
    reason = models.TextField()
    added_file = origin_column()

    class Meta:
        ordering = ["dataset", "row", "id"]

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"
