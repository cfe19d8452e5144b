"""New datasets: each begins with a file, which is added like any later one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import adding, preview
from judging.imports.actions.joining import JoiningChoices, join
from judging.imports.actions.refusals import CannotImport
from judging.imports.readers.columns import columns_from
from judging.imports.readers.records import StudyRecords
from judging.models import AddedFile, Campaign, Collection, Rubric, StoredFile, User


class AlreadyImported(CannotImport):
    """The same owner imported the same bytes before."""

    def __init__(self, collection: Collection) -> None:
        super().__init__([f"This file was imported before, as “{collection.name}”."])
        self.collection = collection


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A dataset that was made from one file, and the campaign of its ratings."""

    collection: Collection
    campaign: Campaign | None
    quarantined: int


def earlier(*, owner: User, sha256: str) -> Collection | None:
    """Return the owner's latest dataset that was imported from the same bytes."""
    return owner.collections.filter(file_sha256=sha256).order_by("-id").first() if sha256 else None


def import_study(
    *,
    study: StudyRecords,
    name: str,
    by: User,
    now: datetime,
    licence: str = "",
    language: str = "en",
    file: StoredFile | None = None,
    file_name: str = "",
    mapping: Mapping[str, Any] | None = None,
    rubric: Rubric | None = None,
    ratings_title: str = "",
    again: bool = False,
    accept_surprises: bool = False,
    progress: TellProgress = silent,
) -> Imported:
    """Create a dataset and store a study in it, in one transaction.

    Raises
    ------
    AlreadyImported
        If the same owner imported the same bytes before, unless `again`.
    CannotImport
        With every reason why the file cannot be added; nothing is stored.
    Surprising
        If a column that looks like ratings becomes something else, sheets become annotators, or
        more than 1% of the ratings go to quarantine, unless `accept_surprises`.
    """
    roles = (mapping or {}).get("columns")
    columns = columns_from(roles) if roles else None
    with transaction.atomic():
        _refuse_again(by, file, again)
        collection = adding.start(name=name, by=by, licence=licence, language=language)
        joined = join(
            study=study,
            columns=columns,
            collection=collection,
            choices=JoiningChoices(unmatched="add"),
            rubric=rubric,
        )
        if joined.obstacles:
            raise CannotImport(joined.obstacles)
        surprises = preview.surprises_of(joined, columns)
        if surprises and not accept_surprises:
            raise adding.Surprising(surprises)
        if file is None:
            stored = adding.store(
                joined=joined,
                collection=collection,
                added=None,
                rubric=rubric,
                by=by,
                now=now,
                ratings_title=ratings_title,
                progress=progress,
            )
            return Imported(
                collection=collection, campaign=stored.campaign, quarantined=stored.quarantined
            )
        added = AddedFile.objects.create(
            collection=collection,
            number=1,
            file=file,
            name=file_name,
            plan=dict(mapping or {}),
            rubric=rubric,
            added_by=by,
        )
        adding.store_file(
            added=added,
            joined=joined,
            by=by,
            now=now,
            ratings_title=ratings_title,
            progress=progress,
        )
    collection.refresh_from_db()
    return Imported(
        collection=collection, campaign=added.campaign, quarantined=added.brought["quarantined"]
    )


def _refuse_again(by: User, file: StoredFile | None, again: bool) -> None:
    """Refuse a file that the same user imported before. Two imports of one file by one user wait for
    each other, so that a double click imports once."""
    if file is None or again:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [file.sha256, by.pk]
        )
    if before := earlier(owner=by, sha256=file.sha256):
        raise AlreadyImported(before)
