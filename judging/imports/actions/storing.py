"""Storing the contents of a file as rows of its dataset; each row names the file. The caller holds
the transaction."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence

from django.db import connection
from django.db.models import F, Max

from judging.actions.bulk import CopiedRow, copy, take_ids
from judging.actions.collections import SetPair
from judging.imports.actions.brought_rows import Brought
from judging.imports.actions.held import SlotKey
from judging.imports.actions.joining import Joined
from judging.imports.readers.records import ScoreColumn, SourceRecord
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import (
    AddedFile,
    Attribute,
    Collection,
    FilledBlank,
    Metric,
    Passage,
    Question,
    QuestionSet,
    Reference,
    Score,
    Source,
    System,
    Unit,
)

SOURCE_COLUMNS = (
    "id",
    "collection_id",
    "passage_id",
    "key",
    "position",
    "repeat_of_id",
    "answer",
    "answer_start",
    "sentence",
    "sentence_start",
    "target_type",
    "modality",
    "language",
    "repeat",
)
SCALES = {
    "fraction": Metric.Scale.FRACTION,
    "percent": Metric.Scale.PERCENT,
    "none": Metric.Scale.OTHER,
}


class Units:
    """The ids of all units of a file: those found in the dataset and those that the file adds."""

    def __init__(self, joined: Joined) -> None:
        self.slots: dict[SlotKey, int] = dict(joined.units)
        self.wholes: dict[SetPair, int] = {}

    def of(self, pair: SetPair, position: int | None) -> int:
        """Return the id of a slot, or of the set as a whole."""
        return self.wholes[pair] if position is None else self.slots[(*pair, position)]


def store(
    *, joined: Joined, collection: Collection, added: AddedFile | None, brought: Brought
) -> Units:
    """Store everything in a file except its ratings; return the units that the file is about.

    `added` is None if the records come from no file.
    """
    storing = _Storing(joined, collection, added, brought)
    storing.passages()
    storing.new_sources()
    storing.new_sets()
    storing.questions()
    storing.metadata()
    storing.scores()
    storing.references()
    storing.fills()
    return storing.units


class _Storing:
    """One file while its contents are stored in its dataset."""

    def __init__(
        self, joined: Joined, collection: Collection, added: AddedFile | None, brought: Brought
    ) -> None:
        self.joined, self.collection, self.added = joined, collection, added
        self.put = brought.put
        self.sources: dict[str, int] = dict(joined.source_of)
        self.sets: dict[SetPair, int] = {}
        self.units = Units(joined)
        self.passage_ids: dict[str, int] = {}
        held, systems = joined.held.sets, joined.study.systems
        for key, pk in joined.source_of.items():
            for system in systems:
                if (pk, system) in held:
                    self.units.wholes[key, system] = held[pk, system].whole

    def passages(self) -> None:
        """Store each text that the dataset does not have."""
        texts = dict.fromkeys(
            source.passage for source in self.joined.new_sources if source.passage
        )
        texts |= dict.fromkeys(text for _, name, text, _ in self.joined.fills if name == "passage")
        digests = {hashlib.sha256(text.encode()).hexdigest(): text for text in texts if text}
        known = self.collection.passages.filter(digest__in=list(digests)).values_list(
            "digest", "pk"
        )
        self.passage_ids = {digests[digest]: pk for digest, pk in known}
        new = [(digest, text) for digest, text in digests.items() if text not in self.passage_ids]
        ids = take_ids(Passage, len(new))
        rows = ((pk, self.collection.pk, *each) for pk, each in zip(ids, new, strict=True))
        self.put(Passage, ("id", "collection_id", "digest", "text"), rows)
        self.passage_ids |= {text: pk for pk, (_, text) in zip(ids, new, strict=True)}

    def new_sources(self) -> None:
        records = self.joined.new_sources
        keys = _Keys(self.collection, self.added.number if self.added else 1)
        last = self.collection.sources.aggregate(last=Max("position"))["last"] or 0
        ids = take_ids(Source, len(records))
        self.sources |= {each.key: pk for pk, each in zip(ids, records, strict=True)}
        rows = (
            (
                pk,
                self.collection.pk,
                self.passage_ids.get(each.passage or ""),
                keys.free(each.key),
                last + place,
                self.sources.get(each.repeat_of),
                *what_is_given(each),
            )
            for place, (pk, each) in enumerate(zip(ids, records, strict=True), start=1)
        )
        self.put(Source, SOURCE_COLUMNS, rows)

    def new_sets(self) -> None:
        """Store the new question sets with all their slots, and further slots of existing sets."""
        pairs = dict(self._new_pairs())
        systems = self._systems({system for _, system in pairs})
        ids = dict(zip(pairs, take_ids(QuestionSet, len(pairs)), strict=True))
        sets = (
            (ids[pair], self.sources[pair[0]], systems[pair[1]], count)
            for pair, count in pairs.items()
        )
        self.put(QuestionSet, ("id", "source_id", "system_id", "expected"), sets)
        slots = [
            (ids[pair], pair, place or None)
            for pair, count in pairs.items()
            for place in range(count + 1)
        ]
        grown = list(self._grown())
        unit_ids = take_ids(Unit, len(slots) + len(grown))
        for pk, (_, pair, position) in zip(unit_ids, slots, strict=False):
            if position is None:
                self.units.wholes[pair] = pk
            else:
                self.units.slots.setdefault((*pair, position), pk)
        for pk, (_, key, _) in zip(unit_ids[len(slots) :], grown, strict=True):
            self.units.slots[key] = pk
        places = [(pk, position) for pk, _, position in slots] + [
            (pk, position) for pk, _, position in grown
        ]
        rows = ((pk, *place) for pk, place in zip(unit_ids, places, strict=True))
        self.put(Unit, ("id", "question_set_id", "position"), rows)
        for pk, more in Counter(pk for pk, _, _ in grown).items():
            QuestionSet.objects.filter(pk=pk).update(expected=F("expected") + more)

    def _new_pairs(self) -> Iterator[tuple[SetPair, int]]:
        """Yield the sets to add: all of new sources; of others, the sets of systems with new
        questions, unless everything in the file about a set is skipped."""
        new = {source.key for source in self.joined.new_sources}
        systems = {question.system for question in self.joined.new_questions}
        brought = {(each.source_key, each.system) for each in self.joined.new_questions}
        left_out = {key[:2] for key in self.joined.left_out} - brought
        for pair, count in self.joined.study.expected.items():
            source, system = pair
            if source in new or (
                source in self.sources
                and pair not in left_out
                and system in systems
                and (self.sources[source], system) not in self.joined.held.sets
            ):
                yield pair, max(1, count)

    def _grown(self) -> Iterator[tuple[int, SlotKey, int]]:
        """Yield question set, slot and position of new questions in full sets; in other sets the
        blank slots are filled."""
        free: dict[tuple[int, str], list[int]] = {}
        for slot in self.joined.held.slots:
            if slot.text is None:
                free.setdefault((slot.source, slot.system), []).append(slot.unit)
        last: dict[tuple[int, str], int] = {}
        for question in self.joined.new_questions:
            key = (question.source_key, question.system, question.position)
            pair = (self.joined.source_of.get(question.source_key, 0), question.system)
            if key in self.units.slots or pair not in self.joined.held.sets:
                continue
            if free.get(pair):
                self.units.slots[key] = free[pair].pop(0)
                continue
            held = self.joined.held.sets[pair]
            last[pair] = last.get(pair, held.expected) + 1
            yield held.pk, key, last[pair]

    def _systems(self, names: set[str]) -> dict[str, int]:
        known = dict(self.collection.systems.values_list("name", "pk"))
        new = [name for name in self.joined.study.systems if name in names and name not in known]
        made = System.objects.bulk_create(
            System(collection=self.collection, name=name, added_file=self.added) for name in new
        )
        return known | {system.name: system.pk for system in made}

    def questions(self) -> None:
        columns = ("unit_id", "text", "key", "question_type", "submitted_answer")
        rows = (
            (
                self._unit((each.source_key, each.system, each.position)),
                each.text,
                each.key,
                each.question_type,
                each.submitted_answer,
            )
            for each in self.joined.new_questions
        )
        self.put(Question, columns, rows)

    def metadata(self) -> None:
        rows = (
            (self._unit(key), name, value)
            for key, name, value in self.joined.attributes
            if self._has(key)
        )
        self.put(Attribute, ("unit_id", "name", "value"), rows)

    def scores(self) -> None:
        """Store score columns with every digit of the file; continue columns that exist already."""
        columns = {column.name: column for column in self.joined.study.score_columns}
        used = {name for _, name, _ in self.joined.scores}
        metrics = {name: self._metric(columns[name]) for name in columns if name in used}
        rows = (
            (metrics[name].pk, self._unit(key), float(text), text, "")
            for key, name, text in self.joined.scores
            if self._has(key)
        )
        self.put(Score, ("metric_id", "unit_id", "value", "text", "reason"), rows)

    def _metric(self, column: ScoreColumn) -> Metric:
        if known := self.joined.metrics.get(column.name):
            return known
        sha256, name = (self.added.file.sha256, self.added.name) if self.added else ("", "")
        return Metric.objects.create(
            collection=self.collection,
            name=column.name,
            kind=Metric.Kind.HUMAN_MEAN if column.kind == "human_mean" else Metric.Kind.IMPORTED,
            direction=column.direction,
            scale=SCALES[column.scale],
            fingerprint=fingerprint(file_sha256=sha256, column=column.column, name=column.name),
            made={"file": name, "sha256": sha256, "column": column.column},
            added_file=self.added,
        )

    def references(self) -> None:
        last = dict(
            Reference.objects.filter(source__collection=self.collection)
            .values_list("source")
            .annotate(last=Max("position"))
        )
        self.put(Reference, ("source_id", "position", "text"), self._references(last))

    def _references(self, last: dict[int, int]) -> Iterator[CopiedRow]:
        for key, text in self.joined.references:
            source = self.sources[key]
            last[source] = last.get(source, 0) + 1
            yield source, last[source], text

    def fills(self) -> None:
        """Fill blanks of sources, and note which file did."""
        of_name: dict[str, list[tuple[int, str, int | None]]] = {}
        for source, name, text, start in self.joined.fills:
            of_name.setdefault(name, []).append((source, text, start))
        for name, values in of_name.items():
            sources, texts, starts = map(list, zip(*values, strict=True))
            if name == "passage":
                _fill(
                    "passage_id = given.number",
                    sources,
                    texts,
                    [self.passage_ids[text] for text in texts],
                )
            elif name in ("answer", "sentence"):
                _fill(f"{name} = given.text, {name}_start = given.number", sources, texts, starts)
            else:
                _fill(f"{name} = given.text", sources, texts, starts)
        if self.added is None:
            return
        rows = ((self.added.pk, source, name) for source, name, _, _ in self.joined.fills)
        copy(FilledBlank, ("added_file_id", "source_id", "name"), rows)

    def _has(self, key: SlotKey) -> bool:
        """Return whether a slot has a unit, as missing slots do if their set is stored."""
        return key in self.units.slots

    def _unit(self, key: SlotKey) -> int:
        return self.units.slots[key]


class _Keys:
    """Keys that no source of a dataset has yet."""

    def __init__(self, collection: Collection, number: int) -> None:
        self.taken = set(collection.sources.values_list("key", flat=True))
        self.number = number

    def free(self, key: str) -> str:
        """Return the key itself or, if another source has it, the key with the file's number."""
        found, place = key, 1
        while found in self.taken:
            tail = f" ({self.number})" if place == 1 else f" ({self.number}.{place})"
            found, place = key[: MAX_NAME_CHARACTERS - len(tail)] + tail, place + 1
        self.taken.add(found)
        return found


def _fill(
    change: str, sources: Sequence[int], texts: Sequence[str], numbers: Sequence[int | None]
) -> None:
    """Change many sources in one statement; `change` holds names of columns only."""
    given = "unnest(%s::bigint[], %s::text[], %s::bigint[]) AS given(source, text, number)"
    statement = f"UPDATE judging_source SET {change} FROM {given} WHERE id = given.source"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(sources), list(texts), list(numbers)])


def fingerprint(*, file_sha256: str, column: str, name: str) -> str:
    """Return the identifier of an imported column: a hash of its file, its position there and its
    name."""
    return hashlib.sha256(
        json.dumps([file_sha256, column, name], ensure_ascii=False).encode()
    ).hexdigest()


def what_is_given(source: SourceRecord) -> tuple[object, ...]:
    """Return the last of `SOURCE_COLUMNS`: the values that a file gives of a source."""
    return (
        source.answer,
        source.answer_start,
        source.sentence,
        source.sentence_start,
        source.target_type,
        source.modality,
        source.language,
        source.repeat,
    )
