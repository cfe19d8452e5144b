"""Matching the rows of a file with a dataset in tiers, without a database."""

import csv
import time
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import pytest

from judging.imports.actions.held import CollectionSet, Held, HeldSlot, HeldSource
from judging.imports.actions.letters import by_row, find_letters, renamed
from judging.imports.actions.matching import Matching, match
from judging.imports.readers.columns import columns_from
from judging.imports.readers.records import RatingRecord, StudyRecords
from judging.imports.readers.registry import FORMAT

pytestmark = pytest.mark.long

MANY = 6_000
Row = tuple[str, str, str, str, str]  # id, passage, answer, system, question

DATASET: tuple[Row, ...] = (
    ("h", "Herons wade at dawn.", "at dawn", "Alba", "When do herons wade?"),
    ("h", "Herons wade at dawn.", "at dawn", "Brisa", "What wades at dawn?"),
    ("m", "The old mill was sold in 1850.", "1850", "Alba", "When was the mill sold?"),
    ("m", "The old mill was sold in 1850.", "1850", "Brisa", "What was sold in 1850?"),
)


def study_of(rows: Sequence[Row], *, ids: bool = False) -> StudyRecords:
    """Return the study of a table with these rows; without `ids` it has no column of ids."""
    parts = ("passage", "answer", "system", "question")
    columns = columns_from({name: name for name in parts} | ({"source_id": "id"} if ids else {}))
    text = StringIO()
    csv.writer(text).writerows([("id", *parts), *rows])
    return FORMAT["csv"].read(text.getvalue().encode(), columns=columns)


def held_of(rows: Sequence[Row]) -> Held:
    """Return a dataset with these rows."""
    study = study_of(rows, ids=True)
    pks = {source.key: pk for pk, source in enumerate(study.sources, start=1)}
    return Held(
        sources=[
            HeldSource(pks[each.key], each.key, each.passage or "", "", each.answer, "", "", "")
            for each in study.sources
        ],
        slots=[
            HeldSlot(unit, pks[each.source_key], each.system, each.position, each.text, each.key)
            for unit, each in enumerate(study.questions, start=1)
        ],
        sets={
            (pks[source], system): CollectionSet(n, 1000 + n, count)
            for n, ((source, system), count) in enumerate(study.expected.items())
        },
    )


def found_by(matching: Matching) -> list[str | None]:
    return [found.tier for found in matching.questions.values()]


def units(matching: Matching) -> list[int | None]:
    return [found.slot and found.slot.unit for found in matching.questions.values()]


def changed(row: Row, **parts: str) -> Row:
    names = ("id", "passage", "answer", "system", "question")
    return tuple(parts.get(name, cell) for name, cell in zip(names, row, strict=True))  # type: ignore[return-value]


MILL = DATASET[2]
MILL_SHOUTED = "WHEN WAS THE MILL SOLD ?"


@pytest.mark.parametrize(
    ("parts", "tier"),
    [
        ({}, "parts"),
        ({"answer": "in 1850"}, "passage"),
        ({"passage": "The old mill, by the way, was sold in 1850."}, "question"),
        ({"question": "when was the “mill” sold"}, "normalized"),
        ({"passage": "The OLD millwas sold in 1850", "question": MILL_SHOUTED}, "normalized"),
        ({"question": "When was the mil sold?"}, "similar"),
        ({"question": "Who bought the mill then?"}, None),
    ],
)
def test_match_row_that_differs_in_a_part_is_found_by_the_surest_tier(parts, tier) -> None:
    matching = match(study_of([changed(MILL, **parts)]), held_of(DATASET))

    assert (found_by(matching), units(matching)) == ([tier], [3 if tier else None])


def test_match_ids_that_agree_with_texts_are_the_surest_tier() -> None:
    typo = changed(MILL, question="When was the mil sold?")

    matching = match(study_of([*DATASET[:2], typo], ids=True), held_of(DATASET), has_ids=True)

    assert (found_by(matching), units(matching)) == (["id"] * 3, [1, 2, 3])


def test_match_ids_that_are_row_numbers_are_not_trusted() -> None:
    numbered = [(str(n), *row[1:]) for n, row in enumerate(DATASET, start=1)]
    swapped = [(str(5 - int(row[0])), *row[1:]) for row in numbered]
    dataset = held_of([(row[0], *row[1:]) for row in numbered])

    matching = match(study_of(swapped, ids=True), dataset, has_ids=True)

    assert matching.doubtful_ids == (4, 4)
    assert (found_by(matching), units(matching)) == (["parts"] * 4, [1, 2, 3, 4])


def test_match_row_with_the_id_of_another_passage_is_found_by_its_texts() -> None:
    bees = ("b", "Bees dance in the hive.", "bees", "Alba", "Who dances?")
    rows = [*DATASET[:2], changed(MILL, id="b")]

    matching = match(study_of(rows, ids=True), held_of([*DATASET, bees]), has_ids=True)

    assert matching.doubtful_ids is None
    assert (found_by(matching), units(matching)) == (["id", "id", "parts"], [1, 2, 3])


def test_match_row_with_another_text_under_its_id_keeps_what_the_id_points_at() -> None:
    rows = [*DATASET[:2], changed(MILL, question="Who bought the building then?")]

    *_, found = match(study_of(rows, ids=True), held_of(DATASET), has_ids=True).questions.values()

    assert found.tier is None
    assert found.of_id is not None
    assert found.of_id.unit == 3


def test_match_same_question_about_another_passage_is_no_match() -> None:
    other = changed(MILL, passage="Bees dance to tell where flowers grow.", answer="bees")

    assert found_by(match(study_of([other]), held_of(DATASET))) == [None]


def test_match_similar_question_with_another_number_is_no_match() -> None:
    row = changed(DATASET[3], question="What was sold in 1851?")

    [found] = match(study_of([row]), held_of(DATASET)).questions.values()

    assert found.tier is None
    assert found.closest is not None
    assert (found.closest.slot.unit, found.closest.in_passage) == (4, True)


def test_match_similar_questions_of_equal_rank_are_no_match() -> None:
    twins = [changed(MILL, question=f"When was the mill {end}?") for end in ("sold", "sole")]

    matching = match(study_of([changed(MILL, question="When was the mill solx?")]), held_of(twins))

    assert found_by(matching) == [None]


def test_match_similar_text_is_declined_by_question_or_altogether() -> None:
    typo = "When was the mil sold?"
    study = study_of([changed(MILL, question=typo)])

    assert found_by(match(study, held_of(DATASET), declined=[typo])) == [None]
    assert found_by(match(study, held_of(DATASET), similar=False)) == [None]


def crowd(
    letters: Sequence[str], passages: int, *, known: int, shuffled: bool = False
) -> list[Row]:
    """Return rows of a batch: four systems about each passage, under letters.

    From number `known` on the passages are of another study. With `shuffled` the letters move by
    one from passage to passage.
    """
    rows = []
    for number in range(passages):
        town = f"Town{number}" if number < known else f"City{number}"
        for place in range(len(letters)):
            letter = letters[(place + (number if shuffled else 0)) % len(letters)]
            about = f"{town} has a mill by its river and a market each week."
            rows.append(("", about, "a mill", letter, asked(town, place)))
    return rows


def asked(town: str, place: int) -> str:
    """Return the question of one system about a town; the first two systems ask the same."""
    asked_by = ("has", "has", "keeps near its river", "sells each week")
    return f"What is it that {town} {asked_by[place]}?"


SYSTEMS = ("Alba", "Brisa", "Cala", "Dora")


def crowd_dataset(towns: int) -> Held:
    rows = []
    for number in range(towns):
        about = f"Town{number} has a mill by its river and a market each week."
        rows += [
            (f"t{number}", about, "a mill", system, asked(f"Town{number}", place))
            for place, system in enumerate(SYSTEMS)
        ]
    return held_of(rows)


def test_find_letters_batch_with_unknown_rows_decides_by_votes() -> None:
    read = study_of([row for row in crowd("abcd", 10, known=6) if row[3] in "cd"])

    letters = find_letters(read, crowd_dataset(10))

    assert letters is not None
    assert letters.names == {"c": "Cala", "d": "Dora"}
    assert [vote.systems for vote in letters.votes] == [{"Cala": 6}, {"Dora": 6}]


def test_find_letters_of_equal_questions_are_undecided_until_decided_by_hand() -> None:
    read = study_of(crowd("abcd", 10, known=6))

    voted = find_letters(read, crowd_dataset(10))
    assert voted is not None
    assert (voted.by_row, voted.names) == (False, {"c": "Cala", "d": "Dora"})
    by_hand = find_letters(read, crowd_dataset(10), {"a": "Alba", "b": "Brisa"})
    assert by_hand is not None
    assert by_hand.names == dict(zip("abcd", SYSTEMS, strict=True))


def test_find_letters_shuffled_letters_are_decided_in_each_row() -> None:
    read = study_of(crowd("abcd", 8, known=8, shuffled=True))

    letters = find_letters(read, crowd_dataset(8))

    assert letters is not None
    assert (letters.by_row, letters.names) == (True, {})
    matching = match(by_row(read, letters), crowd_dataset(8))
    assert sorted(filter(None, units(matching))) == [*range(1, 33)]


def test_find_letters_system_that_the_dataset_lacks_stays_undecided() -> None:
    """A question of letter d reads like one of a system that has no letter."""
    rows = [row for row in crowd("abcd", 10, known=10) if row[3] in "cd"]
    rows = [
        row if row[3] == "c" or "Town0 " in row[1] else changed(row, question=f"Why {row[1]}?")
        for row in rows
    ]

    letters = find_letters(study_of(rows), crowd_dataset(10))

    assert letters is not None
    assert letters.names == {"c": "Cala"}
    assert letters.votes[1].systems == {"Dora": 1}


def test_find_letters_new_system_with_some_equal_questions_is_not_renamed() -> None:
    rows = [row for row in crowd(["x", "y", "Copycat", "z"], 10, known=10) if row[3] == "Copycat"]
    rows[5:] = [changed(row, question=f"Why {row[1]}?") for row in rows[5:]]

    letters = find_letters(study_of(rows), crowd_dataset(10))

    assert letters is not None
    assert (letters.by_row, letters.names) == (False, {})
    assert letters.votes[0].systems == {"Cala": 5}


def study(system: str) -> StudyRecords:
    rows = [f"Q?,{system},s{number}" for number in range(MANY)]
    return FORMAT["csv"].read("\n".join(["question,system,source_id", *rows]).encode())


def held() -> Held:
    return Held(
        sources=[HeldSource(n, f"s{n}", "", "", "", "", "", "") for n in range(MANY)],
        slots=[HeldSlot(n, n, "A", 1, "Q?", "") for n in range(MANY)],
        sets={(n, "A"): CollectionSet(n, n, 1) for n in range(MANY)},
    )


@pytest.mark.long
@pytest.mark.parametrize("by", ["ids", "texts"])
def test_match_as_many_equal_questions_as_the_dataset_has_are_matched_at_once(by) -> None:
    began = time.process_time()
    found = match(study("A"), held(), by=by, has_ids=True)
    assert [each.slot.unit for each in found.questions.values() if each.slot] == [*range(MANY)]
    assert time.process_time() - began < 5  # it takes a tenth of that


@pytest.mark.long
def test_find_letters_of_many_equal_questions_are_decided_at_once() -> None:
    read = study("a")
    began = time.process_time()
    letters = find_letters(read, held())
    assert letters is not None
    assert letters.names == {"a": "A"}
    assert len(by_row(read, letters).questions) == MANY
    assert time.process_time() - began < 5


def test_renamed_ratings_of_llm_judges_follow_their_system() -> None:
    read = study_of([changed(MILL, system="a")])
    [question] = read.questions
    judged = RatingRecord(
        source_key=question.source_key,
        system="a",
        position=1,
        rater="Model",
        criterion="fluency",
        value="3",
        row=2,
        column="fluency",
    )

    moved = renamed(replace(read, judge_ratings=(judged,)), {"a": "Alba"})

    assert [each.system for each in moved.judge_ratings] == ["Alba"]
