"""The system behind each letter of a crowd batch, decided by votes of matched questions."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from judging.imports.actions import tiers
from judging.imports.actions.held import Held, HeldSlot, SlotKey
from judging.imports.actions.tiers import Index, Slots, key_of
from judging.imports.readers.records import (
    MarkRecord,
    NoteRecord,
    Problem,
    QuestionRecord,
    RatingRecord,
    StudyRecords,
)
from judging.imports.readers.sameness import normalized
from judging.imports.readers.tables import shorten

LETTER = re.compile(
    r"((system|model|output|candidate|option)[ _-]?)?([a-z]|[0-9]{1,2})", re.IGNORECASE
)
MIN_SHARE_OF_LETTER = 0.5  # of a letter's questions in matched sources, to be the system's
MIN_SHARE_OF_NAME = 0.9  # of the questions of any other name, which may be a new system
MIN_AGREEMENT = 0.75  # of all votes, with one system a letter; below, letters are shuffled


@dataclass(frozen=True, slots=True)
class Votes:
    """The systems of a letter's questions, with their numbers, and the system decided on, if
    any."""

    letter: str
    systems: Mapping[str, int]
    decided: str = ""


@dataclass(frozen=True, slots=True)
class Letters:
    """The systems behind the letters of a file; if `by_row`, a letter's system varies by row."""

    votes: tuple[Votes, ...]
    by_row: bool
    candidates: Mapping[SlotKey, Slots]  # the dataset's questions of the same text
    index: Index

    @property
    def names(self) -> dict[str, str]:
        """Return the system of each letter that is decided for the whole file."""
        return {each.letter: each.decided for each in self.votes if each.decided}

    @property
    def undecided(self) -> set[str]:
        """Return the letters that are not decided for the whole file."""
        return {each.letter for each in self.votes if not each.decided}


def find_letters(
    study: StudyRecords, held: Held, by_hand: Mapping[str, str] | None = None
) -> Letters | None:
    """Find the systems behind names that the dataset does not have; None if no text matches.

    A question votes for a system if no other system gave its text in that passage. `by_hand` gives
    the systems of names that a user decided.
    """
    decided = by_hand or {}
    free = held.systems - set(study.systems)
    names = [name for name in study.systems if name not in held.systems]
    fields = tiers.shared_fields(study.sources, held.sources)
    wanted = replace(held, slots=[slot for slot in held.slots if slot.system in free])
    index = Index(wanted, fields, normalized, any_system=True)
    candidates = _candidates(study, names, index)
    if not candidates:
        return None
    open_names = [name for name in names if name not in decided]
    election = _Election(study, names, candidates)
    chosen = election.one_to_one(open_names, set(decided.values()))
    agreed = sum(election.votes[name][system] for name, system in chosen.items())
    cast = sum(election.votes[name].total() for name in open_names)
    is_shuffled = bool(open_names) and (agreed < MIN_AGREEMENT * cast or not cast)
    by_row = is_shuffled and election.is_mostly_found(open_names)
    systems = {**({} if by_row else chosen), **decided}
    votes = tuple(
        Votes(name, dict(election.votes[name].most_common()), systems.get(name, ""))
        for name in names
    )
    return Letters(votes, by_row, candidates, index)


def _candidates(study: StudyRecords, names: Sequence[str], index: Index) -> dict[SlotKey, Slots]:
    """Return the questions of the dataset whose texts the questions of these names have."""
    records = {source.key: source for source in study.sources}
    return {
        key_of(question): slots
        for question in study.questions
        if question.system in names and question.text is not None
        if (
            slots := tiers.by_passage(question, records[question.source_key], index)
            or tiers.by_question(question, records[question.source_key], index)
        )
    }


class _Election:
    """The votes for the systems behind names."""

    def __init__(
        self, study: StudyRecords, names: Sequence[str], candidates: Mapping[SlotKey, Slots]
    ) -> None:
        systems_of = {id(slots): {slot.system for slot in slots} for slots in candidates.values()}
        self.votes: dict[str, Counter[str]] = {name: Counter() for name in names}
        self.found: Counter[tuple[str, str]] = Counter()  # questions that may be the system's
        for (_, name, _), slots in candidates.items():
            systems = systems_of[id(slots)]
            self.found.update((name, system) for system in systems)
            if len(systems) == 1:
                self.votes[name].update(systems)
        self.any_found = Counter(name for _, name, _ in candidates)
        located = {source for source, _, _ in candidates}
        self.asked = Counter(
            question.system
            for question in study.questions
            if question.text is not None
            if question.source_key in located or not LETTER.fullmatch(question.system)
        )

    def one_to_one(self, names: Sequence[str], given: set[str]) -> dict[str, str]:
        """Return a system for each name that has a clear majority for one that is not given."""
        chosen: dict[str, str] = {}
        ballots = [
            (count, name, system)
            for name in names
            for system, count in self.votes[name].items()
            if system not in given
        ]
        for count, name, system in sorted(ballots, key=lambda each: (-each[0], *each[1:])):
            is_clear = 2 * count > self.votes[name].total()
            is_enough = self.found[name, system] >= _min_share(name) * self.asked[name]
            if is_clear and is_enough and system not in chosen.values():
                chosen[name] = system
        return chosen

    def is_mostly_found(self, names: Sequence[str]) -> bool:
        """Return whether enough questions of every name are found, from any system."""
        return all(self.any_found[name] >= _min_share(name) * self.asked[name] for name in names)


def _min_share(name: str) -> float:
    return MIN_SHARE_OF_LETTER if LETTER.fullmatch(name) else MIN_SHARE_OF_NAME


SystemRecord = TypeVar("SystemRecord", RatingRecord, NoteRecord, MarkRecord)
Place = tuple[str, str]  # a source of the file and a rater


def by_row(study: StudyRecords, letters: Letters) -> StudyRecords:
    """Return a study in which each row's letters are replaced by the names of their systems.

    One rater's `a` can be another's `b`. Each rater judged one question of each system: questions
    that only one system can have given are placed first, then the others, in the order of the file,
    then those that are similar to a question of a system not yet used. A question that is not found
    keeps its letter.
    """
    return _ToSystems(study, letters).study()


class _ToSystems:
    """The questions of a study while their letters are replaced by systems."""

    def __init__(self, read: StudyRecords, letters: Letters) -> None:
        self.read, self.letters = read, letters
        self.problems: list[Problem] = []
        self.raters: dict[SlotKey, dict[str, None]] = {}
        for rating in (*read.ratings, *read.judge_ratings):
            if rating.position is not None:
                key = rating.source_key, rating.system, rating.position
                self.raters.setdefault(key, {})[rating.rater] = None
        self.sources = {source.key: source for source in read.sources}
        self.slots: dict[tuple[SlotKey, str], HeldSlot] = {}
        self.positions: dict[tuple[str, str], dict[int, int]] = {}
        self.used: dict[Place, set[int | str]] = {}  # units and systems
        undecided = {
            key_of(question): question
            for question in read.questions
            if question.text is not None and question.system in letters.undecided
        }
        found = [key for key in letters.candidates if key in undecided]
        for key in sorted(found, key=lambda key: len(letters.candidates[key])):
            self._assign(key, letters.candidates[key])
        for key, question in undecided.items():
            if key not in letters.candidates:
                self._assign_similar(question)

    def study(self) -> StudyRecords:
        ratings = tuple(self._numbered(map(self._of_rater, self.read.ratings)))
        judge_ratings = tuple(self._numbered(map(self._of_rater, self.read.judge_ratings)))
        questions = {
            (each.source_key, each.system, each.position): each for each in self._questions()
        }
        expected: dict[tuple[str, str], int] = {}
        for source, system, position in questions:
            expected[source, system] = max(position, expected.get((source, system), 0))
        return replace(
            self.read,
            questions=tuple(questions.values()),
            ratings=ratings,
            judge_ratings=judge_ratings,
            notes=tuple(self._of_rater(each) for each in self.read.notes),
            marks=tuple(self._of_rater(each) for each in self.read.marks),
            expected=expected,
            problems=(*self.read.problems, *self.problems),
        )

    def _assign(self, key: SlotKey, slots: Slots) -> None:
        """Assign a slot to a question for each of its raters, if possible of a system not yet
        used."""
        for rater in self.raters.get(key, {"": None}):
            used = self.used.setdefault((key[0], rater), set())
            of_other_system = next((slot for slot in slots if slot.system not in used), None)
            unused = next((slot for slot in slots if slot.unit not in used), slots[0])
            self._use(key, rater, of_other_system or unused)

    def _assign_similar(self, question: QuestionRecord) -> None:
        key, record = key_of(question), self.sources[question.source_key]
        index = self.letters.index
        slots = index.within(index.sources_of_passage(record), "").slots
        for rater in self.raters.get(key, {"": None}):
            used = self.used.get((key[0], rater), set())
            pool = [slot for slot in slots if slot.text and slot.system not in used]
            if similar := tiers.by_similarity(question, pool, index):
                self._use(key, rater, similar.slot)

    def _use(self, key: SlotKey, rater: str, slot: HeldSlot) -> None:
        self.slots[key, rater] = slot
        self.used.setdefault((key[0], rater), set()).update((slot.system, slot.unit))

    def _place(self, key: SlotKey, rater: str) -> SlotKey:
        """Return the slot that a question had when this rater judged it."""
        slot = self.slots.get((key, rater)) or self.slots.get((key, ""))
        if slot is None:
            return key
        # two sources of the dataset may share a passage, so positions are counted here
        positions = self.positions.setdefault((key[0], slot.system), {})
        return key[0], slot.system, positions.setdefault(slot.unit, len(positions) + 1)

    def _of_rater(self, said: SystemRecord) -> SystemRecord:
        if said.position is None:
            return said
        _, system, position = self._place((said.source_key, said.system, said.position), said.rater)
        return replace(said, system=system, position=position)

    def _numbered(self, ratings: Iterator[RatingRecord]) -> Iterator[RatingRecord]:
        """Number a rater's values for one question under several letters as repeated ratings."""
        times: Counter[tuple[object, ...]] = Counter()
        for each in ratings:
            rated = each.source_key, each.system, each.position, each.rater, each.criterion
            times[rated] += 1
            yield replace(each, repeat=times[rated])

    def _questions(self) -> Iterator[QuestionRecord]:
        """Yield one question for each slot, with the scores and metadata of all its letters."""
        kept: dict[SlotKey, QuestionRecord] = {}
        for question in self.read.questions:
            key = question.source_key, question.system, question.position
            for place in dict.fromkeys(
                self._place(key, rater) for rater in self.raters.get(key, {"": None})
            ):
                if place in kept:
                    kept[place] = self._merged(kept[place], question)
                else:
                    kept[place] = replace(question, system=place[1], position=place[2])
        yield from kept.values()

    def _merged(self, first: QuestionRecord, again: QuestionRecord) -> QuestionRecord:
        """Return the first record with the values of another; report values that differ."""
        for name, value in (*again.scores.items(), *again.attributes.items()):
            old = {**first.scores, **first.attributes}.get(name, value)
            if old != value:
                reason = f"Row {first.row} says {shorten(old)} of the same question."
                self.problems.append(
                    Problem(row=again.row, column=name, value=value, reason=reason, kind="value")
                )
        return replace(
            first,
            scores={**again.scores, **first.scores},
            attributes={**again.attributes, **first.attributes},
        )


def renamed(study: StudyRecords, systems: Mapping[str, str]) -> StudyRecords:
    """Return a study with its systems renamed; if two get one name, their questions form one
    set."""
    name = {each: systems.get(each) or each for each in study.systems}
    if all(old == new for old, new in name.items()):
        return study
    places: dict[SlotKey, SlotKey] = {}
    filled: dict[tuple[str, str], int] = {}
    merged = len(set(name.values())) < len(name)
    for each in study.questions:
        pair = each.source_key, name[each.system]
        filled[pair] = filled.get(pair, 0) + 1
        position = filled[pair] if merged else each.position
        places[each.source_key, each.system, each.position] = (*pair, position)
    expected: dict[tuple[str, str], int] = {}
    for (source, system), count in study.expected.items():
        pair = source, name[system]
        expected[pair] = max(count, expected.get(pair, 0), filled.get(pair, 0) if merged else 0)
    return replace(
        study,
        questions=tuple(_moved(each, places, name) for each in study.questions),
        ratings=tuple(_moved(each, places, name) for each in study.ratings),
        judge_ratings=tuple(_moved(each, places, name) for each in study.judge_ratings),
        notes=tuple(_moved(each, places, name) for each in study.notes),
        marks=tuple(_moved(each, places, name) for each in study.marks),
        expected=expected,
    )


Placed = TypeVar("Placed", QuestionRecord, RatingRecord, NoteRecord, MarkRecord)


def _moved(record: Placed, places: Mapping[SlotKey, SlotKey], name: Mapping[str, str]) -> Placed:
    if record.position is None:
        return replace(record, system=name[record.system])
    _, system, position = places[record.source_key, record.system, record.position]
    return replace(record, system=system, position=position)
