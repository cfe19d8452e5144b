"""Protocols: immutable documents and the rows derived from them."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Protocol(models.Model):
    """A protocol's criteria, scales, stages, rules and aggregates. Rows never change (a trigger
    refuses it)."""

    class Task(models.TextChoices):
        SOURCE = "source", "all systems' questions of one source"
        QUESTION_SET = "question_set", "one system's set"
        UNIT = "unit", "single questions, several to a page"

    key = models.SlugField(max_length=60)
    version = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    task = models.CharField(max_length=12, choices=Task.choices)
    page_size = models.PositiveSmallIntegerField(default=1)
    document = models.JSONField()
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="protocols",
        null=True,
        blank=True,
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["key", "version", "digest", "owner"],
                nulls_distinct=False,
                name="protocol_once",
            ),
            models.CheckConstraint(condition=Q(page_size__gte=1), name="protocol_page_size"),
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.version}"


class Criterion(models.Model):
    """A criterion that is judged on one kind of unit."""

    class Unit(models.TextChoices):
        QUESTION = "question", "question"
        SET = "set", "set"

    class Asked(models.TextChoices):
        PER_UNIT = "per_unit", "of each unit"
        ONCE_PER_SET = "once_per_set", "once per set, stored on each member"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "nominal"
        ORDINAL = "ordinal", "ordinal"
        INTERVAL = "interval", "interval"

    class Best(models.TextChoices):
        HIGHEST = "highest", "highest"
        LOWEST = "lowest", "lowest"
        NONE = "none", "no best end"

    protocol = models.ForeignKey(Protocol, on_delete=models.PROTECT, related_name="criteria")
    key = models.SlugField(max_length=60)
    name = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField()
    stage = models.PositiveSmallIntegerField(default=0)
    unit = models.CharField(max_length=10, choices=Unit.choices)
    asked = models.CharField(max_length=12, choices=Asked.choices)
    level = models.CharField(max_length=10, choices=Level.choices)
    best = models.CharField(max_length=10, choices=Best.choices)

    class Meta:
        ordering = ["protocol", "position"]
        constraints = [
            models.UniqueConstraint(fields=["protocol", "key"], name="criterion_key"),
            models.UniqueConstraint(fields=["protocol", "position"], name="criterion_position"),
        ]

    def __str__(self) -> str:
        return self.name


class ScalePoint(models.Model):
    """One labelled value of a criterion; "cannot say" is a point flagged missing."""

    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="points")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=300)
    missing = models.BooleanField(default=False)

    class Meta:
        ordering = ["criterion", "value"]
        constraints = [
            models.UniqueConstraint(fields=["criterion", "value"], name="scale_point_value")
        ]

    def __str__(self) -> str:
        return f"{self.value} {self.label}"


class ProtocolDraft(models.Model):
    """A draft of a protocol: YAML that may be incomplete or invalid, visible to its owner alone."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="protocol_drafts"
    )
    title = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-updated_at", "pk"]

    def __str__(self) -> str:
        return self.title
