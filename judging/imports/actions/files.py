"""The files of a dataset that wait: uploaded, read under a mapping, decided about, discarded.

Adding them is the work of jobs (`adding`).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, QuerySet

from judging.base.limits import MAX_FILE_NAME_CHARACTERS
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.added_file import AddedFile, FileRow
from judging.datasets.models.dataset import Dataset
from judging.formats import child
from judging.formats.choices import JoiningChoices, choices_from
from judging.formats.mapping import Mapping as FileMapping
from judging.imports.actions import preview
from judging.jobs import storage
from judging.jobs.models.file import StoredFile
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol

# The kinds of jobs about the files of a dataset
ADD = "judging.add_files"
ADD_ROWS = "judging.add_rows"
EXAMINE = "judging.examine_file"
PREVIEW_ALL = "judging.preview_files"
TAKE_BACK = "judging.take_back_file"

READING_IDS = 1_903_783  # the advisory lock held while the ids behind a file's labels are read
KEPT_FOR = timedelta(days=1)  # of the rows of a preview, which are samples of the file
# Keys in `examined`
MATCHED = "matched"  # what matching with the dataset found
MOSTLY_NEW = "mostly_new"  # the sentence that most of a file is new to its dataset
TOGETHER = "together"  # the files that were previewed with this one, in the order of adding
CONFIRMED = "confirmed"  # whether a user confirmed that the file is mostly new
ACCEPTED = "accepted"  # the surprises that a user accepted
QUARANTINED = "quarantined"  # sentences about ratings that matching would put in quarantine


class CannotImport(Refused):
    """A file cannot be added; `reasons` are sentences."""

    code = "cannot_import"

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


class AlreadyThere(CannotImport):
    """The dataset has the same bytes already."""

    code = "already_there"

    def __init__(self, added: AddedFile) -> None:
        super().__init__(
            [f"The dataset has this very file already, as “{added.name}” (file {added.number})."]
        )
        self.added = added


class MostlyNew(CannotImport):
    """Most of what the file holds is new to a dataset that is not empty, and no user confirmed it."""

    code = "mostly_new"


class Surprising(CannotImport):
    """A file has surprises that no user accepted; `surprises` are their sentences."""

    code = "surprises"

    def __init__(self, surprises: Sequence[str]) -> None:
        """Keep the surprises, and add the sentence that says where they are accepted."""
        remedy = "Check this on the page of the file, and accept it there."
        super().__init__([*surprises, remedy])
        self.surprises = tuple(surprises)


class Changed(CannotImport):
    """The dataset changed after the preview, so the file would now add something else."""

    code = "dataset_changed"


class KeysAreGone(Refused):
    """The ids behind a file's labels were already downloaded, or the ids of another file are being
    read; the message says which."""

    code = "ids_handed_out"


def create_dataset(*, name: str, by: User, licence: str = "", language: str = "en") -> Dataset:
    """Create an empty dataset, to which files are added."""
    return Dataset.objects.create(name=name, owner=by, licence=licence, language=language)


def upload_file(*, dataset: Dataset, name: str, file: StoredFile, by: User) -> AddedFile:
    """Upload a file for a dataset; nothing of it is in the dataset until the file is added.

    Raises
    ------
    AlreadyThere
        If a file with the same bytes is already waiting or added.
    """
    with transaction.atomic():
        lock_dataset_files(dataset)
        there = dataset.added_files.exclude(state=AddedFile.State.TAKEN_BACK)
        if known := there.filter(file=file).first():
            raise AlreadyThere(known)
        return AddedFile.objects.create(
            dataset=dataset,
            number=next_number(dataset),
            file=file,
            name=name[-MAX_FILE_NAME_CHARACTERS:],
            added_by=by,
        )


def lock_dataset_files(dataset: Dataset) -> Dataset:
    """Make other changes of the dataset's files, and locks of campaigns about it, wait for this
    transaction."""
    return Dataset.objects.select_for_update().get(pk=dataset.pk)


def next_number(dataset: Dataset) -> int:
    """Return the number of the next file of a dataset."""
    return (dataset.added_files.aggregate(last=Max("number"))["last"] or 0) + 1


def discard_file(*, added: AddedFile) -> None:
    """Delete a file that was not added, and its bytes if nothing else uses them."""
    waiting = AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING)
    if waiting.delete()[0]:
        storage.release_file(added.file)


def choices_of(added: AddedFile) -> JoiningChoices:
    """Return the user's decisions about matching."""
    return choices_from(added.choices)


def read_file(
    *,
    added: AddedFile,
    mapping: FileMapping,
    protocols: QuerySet[Protocol],
    protocol: Protocol | None = None,
    progress: TellProgress = ignore_progress,
) -> dict[str, Any]:
    """Read a waiting file under a mapping and keep what it holds; earlier previews and what was
    accepted are deleted. Columns that the mapping leaves open are proposed, and so is the protocol
    if none is given and the columns are open."""
    together = added.examined.get(TOGETHER, ())
    found = preview.preview_file(
        added, mapping=mapping, protocol=protocol, protocols=protocols, progress=progress
    )
    _keep(added)
    _forget_matches(together, but=added)
    return found


def read_again(
    *, added: AddedFile, protocols: QuerySet[Protocol], progress: TellProgress = ignore_progress
) -> None:
    """Read a waiting file under the mapping that it has."""
    mapping = preview.mapping_of(added)
    read_file(
        added=added,
        mapping=mapping,
        protocol=added.protocol,
        protocols=protocols,
        progress=progress,
    )


def choose_mapping(*, added: AddedFile, mapping: FileMapping, protocol: Protocol | None) -> None:
    """Store how a waiting file is to be read, before a job reads it."""
    together = added.examined.get(TOGETHER, ())
    added.plan, added.protocol, added.examined = mapping.as_data(), protocol, {}
    _keep(added)
    _forget_matches(together, but=added)


def choose_matching(*, added: AddedFile, choices: JoiningChoices) -> None:
    """Store how a waiting file is matched; what matching found before is deleted."""
    added.choices = choices.as_dict()
    together = added.examined.get(TOGETHER, ())
    added.examined = _without_matches(added.examined)
    _keep(added)
    _forget_matches(together, but=added)


def _keep(added: AddedFile) -> None:
    FileRow.objects.filter(added_file=added).delete()
    AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING).update(
        plan=added.plan, choices=added.choices, protocol=added.protocol, examined=added.examined
    )


def _without_matches(examined: Mapping[str, Any]) -> dict[str, Any]:
    return {preview.LOOK: examined[preview.LOOK]} if preview.LOOK in examined else {}


def _forget_matches(keys: Iterable[int], *, but: AddedFile) -> None:
    """Delete what matching found for the waiting files that were previewed together with one."""
    for other in AddedFile.objects.waiting().filter(pk__in=keys).exclude(pk=but.pk):
        match_again(other)


def match_again(added: AddedFile) -> None:
    """Delete what matching found for a waiting file, so that it is matched again before it is
    added."""
    added.examined = _without_matches(added.examined)
    _keep(added)


def match_again_all(files: Iterable[AddedFile]) -> None:
    """Have files that could not be added matched again; keep what the user has to confirm about
    them."""
    for added in files:
        kept = {
            key: added.examined[key] for key in (MOSTLY_NEW, QUARANTINED) if added.examined.get(key)
        }
        match_again(added)
        if kept:
            store_preview_values(added, kept)


def store_preview_values(added: AddedFile, said: Mapping[str, Any]) -> None:
    """Store values beside the preview of a waiting file."""
    added.examined = {**added.examined, **said}
    waiting = AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING)
    waiting.update(examined=added.examined)


def is_read(added: AddedFile) -> bool:
    """Return whether the file was read under its present mapping."""
    return preview.LOOK in added.examined


def is_matched(added: AddedFile) -> bool:
    """Return whether the file was matched with its dataset under its present mapping."""
    return MATCHED in added.examined


def surprises(added: AddedFile) -> list[str]:
    """Return all sentences about a file that a user must accept before it is added."""
    has_sources = added.dataset.sources.exists()
    return [
        *preview.surprises_of(added, has_sources=has_sources),
        *added.examined.get(QUARANTINED, ()),
    ]


def unaccepted_surprises(added: AddedFile) -> list[str]:
    """Return the surprises of a file that no user accepted."""
    accepted = added.examined.get(ACCEPTED, ())
    return [surprise for surprise in dict.fromkeys(surprises(added)) if surprise not in accepted]


def accept(*, added: AddedFile) -> None:
    """Store that a user accepts the surprises of a waiting file. It holds until another decision
    about the file."""
    store_preview_values(added, {ACCEPTED: surprises(added)})


def confirm_new(*, files: Sequence[AddedFile]) -> None:
    """Store a user's confirmation that these waiting files are added although most of each is new.
    It holds until another decision about a file."""
    for added in files:
        store_preview_values(added, {CONFIRMED: True})


def are_previewed(waiting: Sequence[AddedFile]) -> bool:
    """Return whether exactly these files were previewed together without a change since then."""
    wanted = {added.pk for added in waiting}
    return bool(waiting) and all(
        set(added.examined.get(TOGETHER, ())) == wanted for added in waiting
    )


def earlier_dataset(*, owner: User, sha256: str) -> Dataset | None:
    """Return the owner's latest dataset that was imported from the same bytes."""
    return owner.datasets.filter(file_sha256=sha256).order_by("-id").first() if sha256 else None


def siblings(added: AddedFile) -> list[AddedFile]:
    """Return the other waiting files of the dataset that read alike: the same columns, apart from
    those that are blank throughout in one of them."""
    own = _filled_columns(added)
    others = added.dataset.added_files.waiting().listed().exclude(pk=added.pk)
    return [
        other for other in others if own and is_read(other) and _alike(own, _filled_columns(other))
    ]


def _filled_columns(added: AddedFile) -> dict[str, bool]:
    """Return whether each column of a file holds anything."""
    columns = added.examined.get(preview.LOOK, {}).get("columns", ())
    return {column["name"]: column["distinct"] > 0 for column in columns}


def _alike(one: Mapping[str, bool], other: Mapping[str, bool]) -> bool:
    different = set(one) ^ set(other)
    return bool(other) and not any(one.get(name) or other.get(name) for name in different)


def read_alike(
    *, added: AddedFile, others: Sequence[AddedFile], protocols: QuerySet[Protocol]
) -> None:
    """Read other waiting files under this one's mapping; if this file is named after an annotator,
    the ratings in each of the others are by the annotator in its own name."""
    mapping = preview.mapping_of(added)
    before = preview.stem(added.name)
    for other in others:
        now = preview.stem(other.name)
        header = _filled_columns(other)
        columns = {
            name: column.model_copy(update={"rater": now}) if column.rater == before else column
            for name, column in mapping.columns.items()
            if name in header
        }
        alike = mapping.model_copy(update={"columns": columns})
        read_file(added=other, mapping=alike, protocol=added.protocol, protocols=protocols)


def hand_out_keys(*, added: AddedFile, by: User, now: datetime) -> Mapping[str, str]:
    """Return the ids of external annotators by their labels; this is possible only once per file.

    Raises
    ------
    KeysAreGone
        If they were downloaded before, or while the ids of another file are being read: the ids are
        not stored, so a page waits until the whole file is read, and only one file may be read at
        a time.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [READING_IDS])
            if not cursor.fetchone()[0]:
                raise KeysAreGone("The ids of another file are being read. Try again in a minute.")
        left = AddedFile.objects.filter(pk=added.pk, keys_taken_at__isnull=True)
        if not left.update(keys_taken_at=now):
            raise KeysAreGone("The ids behind this file’s labels were already downloaded.")
        history.record_event(
            Event.Act.FILE_IDS, by=by, campaign=added.campaign, about=event_file_name(added)
        )
        return child.keys(
            name=added.name,
            data=storage.content_of(added.file),
            mapping=preview.mapping_of(added),
            key=preview.pseudonym_key(),
        )


def locked_campaigns(dataset: Dataset) -> list[Campaign]:
    """Return the campaigns whose items are fixed, without their long texts: all past their draft
    that annotators judge in."""
    fixed = dataset.campaigns.exclude(state=Campaign.State.DRAFT)
    return list(fixed.filter(origin=Campaign.Origin.JUDGED).listed().order_by("title"))


def event_file_name(added: AddedFile) -> str:
    """Return the name of a file in events."""
    return f"dataset {added.dataset_id}, file {added.number}"


def delete_old_rows(*, now: datetime) -> int:
    """Delete the rows of previews older than a day; return their number."""
    old = AddedFile.objects.waiting().filter(uploaded_at__lt=now - KEPT_FOR)
    return FileRow.objects.filter(added_file__in=old).delete()[0]
