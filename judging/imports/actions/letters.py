"""Which system hides behind each letter of a crowd batch: found by the texts of their questions."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from judging.imports.actions.matching import Held, Matching, SlotKey, match
from judging.imports.readers.records import (
    MarkRecord,
    NoteRecord,
    Problem,
    QuestionRecord,
    RatingRecord,
    StudyRecords,
)
from judging.imports.readers.sameness import Sameness
from judging.imports.readers.tables import shorten

FOUND_SHARE = 0.9  # of a file's questions, before its letters are taken to stand for systems of the collection
SURE = 0.9  # of a letter's questions that are one system's


@dataclass(frozen=True, slots=True)
class Letters:
    """What the letters of a file stand for: one system each, or in every row another (`names` is
    empty then)."""

    names: dict[str, str]
    matching: Matching


def letters(
    study: StudyRecords, held: Held, *, same: Sameness, has_ids: bool, left_out: int = 0
) -> Letters | None:
    """Find the systems of the collection behind names that it does not have; None where the texts
    do not tell.

    `left_out` counts rows of the file that are about nothing in the collection and not in the
    study.
    """
    if not held.systems or held.systems & set(study.systems):
        return None
    found = match(study, held, same=same, by="texts", has_ids=has_ids, any_system=True)
    asked = [key for key, each in found.questions.items() if each.candidates]
    given = sum(question.text is not None for question in study.questions)
    if not given or len(asked) < FOUND_SHARE * (given + left_out):
        return None
    sure: dict[str, Counter[str]] = {}
    alike = {id(each.candidates): each.candidates for each in found.questions.values()}
    made_by = {key: {slot.system for slot in slots} for key, slots in alike.items()}
    for (_, system, _), each in found.questions.items():
        if len(made_by[id(each.candidates)]) == 1:
            sure.setdefault(system, Counter())[each.candidates[0].system] += 1
    names = {
        letter: counts.most_common(1)[0][0]
        for letter, counts in sure.items()
        if counts.most_common(1)[0][1] >= SURE * counts.total()
    }
    one_each = len(names) == len(study.systems) == len(set(names.values()))
    return Letters(names if one_each else {}, found)


SystemRecord = TypeVar("SystemRecord", RatingRecord, NoteRecord, MarkRecord)


def told_apart(study: StudyRecords, found: Matching) -> StudyRecords:
    """Return a study whose letters stand for another system in every row, with the systems that the
    texts tell.

    Each row may shuffle letters by itself, so one rater's `a` can be another's `b`: what reads
    alike is one question. Where several systems gave the same question, those that one rater judged
    are taken one by one, in the order of the file. What fits no question keeps its letter.
    """
    return _ToSystems(study, found).study()


class _ToSystems:
    """The questions of a study on their way from letters to systems."""

    def __init__(self, read: StudyRecords, found: Matching) -> None:
        self.read, self.found = read, found
        self.given: dict[tuple[str, str, int], dict[SlotKey, int]] = {}
        self.problems: list[Problem] = []

    def study(self) -> StudyRecords:
        ratings = tuple(self._numbered(self._of_rater(each) for each in self.read.ratings))
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
            notes=tuple(self._of_rater(each) for each in self.read.notes),
            marks=tuple(self._of_rater(each) for each in self.read.marks),
            expected=expected,
            problems=(*self.read.problems, *self.problems),
        )

    def _place(self, key: SlotKey, rater: str) -> SlotKey:
        """Return the slot that a question was of when this rater judged it."""
        slots = self.found.questions[key].candidates
        if not slots:
            return key
        # what reads alike about one source has its candidates in one tuple
        taken = self.given.setdefault((key[0], rater, id(slots)), {})
        slot = slots[taken.setdefault(key, len(taken)) % len(slots)]
        return key[0], slot.system, slot.position

    def _of_rater(self, said: SystemRecord) -> SystemRecord:
        if said.position is None:
            return said
        _, system, position = self._place((said.source_key, said.system, said.position), said.rater)
        return replace(said, system=system, position=position)

    def _numbered(self, ratings: Iterator[RatingRecord]) -> Iterator[RatingRecord]:
        """Number what a rater gave to one question under several letters, as values given again
        are."""
        times: Counter[tuple[object, ...]] = Counter()
        for each in ratings:
            rated = each.source_key, each.system, each.position, each.rater, each.criterion
            times[rated] += 1
            yield replace(each, repeat=times[rated])

    def _questions(self) -> Iterator[QuestionRecord]:
        """Yield one question for each slot, with the scores and metadata of all letters that it
        had."""
        raters: dict[SlotKey, dict[str, None]] = {}
        for each in self.read.ratings:
            if each.position is not None:
                raters.setdefault((each.source_key, each.system, each.position), {})[each.rater] = (
                    None
                )
        kept: dict[SlotKey, QuestionRecord] = {}
        for question in self.read.questions:
            key = question.source_key, question.system, question.position
            for place in dict.fromkeys(
                self._place(key, rater) for rater in raters.get(key, {"": None})
            ):
                if place in kept:
                    kept[place] = self._merged(kept[place], question)
                else:
                    kept[place] = replace(question, system=place[1], position=place[2])
        yield from kept.values()

    def _merged(self, first: QuestionRecord, again: QuestionRecord) -> QuestionRecord:
        """Return the first record with what another says beside it; values that differ are told."""
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
    """Return a study with its systems under other names; where two get one name, their questions
    stand in one set."""
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
