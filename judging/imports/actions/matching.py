"""Which rows of a file are about which questions of a collection.

By ids: the source's key, the system and the position, or the question's own key. By texts: what the
system was given, the system and the question, after a normalisation that the researcher sees and
can choose. Pure: no database.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeVar

from judging.imports.readers.records import QuestionRecord, SourceRecord, StudyRecords
from judging.imports.readers.sameness import Sameness

Place = TypeVar("Place", str, int)
By = Literal["auto", "ids", "texts"]
SlotKey = tuple[str, str, int]
GIVEN = ("passage", "sentence", "answer", "target_type")


class HeldSource(NamedTuple):
    """A source that the collection holds."""

    pk: int
    key: str
    passage: str
    sentence: str
    answer: str
    target_type: str
    modality: str
    language: str
    repeat_of: int | None = None
    repeat: int = 1


class HeldSlot(NamedTuple):
    """A slot that the collection holds; `text` is None where its question is missing."""

    unit: int
    source: int
    system: str
    position: int
    text: str | None
    key: str


class CollectionSet(NamedTuple):
    """A question set that the collection holds; `whole` is its unit without a position."""

    pk: int
    whole: int
    expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What of a collection takes part in matching."""

    sources: Sequence[HeldSource] = ()
    slots: Sequence[HeldSlot] = ()
    sets: Mapping[tuple[int, str], CollectionSet] = field(default_factory=dict)

    @property
    def systems(self) -> set[str]:
        """Return the names of the systems that have question sets."""
        return {system for _, system in self.sets}


@dataclass(frozen=True, slots=True)
class Match:
    """What one question of a file was found to be about."""

    candidates: tuple[HeldSlot, ...]
    sources: tuple[int, ...]
    taken: bool = False  # an earlier row of the file is about the only candidate

    @property
    def slot(self) -> HeldSlot | None:
        """Return the slot it is about; None where there is none or more than one."""
        return self.candidates[0] if len(self.candidates) == 1 and not self.taken else None


@dataclass(frozen=True, slots=True)
class Matching:
    """All questions and sources of a file with what they are about."""

    by: By
    fields: tuple[str, ...]
    questions: Mapping[SlotKey, Match]
    sources: Mapping[str, tuple[int, ...]]

    @property
    def matched(self) -> int:
        """Return how many questions and sources are about exactly one of the collection."""
        return sum(each.slot is not None for each in self.questions.values()) + sum(
            len(found) == 1 for found in self.sources.values()
        )


def match(
    study: StudyRecords,
    held: Held,
    *,
    same: Sameness,
    by: By = "auto",
    has_ids: bool = False,
    any_system: bool = False,
) -> Matching:
    """Match a file with a collection.

    `has_ids`: the file names sources by ids of its own, rather than by numbers that the reader
    gave. `any_system`: the file names no system. With `auto` the way that finds more is taken; ids
    where both find as many.
    """
    ids = has_ids or any(question.key for question in study.questions)
    ways: list[By] = [by] if by != "auto" else [*(["ids"] if ids else []), "texts"]  # type: ignore[list-item]
    best: Matching | None = None
    for way in ways:
        found = _Matcher(study, held, same, way, has_ids=has_ids, any_system=any_system).matching()
        if best is None or found.matched > best.matched:
            best = found
        if best.matched == len(study.questions) + len(study.sources):
            break  # no way finds more
    assert best is not None  # noqa: S101  # there is always a way
    return best


class _Matcher:
    """The indexes of a collection for one way of matching."""

    def __init__(
        self,
        study: StudyRecords,
        held: Held,
        same: Sameness,
        by: By,
        *,
        has_ids: bool,
        any_system: bool,
    ) -> None:
        self.study, self.held, self.same, self.by = study, held, same, by
        self.has_ids, self.any_system = has_ids, any_system
        self.fields = tuple(
            name for name in GIVEN if _given(study.sources, name) and _given(held.sources, name)
        )
        self.plain = _Memory(same)
        self.of_set: dict[tuple[int, str], list[HeldSlot]] = {}
        of_key: dict[tuple[str, str], list[HeldSlot]] = {}
        self.repeats = {source.key for source in study.sources if source.repeat_of}
        self.copies = {source.pk for source in held.sources if source.repeat_of}
        for slot in held.slots:
            system = self._of(slot.system)
            self.of_set.setdefault((slot.source, system), []).append(slot)
            if (
                slot.key and slot.source not in self.copies
            ):  # these are found through the source they repeat
                of_key.setdefault((slot.key, system), []).append(slot)
        self.of_key = {key: tuple(slots) for key, slots in of_key.items()}
        self.keys = {key for key, _system in of_key}
        self.within: dict[tuple[int, str], _Within] = {}

    def _of(self, system: str) -> str:
        """Return what slots are kept under: the system, or nothing where the file names none."""
        return "" if self.any_system else system

    @cached_property
    def of_text(self) -> dict[tuple[str, str], tuple[HeldSlot, ...]]:
        """The slots by their texts and systems, for files that name questions by these."""
        found: dict[tuple[str, str], list[HeldSlot]] = {}
        for slot in self.held.slots:
            if slot.text is not None and slot.source not in self.copies:
                place = self.plain(slot.text), self._of(slot.system)
                found.setdefault(place, []).append(slot)
        return {place: tuple(slots) for place, slots in found.items()}

    def matching(self) -> Matching:
        sources = dict(self._sources())
        found = {
            (each.source_key, each.system, each.position): self._slots(
                each, sources[each.source_key]
            )
            for each in self.study.questions
        }
        return Matching(self.by, self.fields, dict(_assigned(found, sources)), sources)

    def _sources(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each source of the file with those of the collection that it may be; a repeat is
        that of the same."""
        found: dict[str, tuple[int, ...]] = dict(self._first_sources())
        yield from found.items()
        copies = {
            (source.repeat_of, source.repeat): source.pk
            for source in self.held.sources
            if source.repeat_of
        }
        again: dict[tuple[int, int], tuple[int, ...]] = {}  # those of equal sources are found once
        for each in self.study.sources:
            if each.repeat_of:
                first = found[each.repeat_of]
                if (place := (id(first), each.repeat)) not in again:
                    places = [(pk, each.repeat) for pk in first]
                    again[place] = tuple(copies[one] for one in places if one in copies)
                yield each.key, again[place]

    def _first_sources(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        theirs = [source for source in self.held.sources if source.repeat_of is None]
        ours = [source for source in self.study.sources if not source.repeat_of]
        if self.by == "ids" and self.has_ids:
            keys = {source.key: source.pk for source in theirs}
            yield from ((each.key, (keys[each.key],) if each.key in keys else ()) for each in ours)
            return
        of_parts: dict[tuple[str, ...], list[HeldSource]] = {}
        for source in theirs:
            of_parts.setdefault(self._parts(source), []).append(source)
        indexes: dict[tuple[str, ...], dict[tuple[str, ...], tuple[int, ...]]] = {}
        for record in ours:
            parts = self._parts(record)
            if parts not in indexes:
                indexes[parts] = self._index(of_parts, parts)
            yield record.key, self._like(record, indexes[parts])

    def _parts(self, source: HeldSource | SourceRecord) -> tuple[str, ...]:
        """Return which of the compared parts are not blank; a blank one is no difference."""
        return tuple(name for name in self.fields if getattr(source, name))

    def _index(
        self, of_parts: Mapping[tuple[str, ...], Sequence[HeldSource]], parts: tuple[str, ...]
    ) -> dict[tuple[str, ...], tuple[int, ...]]:
        """Return the collection's sources by the names and texts of the parts that they share with
        these."""
        index: dict[tuple[str, ...], list[int]] = {}
        for theirs, sources in of_parts.items():
            common = tuple(name for name in theirs if name in parts)
            for source in sources if common else ():
                index.setdefault((*common, *self._signature(source, common)), []).append(source.pk)
        return {signature: tuple(sources) for signature, sources in index.items()}

    def _like(
        self, record: SourceRecord, index: Mapping[tuple[str, ...], tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Return the sources that agree in most parts."""
        parts = self._parts(record)
        for size in range(len(parts), 0, -1):
            for common in combinations(parts, size):
                if found := index.get((*common, *self._signature(record, common))):
                    return found
        return ()

    def _signature(
        self, source: HeldSource | SourceRecord, parts: Sequence[str]
    ) -> tuple[str, ...]:
        return tuple(self.plain(getattr(source, name) or "") for name in parts)

    def _slots(self, question: QuestionRecord, sources: tuple[int, ...]) -> tuple[HeldSlot, ...]:
        """Return the slots that a question of the file may be about. Questions of one text get the
        same tuple: thousands of a file may read like thousands of the collection."""
        system, within = self._of(question.system), self._within(question, sources)
        located = bool(self.fields) or (self.by == "ids" and self.has_ids)
        if question.source_key in self.repeats:
            located = True
        elif self.by == "ids" and question.key and question.key in self.keys:
            return self.of_key.get((question.key, system), ())
        elif self.by == "ids" and self.has_ids and self._is_addressed(question, within):
            return within.of_position.get(question.position, ())
        if question.text is None:
            return within.of_position.get(question.position, ())
        text = self.plain(question.text)
        return within.of_text.get(text, ()) if located else self.of_text.get((text, system), ())

    def _is_addressed(self, question: QuestionRecord, within: "_Within") -> bool:
        """Say whether source, system and position name one slot: a set of one, or no slot of this
        text elsewhere."""
        return len(within.slots) == 1 or self.plain(question.text or "") not in within.of_text

    def _within(self, question: QuestionRecord, sources: tuple[int, ...]) -> "_Within":
        """Return the slots of a system in some sources; who has the same sources has them in one
        tuple, which lives as long as this matcher."""
        place = id(sources), self._of(question.system)
        if place not in self.within:
            slots = [slot for source in sources for slot in self.of_set.get((source, place[1]), ())]
            self.within[place] = _Within(slots, self.plain)
        return self.within[place]


class _Within:
    """Slots of some sources, by their texts and by their positions."""

    def __init__(self, slots: Sequence[HeldSlot], plain: "_Memory") -> None:
        self.slots, self.plain = slots, plain

    @cached_property
    def of_text(self) -> Mapping[str, tuple[HeldSlot, ...]]:
        return _grouped(
            (self.plain(each.text), each) for each in self.slots if each.text is not None
        )

    @cached_property
    def of_position(self) -> Mapping[int, tuple[HeldSlot, ...]]:
        return _grouped((each.position, each) for each in self.slots)


def _grouped(slots: Iterable[tuple[Place, HeldSlot]]) -> Mapping[Place, tuple[HeldSlot, ...]]:
    found: dict[Place, list[HeldSlot]] = {}
    for place, slot in slots:
        found.setdefault(place, []).append(slot)
    return {place: tuple(held) for place, held in found.items()}


class _Memory:
    """Texts as they are compared; passages come many times."""

    def __init__(self, same: Sameness) -> None:
        self.same = same
        self.known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        if text not in self.known:
            self.known[text] = self.same.plain(text)
        return self.known[text]


def _given(sources: Iterable[HeldSource | SourceRecord], name: str) -> bool:
    return any(getattr(source, name) for source in sources)


def _assigned(
    found: Mapping[SlotKey, tuple[HeldSlot, ...]], sources: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[SlotKey, Match]]:
    """Yield each question's match. As many equal questions in the file as in the set are taken one
    by one, in order."""
    alike: dict[int, int] = {}  # equal tuples have one number, and are compared once
    units: dict[tuple[int, ...], int] = {}
    for slots in found.values():
        if id(slots) not in alike:
            alike[id(slots)] = units.setdefault(tuple(slot.unit for slot in slots), len(units))
    counts = Counter(alike[id(slots)] for slots in found.values())
    seen: Counter[int] = Counter()
    for key, slots in found.items():
        number = alike[id(slots)]
        if not slots:
            yield key, Match((), sources[key[0]])
        elif len(slots) > 1 and counts[number] == len(slots):
            yield key, Match((slots[seen[number]],), sources[key[0]])
        else:
            yield key, Match(slots, sources[key[0]], taken=len(slots) == 1 and seen[number] > 0)
        seen[number] += 1
