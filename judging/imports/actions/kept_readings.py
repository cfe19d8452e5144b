"""What a look read of a large file, kept for a day, so that adding the file need not read it again.

The process under limits reads the file once; the lines that it answers go into the storage, packed,
with labels for people's ids already. Adding the same bytes under the same plan unpacks these lines.
What is kept can be thrown away at any time: the file is then read again. Beside the reading a list
of its rows is kept, with what was found about each, to be looked through page by page.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any
from zipfile import BadZipFile, ZipFile

from judging import storage
from judging.imports.formats.workbook import PACKED, unpacked_size
from judging.imports.readers import limited, packing
from judging.imports.readers.limited import Limits
from judging.imports.readers.outline import TellRows
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.row_lists import RowList
from judging.models import AddedFile, Job, StoredFile

LARGE = 2_000_000  # bytes; a smaller file is read again in less time than it takes to notice
KEPT = "reading"  # under which name a preview's result, or what was found of a file, tells of it
LISTED = "listed"  # the same of the list of its rows
KEPT_FOR = timedelta(days=1)
PREVIEW = "judging.preview_import"
FASTEST = 1


class KeptReading:
    """The readings of one file that are kept: `known` are those from before, `made` the one of now,
    where one `is_to_be_made`. `whose` makes each its own, so that nobody throws away another's."""

    def __init__(
        self, *, whose: str, file: StoredFile, known: Iterable[Mapping[str, str]], make: bool
    ) -> None:
        self.whose, self.file, self.known = whose, file, [each for each in known if each]
        self.is_to_be_made = make and size_to_read(file) > LARGE
        self.made: dict[str, str] = {}

    def study(self, request: limited.Request, limits: Limits, progress: TellRows) -> StudyRecords:
        """Return the study in the file, as it was read before or as it is read now."""
        key = self._key(request)
        if (before := self._before(key)) is not None:
            with gzip.open(BytesIO(storage.content_of(before)), "rt", encoding="utf-8") as lines:
                next(lines)
                return limited.study_again(lines, request.left_out)
        if not self.is_to_be_made:
            return limited.study_of(request, limits=limits, progress=progress)[0]
        self.forget()
        with closing(SpooledTemporaryFile(packing.SPOOLED)) as packed:
            with gzip.GzipFile("", "wb", FASTEST, packed, mtime=0) as lines:
                lines.write(f"{self.whose}\n".encode())
                keep = replace(request, keep=lambda line: lines.write(line.encode()))
                study, _ = limited.study_of(keep, limits=limits, progress=progress)
            if study.usable:
                packed.seek(0)
                pieces = iter(lambda: packed.read(storage.PIECE), b"")
                self.made = {"key": key, "sha256": storage.keep_pieces(pieces).sha256}
        return study

    def forget(self) -> None:
        """Throw the kept readings away."""
        for each in self.known:
            forget(each)

    def _before(self, key: str) -> StoredFile | None:
        hashes = [each["sha256"] for each in self.known if each.get("key") == key]
        return StoredFile.objects.defer("content").filter(sha256__in=hashes).first()

    def _key(self, request: limited.Request) -> str:
        """Return a digest of everything that decides what the reading answers."""
        columns = None if request.columns is None else request.columns.as_dict()
        screen = request.screen and [sorted(request.screen.held), request.screen.same.as_dict()]
        said: list[Any] = [
            self.whose,
            self.file.sha256,
            request.name,
            request.format,
            dict(request.options),
        ]
        said += [columns, screen, sha256(request.key).hexdigest(), packing.FORM]
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def size_to_read(file: StoredFile, *, enough: int = LARGE) -> int:
    """Return how many bytes reading a file goes through: of a workbook, those it unpacks to, which
    may be a thousand times as many. Of a file that has more than `enough` no more is looked at: a
    list of parts alone may take a second to read."""
    if file.size > enough or storage.head_of(file, len(PACKED)) != PACKED:
        return file.size
    try:
        with ZipFile(BytesIO(storage.content_of(file))) as archive:
            return max(file.size, unpacked_size(archive))
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        return file.size  # and is refused


def of_upload(pk: int, file: StoredFile, *, make: bool = False) -> KeptReading:
    """Return what the previews of an upload kept."""
    found: list[Mapping[str, str]] = []
    looked = Job.objects.filter(kind=PREVIEW, parameters__upload=pk)
    for name in (KEPT, LISTED):
        found += looked.values_list(f"result__found__{name}", flat=True)
    return KeptReading(whose=f"upload {pk}", file=file, known=found, make=make)


def of_added(added: AddedFile, *, make: bool = False) -> KeptReading:
    """Return what the last look at a file that waits kept."""
    known = [added.examined.get(name, {}) for name in (KEPT, LISTED)]
    return KeptReading(whose=f"file {added.pk}", file=added.file, known=known, make=make)


def forget(kept: Mapping[str, str]) -> None:
    """Throw a kept reading away."""
    if kept:
        for file in StoredFile.objects.defer("content").filter(sha256=kept["sha256"]):
            storage.let_go(file)


def forget_old(*, now: datetime) -> int:
    """Throw away what was kept longer than a day ago, and what looks found, for it holds samples of
    the file; return how many readings there were."""
    old = now - KEPT_FOR
    found: list[Mapping[str, str]] = []
    looked = Job.objects.filter(finished_at__lt=old, result__has_key="found")
    for name in (KEPT, LISTED):
        kept = looked.filter(**{f"result__found__{name}__has_key": "sha256"})
        found += kept.values_list(f"result__found__{name}", flat=True)
        waiting = AddedFile.objects.waiting().filter(
            uploaded_at__lt=old, **{f"examined__{name}__has_key": "sha256"}
        )
        for added in waiting:
            found.append(added.examined.pop(name))
            AddedFile.objects.filter(pk=added.pk).update(examined=added.examined)
    looked.delete()
    for each in found:
        forget(each)
    return len(found)


def keep_list(listed: RowList, *, whose: str) -> dict[str, str]:
    """Keep the list of a file's rows; return what tells of it."""
    return {"sha256": storage.keep_pieces(listed.pieces(whose)).sha256}


def holds(found: Mapping[str, Any], name: str) -> bool:
    """Say whether what a look kept under this name is still there; nothing is asked for by a blank
    name."""
    wanted = found.get(name, {}).get("sha256")
    return not name or StoredFile.objects.filter(sha256=wanted).exists()


def listed_in(found: Mapping[str, Any]) -> bytes | None:
    """Return the packed list that a look kept; None where it is thrown away."""
    wanted = found.get(LISTED, {}).get("sha256")
    kept = StoredFile.objects.defer("content").filter(sha256=wanted).first()
    return storage.content_of(kept) if kept else None
