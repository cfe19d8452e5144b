"""What a look read of a large file, kept for a day, so that adding the file need not read it again.

The process under limits reads the file once; the lines that it answers go into the storage, packed,
with labels for people's ids already. Adding the same bytes under the same plan unpacks these lines.
What is kept can be thrown away at any time: the file is then read again.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any

from judging import storage
from judging.imports.readers import limited, packing
from judging.imports.readers.outline import TellRows
from judging.imports.readers.records import StudyRecords
from judging.models import AddedFile, Job, StoredFile

LARGE = 2_000_000  # bytes; a smaller file is read again in less time than it takes to notice
KEPT = "reading"  # under which name a preview's result, or what was found of a file, tells of it
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
        self.is_to_be_made = make and file.size > LARGE
        self.made: dict[str, str] = {}

    def study(self, request: limited.Request, progress: TellRows) -> StudyRecords:
        """Return the study in the file, as it was read before or as it is read now."""
        key = self._key(request)
        if (before := self._before(key)) is not None:
            with gzip.open(BytesIO(storage.content_of(before)), "rt", encoding="utf-8") as lines:
                next(lines)
                return limited.study_again(lines, request.left_out)
        if not self.is_to_be_made:
            return limited.study_of(request, progress=progress)[0]
        self.forget()
        with closing(SpooledTemporaryFile(packing.SPOOLED)) as packed:
            with gzip.GzipFile("", "wb", FASTEST, packed, mtime=0) as lines:
                lines.write(f"{self.whose}\n".encode())
                keep = replace(request, keep=lambda line: lines.write(line.encode()))
                study, _ = limited.study_of(keep, progress=progress)
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
        hashes = [each["sha256"] for each in self.known if each["key"] == key]
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


def of_upload(pk: int, file: StoredFile, *, make: bool = False) -> KeptReading:
    """Return what the previews of an upload kept."""
    found: list[Mapping[str, str]] = []
    if file.size > LARGE:
        looked = Job.objects.filter(kind=PREVIEW, parameters__upload=pk)
        found += looked.values_list(f"result__found__{KEPT}", flat=True)
    return KeptReading(whose=f"upload {pk}", file=file, known=found, make=make)


def of_added(added: AddedFile, *, make: bool = False) -> KeptReading:
    """Return what the last look at a file that waits kept."""
    known = [added.examined.get(KEPT, {})]
    return KeptReading(whose=f"file {added.pk}", file=added.file, known=known, make=make)


def forget(kept: Mapping[str, str]) -> None:
    """Throw a kept reading away."""
    if kept:
        for file in StoredFile.objects.defer("content").filter(sha256=kept["sha256"]):
            storage.let_go(file)


def forget_old(*, now: datetime) -> int:
    """Throw away what was kept longer than a day ago; return how many readings there were."""
    old = now - KEPT_FOR
    looked = Job.objects.filter(
        kind=PREVIEW, finished_at__lt=old, **{f"result__found__{KEPT}__has_key": "sha256"}
    )
    found = list(_told(looked))
    waiting = AddedFile.objects.waiting().filter(
        uploaded_at__lt=old, **{f"examined__{KEPT}__has_key": "sha256"}
    )
    for added in waiting:
        found.append(added.examined.pop(KEPT))
        AddedFile.objects.filter(pk=added.pk).update(examined=added.examined)
    for each in found:
        forget(each)
    return len(found)


def _told(looked: Iterable[Job]) -> Iterator[Mapping[str, str]]:
    """Take what was kept out of the results of jobs."""
    for job in looked:
        yield job.result["found"].pop(KEPT)
        Job.objects.filter(pk=job.pk).update(result=job.result)
