"""Argilla's exports: the shared cases, and files like them."""

import json
from typing import Any

import pytest

from judging.imports.readers.records import StudyRecords
from tests.judging.imports.readers.shape.reading import case, read, values

PASSAGES = {"A": "Owls hunt at night.", "B": "Mice sleep by day."}


def record(system: str, *ratings: int, name: str = "fluency", **fields: Any) -> dict[str, Any]:
    given = [{"value": value, "user_id": f"u{place}"} for place, value in enumerate(ratings)]
    return {
        "id": f"r{system}",
        "fields": {"passage": PASSAGES[system], "question": f"Question {system}?"},
        "metadata": {"system": system},
        "suggestions": {},
        "responses": {name: given},
    } | fields


def by_lines(records: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, records))


def rated(study: StudyRecords) -> list[tuple[str, str, str]]:
    return [(each.rater, each.criterion, each.value) for each in study.ratings]


@pytest.mark.parametrize("name", ["33.json", "33c.jsonl"])
def test_case_of_argilla_gives_the_questions_once_and_ratings_by_two_annotators(name: str) -> None:
    found, study = case("05-argilla", name)

    assert found.format == "argilla"
    assert (len(study.questions), study.systems) == (8, ("S1", "S2"))
    assert {rater: len(given) for rater, given in values(study).items()} == {"aa-1": 8, "bb-2": 8}
    assert (study.criteria, study.problems) == (("fluency",), ())


@pytest.mark.parametrize("write", [json.dumps, by_lines])
def test_records_are_read_as_a_list_and_as_lines(write: Any) -> None:
    _, study = read(write([record("A", 3, 2), record("B", 1)]), "a.json")

    assert values(study) == {"u0": ["3", "1"], "u1": ["2"]}


def test_fields_and_ratings_by_other_names_are_read() -> None:
    fields = {"context": "Owls hunt.", "generated_question": "Who hunts?"}
    records = [record("A", 3, 2, name="klarheit", fields=fields, metadata={"model": "T5"})]

    _, study = read(json.dumps(records), "a.json")

    assert (study.systems, study.sources[0].passage) == (("T5",), "Owls hunt.")
    assert rated(study) == [("u0", "klarheit", "3"), ("u1", "klarheit", "2")]


def test_flat_records_and_lists_by_question_are_read_as_a_list_too() -> None:
    flat = {
        "question": "Who?",
        "fluency.responses": [3, None, 2],
        "fluency.responses.users": ["a", "b", "c"],
    }
    listed = {
        "question": "Who?",
        "fluency": [{"user_id": "a", "value": 3}, {"user_id": "c", "value": 2}],
        "fluency-suggestion": None,
        "external_id": None,
        "metadata": "{}",
    }
    for each in (flat, listed):
        _, study = read(json.dumps([each]), "a.json")
        assert rated(study) == [("a", "fluency", "3"), ("c", "fluency", "2")]


def test_responses_by_annotator_are_read() -> None:
    responses = [
        {"user_id": "a", "status": "submitted", "values": {"fluency": {"value": 3}}},
        {"user_id": "b", "status": "draft", "values": {"fluency": {"value": 1}}},
    ]

    _, study = read(json.dumps([record("A", responses=responses)]), "a.json")

    assert rated(study) == [("a", "fluency", "3")]
    assert [each.kind for each in study.problems] == ["warning"]


def test_responses_without_annotators_are_kept_apart() -> None:
    responses = {"fluency": [{"value": 3}, {"value": 2, "user_id": None}]}

    _, study = read(json.dumps([record("A", responses=responses)]), "a.json")

    assert rated(study) == [("annotator 1", "fluency", "3"), ("annotator 2", "fluency", "2")]


def test_what_is_no_rating_is_passed_over_or_put_aside() -> None:
    responses = {
        "order": [{"value": [{"value": "a", "rank": 1}], "user_id": "u"}],
        "faults": [{"value": ["typo", "vague"], "user_id": "u"}],
        "reason": [{"value": "long " * 20, "user_id": "u"}],
    }

    _, study = read(json.dumps([record("A", responses=responses), "nonsense"]), "a.json")

    assert (rated(study), [note.rater for note in study.notes]) == ([], ["u"])
    assert sorted((each.row, each.kind) for each in study.problems) == [
        (1, "value"),
        (1, "warning"),
        (2, "row"),
    ]
