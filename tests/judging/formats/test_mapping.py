"""One mapping for the page, the API, jobs and the command."""

import json
from typing import Any

import pytest

from judging.formats.mapping import Mapping, MappingRefused, check_mapping, mapping_from

FULL = {
    "delimiter": ";",
    "columns": {
        "q": {"role": "question"},
        "b": {"role": "metric", "name": "BLEU", "direction": "higher", "scale": "percent"},
        "f@J1": {"role": "ratings", "name": "fluency", "rater": "J1", "round": 2},
    },
    "expected": 2,
    "crossed": False,
    "points": {"fluency": {"good": "3", "odd": ""}},
    "raters": {"mean": "exclude"},
    "exclude_rows": {"status": ["rejected"]},
    "starts": {"7": 3},
}


def test_mapping_survives_json_without_its_defaults() -> None:
    mapping = mapping_from(json.loads(json.dumps(FULL)))

    assert mapping.as_data() == FULL
    assert mapping_from(mapping.as_data()) == mapping
    assert Mapping().as_data() == {}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"colour": "q"}, "colour"),
        ({"columns": {"q": {"role": "colour"}}}, "columns.q.role"),
        ({"columns": {"q": {"role": "question", "colour": 1}}}, "columns.q.colour"),
        ({"columns": {"b": {"role": "metric", "direction": "up"}}}, "columns.b.direction"),
        ({"columns": {"b": {"role": "ratings", "round": 0}}}, "columns.b.round"),
        ({"delimiter": "x"}, "delimiter"),
        ({"expected": 0}, "expected"),
        ({"expected": 10_001}, "expected"),
        ({"repeats": "jokes"}, "repeats"),
        ({"starts": {"1": "x"}}, "starts.1"),
        ({"system": "x" * 10_000}, "system"),
        ("question", ""),
    ],
)
def test_mapping_from_refuses_what_is_malformed_by_field(data: Any, field: str) -> None:
    with pytest.raises(MappingRefused) as refused:
        mapping_from(data)

    assert list(refused.value.errors) == [field]
    assert all(sentence.endswith(".") for sentence in refused.value.errors[field])


Q = {"q": {"role": "question"}}
SCORE = {"role": "metric", "name": "n", "direction": "lower"}
VALUES = {"a": {"role": "criterion"}, "b": {"role": "value"}}
HEADER = ["q", "a", "b", "s"]


def rating(**details: Any) -> dict[str, Any]:
    return {"role": "ratings", "name": "fluency", **details}


def of_system(name: str) -> dict[str, Any]:
    return {"role": "question_of", "name": name}


@pytest.mark.parametrize(
    ("data", "field", "sentence"),
    [
        ({"columns": {"x": {"role": "question"}}}, "columns.x", "The file has no column “x”."),
        ({"columns": Q, "exclude_rows": {"x": ["1"]}}, "columns.x", "has no column “x”"),
        ({"columns": {**Q, "a": {"role": "question"}}}, "columns.a.role", "not “q” and “a”"),
        ({"columns": {**Q, "a": {"role": "metric"}}}, "columns.a.direction", "whether higher"),
        ({"columns": dict.fromkeys("ab", SCORE)}, "columns", "Two columns hold scores called “n”."),
        ({"columns": {**Q, "a": rating()}}, "columns.a.rater", "say who gave the ratings"),
        ({"columns": {**Q, "a": rating(name="", rater="A")}}, "columns.a.name", "criterion"),
        ({"columns": {n: rating(rater="A") for n in "ab"}}, "columns", "by the same annotator."),
        ({"columns": {"a": rating(role="ask", rater="A")}}, "columns.a.role", "or exclude it"),
        ({"columns": Q, "raters": {"final": "ask"}}, "raters.final", "or exclude it"),
        ({"columns": {**Q, "a": {"role": "criterion"}}}, "columns", "Name both the column of"),
        ({"columns": VALUES}, "columns", "need a column of annotators"),
        ({"columns": {**Q, "a": {"role": "mark_start"}}}, "columns", "Name both ends"),
        ({"columns": {**Q, "a": {"role": "mark"}}}, "columns", "need a column of annotators"),
        ({"columns": {"a": of_system("")}}, "columns.a.name", "Say which system"),
        ({"columns": {"a": of_system("x"), "b": of_system("x")}}, "columns", "same system"),
        ({"columns": {**Q, "a": of_system("x")}}, "columns", "not both"),
        ({"columns": {"a": of_system("x"), "b": rating(rater="A")}}, "columns", "no system"),
    ],
)
def test_check_refuses_contradictions_by_field(
    data: dict[str, Any], field: str, sentence: str
) -> None:
    with pytest.raises(MappingRefused) as refused:
        check_mapping(mapping_from(data), HEADER)

    assert any(sentence in each for each in refused.value.errors[field])


@pytest.mark.parametrize(
    "data",
    [
        {"columns": Q},
        {"columns": {**Q, "a": rating(), "b": {"role": "rater"}}},
        {"columns": {**Q, "a": rating()}, "rater": "Ann"},
        {"columns": {**Q, "a": rating(rater="A"), "b": rating(rater="A", round=2)}},
        {"columns": {"a": of_system("x"), "b": of_system("y"), "s": {"role": "passage"}}},
        {"columns": {**Q, "a": {"role": "reference"}, "b": {"role": "reference"}}},
    ],
)
def test_check_accepts_what_fits(data: dict[str, Any]) -> None:
    check_mapping(mapping_from(data), HEADER)
