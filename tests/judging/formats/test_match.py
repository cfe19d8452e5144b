"""Matching the questions of a file with those of a dataset in tiers, without a database."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pandas import DataFrame

from judging.formats.choices import JoiningChoices
from judging.formats.frames import RATING_COLUMNS, Study
from judging.formats.letters import Letters, find_letters, of_several_systems, renamed
from judging.formats.mapping import mapping_from
from judging.formats.match import Matched, match
from judging.formats.shuffled import replace_row_letters
from judging.formats.study import study_from_frame as study_in
from judging.formats.tiers import NONE, Held
from judging.imports.actions.decide import unroll_repeats
from tests.judging.imports.tables import frame

MANY = 6_000
PARTS = ("passage", "answer", "system", "question")
SYSTEMS = ("Alba", "Brisa", "Cala", "Dora")
Row = tuple[str, str, str, str, str]  # id, passage, answer, system, question

DATASET: tuple[Row, ...] = (
    ("h", "Herons wade at dawn.", "at dawn", "Alba", "When do herons wade?"),
    ("h", "Herons wade at dawn.", "at dawn", "Brisa", "What wades at dawn?"),
    ("m", "The old mill was sold in 1850.", "1850", "Alba", "When was the mill sold?"),
    ("m", "The old mill was sold in 1850.", "1850", "Brisa", "What was sold in 1850?"),
)
MILL = DATASET[2]
MILL_SHOUTED = "WHEN WAS THE MILL SOLD ?"
TYPO = "When was the mil sold?"


def study_of(rows: Sequence[Row], *, ids: bool = False) -> Study:
    """Return the study of a table with these rows; without `ids` it has no column of ids."""
    columns = {name: {"role": name} for name in PARTS}
    columns["id"] = {"role": "source_id" if ids else ""}
    cells = dict(zip(("id", *PARTS), zip(*rows, strict=True), strict=True))
    return study_in(frame(cells), mapping_from({"columns": columns}))


def held_of(rows: Sequence[Row]) -> Held:
    """Return a dataset with these rows; its units are numbered from 1, its sources from 101."""
    study = study_of(rows, ids=True)
    sources = study.sources.assign(repeat_of=NONE, repeat=1)
    slots = study.questions.assign(source=study.questions["source"] + 101)
    sets = [
        (source + 101, system, number, 1000 + number, count)
        for number, ((source, system), count) in enumerate(study.expected.items())
    ]
    return Held(
        sources=sources.set_index(sources.index + 101),
        slots=slots.set_index(slots.index + 1),
        sets=DataFrame(sets, columns=["source", "system", "set", "whole", "expected"]),
    )


def matched(study: Study, held: Held, *, ids: bool = False, said: Any = None, **choices) -> Matched:
    study, made = unroll_repeats(study), JoiningChoices(**choices)
    return match(study.sources, study.questions, held, made, has_ids=ids, **said or {})


def found(result: Matched) -> list[tuple[str, int]]:
    """Return the tier and the unit of each question, "" and 0 for none."""
    units = result.questions["unit"].fillna(0)
    return list(zip(result.questions["tier"], units, strict=True))


def changed(row: Row, **parts: str) -> Row:
    cells = (parts.get(name, cell) for name, cell in zip(("id", *PARTS), row, strict=True))
    return tuple(cells)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("parts", "tier"),
    [
        ({}, "parts"),
        ({"answer": "in 1850"}, "passage"),
        ({"passage": "The old mill, by the way, was sold in 1850."}, "question"),
        ({"passage": "", "answer": ""}, "question"),
        ({"question": "when was the “mill” sold"}, "normalized"),
        ({"passage": "The OLD millwas sold in 1850", "question": MILL_SHOUTED}, "normalized"),
        ({"question": TYPO}, "similar"),
        ({"question": "Who bought the mill then?"}, ""),
        ({"passage": "Bees dance to tell where flowers grow.", "answer": "bees"}, ""),
        ({"system": "Cala"}, ""),
    ],
)
def test_match_row_that_differs_in_a_part_is_found_by_the_surest_tier(parts, tier) -> None:
    result = matched(study_of([changed(MILL, **parts)]), held_of(DATASET))

    assert found(result) == [(tier, 3 if tier else 0)]
    assert list(result.questions["reason"]) == ["" if tier else "unmatched"]


def test_match_file_without_systems_is_found_in_any() -> None:
    study = study_of([changed(MILL, system="unnamed")])

    result = matched(study, held_of(DATASET), said={"any_system": True})

    assert found(result) == [("parts", 3)]


def test_match_ids_that_agree_with_texts_are_the_surest_tier() -> None:
    rows = [*DATASET[:2], changed(MILL, question=TYPO)]

    result = matched(study_of(rows, ids=True), held_of(DATASET), ids=True)

    assert found(result) == [("id", 1), ("id", 2), ("id", 3)]
    assert list(result.sources["candidates"]) == [(101,), (102,)]


def test_match_ids_that_are_row_numbers_are_not_trusted() -> None:
    numbered = [(str(n), *row[1:]) for n, row in enumerate(DATASET, start=1)]
    swapped = study_of([(str(5 - int(row[0])), *row[1:]) for row in numbered], ids=True)

    result = matched(swapped, held_of(numbered), ids=True)

    assert result.doubtful_ids == (4, 4)
    assert found(result) == [("parts", 1), ("parts", 2), ("parts", 3), ("parts", 4)]
    by_ids = matched(swapped, held_of(numbered), ids=True, by="ids")
    assert (by_ids.doubtful_ids, set(by_ids.questions["reason"])) == (None, {"unmatched"})


def test_match_row_with_the_id_of_another_passage_is_found_by_its_texts() -> None:
    bees = ("b", "Bees dance in the hive.", "bees", "Alba", "Who dances?")
    rows = [*DATASET[:2], changed(MILL, id="b")]

    result = matched(study_of(rows, ids=True), held_of([*DATASET, bees]), ids=True)

    assert result.doubtful_ids is None
    assert found(result) == [("id", 1), ("id", 2), ("parts", 3)]


def test_match_row_with_another_text_under_its_id_keeps_what_the_id_points_at() -> None:
    rows = [*DATASET[:2], changed(MILL, question="Who bought the building then?")]

    result = matched(study_of(rows, ids=True), held_of(DATASET), ids=True)

    last = result.questions.iloc[-1]
    assert (last["tier"], last["reason"], last["pointed_at"]) == ("", "conflicting", 3)


def test_match_similar_question_with_another_number_is_no_match() -> None:
    row = changed(DATASET[3], question="What was sold in 1851?")

    [last] = matched(study_of([row]), held_of(DATASET)).questions.itertuples()

    assert (last.tier, last.closest, last.in_passage) == ("", 4, True)
    assert last.closeness > 90


def test_match_similar_questions_of_equal_rank_are_no_match() -> None:
    twins = [changed(MILL, question=f"When was the mill {end}?") for end in ("sold", "sole")]

    result = matched(study_of([changed(MILL, question="When was the mill solx?")]), held_of(twins))

    assert found(result) == [("", 0)]


def test_match_similar_text_is_declined_by_question_or_altogether() -> None:
    study = study_of([changed(MILL, question=TYPO)])

    assert found(matched(study, held_of(DATASET), declined=[TYPO])) == [("", 0)]
    assert found(matched(study, held_of(DATASET), similar=False)) == [("", 0)]


def test_match_equal_questions_are_matched_in_order_if_there_are_as_many() -> None:
    twins = held_of([MILL, MILL])
    numbered = [changed(MILL, id="x"), changed(MILL, id="y")]

    assert found(matched(study_of([MILL, MILL]), twins)) == [("parts", 1), ("parts", 2)]
    assert found(matched(study_of(numbered, ids=True), twins)) == [("parts", 1), ("parts", 2)]
    alone = matched(study_of([MILL]), twins).questions.iloc[0]
    assert (alone["tier"], alone["reason"], alone["alike"]) == ("", "ambiguous", 2)
    again = matched(study_of([MILL, MILL]), held_of(DATASET)).questions
    assert list(again["reason"]) == ["", "ambiguous"]


def test_match_empty_dataset_matches_nothing() -> None:
    held = held_of(DATASET)
    empty = Held(sources=held.sources[:0], slots=held.slots[:0], sets=held.sets[:0])

    result = matched(study_of(DATASET), empty)

    assert found(result) == [("", 0)] * 4
    assert list(result.sources["candidates"]) == [(), ()]


@pytest.mark.parametrize("by", ["ids", "texts"])
def test_match_thousands_of_equal_questions_are_matched_at_once(by) -> None:
    rows = [(f"s{number}", "", "", "Alba", "Q?") for number in range(MANY)]
    study, held = study_of(rows, ids=True), held_of(rows)
    lettered = study_of([changed(row, system="a") for row in rows], ids=True)
    began = time.process_time()

    result = matched(study, held, by=by, ids=True)
    letters = letters_of(lettered, held)

    assert list(result.questions["unit"]) == [*range(1, MANY + 1)]
    assert letters.names == {"a": "Alba"}
    assert time.process_time() - began < 5  # it takes a tenth of that


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
            rows.append(("", about(town), "a mill", letter, asked(town, place)))
    return rows


def about(town: str) -> str:
    return f"{town} has a mill by its river and a market each week."


def asked(town: str, place: int) -> str:
    """Return the question of one system about a town; the first two systems ask the same."""
    asked_by = ("has", "has", "keeps near its river", "sells each week")
    return f"What is it that {town} {asked_by[place]}?"


def crowd_dataset(towns: int) -> Held:
    return held_of(
        [
            (f"t{number}", about(f"Town{number}"), "a mill", system, asked(f"Town{number}", place))
            for number in range(towns)
            for place, system in enumerate(SYSTEMS)
        ]
    )


def letters_of(study: Study, held: Held, by_hand: Mapping[str, str] | None = None) -> Letters:
    letters = find_letters(study, held, by_hand or {})
    assert letters is not None
    return letters


def test_find_letters_of_equal_questions_are_undecided_until_decided_by_hand() -> None:
    rows = crowd("abcd", 10, known=6)

    voted = letters_of(study_of(rows), crowd_dataset(10))
    assert (voted.by_row, voted.names) == (False, {"c": "Cala", "d": "Dora"})
    assert (voted.votes["c"], voted.votes["d"]) == ({"Cala": 6}, {"Dora": 6})
    by_hand = letters_of(study_of(rows), crowd_dataset(10), {"a": "Alba", "b": "Brisa"})
    assert by_hand.names == dict(zip("abcd", SYSTEMS, strict=True))


def test_match_text_of_several_systems_is_found_by_the_system_of_its_letter() -> None:
    """The passages differ a little, so that they are not found by themselves."""
    rows = [changed(row, passage=row[1] + " Truly.") for row in crowd("abcd", 6, known=6)]
    study, held = study_of(rows), crowd_dataset(6)
    letters = letters_of(study, held, {"a": "Alba", "b": "Brisa"})
    study = unroll_repeats(renamed(study, letters.names))

    result = matched(study, held, said={"lettered": of_several_systems(study, letters)})

    assert found(result)[:4] == [("letter", 1), ("letter", 2), ("question", 3), ("question", 4)]
    assert list(result.questions["unit"]) == [*range(1, 25)]


def test_find_letters_shuffled_letters_are_decided_in_each_row() -> None:
    study, held = study_of(crowd("abcd", 8, known=8, shuffled=True)), crowd_dataset(8)

    letters = letters_of(study, held)

    assert (letters.by_row, letters.names) == (True, {})
    units = [unit for _, unit in found(matched(replace_row_letters(study, letters), held))]
    assert sorted(units) == [*range(1, 33)]


def test_find_letters_system_that_the_dataset_lacks_stays_undecided() -> None:
    """A question of letter d reads like one of a system that has no letter."""
    rows = [row for row in crowd("abcd", 10, known=10) if row[3] in "cd"]
    rows = [
        row if row[3] == "c" or "Town0 " in row[1] else changed(row, question=f"Why {row[1]}?")
        for row in rows
    ]

    letters = letters_of(study_of(rows), crowd_dataset(10))

    assert letters.names == {"c": "Cala"}
    assert letters.votes["d"] == {"Dora": 1}


def test_find_letters_new_system_with_some_equal_questions_is_not_renamed() -> None:
    rows = [row for row in crowd(["x", "y", "Copycat", "z"], 10, known=10) if row[3] == "Copycat"]
    rows[5:] = [changed(row, question=f"Why {row[1]}?") for row in rows[5:]]

    letters = letters_of(study_of(rows), crowd_dataset(10))

    assert (letters.by_row, letters.names) == (False, {})
    assert letters.votes["Copycat"] == {"Cala": 5}


def test_renamed_two_letters_of_one_system_form_one_set_with_their_ratings() -> None:
    study = study_of([changed(MILL, system="a"), changed(MILL, system="b", question="Sold when?")])
    row = (1, 0, "b", "Model", True, "fluency", "3", 1, {}, 3, "fluency")
    ratings = DataFrame([row], columns=list(RATING_COLUMNS), dtype=object)

    moved = renamed(replace(study, ratings=ratings), {"a": "Alba", "b": "Alba"})

    assert list(moved.questions["position"]) == [1, 2]
    assert list(moved.ratings["system"]) == ["Alba"]
    assert moved.expected == {(0, "Alba"): 2}
