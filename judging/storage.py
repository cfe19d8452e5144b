"""Files by hash, in the database: web servers keep nothing of their own, and one dump is the
backup."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone
from django.utils.deconstruct import deconstructible

from judging.models import Job, StoredFile

PIECE = 1 << 23


def keep(content: bytes) -> StoredFile:
    """Store the bytes once, however often they come, and return their row."""
    digest = hashlib.sha256(content).hexdigest()
    known = StoredFile.objects.defer("content").filter(sha256=digest)
    return known.first() or keep_pieces(
        content[start : start + PIECE] for start in range(0, len(content), PIECE)
    )


def keep_pieces(pieces: Iterable[bytes]) -> StoredFile:
    """Store bytes as they come, such as the chunks of an upload: no more than one piece is held at
    a time."""
    table = connection.ops.quote_name(StoredFile._meta.db_table)
    statement = f"COPY {table} (content, sha256, size, created_at) FROM STDIN"
    digest = hashlib.sha256()
    with (
        suppress(IntegrityError),
        transaction.atomic(),
        connection.cursor() as cursor,
        connection.wrap_database_errors,
    ):
        cursor.copy_expert(
            statement, _Pieces(_row(pieces, digest))
        )  # known bytes break the uniqueness of the hash
    return StoredFile.objects.defer("content").get(sha256=digest.hexdigest())


def _row(pieces: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    """Yield a row in PostgreSQL's text form; the hash and the size follow the content they are
    counted from."""
    size = 0
    yield b"\\\\x"
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        if piece:  # an empty read would end the row
            yield piece.hex().encode()
    yield f"\t{digest.hexdigest()}\t{size}\t{timezone.now().isoformat()}\n".encode()


class _Pieces:
    """A file of which each read is the next piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces

    def read(self, size: int) -> bytes:
        return next(self.pieces, b"")


def content_of(file: StoredFile) -> bytes:
    """Return a stored file's bytes, fetched piece by piece where the row came without them."""
    if "content" not in file.get_deferred_fields():
        return bytes(file.content)
    content = BytesIO()
    for piece in pieces_of(file):
        content.write(piece)
    return content.getvalue()


def pieces_of(file: StoredFile) -> Iterator[bytes]:
    """Yield a stored file's bytes piece by piece."""
    with connection.cursor() as cursor:
        for start in range(1, file.size + 1, PIECE):
            cursor.execute(
                "SELECT substring(content FROM %s FOR %s) FROM judging_storedfile WHERE id = %s",
                [start, PIECE, file.pk],
            )
            yield bytes(cursor.fetchone()[0])


def head_of(file: StoredFile, size: int) -> bytes:
    """Return the first bytes of a stored file."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT substring(content FROM 1 FOR %s) FROM judging_storedfile WHERE id = %s",
            [size, file.pk],
        )
        return bytes(cursor.fetchone()[0])


NAMED_BY_ITS_HASH = """
SELECT 1 FROM judging_job WHERE id IS DISTINCT FROM %(but)s::uuid AND (
    state IN ('queued', 'running') AND (
        parameters ->> 'file' = %(sha256)s
        OR jsonb_path_exists(parameters, '$.files[*][*] ? (@ == $file)', %(named)s))
    OR jsonb_path_exists(result, '$.figures.* ? (@ == $file)', %(named)s)
)
UNION ALL SELECT 1 FROM judging_addedfile WHERE examined ->> 'rows_file' = %(sha256)s LIMIT 1
"""


def let_go(file: StoredFile, *, of_job: Job | None = None) -> None:
    """Remove a file's bytes, unless anything points at them or names them by their hash: a job what
    it waits to read, or has drawn, and a collection's file the list of its rows that needed a
    decision. `of_job` has no more need of them."""
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
