"""Stored lists of a file's rows (`judging.imports.readers.row_lists`): a preview stores one, and
pages of the list read it for up to a day.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from judging import storage
from judging.imports.readers.row_lists import RowList
from judging.models import AddedFile, Job, StoredFile

LISTED = "listed"  # the key of a list in the results of a preview
KEPT_FOR = timedelta(days=1)


def store(listed: RowList, *, whose: str) -> dict[str, str]:
    """Store the list of a file's rows; return its reference."""
    return {"sha256": storage.keep_pieces(listed.pieces(whose)).sha256}


def content_in(found: Mapping[str, Any]) -> bytes | None:
    """Return the packed list that a preview stored; None if it was deleted."""
    wanted = found.get(LISTED, {}).get("sha256")
    kept = StoredFile.objects.defer("content").filter(sha256=wanted).first()
    return storage.content_of(kept) if kept else None


def delete_in(found: Mapping[str, Any]) -> None:
    """Delete the list that a preview stored, if any."""
    _delete(found.get(LISTED, {}))


def delete_old(*, now: datetime) -> int:
    """Delete the results of previews older than a day, because they hold samples of the file, and
    the lists of rows as old; return the number of lists."""
    old = now - KEPT_FOR
    looked = Job.objects.filter(finished_at__lt=old, result__has_key="found")
    found = []
    waiting = AddedFile.objects.waiting().filter(
        uploaded_at__lt=old, examined__listed__has_key="sha256"
    )
    for added in waiting:
        found.append(added.examined.pop(LISTED))
        AddedFile.objects.filter(pk=added.pk).update(examined=added.examined)
    looked.delete()
    for each in found:
        _delete(each)
    return len(found)


def _delete(reference: Mapping[str, str]) -> None:
    for file in StoredFile.objects.defer("content").filter(sha256=reference.get("sha256")):
        storage.let_go(file)
