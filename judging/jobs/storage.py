"""Files by hash, in the database: web servers store nothing themselves, and one dump is the
backup."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import count

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils.deconstruct import deconstructible

from judging.jobs.models.file import StoredFile, StoredPart
from judging.jobs.models.job import Job

PIECE = 1 << 23  # bytes read at once
PART = 1 << 18  # bytes in one row, of which several copies are in memory at once


def store_bytes(content: bytes) -> StoredFile:
    """Store the bytes only once, even if they are stored again, and return their row."""
    digest = hashlib.sha256(content).hexdigest()
    known = StoredFile.objects.defer("content").filter(sha256=digest)
    return known.first() or keep_pieces(
        content[start : start + PIECE] for start in range(0, len(content), PIECE)
    )


def keep_pieces(pieces: Iterable[bytes]) -> StoredFile:
    """Store bytes as they arrive, such as the chunks of an upload. Only one part at a time is in
    memory, here and in the database, which would hold three copies of a single row.
    """
    digest = hashlib.sha256()
    with suppress(IntegrityError), transaction.atomic():  # known bytes violate the unique hash
        parts = _parts(pieces, digest)
        first = next(parts, b"")
        made, size = StoredFile(sha256=secrets.token_hex(32), size=0, content=first), len(first)
        made.save(force_insert=True)
        for number, part in enumerate(parts, start=1):
            StoredPart(file=made, number=number, content=part).save(force_insert=True)
            size += len(part)
        StoredFile.objects.filter(pk=made.pk).update(sha256=digest.hexdigest(), size=size)
    return StoredFile.objects.defer("content").get(sha256=digest.hexdigest())


def _parts(pieces: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    """Yield the same bytes in parts of equal size, except the last."""
    part = bytearray()
    for piece in pieces:
        digest.update(piece)
        part += piece
        while len(part) > PART:
            yield bytes(part[:PART])
            del part[:PART]
    if part:
        yield bytes(part)


def content_of(file: StoredFile) -> bytes:
    """Return a stored file's bytes, fetched piece by piece unless the row already has all of
    them."""
    if "content" not in file.get_deferred_fields() and len(file.content) == file.size:
        return bytes(file.content)
    content = BytesIO()
    for piece in file_pieces(file):
        content.write(piece)
    return content.getvalue()


def file_pieces(file: StoredFile) -> Iterator[bytes]:
    """Yield a stored file's bytes piece by piece: those of its own row, which once held all of
    them, then those of its other parts.

    Raises
    ------
    StoredFile.DoesNotExist
        If the file is deleted meanwhile.
    """
    left = file.size
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT octet_length(content) FROM judging_storedfile WHERE id = %s", [file.pk]
        )
        own = cursor.fetchone()
        for start in range(1, own[0] + 1 if own else 0, PIECE):
            cursor.execute(
                "SELECT substring(content FROM %s FOR %s) FROM judging_storedfile WHERE id = %s",
                [start, PIECE, file.pk],
            )
            if piece := cursor.fetchone():
                left -= len(piece[0])
                yield bytes(piece[0])
    several = max(1, PIECE // PART)
    for first in count(1, several):
        if left <= 0:
            return
        parts = StoredPart.objects.filter(file=file, number__range=(first, first + several - 1))
        found = [bytes(each) for each in parts.order_by("number").values_list("content", flat=True)]
        if not found:
            raise StoredFile.DoesNotExist("The file is gone.")
        left -= sum(map(len, found))
        yield from found


NAMED_BY_ITS_HASH = """
SELECT 1 FROM judging_job WHERE id IS DISTINCT FROM %(but)s::uuid AND (
    state IN ('queued', 'running') AND (
        parameters ->> 'file' = %(sha256)s
        OR jsonb_path_exists(parameters, '$.files[*][*] ? (@ == $file)', %(named)s))
    OR jsonb_path_exists(result, '$.figures.* ? (@ == $file)', %(named)s)
) LIMIT 1
"""


def release_file(file: StoredFile, *, of_job: Job | None = None) -> None:
    """Remove a file's bytes, unless anything refers to them or names them by their hash, such as a
    job that waits to read them. `of_job` no longer needs them."""
    said = {
        "sha256": file.sha256,
        "named": json.dumps({"file": file.sha256}),
        "but": str(of_job.pk) if of_job else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(NAMED_BY_ITS_HASH, said)
        if cursor.fetchone():
            return
    with suppress(ProtectedError, IntegrityError), transaction.atomic():
        StoredFile.objects.defer("content").filter(pk=file.pk).delete()


@deconstructible
class DatabaseStorage(Storage):
    """Django's file interface over the same table: a file's name is its hash."""

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        return File(BytesIO(content_of(StoredFile.objects.get(sha256=name))), name)

    def _save(self, name: str, content: "File[bytes]") -> str:
        return keep_pieces(content.chunks()).sha256

    def exists(self, name: str) -> bool:
        return StoredFile.objects.filter(sha256=name).exists()

    def size(self, name: str) -> int:
        return StoredFile.objects.values_list("size", flat=True).get(sha256=name)

    def delete(self, name: str) -> None:
        """Do nothing: other rows may point at the same bytes, and results must stay checkable."""
