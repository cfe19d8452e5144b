"""Bringing in somebody's file: what stands in its way, and storing all of it or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from judging.actions import collections, machine_judges
from judging.actions.bulk import check_at_once, let_planner_know
from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import ratings, released_ratings
from judging.imports.actions.brought_rows import Brought
from judging.imports.actions.ratings import RatingsRead
from judging.imports.actions.released_ratings import Released, beside, without_place
from judging.imports.readers.machine_tables import JudgeAnswer, JudgeAnswers
from judging.imports.readers.records import Problem, StudyRecords
from judging.imports.readers.repeats import unrolled
from judging.imports.readers.tables import shorten
from judging.limits import MAX_NAME_CHARACTERS, MAX_SYSTEMS, MAX_TABLE_ROWS
from judging.models import (
    AddedFile,
    Assignment,
    Campaign,
    Collection,
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

Named = tuple[int, str, str, int]
_LABEL = 100  # characters that the database columns of labels hold


class CannotImport(ValueError):
    """The file cannot be imported as it is read; `reasons` are sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


class AlreadyImported(CannotImport):
    """The same owner imported the same bytes before."""

    def __init__(self, collection: Collection) -> None:
        super().__init__([f"This file was imported before, as “{collection.name}”."])
        self.collection = collection


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A study as it would be stored: its ratings on the scales, what is refused, and what stands in
    the way."""

    ratings: RatingsRead | None
    judged: RatingsRead | None
    refused: tuple[Problem, ...]
    obstacles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import made."""

    collection: Collection
    campaign: Campaign | None
    quarantined: int


def earlier(*, owner: User, sha256: str) -> Collection | None:
    """Return the owner's collection that was imported from the same bytes, the latest if there are
    several."""
    return owner.collections.filter(file_sha256=sha256).order_by("-id").first() if sha256 else None


def examine(*, study: StudyRecords, rubric: Rubric | None, has_columns: bool = False) -> Examined:
    """Say what an import would refuse, each value with its reason, and why it could not be done at
    all. Where the columns are named, words of ratings have their points there."""
    study = unrolled(study)
    reading = ratings.read(study=study, rubric=rubric) if study.ratings and rubric else None
    by_judges = replace(study, ratings=study.judge_ratings)
    judged = (
        ratings.read(study=by_judges, rubric=rubric) if study.judge_ratings and rubric else None
    )
    refused = [problem for problem in study.problems if problem.kind in ("row", "value")]
    refused += [problem for each in (reading, judged) if each for problem in each.problems]
    obstacles = [problem.reason for problem in study.problems_of("file")]
    if not obstacles:
        obstacles += [sentence for wrong, sentence in _conditions(study, rubric, reading) if wrong]
        obstacles += [*too_many(study), *too_long(study)]
        obstacles += reading.unmapped if reading and has_columns else ()
    refused.sort(key=lambda problem: problem.row)
    return Examined(
        ratings=reading, judged=judged, refused=tuple(refused), obstacles=tuple(obstacles)
    )


def _conditions(
    study: StudyRecords, rubric: Rubric | None, reading: RatingsRead | None
) -> Iterator[tuple[bool, str]]:
    yield (
        not any(question.text for question in study.questions),
        "The file holds no question that could be kept.",
    )
    yield (
        bool(study.ratings) and rubric is None,
        (
            "The file holds ratings: choose the protocol they were given under, or leave their columns out."
        ),
    )
    yield (
        bool(study.judge_ratings) and not study.ratings,
        (
            "The ratings are of LLM judges alone. Exclude their columns here; after the import, add "
            "each judge with this table on a campaign’s page of LLM judges."
        ),
    )
    if reading and not reading.values:
        yield (
            True,
            f"None of the {len(study.ratings):,} ratings fits {rubric}: {reading.problems[0].reason}",
        )
    for column in study.score_columns:
        yield (
            column.direction == "unknown",
            f"Say whether higher or lower is better in “{shorten(column.column)}”.",
        )


def _named(study: StudyRecords) -> Iterator[Named]:
    """Yield row, what it is, the text, and how long it may be, of everything that is kept as a
    name."""
    for source in study.sources:
        yield source.row, "source's key", source.key, MAX_NAME_CHARACTERS
        yield source.row, "target type", source.target_type, _LABEL
        yield source.row, "modality", source.modality, _LABEL
        yield from ((source.row, "metadata column", name, _LABEL) for name in source.attributes)
    for question in study.questions:
        yield question.row, "question's key", question.key, MAX_NAME_CHARACTERS
        yield question.row, "question type", question.question_type, _LABEL
    about = dict.fromkeys(name for question in study.questions for name in question.attributes)
    about |= dict.fromkeys(name for rating in study.ratings for name in rating.attributes)
    yield from ((1, "metadata column", name, _LABEL) for name in about)
    yield from ((0, "system", name, MAX_NAME_CHARACTERS) for name in study.systems)
    yield from ((0, "annotator", name, _LABEL) for name in study.raters)
    yield from ((0, "score column", each.name, _LABEL) for each in study.score_columns)


def too_many(study: StudyRecords) -> Iterator[str]:
    """Say where a file makes far more than it holds: every system has a row on pages and in tables,
    and every slot is stored, whether it holds a question or not."""
    if (systems := len(study.systems)) > MAX_SYSTEMS:
        yield (
            f"The file names {systems:,} systems; at most {MAX_SYSTEMS:,} can be kept. Look whether the right column "
            "was chosen for the system."
        )
    slots = sum(study.expected.values())
    if (blank := slots - len(study.questions)) > MAX_TABLE_ROWS:
        yield (
            f"There would be {slots:,} slots for questions, {blank:,} of them blank; at most "
            f"{MAX_TABLE_ROWS:,} can be. Look at the positions, and at how many questions are expected."
        )


def too_long(study: StudyRecords) -> list[str]:
    """Return a sentence for each of the first names that are longer than can be kept."""
    return [_too_long(*each) for each in _named(study) if len(each[2]) > each[3]][:5]


def _too_long(row: int, what: str, text: str, most: int) -> str:
    where = f"Row {row:,}: the" if row else "The"
    return f"{where} {what} “{shorten(text)}” has {len(text):,} characters; at most {most} can be kept."


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
    progress: TellProgress = silent,
) -> Imported:
    """Store a study with everything in it in one transaction; ratings become a closed campaign of
    the rubric.

    Raises
    ------
    AlreadyImported
        Where the same owner imported the same bytes before, unless `again`.
    CannotImport
        With everything that stands in the way; nothing is stored.
    """
    study = unrolled(study)
    has_columns = bool((mapping or {}).get("columns"))
    examined = examine(study=study, rubric=rubric, has_columns=has_columns)
    if examined.obstacles:
        raise CannotImport(examined.obstacles)
    with transaction.atomic():
        _refuse_again(by, file, again)
        collection = Collection.objects.create(
            name=name,
            owner=by,
            licence=licence,
            language=language,
            file=file,
            file_name=file_name,
            file_sha256=file.sha256 if file else "",
            mapping={**(mapping or {}), **_rows(study)},
        )
        added = _first_file(collection, by, now)
        check_at_once()
        put = Brought(added, _rows_to_store(study), progress).put
        units = collections.store(collection=collection, study=study, put=put, added_file=added)
        campaign, homeless = None, tuple(map(without_place, beside(study)))
        if examined.ratings and rubric:
            judged = Released(rubric, examined.ratings, study, units)
            title = ratings_title or f"{name}: released ratings"
            campaign = released_ratings.store(
                collection=collection,
                rubric=rubric,
                released=judged,
                title=title,
                by=by,
                now=now,
                put=put,
            )
            homeless = judged.homeless
            if examined.judged:
                _store_judges(campaign, examined.judged, units, by=by)
        refused = (*examined.refused, *homeless)
        collections.quarantine(collection=collection, problems=refused, added_file=added)
        if added:
            counted = {"questions": sum(study.returned.values()), "ratings": len(study.ratings)}
            added.brought = {**counted, "quarantined": len(refused), **_rows(study)}
            added.campaign, added.rubric = campaign, rubric
            added.save(update_fields=["brought", "campaign", "rubric"])
        let_planner_know(Passage, Source, QuestionSet, Unit, Question, Score, Assignment, Judgment)
    return Imported(collection=collection, campaign=campaign, quarantined=len(refused))


def _store_judges(
    campaign: Campaign, judged: RatingsRead, units: collections.UnitIds, *, by: User
) -> None:
    """Store ratings by LLM judges, each of them beside the annotators of the campaign."""
    answers: dict[str, list[JudgeAnswer]] = {}
    for value in judged.values:
        answers.setdefault(value.rater, []).append(
            JudgeAnswer(units.of(*value.slot), value.criterion.key, value.value, 1)
        )
    for name, said in answers.items():
        machine_judges.keep(
            campaign=campaign,
            by=by,
            file=None,
            file_name="",
            about={"name": name, "model": name},
            found=JudgeAnswers(answers=tuple(said), blank=0, problems=()),
        )


def _refuse_again(by: User, file: StoredFile | None, again: bool) -> None:
    """Two imports of one file by one person wait for each other, so that a double click imports
    once."""
    if file is None or again:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [file.sha256, by.pk]
        )
    if before := earlier(owner=by, sha256=file.sha256):
        raise AlreadyImported(before)


def _first_file(collection: Collection, by: User, now: datetime) -> AddedFile | None:
    """Note the file that a collection begins with."""
    if collection.file is None:
        return None
    return AddedFile.objects.create(
        collection=collection,
        number=1,
        file=collection.file,
        name=collection.file_name,
        plan=collection.mapping,
        state=AddedFile.State.ADDED,
        added_by=by,
        added_at=now,
    )


def _rows_to_store(study: StudyRecords) -> int:
    of_questions = sum(1 + len(each.scores) + len(each.attributes) for each in study.questions)
    slots, sets = sum(study.expected.values()), len(study.expected)
    return len(study.sources) + 2 * sets + slots + of_questions + len(study.ratings)


def _rows(study: StudyRecords) -> dict[str, int]:
    return {"rows_read": study.rows_read, "rows_kept": study.rows_kept}
