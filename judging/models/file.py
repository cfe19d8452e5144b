"""Files by their hash, in the database, so that one dump is the whole backup."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from judging.models.people import User


class StoredFile(models.Model):
    """The bytes of a file that was uploaded or made, kept once however often it is used; what is over
    some megabytes in parts of its own."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class StoredPart(models.Model):
    """The bytes of a large file that come after those in its own row."""

    file = models.ForeignKey(
        StoredFile, on_delete=models.CASCADE, related_name="parts", db_index=False
    )
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "number"], name="stored_part_once"),
        ]

    def __str__(self) -> str:
        return f"part {self.number} of {self.file_id}"


class UploadQuerySet(models.QuerySet["Upload"]):
    def of(self, owner: "User") -> "UploadQuerySet":
        """A person's uploads with their files, whose bytes stay where they are until somebody
        asks."""
        return self.filter(owner=owner).select_related("owner", "file").defer("file__content")


class Upload(models.Model):
    """Who uploaded which file, what they called it, and what they have said of it so far."""

    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="uploads")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="uploads"
    )
    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    # JSON as text: a column's name may hold what PostgreSQL's own JSON does not take
    entered = models.TextField(blank=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "file"], name="upload_once_per_owner")
        ]

    def __str__(self) -> str:
        return self.name
