"""Adding files to a dataset: upload and preview them, then store each completely or not at all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from judging import storage
from judging.actions import collections, history
from judging.actions.bulk import check_at_once, let_planner_know
from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import (
    added_ratings,
    holdings,
    preview,
    reading_plans,
    row_list_files,
    samples,
    storing,
)
from judging.imports.actions.brought_rows import Brought
from judging.imports.actions.held import Held
from judging.imports.actions.joining import (
    Joined,
    JoiningChoices,
    choices_from,
    join,
    list_questions,
)
from judging.imports.actions.match_counts import SHOWN, MatchCounts
from judging.imports.actions.reading_plans import Plan
from judging.imports.actions.refusals import CannotImport
from judging.imports.readers import screening
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import Problem, StudyRecords
from judging.imports.readers.row_lists import RowList
from judging.imports.readers.screening import Screen
from judging.imports.readers.tables import shorten
from judging.limits import MAX_FILE_NAME_CHARACTERS, MAX_NAME_CHARACTERS, MAX_SYSTEMS
from judging.models import (
    AddedFile,
    Assignment,
    Campaign,
    Collection,
    Event,
    Judgment,
    Passage,
    Question,
    QuestionSet,
    Rubric,
    Score,
    Source,
    StoredFile,
    Unit,
    User,
)

READING_IDS = 1_903_783  # the advisory lock held while the ids behind a file's labels are read
MOSTLY_NEW = "mostly_new"  # key of the sentence that most of a file is new to its dataset
TOGETHER = "together"  # the files that were previewed with this one, in the order of adding
CONFIRMED = "confirmed"  # whether a user confirmed that the file is mostly new
PREVIEW = "preview"  # key in `examined` of what each column becomes
ACCEPTED = "accepted"  # the surprises of the preview that a user accepted
ROWS_FILE = "rows_file"  # hash of the file of all rows, if there are more than the preview shows


class AlreadyThere(CannotImport):
    """The dataset has the same bytes already."""

    def __init__(self, added: AddedFile) -> None:
        super().__init__(
            [f"The dataset has this very file already, as “{added.name}” (file {added.number})."]
        )
        self.added = added


class MostlyNew(CannotImport):
    """Most of what the file holds is new to a dataset that is not empty, and no user confirmed it."""


class Surprising(CannotImport):
    """A file has surprises that no user accepted; `surprises` are their sentences."""

    def __init__(self, surprises: Sequence[str]) -> None:
        """Keep the surprises, and add the sentence that says where they are accepted."""
        remedy = "Check this on the page of the file, and accept it there."
        super().__init__([*surprises, remedy])
        self.surprises = tuple(surprises)


class KeysAreGone(Exception):
    """The ids behind a file's labels were already downloaded, or the ids of another file are being
    read; the message says which."""


class Changed(CannotImport):
    """The dataset changed after the preview, so the file would now add something else."""


def start(*, name: str, by: User, licence: str = "", language: str = "en") -> Collection:
    """Create an empty dataset, to which files are added. A blank language is that of the first
    file's texts."""
    return Collection.objects.create(name=name, owner=by, licence=licence, language=language)


def upload(*, collection: Collection, name: str, file: StoredFile, by: User) -> AddedFile:
    """Upload a file for a dataset; nothing of it is in the dataset until the file is added.

    Raises
    ------
    AlreadyThere
        If a file with the same bytes is already waiting or added.
    """
    with transaction.atomic():
        lock(collection)
        if (
            known := collection.added_files.exclude(state=AddedFile.State.TAKEN_BACK)
            .filter(file=file)
            .first()
        ):
            raise AlreadyThere(known)
        return AddedFile.objects.create(
            collection=collection,
            number=next_number(collection),
            file=file,
            name=name[-MAX_FILE_NAME_CHARACTERS:],
            added_by=by,
        )


def discard(*, added: AddedFile) -> None:
    """Delete a file that was not added, and its bytes if nothing else uses them."""
    row_list_files.delete_in(added.examined)
    waiting = AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING)
    if waiting.delete()[0]:
        collections.forget_rows(added.examined.get(ROWS_FILE))
        storage.let_go(added.file)


def lock(collection: Collection) -> Collection:
    """Make other changes of the dataset's files, and locks of campaigns about it, wait for this
    transaction."""
    return Collection.objects.select_for_update().get(pk=collection.pk)


def next_number(collection: Collection) -> int:
    return (collection.added_files.aggregate(last=Max("number"))["last"] or 0) + 1


def add_all(
    *,
    files: Sequence[AddedFile],
    by: User,
    now: datetime,
    progress: TellProgress = silent,
    accept_surprises: bool = False,
) -> list[AddedFile]:
    """Add several waiting files, each after the files that it depends on; if one cannot be added,
    add none.

    Raises
    ------
    CannotImport
        If a file cannot be added; the reasons name it. Also raised if it has surprises that are
        accepted neither here nor on its page.
    MostlyNew
        If most of some files is new to a dataset that holds something already; each of them keeps
        the sentence about this, for the page.
    """
    done, unconfirmed = [], dict[AddedFile, str]()
    in_first_batch = not any(holdings.has_questions(file.collection) for file in files)
    try:
        with transaction.atomic():
            for file in in_batch_order(files) if are_previewed(files) else in_order(files):
                try:
                    done.append(
                        _add(
                            file,
                            by,
                            now,
                            progress=progress,
                            confirmed=False,
                            in_first_batch=in_first_batch,
                            accept_surprises=accept_surprises,
                            tell_new=unconfirmed.__setitem__,
                        )
                    )
                except CannotImport as refused:
                    raise CannotImport(
                        [f"{file.name}: {reason}" for reason in refused.reasons]
                    ) from None
            if unconfirmed:
                reasons = [f"{file.name}: {said}" for file, said in unconfirmed.items()]
                remedy = "Confirm on the page of the dataset’s files that you want to add them."
                raise MostlyNew([*reasons, remedy])
    except MostlyNew:
        for file in filter(unconfirmed.__contains__, files):
            _note(file, {MOSTLY_NEW: unconfirmed[file]})
        raise
    return done


def _note(added: AddedFile, said: Mapping[str, Any]) -> None:
    """Store values beside the preview results of a waiting file."""
    added.examined = {**added.examined, **said}
    waiting = AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING)
    waiting.update(examined=added.examined)


def confirm_new(*, files: Sequence[AddedFile]) -> None:
    """Store a user's confirmation that these waiting files are added although most of each is new.
    It holds until another decision about a file."""
    for added in files:
        _note(added, {CONFIRMED: True})


def unaccepted(added: AddedFile) -> list[str]:
    """Return the surprises in a file's latest preview that no user accepted."""
    found = added.examined.get(PREVIEW, {}).get("surprises", ())
    accepted = added.examined.get(ACCEPTED, ())
    return [surprise for surprise in found if surprise not in accepted]


def accept_preview(*, added: AddedFile) -> None:
    """Store that a user accepts the surprises listed in the preview of a waiting file. It holds
    until another decision about the file."""
    _note(added, {ACCEPTED: added.examined[PREVIEW]["surprises"]})


def decide(
    *,
    added: AddedFile,
    plan: Plan | None = None,
    choices: JoiningChoices | None = None,
    rubric: Rubric | None = None,
) -> None:
    """Store how a waiting file is read and matched; this deletes the results of earlier
    previews."""
    rows_file = added.examined.get(ROWS_FILE)
    if plan is not None:
        added.plan, added.rubric = plan.as_dict(), rubric
    if choices is not None:
        added.choices = choices.as_dict()
    row_list_files.delete_in(added.examined)
    together = added.examined.get(TOGETHER, ())
    added.examined = {}
    waiting = AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING)
    waiting.update(
        plan=added.plan, choices=added.choices, rubric=added.rubric, examined=added.examined
    )
    collections.forget_rows(rows_file)
    others = AddedFile.objects.waiting().filter(pk__in=together).exclude(pk=added.pk)
    for other in others.exclude(examined={}):
        look_again(other)


def look_again(added: AddedFile) -> None:
    """Delete the preview of a waiting file, so that it is previewed again before it is added."""
    rows_file = added.examined.get(ROWS_FILE)
    row_list_files.delete_in(added.examined)
    added.examined = {}
    AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING).update(
        examined=added.examined
    )
    collections.forget_rows(rows_file)


def look_again_at(files: Iterable[AddedFile]) -> None:
    """Have files that could not be added previewed again; keep what the user has to confirm about
    them."""
    for added in files:
        mostly_new = added.examined.get(MOSTLY_NEW)
        look_again(added)
        if mostly_new:
            _note(added, {MOSTLY_NEW: mostly_new})


def plan_of(added: AddedFile) -> Plan:
    """Return the plan by which a file is read."""
    return reading_plans.plan_from(
        {key: added.plan[key] for key in ("format", "options", "columns") if key in added.plan}
    )


def choices_of(added: AddedFile) -> JoiningChoices:
    """Return the user's decisions about matching."""
    return choices_from(added.choices)


def read(
    added: AddedFile,
    progress: TellProgress = silent,
    screen: Screen | None = None,
    found: MatchCounts | None = None,
) -> StudyRecords:
    """Return the study in a file; count in `found` and skip rows that the screen rejects."""
    return reading_plans.read_study(
        name=added.name,
        data=storage.content_of(added.file),
        plan=_plan(added),
        progress=progress,
        screen=screen,
        left_out=found.left_out if found else lambda row, what: None,
    )


def _plan(added: AddedFile) -> Plan:
    """Return the plan by which a file is read; rows of a table may name their questions only by
    ids."""
    plan = plan_of(added)
    if plan.columns is None:
        return plan
    return replace(
        plan,
        columns=replace(
            plan.columns, without_questions=not (plan.columns.question or plan.columns.by_system)
        ),
    )


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
        history.note(Event.Act.FILE_IDS, by=by, campaign=added.campaign, about=name_of(added))
        return reading_plans.ids_behind_labels(
            name=added.name, data=storage.content_of(added.file), plan=_plan(added)
        )


def examine(
    *, added: AddedFile, siblings: Sequence[AddedFile] = (), progress: TellProgress = silent
) -> Joined:
    """Preview what a file would add now, and keep the counts: adding it must give the same counts.
    `siblings` are the waiting files that the page offers to treat alike."""
    listed = RowList()
    joined = _join(added, progress, listed)
    list_questions(joined, listed)
    _keep_preview(added, _preview(added, joined, siblings), listed)
    return joined


def examine_all(
    *,
    files: Sequence[AddedFile],
    siblings: Mapping[int, Sequence[AddedFile]],
    progress: TellProgress = silent,
) -> list[AddedFile]:
    """Preview what several files would add, each after the files that it depends on; return them in
    that order. `siblings` gives, by the key of a file, the waiting files that its page offers to
    treat alike.

    The files are stored one after the other and everything is rolled back.
    """
    ordered = in_order(files, progress)
    together = [file.pk for file in ordered]
    previews: list[tuple[AddedFile, dict[str, Any], RowList]] = []
    now = timezone.now()
    with transaction.atomic():
        in_first_batch = not holdings.has_questions(files[0].collection)
        for file in ordered:
            listed = RowList()
            joined = _join(file, progress, listed)
            list_questions(joined, listed)
            shown = _preview(file, joined, siblings.get(file.pk, ()), in_first_batch=in_first_batch)
            shown[TOGETHER] = together
            previews.append((file, shown, listed))
            if not joined.obstacles:
                store(
                    joined=joined,
                    collection=file.collection,
                    added=file,
                    rubric=file.rubric,
                    by=file.added_by,
                    now=now,
                    progress=progress,
                )
        transaction.set_rollback(True)
    for file, shown, listed in previews:
        _keep_preview(file, shown, listed)
    return ordered


def in_order(files: Sequence[AddedFile], progress: TellProgress = silent) -> list[AddedFile]:
    """Return files in an order in which each follows those whose systems, sources or questions it
    names.

    Files that name their systems come before those that have letters for them; files with passages
    before those without; files with questions before those that only refer to them.
    """
    if len(files) < 2:
        return list(files)
    ranks = {}
    for file in files:
        study = read(file, progress)
        ranks[file.pk] = (
            all(len(system) == 1 for system in study.systems),
            not any(source.passage or source.sentence for source in study.sources),
            not any(question.text for question in study.questions),
            file.number,
        )
    return sorted(files, key=lambda file: ranks[file.pk])


def are_previewed(files: Sequence[AddedFile]) -> bool:
    """Return whether exactly these files were previewed together without a change since then."""
    wanted = {file.pk for file in files}
    return bool(files) and all(set(file.examined.get(TOGETHER, ())) == wanted for file in files)


def in_batch_order(files: Sequence[AddedFile]) -> list[AddedFile]:
    """Return files in the order in which they were previewed together, else as they are."""
    if not are_previewed(files):
        return list(files)
    return sorted(files, key=lambda file: file.examined[TOGETHER].index(file.pk))


def _preview(
    added: AddedFile,
    joined: Joined,
    siblings: Sequence[AddedFile],
    *,
    in_first_batch: bool = False,
) -> dict[str, Any]:
    """Return what the page of a waiting file shows, as plain data."""
    study = joined.study
    new_sources = {source.key for source in joined.new_sources}
    samples_shown = samples.shown_of(study, new_sources) if new_sources else {}
    return {
        **joined.found.as_dict(),
        **samples_shown,
        "expected": joined.counts(),
        "siblings": [each.pk for each in siblings],
        "rows": study.rows_read,
        "kept": study.rows_kept,
        "obstacles": joined.obstacles,
        "alone": not joined.held.sources,
        "adds": joined.adds,
        MOSTLY_NEW: joined.mostly_new(in_first_batch=in_first_batch),
        "systems": [each for each in joined.named if len(each) <= MAX_NAME_CHARACTERS][
            :MAX_SYSTEMS
        ],
        **_how_matched(joined),
        "raters": study.raters[:SHOWN],
        "annotator_count": len(study.raters),
        "llm_judges": list(study.llm_judges),
        "criteria": study.criteria,
        "columns": [column.name for column in study.score_columns],
        PREVIEW: preview.preview_of(
            joined=joined, columns=plan_of(added).columns, rubric=added.rubric
        ),
        "refused": [_refused(problem) for problem in joined.not_kept[:SHOWN]],
        "refused_count": len(joined.not_kept),
        "warnings": [
            _refused(problem) for problem in study.problems_of("warning", "offer")[:SHOWN]
        ],
        **_rows_file(joined),
    }


def _keep_preview(added: AddedFile, shown: Mapping[str, Any], listed: RowList) -> None:
    row_list_files.delete_in(added.examined)
    rows = {row_list_files.LISTED: row_list_files.store(listed, whose=f"file {added.pk}")}
    added.examined = {**shown, **rows}
    AddedFile.objects.filter(pk=added.pk, state=AddedFile.State.WAITING).update(
        examined=added.examined
    )


def _how_matched(joined: Joined) -> dict[str, Any]:
    """Return whether ids were used, and the votes for the systems behind letters, as plain data."""
    found: dict[str, Any] = {"doubtful_ids": joined.matching.doubtful_ids, "letters": None}
    if joined.letters is None:
        return found
    votes = [
        {
            "letter": each.letter,
            "system": each.decided,
            "systems": list(each.systems.items())[:MAX_SYSTEMS],
        }
        for each in joined.letters.votes[:MAX_SYSTEMS]
    ]
    by_row = joined.letters.by_row
    names = {} if by_row else joined.letters.names
    return {**found, "letters": names, "by_row": by_row, "votes": votes}


def _refused(problem: Problem) -> dict[str, Any]:
    shown = {"row": problem.row, "column": problem.column, "value": shorten(problem.value)}
    return {**shown, "reason": problem.reason}


def _join(
    added: AddedFile,
    progress: TellProgress,
    listed: RowList | None = None,
) -> Joined:
    campaign = added_ratings.campaign_of(added.collection, added.rubric) if added.rubric else None
    held, found = holdings.held(added.collection), MatchCounts(listed)
    columns, choices = plan_of(added).columns, choices_of(added)
    study = read(added, progress, _screen(held, columns), found)
    if not study.usable and choices.unmatched != "add":  # perhaps too many rows to hold
        choices = replace(choices, unmatched="leave")
        if held.slots and (screen := _screen(held, columns, with_texts=True)):
            screened = read(added, progress, screen, found)
            study = screened if screened.usable else study
    return join(
        study=study,
        columns=columns,
        collection=added.collection,
        choices=choices,
        rubric=added.rubric,
        campaign=campaign,
        held=held,
        found=found,
    )


def _screen(held: Held, columns: ColumnRoles | None, *, with_texts: bool = False) -> Screen | None:
    """Return a screen that skips rows about nothing in the dataset while the file is read. Rows
    that give question texts are screened only `with_texts`, because a similar text may match."""
    if columns is None or not screening.serves(columns) or (columns.question and not with_texts):
        return None
    texts = {slot.text for slot in held.slots if slot.text is not None} if with_texts else ()
    return screening.screen_of(
        ids=(source.key for source in held.sources),
        keys=(slot.key for slot in held.slots if slot.key),
        texts=texts,
    )


def _rows_file(joined: Joined) -> dict[str, str]:
    """Store all rows that need a decision if there are more than the examples; return the file's
    hash."""
    return (
        {ROWS_FILE: storage.keep_pieces(joined.found.pieces()).sha256}
        if joined.found.is_cut
        else {}
    )


def add(
    *,
    added: AddedFile,
    by: User,
    now: datetime,
    ratings_title: str = "",
    progress: TellProgress = silent,
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
        If a column that looks like ratings becomes something else, sheets become annotators, or
        more than 1% of the ratings go to quarantine, unless that is accepted, here or on the page.
    """

    def refuse(_added: AddedFile, said: str) -> None:
        raise MostlyNew([said])

    return _add(
        added,
        by,
        now,
        ratings_title,
        progress=progress,
        confirmed=confirmed,
        accept_surprises=accept_surprises,
        tell_new=refuse,
    )


def _add(
    added: AddedFile,
    by: User,
    now: datetime,
    ratings_title: str = "",
    *,
    progress: TellProgress,
    confirmed: bool,
    in_first_batch: bool = False,
    accept_surprises: bool,
    tell_new: Callable[[AddedFile, str], None],
) -> AddedFile:
    """Store the contents of a waiting file; if most of it is new and no user confirmed that,
    `tell_new` is called first."""
    progress(0, 0, "Reading the file")
    with transaction.atomic():
        lock(added.collection)
        added = AddedFile.objects.select_related("collection", "file", "rubric").get(pk=added.pk)
        if added.state != AddedFile.State.WAITING:
            raise CannotImport(["The file was added already, or taken back."])
        joined, looked_at = _join(added, progress), added.examined
        if added.is_examined and added.examined["expected"] != joined.counts():
            raise Changed(["The dataset changed after the preview of this file. Preview it again."])
        if joined.obstacles:
            raise CannotImport(joined.obstacles)
        surprises = preview.surprises_of(joined, plan_of(added).columns)
        if not (accept_surprises or set(surprises) <= {*added.examined.get(ACCEPTED, ())}):
            raise Surprising(surprises)
        mostly_new = joined.mostly_new(in_first_batch=in_first_batch)
        if mostly_new and not (confirmed or added.examined.get(CONFIRMED)):
            tell_new(added, mostly_new)
        store_file(
            added=added,
            joined=joined,
            by=by,
            now=now,
            ratings_title=ratings_title,
            progress=progress,
        )
        row_list_files.delete_in(looked_at)
        history.note(Event.Act.FILE_ADDED, by=by, campaign=added.campaign, about=name_of(added))
    return added


def name_of(added: AddedFile) -> str:
    """Return the name of a file in events."""
    return f"collection {added.collection_id}, file {added.number}"


def store_file(
    *,
    added: AddedFile,
    joined: Joined,
    by: User,
    now: datetime,
    ratings_title: str,
    progress: TellProgress,
) -> None:
    """Store the decisions about a file, and mark it as added; the caller holds the transaction."""
    stored = store(
        joined=joined,
        collection=added.collection,
        added=added,
        rubric=added.rubric,
        by=by,
        now=now,
        ratings_title=ratings_title,
        progress=progress,
    )
    added.state, added.added_at, added.added_by = AddedFile.State.ADDED, now, by
    added.campaign = stored.campaign
    added.examined = joined.found.as_dict() | _rows_file(joined) | _how_matched(joined)
    added.brought = {
        **stored.counts,
        "filled": len(joined.fills),
        "quarantined": stored.quarantined,
        "ratings_read": sum(joined.tally.read.values()),
        "ratings_excluded": joined.tally.by_reason(),
        "rows_read": joined.study.rows_read,
        "rows_kept": joined.study.rows_kept,
    }
    added.save(update_fields=["state", "added_at", "added_by", "examined", "brought", "campaign"])
    first = {
        "file": added.file,
        "file_name": added.name,
        "file_sha256": added.file.sha256,
        "mapping": {
            **added.plan,
            "rows_read": joined.study.rows_read,
            "rows_kept": joined.study.rows_kept,
        },
    }
    Collection.objects.filter(pk=added.collection_id, file__isnull=True).update(**first)
    language = samples.language_of(joined.study)
    Collection.objects.filter(pk=added.collection_id, language="").update(language=language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The result of storing: the campaign of the ratings, rows by kind, and the number
    quarantined."""

    campaign: Campaign | None
    counts: Mapping[str, int]
    quarantined: int


def store(
    *,
    joined: Joined,
    collection: Collection,
    added: AddedFile | None,
    rubric: Rubric | None,
    by: User,
    now: datetime,
    ratings_title: str = "",
    progress: TellProgress = silent,
) -> Stored:
    """Store the decisions about a file; the caller holds the transaction.

    Ratings go into the campaign of their protocol. `added` is None if the records come from no file.
    """
    check_at_once()
    brought = Brought(added, _total(joined), progress)
    units = storing.store(joined=joined, collection=collection, added=added, brought=brought)
    study, homeless = joined.study, added_ratings.homeless(joined.study)
    campaign = None
    if joined.ratings and rubric:
        campaign = added_ratings.campaign_of(collection, rubric) or added_ratings.new_campaign(
            collection=collection, rubric=rubric, title=ratings_title, by=by, now=now
        )
        homeless = added_ratings.store(
            campaign=campaign,
            values=joined.ratings,
            units=units,
            study=study,
            brought=brought,
            now=now,
        )
        added_ratings.store_judges(
            campaign=campaign, values=joined.judge_ratings, units=units, by=by
        )
    quarantined = collections.quarantine(
        collection=collection, problems=[*joined.not_kept, *homeless], added_file=added
    )
    let_planner_know(Passage, Source, QuestionSet, Unit, Question, Score, Assignment, Judgment)
    return Stored(campaign=campaign, counts=brought.counts, quarantined=quarantined)


def _total(joined: Joined) -> int:
    """Return the approximate number of rows to store, for the progress shown."""
    return (
        2 * len(joined.new_sources)
        + 4 * len(joined.new_questions)
        + len(joined.scores)
        + len(joined.attributes)
        + len(joined.references)
        + len(joined.ratings)
    )
