"""Files by their hash, in the database, so that one dump is the whole backup."""

from django.db import models


class StoredFile(models.Model):
    """The bytes of a file that was uploaded or made, stored once however often it is used; those after
    some megabytes are in parts."""

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
