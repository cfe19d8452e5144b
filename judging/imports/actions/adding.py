"""The work of jobs on the files of a dataset: previewing what they would add, and storing each
completely or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.base.actions.bulk import copy_rows
from judging.base.limits import MAX_NAME_CHARACTERS, MAX_SYSTEMS
from judging.base.progress import TellProgress, ignore_progress
from judging.campaigns.actions import live_agreements
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.added_file import AddedFile, FileRow
from judging.datasets.models.dataset import Dataset
from judging.formats import child
from judging.formats.choices import JoiningChoices
from judging.formats.frames import Problem, Study, Unreadable, iterate_rows, shorten_line
from judging.formats.mapping import Column
from judging.formats.mapping import Mapping as FileMapping
from judging.formats.records import StudyRecords
from judging.formats.study import study_of_records
from judging.imports.actions import files, holdings, preview, rated_campaigns
from judging.imports.actions.decide import Joined, RowFinding, decide_rows
from judging.imports.actions.files import CannotImport, Changed, MostlyNew, Surprising
from judging.imports.actions.store import Stored, store_joined
from judging.jobs import storage
from judging.jobs.models.file import StoredFile
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol

SHOWN = 100  # problems that a preview holds


class AlreadyImported(CannotImport):
    """The same owner imported the same bytes before."""

    code = "already_imported"

    def __init__(self, dataset: Dataset) -> None:
        super().__init__([f"This file was imported before, as “{dataset.name}”."])
        self.dataset = dataset


def study_in(
    *, name: str, data: bytes, mapping: FileMapping, progress: TellProgress = ignore_progress
) -> Study:
    """Return the study in a file, with labels in place of the ids of external annotators.

    Raises
    ------
    Unreadable
        If the file cannot be read under this mapping, or not within the limits.
    """
    plain = child.read_study_in_child(
        name=name,
        data=data,
        mapping=mapping,
        key=preview.pseudonym_key(),
        progress=lambda rows: progress(0, 0, f"Reading the file: {rows:,} rows"),
    )
    return child.study_from(plain)


# -- previews -------------------------------------------------------------------------------------


def examine_waiting_file(
    *, added: AddedFile, protocols: QuerySet[Protocol], progress: TellProgress = ignore_progress
) -> None:
    """Read a waiting file, if that was not done, and preview what it would add now: adding it must
    give the same counts."""
    _read_unread([added], protocols, progress)
    if preview.obstacles_of(added):
        return
    joined = _join(added, progress)
    _keep_preview(added, joined, _preview(joined))


def examine_all(
    *,
    waiting: Sequence[AddedFile],
    protocols: QuerySet[Protocol],
    progress: TellProgress = ignore_progress,
) -> None:
    """Preview what several files would add, each after the files that it depends on.

    The files are stored one after the other and everything is rolled back.
    """
    _read_unread(waiting, protocols, progress)
    readable = [added for added in waiting if not preview.obstacles_of(added)]
    ordered = order_files(readable)
    together = [added.pk for added in ordered]
    previews: list[tuple[AddedFile, Joined, dict[str, Any]]] = []
    with transaction.atomic():
        in_first_batch = bool(ordered) and not holdings.has_questions(ordered[0].dataset)
        for added in ordered:
            joined = _join(added, progress)
            shown = _preview(joined, in_first_batch=in_first_batch)
            previews.append((added, joined, {**shown, files.TOGETHER: together}))
            if not joined.obstacles:
                _store(added, joined, _Act(added.added_by, timezone.now(), progress))
        transaction.set_rollback(True)
    for added, joined, shown in previews:
        added.refresh_from_db(fields=["state", "examined"])  # as before it was stored above
        _keep_preview(added, joined, shown)


def _read_unread(
    waiting: Sequence[AddedFile], protocols: QuerySet[Protocol], progress: TellProgress
) -> None:
    for added in waiting:
        if not files.is_read(added):
            files.read_again(added=added, protocols=protocols, progress=progress)


def order_files(waiting: Sequence[AddedFile]) -> list[AddedFile]:
    """Return files in an order in which each follows those whose systems, sources or questions it
    names: files that name their systems come before those that have letters for them, files with
    passages before those without, files with questions before those that only refer to them."""
    return sorted(waiting, key=_rank)


def _rank(added: AddedFile) -> tuple[bool, bool, bool, int]:
    study = added.examined.get(preview.LOOK, {}).get("study") or {}
    systems = study.get("systems", ())
    return (
        all(len(system) == 1 for system in systems),
        not study.get("has_passages"),
        not study.get("questions"),
        added.number,
    )


def _join(added: AddedFile, progress: TellProgress) -> Joined:
    """Return what a file would add now."""
    campaign = (
        rated_campaigns.find_rated_campaign(added.dataset, added.protocol)
        if added.protocol
        else None
    )
    mapping = preview.mapping_of(added)
    study = study_in(
        name=added.name,
        data=storage.content_of(added.file),
        mapping=mapping,
        progress=progress,
    )
    return decide_rows(
        study,
        mapping,
        added.dataset,
        files.choices_of(added),
        protocol=added.protocol,
        campaign=campaign,
    )


def _preview(joined: Joined, *, in_first_batch: bool = False) -> dict[str, Any]:
    """Return what matching found, as plain data."""
    surprises = [
        joined.tally.surprise(),
        joined.judge_tally.surprise("ratings by LLM judges"),
    ]
    matched = {
        **joined.as_dict(),
        **how_matched(joined),
        "expected": joined.counts(),
        "obstacles": joined.obstacles,
        "alone": joined.held.sources.empty,
        "adds": joined.adds,
        "named": [name for name in joined.named if len(name) <= MAX_NAME_CHARACTERS][:MAX_SYSTEMS],
        "refused": [_refused(each) for each in joined.not_kept[:SHOWN]],
        "refused_count": len(joined.not_kept),
    }
    return {
        files.MATCHED: matched,
        files.MOSTLY_NEW: joined.mostly_new(in_first_batch=in_first_batch),
        files.QUARANTINED: [sentence for sentence in surprises if sentence],
    }


def _refused(problem: Problem) -> dict[str, Any]:
    return {
        "row": problem.row,
        "column": problem.column,
        "value": shorten_line(problem.value),
        "reason": problem.reason,
    }


def how_matched(joined: Joined) -> dict[str, Any]:
    """Return whether ids were used, and the votes for the systems behind letters, as plain data."""
    found: dict[str, Any] = {"doubtful_ids": joined.matched.doubtful_ids, "letters": None}
    letters = joined.letters
    if letters is None:
        return found
    votes = [
        {
            "letter": letter,
            "system": letters.decided[letter],
            "systems": list(systems.items())[:MAX_SYSTEMS],
        }
        for letter, systems in list(letters.votes.items())[:MAX_SYSTEMS]
    ]
    by_row = letters.by_row
    names = {} if by_row else letters.names
    return {**found, "letters": names, "by_row": by_row, "votes": votes}


def _keep_preview(added: AddedFile, joined: Joined, shown: Mapping[str, Any]) -> None:
    """Store what matching found beside the look of a file, and its rows."""
    with transaction.atomic():
        FileRow.objects.filter(added_file=added).delete()
        copy_rows(FileRow, FILE_ROW, _rows(added, joined))
    files.store_preview_values(added, shown)


FILE_ROW = ("added_file_id", "number", "kind", "source", "system", "position", "text", "reason")


def _rows(added: AddedFile, joined: Joined) -> Any:
    """Yield the rows of the list of a file's questions with what was found about each."""
    noted: dict[Any, RowFinding] = {}
    for each in joined.findings:
        noted.setdefault(each.question, each)
    keys = joined.sources["key"]
    questions = joined.questions
    for each in iterate_rows(questions):
        finding = noted.pop(each.Index, None)
        kind = finding.kind if finding else {"matched": "matched", "": "kept"}.get(each.fate, "new")
        yield (
            added.pk,
            int(each.row),
            kind,
            shorten_line(str(keys[each.source]), MAX_NAME_CHARACTERS),
            each.system,
            int(each.position),
            each.text or "",
            finding.reason if finding else "",
        )
    for finding in noted.values():
        what = shorten_line(finding.what)
        yield (added.pk, finding.row, finding.kind, "", "", 0, what, finding.reason)
    for problem in joined.not_kept:
        yield (
            added.pk,
            problem.row,
            "refused",
            "",
            "",
            0,
            shorten_line(problem.value),
            problem.reason,
        )


# -- adding ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Act:
    """Who adds files and when, and what that user agreed to."""

    by: User
    now: datetime
    progress: TellProgress
    accept_surprises: bool = False
    in_first_batch: bool = False
    ratings_title: str = ""


def add_waiting_files(
    *,
    waiting: Sequence[AddedFile],
    by: User,
    now: datetime,
    protocols: QuerySet[Protocol],
    progress: TellProgress = ignore_progress,
    accept_surprises: bool = False,
) -> list[AddedFile]:
    """Add several waiting files, each after the files that it depends on; if one cannot be added,
    add none.

    Raises
    ------
    CannotImport
        If a file cannot be added; the reasons name it. Also raised if it has surprises that are
        accepted neither here nor on its page; each file keeps what is to be accepted, for the page.
    MostlyNew
        If most of some files is new to a dataset that holds something already; each of them keeps
        the sentence about this, for the page.
    """
    _read_unread(waiting, protocols, progress)
    in_first_batch = not any(holdings.has_questions(added.dataset) for added in waiting)
    act = _Act(by, now, progress, accept_surprises, in_first_batch)
    notes: dict[AddedFile, dict[str, Any]] = {}
    try:
        with transaction.atomic():
            done = [_add_noting(added, act, notes) for added in order_files(waiting)]
            if notes:
                reasons = [f"{file.name}: {note[files.MOSTLY_NEW]}" for file, note in notes.items()]
                remedy = "Confirm on the page of the dataset’s files that you want to add them."
                raise MostlyNew([*reasons, remedy])
    except CannotImport:
        for added, note in notes.items():
            files.store_preview_values(added, note)
        raise
    return done


def _add_noting(added: AddedFile, act: _Act, notes: dict[AddedFile, dict[str, Any]]) -> AddedFile:
    """Add one of several files, and note what a user must accept or confirm first."""
    try:
        done, mostly_new = _add(added, act)
    except Surprising as refused:
        notes[added] = {files.QUARANTINED: list(refused.surprises)}
        raise _naming(added, refused) from None
    except CannotImport as refused:
        raise _naming(added, refused) from None
    if mostly_new:
        notes[added] = {files.MOSTLY_NEW: mostly_new}
    return done


def _naming(added: AddedFile, refused: CannotImport) -> CannotImport:
    return CannotImport([f"{added.name}: {reason}" for reason in refused.reasons])


def add_file(
    *,
    added: AddedFile,
    by: User,
    now: datetime,
    ratings_title: str = "",
    progress: TellProgress = ignore_progress,
    confirmed: bool = False,
    accept_surprises: bool = False,
) -> AddedFile:
    """Store the contents of a waiting file in one transaction; its ratings go into the campaign of
    their protocol.

    Raises
    ------
    CannotImport
        With every obstacle; nothing is stored.
    Changed
        If a preview was made and the file would now add something else.
    MostlyNew
        If most of the file is new to a dataset that holds something already, unless that is
        `confirmed`, here or on the page.
    Surprising
        If anything of the check needs a yes, unless that is accepted, here or on the page.
    """
    act = _Act(by, now, progress, accept_surprises, ratings_title=ratings_title)
    with transaction.atomic():
        done, mostly_new = _add(added, act)
        if mostly_new and not confirmed:
            raise MostlyNew([mostly_new])
    return done


def _add(added: AddedFile, act: _Act) -> tuple[AddedFile, str]:
    """Store the contents of a waiting file; return it, and the sentence that most of it is new if
    no user confirmed that."""
    act.progress(0, 0, "Reading the file")
    with transaction.atomic():
        files.lock_dataset_files(added.dataset)
        added = (
            AddedFile.objects.select_related("dataset", "file", "protocol")
            .defer("file__content")
            .get(pk=added.pk)
        )
        joined = _join_waiting(added, act.progress)
        shown = _preview(joined, in_first_batch=act.in_first_batch)
        if not act.accept_surprises:
            _refuse_surprises(added, shown[files.QUARANTINED])
        mostly_new = "" if added.examined.get(files.CONFIRMED) else shown[files.MOSTLY_NEW]
        _store(added, joined, act)
        FileRow.objects.filter(added_file=added).delete()
        about = files.event_file_name(added)
        history.record_event(Event.Act.FILE_ADDED, by=act.by, campaign=added.campaign, about=about)
    return added, mostly_new


def _refuse_surprises(added: AddedFile, quarantined: Sequence[str]) -> None:
    """Refuse a file if the user has not accepted all of its surprises."""
    wanted = [*files.surprises(added), *quarantined]
    if not set(wanted) <= set(added.examined.get(files.ACCEPTED, ())):
        raise Surprising(list(dict.fromkeys(wanted)))


def _join_waiting(added: AddedFile, progress: TellProgress) -> Joined:
    """Return what a waiting file adds; refuse one with obstacles, or that changed its preview."""
    if added.state != AddedFile.State.WAITING:
        raise CannotImport(["The file was added already, or taken back."])
    if obstacles := preview.obstacles_of(added):
        raise CannotImport(obstacles)
    try:
        joined = _join(added, progress)
    except Unreadable as refusal:
        raise CannotImport([refusal.reason]) from None
    if joined.obstacles:
        raise CannotImport(joined.obstacles)
    matched = added.examined.get(files.MATCHED)
    if matched and matched["expected"] != joined.counts():
        raise Changed(["The dataset changed after the preview of this file. Preview it again."])
    return joined


def _store(added: AddedFile, joined: Joined, act: _Act) -> None:
    """Store the decisions about a file, and mark it as added; the caller holds the transaction."""
    stored = store_joined(
        joined,
        added.dataset,
        added=added,
        protocol=added.protocol,
        by=act.by,
        now=act.now,
        ratings_title=act.ratings_title,
        progress=act.progress,
    )
    if stored.campaign:
        live_agreements.request_agreement(stored.campaign)
    added.state, added.added_at, added.added_by = AddedFile.State.ADDED, act.now, act.by
    added.campaign = stored.campaign
    added.examined = {files.MATCHED: {**joined.as_dict(), **how_matched(joined)}}
    rows = {"rows_read": joined.study.rows_read, "rows_kept": joined.study.rows_kept}
    added.brought = {
        **stored.counts,
        **rows,
        "filled": len(joined.fills),
        "quarantined": stored.quarantined,
        "ratings_read": sum(joined.tally.read.values()),
        "ratings_excluded": joined.tally.by_reason(),
    }
    added.save(update_fields=["state", "added_at", "added_by", "examined", "brought", "campaign"])
    first = {
        "file": added.file,
        "file_name": added.name,
        "file_sha256": added.file.sha256,
        "mapping": {**added.plan, **rows},
    }
    Dataset.objects.filter(pk=added.dataset_id, file__isnull=True).update(**first)


# -- datasets of one file, and of no file ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A dataset that was made from one file, and the campaign of its ratings."""

    dataset: Dataset
    campaign: Campaign | None
    quarantined: int


def import_file(
    *,
    file: StoredFile,
    file_name: str,
    name: str,
    by: User,
    now: datetime,
    mapping: FileMapping,
    protocols: QuerySet[Protocol],
    protocol: Protocol | None = None,
    licence: str = "",
    language: str = "en",
    ratings_title: str = "",
    again: bool = False,
    accept_surprises: bool = False,
    progress: TellProgress = ignore_progress,
) -> Imported:
    """Create a dataset and add a file to it, in one transaction.

    Raises
    ------
    AlreadyImported
        If the same owner imported the same bytes before, unless `again`.
    CannotImport
        With every reason why the file cannot be added; nothing is stored.
    Surprising
        If anything of the check needs a yes, unless `accept_surprises`.
    """
    with transaction.atomic():
        if not again:
            _refuse_again(by, file)
        dataset = files.create_dataset(name=name, by=by, licence=licence, language=language)
        added = files.upload_file(dataset=dataset, name=file_name, file=file, by=by)
        files.read_file(
            added=added, mapping=mapping, protocols=protocols, protocol=protocol, progress=progress
        )
        done = add_file(
            added=added,
            by=by,
            now=now,
            ratings_title=ratings_title,
            progress=progress,
            accept_surprises=accept_surprises,
        )
    dataset.refresh_from_db()
    return Imported(
        dataset=dataset, campaign=done.campaign, quarantined=done.brought["quarantined"]
    )


def _refuse_again(by: User, file: StoredFile) -> None:
    """Refuse a file that the same user imported before. Two imports of one file by one user wait for
    each other, so that a double click imports once."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [file.sha256, by.pk]
        )
    if before := files.earlier_dataset(owner=by, sha256=file.sha256):
        raise AlreadyImported(before)


def store_records(
    *,
    records: StudyRecords,
    dataset: Dataset,
    by: User,
    now: datetime,
    progress: TellProgress = ignore_progress,
) -> Stored:
    """Store sources and questions that come from no file in an empty dataset; the caller holds the
    transaction.

    Raises
    ------
    CannotImport
        With every obstacle.
    """
    study = study_of_records(records)
    mapping = FileMapping(
        columns={"source": Column(role="source_id"), "system": Column(role="system")}
    )
    joined = decide_rows(study, mapping, dataset, JoiningChoices(unmatched="add"))
    if joined.obstacles:
        raise CannotImport(joined.obstacles)
    return store_joined(
        joined, dataset, added=None, protocol=None, by=by, now=now, progress=progress
    )
