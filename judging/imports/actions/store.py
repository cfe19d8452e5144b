"""Storing what a file adds to its dataset, by COPY; each row names the file. The caller holds the
transaction."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Max, Model
from pandas import DataFrame

from judging.base.actions.bulk import (
    CopiedRow,
    check_at_once,
    copy_rows,
    let_planner_know,
    take_ids,
)
from judging.base.limits import MAX_NAME_CHARACTERS
from judging.base.progress import TellProgress, ignore_progress
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.actions import datasets
from judging.datasets.models.added_file import AddedFile, FilledBlank
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    Passage,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.formats.frames import iterate_rows
from judging.formats.mapping import SCORED, Column
from judging.formats.tiers import NONE, Held, iterate_cells, lookup
from judging.imports.actions import rated_campaigns, store_ratings
from judging.imports.actions.decide import SCALES, Joined
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol
from judging.work.models.judgment import Judgment

PLACE_COLUMNS = ("id", "dataset_id", "passage_id", "key", "position", "repeat_of_id")
STARTS = ("answer_start", "sentence_start")
PART_COLUMNS = ("answer", "sentence", *STARTS, "target_type", "modality", "language", "repeat")
UNIT_COLUMNS = ("id", "question_set_id", "position")
QUESTION_COLUMNS = ("unit_id", "text", "key", "question_type", "submitted_answer")
SetPair = tuple[int, str]  # number of a source of the file, and a system


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The result of storing: the campaign of the ratings, rows by kind, and the number
    quarantined."""

    campaign: Campaign | None
    counts: Mapping[str, int]
    quarantined: int


@dataclass(kw_only=True)
class Storing:
    """A file while its contents are stored: the rows stored so far, and the ids of its sources,
    question sets and units."""

    joined: Joined
    dataset: Dataset
    added: AddedFile | None
    progress: TellProgress
    total: int
    counts: Counter[str] = field(default_factory=Counter)
    sources: dict[int, int] = field(default_factory=dict)  # by number
    units: dict[int, int] = field(default_factory=dict)  # by number of the question
    wholes: dict[SetPair, int] = field(default_factory=dict)

    def put(self, model: type[Model], columns: tuple[str, ...], rows: Iterable[CopiedRow]) -> None:
        """Store rows; raises what `progress` raises, between two batches."""
        what = str(model._meta.verbose_name_plural)

        def stored(count: int) -> None:
            self.counts[what] += count
            done = self.counts.total()
            self.progress(done, max(self.total, done), f"Storing {what}")

        if self.added and any(each.name == "added_file" for each in model._meta.fields):
            file = self.added.pk
            columns, rows = (*columns, "added_file_id"), ((*row, file) for row in rows)
        copy_rows(model, columns, rows, stored=stored)


def store_joined(
    joined: Joined,
    dataset: Dataset,
    *,
    added: AddedFile | None,
    protocol: Protocol | None,
    by: User,
    now: datetime,
    ratings_title: str = "",
    progress: TellProgress = ignore_progress,
) -> Stored:
    """Store the decisions about a file; the caller holds the transaction.

    Ratings go into the campaign of their protocol. `added` is None if the study is from no file.
    """
    check_at_once()
    storing = Storing(
        joined=joined, dataset=dataset, added=added, progress=progress, total=_total(joined)
    )
    _find_known(storing)
    passages = _store_passages(storing)
    _store_sources(storing, passages)
    _store_sets(storing)
    _store_questions(storing)
    _store_metadata(storing)
    _store_scores(storing)
    _store_references(storing)
    _store_fills(storing, passages)
    campaign, without_rating = _store_ratings(storing, protocol, by, now, ratings_title)
    problems: list[Any] = [*joined.not_kept, *store_ratings.without_place(without_rating)]
    quarantined = datasets.quarantine_values(dataset=dataset, problems=problems, added_file=added)
    let_planner_know(Passage, Source, QuestionSet, Unit, Question, Score, Assignment, Judgment)
    return Stored(campaign=campaign, counts=dict(storing.counts), quarantined=quarantined)


def _store_ratings(
    storing: Storing, protocol: Protocol | None, by: User, now: datetime, title: str
) -> tuple[Campaign | None, DataFrame]:
    """Store the ratings, if any; return their campaign, and the notes that belong to none."""
    joined, dataset = storing.joined, storing.dataset
    if joined.ratings.empty or protocol is None:
        return None, joined.study.notes
    campaign = rated_campaigns.find_rated_campaign(
        dataset, protocol
    ) or rated_campaigns.new_campaign(
        dataset=dataset, protocol=protocol, title=title, by=by, now=now
    )
    left = store_ratings.store_rating_rows(storing, campaign, now=now)
    store_ratings.store_judges(storing, campaign, by=by)
    return campaign, left


def _total(joined: Joined) -> int:
    """Return the approximate number of rows to store, for the progress shown."""
    values = (joined.scores, joined.metadata, joined.references, joined.ratings)
    new_sources = int(joined.sources["is_new"].sum())
    return 2 * new_sources + 4 * len(joined.added) + sum(len(value) for value in values)


def _find_known(storing: Storing) -> None:
    """Collect the ids of everything that the dataset has already."""
    joined = storing.joined
    matches = joined.sources["match"][joined.sources["match"] != NONE]
    storing.sources = lookup(matches)
    units = joined.questions["unit"][joined.questions["fate"].isin(["matched", "filled"])]
    storing.units = lookup(units)
    sets = iterate_cells(joined.held.sets, "source", "system", "whole")
    wholes = {(source, system): whole for _, source, system, whole in sets}
    for source, system in joined.study.expected:
        if (whole := wholes.get((storing.sources.get(source, NONE), system))) is not None:
            storing.wholes[source, system] = whole


def _store_passages(storing: Storing) -> dict[str, int]:
    """Store each text that the dataset does not have; return the ids of all by text."""
    joined, dataset = storing.joined, storing.dataset
    texts = list(joined.sources["passage"][joined.sources["is_new"]])
    texts += [fill.text for fill in joined.fills if fill.name == "passage"]
    digests = {text: _digest(text) for text in texts if text}
    there = dataset.passages.filter(digest__in=digests.values())
    ids = dict(there.values_list("digest", "pk"))
    new = {digest: text for text, digest in digests.items() if digest not in ids}
    ids |= dict(zip(new, take_ids(Passage, len(new)), strict=True))
    rows = ((ids[digest], dataset.pk, digest, text) for digest, text in new.items())
    storing.put(Passage, ("id", "dataset_id", "digest", "text"), rows)
    return {text: ids[digest] for text, digest in digests.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _store_sources(storing: Storing, passages: Mapping[str, int]) -> None:
    dataset = storing.dataset
    new = storing.joined.sources[storing.joined.sources["is_new"]]
    new = new.astype(dict.fromkeys(STARTS, object)).where(new.notna(), None)
    storing.sources |= dict(zip(new.index, take_ids(Source, len(new)), strict=True))
    keys = _free_keys(storing, new["key"])
    last = dataset.sources.aggregate(last=Max("position"))["last"] or 0
    rows = (
        (
            storing.sources[each.Index],
            dataset.pk,
            passages.get(each.passage),
            next(keys),
            position,
            storing.sources.get(each.copy_of),
            *(getattr(each, name) for name in PART_COLUMNS),
        )
        for position, each in enumerate(iterate_rows(new), last + 1)
    )
    storing.put(Source, (*PLACE_COLUMNS, *PART_COLUMNS), rows)


def _free_keys(storing: Storing, keys: Iterable[str]) -> Iterator[str]:
    taken = set(storing.dataset.sources.values_list("key", flat=True))
    number = storing.added.number if storing.added else 1
    for key in keys:
        yield _free_key(key, taken, number)


def _free_key(key: str, taken: set[str], number: int) -> str:
    """Return the key itself or, if another source has it, the key with the file's number."""
    found, place = key, 1
    while found in taken:
        tail = f" ({number})" if place == 1 else f" ({number}.{place})"
        found, place = key[: MAX_NAME_CHARACTERS - len(tail)] + tail, place + 1
    taken.add(found)
    return found


def _store_sets(storing: Storing) -> None:
    """Store the new question sets with all their slots, and further slots of existing sets."""
    pairs = dict(_new_pairs(storing.joined, storing.sources))
    systems = _store_systems(storing, {system for _, system in pairs})
    ids = dict(zip(pairs, take_ids(QuestionSet, len(pairs)), strict=True))
    sets = (
        (ids[source, system], storing.sources[source], systems[system], count)
        for (source, system), count in pairs.items()
    )
    storing.put(QuestionSet, ("id", "source_id", "system_id", "expected"), sets)
    _store_slots(storing, pairs, ids)
    _store_further_slots(storing)


def _store_slots(
    storing: Storing, pairs: Mapping[SetPair, int], ids: Mapping[SetPair, int]
) -> None:
    """Store the slots of new sets, and the unit without a position of each."""
    slots = [(pair, place) for pair, count in pairs.items() for place in range(count + 1)]
    units = dict(zip(slots, take_ids(Unit, len(slots)), strict=True))
    rows = ((unit, ids[pair], place or None) for (pair, place), unit in units.items())
    storing.put(Unit, UNIT_COLUMNS, rows)
    storing.wholes |= {pair: units[pair, 0] for pair in pairs}
    _assign_units(storing, units)


def _assign_units(storing: Storing, units: Mapping[tuple[SetPair, int], int]) -> None:
    """Give the questions in new sets their units."""
    questions = iterate_cells(storing.joined.questions, "source", "system", "position")
    for question, source, system, position in questions:
        unit = units.get(((source, system), position))
        if unit is not None:
            storing.units.setdefault(question, unit)


def _store_further_slots(storing: Storing) -> None:
    """Store slots for new questions in full sets; in other sets the blank slots are filled."""
    further = list(_further_slots(storing))
    units = take_ids(Unit, len(further))
    rows = zip(units, further, strict=True)
    storing.put(Unit, UNIT_COLUMNS, ((unit, *slot) for unit, (_, *slot) in rows))
    storing.units |= {slot[0]: unit for unit, slot in zip(units, further, strict=True)}
    more = Counter(pk for _, pk, _ in further)
    _update(QuestionSet, "expected = expected + given.number", list(more), list(more.values()))


def _new_pairs(joined: Joined, sources: Mapping[int, int]) -> Iterator[tuple[SetPair, int]]:
    """Yield the sets to add: all of new sources; of others, the sets of systems with new questions,
    unless everything in the file about a set is excluded."""
    added, questions = joined.added, joined.questions
    systems = set(added["system"])
    brought = _pairs(added)
    excluded = _pairs(questions[questions["fate"] == "excluded"]) - brought
    there = _pairs(joined.held.sets)
    is_new = lookup(joined.sources["is_new"])
    for (source, system), count in joined.study.expected.items():
        is_further = (
            source in sources
            and (source, system) not in excluded
            and system in systems
            and (sources[source], system) not in there
        )
        if is_new[source] or is_further:
            yield (source, system), max(1, count)


def _further_slots(storing: Storing) -> Iterator[tuple[int, int, int]]:
    """Yield question, set and position of the new questions for which a set has no blank slot."""
    held = storing.joined.held
    sets = iterate_cells(held.sets, "source", "system", "set", "expected")
    known = {(source, system): (pk, expected) for _, source, system, pk, expected in sets}
    free = _blank_slots(held)
    more: Counter[SetPair] = Counter()
    for question, source, system in iterate_cells(storing.joined.added, "source", "system"):
        if question in storing.units:
            continue
        pair = storing.sources[source], system
        if free.get(pair):
            storing.units[question] = free[pair].pop(0)
        else:
            more[pair] += 1
            pk, expected = known[pair]
            yield question, pk, expected + more[pair]


def _pairs(frame: DataFrame) -> set[SetPair]:
    return set(zip(frame["source"], frame["system"], strict=True))


def _blank_slots(held: Held) -> dict[SetPair, list[int]]:
    """Return the units without a question by source and system."""
    free: dict[SetPair, list[int]] = {}
    blank = held.slots[held.slots["text"].isna()]
    for unit, source, system in iterate_cells(blank, "source", "system"):
        free.setdefault((source, system), []).append(unit)
    return free


def _store_systems(storing: Storing, names: set[str]) -> dict[str, int]:
    """Store new systems; return the ids of all by name."""
    known = dict(storing.dataset.systems.values_list("name", "pk"))
    ordered = dict.fromkeys(system for _, system in storing.joined.study.expected)
    made = System.objects.bulk_create(
        System(dataset=storing.dataset, name=name, added_file=storing.added)
        for name in ordered
        if name in names and name not in known
    )
    return known | {system.name: system.pk for system in made}


def _store_questions(storing: Storing) -> None:
    rows = iterate_cells(storing.joined.added, *QUESTION_COLUMNS[1:])
    storing.put(
        Question, QUESTION_COLUMNS, ((storing.units[number], *cells) for number, *cells in rows)
    )


def _store_metadata(storing: Storing) -> None:
    values = iterate_cells(storing.joined.metadata, "question", "name", "value")
    rows = (
        (storing.units[question], name, value)
        for _, question, name, value in values
        if question in storing.units
    )
    storing.put(Attribute, ("unit_id", "name", "value"), rows)


def _store_scores(storing: Storing) -> None:
    """Store scores with every digit of the file; continue columns that exist already."""
    joined, units = storing.joined, storing.units
    metrics = dict(joined.metrics)
    used = set(joined.scores["name"])
    for header, column in joined.mapping.of_role(*SCORED).items():
        name = column.name or header
        if name in used and name not in metrics:
            metrics[name] = _new_metric(storing, header, name, column)
    rows = (
        (metrics[name].pk, units[question], float(text), text, "")
        for _, question, name, text in iterate_cells(joined.scores, "question", "name", "value")
        if question in units
    )
    storing.put(Score, ("metric_id", "unit_id", "value", "text", "reason"), rows)


def _new_metric(storing: Storing, header: str, name: str, column: Column) -> Metric:
    added = storing.added
    sha256, file_name = (added.file.sha256, added.name) if added else ("", "")
    is_mean = column.role == "human_mean"
    return Metric.objects.create(
        dataset=storing.dataset,
        name=name,
        kind=Metric.Kind.HUMAN_MEAN if is_mean else Metric.Kind.IMPORTED,
        direction=column.direction,
        scale=SCALES[column.scale],
        fingerprint=imported_fingerprint(file_sha256=sha256, column=header, name=name),
        made={"file": file_name, "sha256": sha256, "column": header},
        added_file=added,
    )


def imported_fingerprint(*, file_sha256: str, column: str, name: str) -> str:
    """Return the identifier of an imported column: a hash of its file, its position there and its
    name."""
    said = json.dumps([file_sha256, column, name], ensure_ascii=False)
    return _digest(said)


def _store_references(storing: Storing) -> None:
    there = Reference.objects.filter(source__dataset=storing.dataset)
    last = Counter(dict(there.values_list("source").annotate(last=Max("position"))))

    def rows() -> Iterator[CopiedRow]:
        for number, text in storing.joined.references:
            source = storing.sources[number]
            last[source] += 1
            yield source, last[source], text

    storing.put(Reference, ("source_id", "position", "text"), rows())


def _store_fills(storing: Storing, passages: Mapping[str, int]) -> None:
    """Fill blanks of sources, and note which file did."""
    fills = storing.joined.fills
    for name in dict.fromkeys(fill.name for fill in fills):
        mine = [fill for fill in fills if fill.name == name]
        change, numbers = f"{name} = given.text", [fill.start for fill in mine]
        if name == "passage":
            change = "passage_id = given.number"
            numbers = [passages[fill.text] for fill in mine]
        elif name in ("answer", "sentence"):
            change += f", {name}_start = given.number"
        sources, texts = [fill.source for fill in mine], [fill.text for fill in mine]
        _update(Source, change, sources, numbers, texts)
    if storing.added:
        rows = ((storing.added.pk, fill.source, fill.name) for fill in fills)
        copy_rows(FilledBlank, ("added_file_id", "source_id", "name"), rows)


def _update(
    model: type[Model],
    change: str,
    ids: Sequence[int],
    numbers: Sequence[int | None],
    texts: Sequence[str] = (),
) -> None:
    """Change many rows in one statement; `change` holds names of columns only."""
    if not ids:
        return
    given = "unnest(%s::bigint[], %s::bigint[], %s::text[]) AS given(id, number, text)"
    table = model._meta.db_table
    statement = f"UPDATE {table} SET {change} FROM {given} WHERE {table}.id = given.id"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(ids), list(numbers), list(texts)])
