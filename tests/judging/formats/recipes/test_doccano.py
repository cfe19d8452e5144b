"""doccano's exports."""

import json

import pytest

from tests.judging.imports.recipes.reading import lines, read


@pytest.mark.parametrize(
    ("label", "criterion", "value"),
    [
        ("fluency:3", "fluency", "3"),
        ("fluency = 3", "fluency", "3"),
        ("answer_consistency_2", "answer_consistency", "2"),
        ("good", "label", "good"),
    ],
)
def test_frame_takes_criterion_and_value_from_a_label(
    label: str, criterion: str, value: str
) -> None:
    found = read(lines({"id": 1, "text": "Who?", "label": [label], "Comments": ["odd", "old"]}))
    name = f"label:{criterion}"
    assert found.key == "doccano"
    assert found.cells("id", "text", name, "Comments") == [("1", "Who?", value, "odd\nold")]
    assert (found.roles["text"], found.roles["Comments"]) == ("question", "note")
    assert (found.columns[name].role, found.columns[name].name) == ("ratings", criterion)


def test_frame_takes_the_csv_whose_labels_a_hash_divides() -> None:
    data = "id,text,system,label,Comments\n1,Who?,A,fluency:3#relevance:2,\n2,Why?,B,,odd\n"
    found = read(data, "all.csv")
    assert found.cells("label:fluency", "label:relevance", "system") == [
        ("3", "2", "A"),
        ("", "", "B"),
    ]
    assert found.frame.index.tolist() == [2, 3]


def test_frame_reports_what_is_no_rating() -> None:
    twice = {"text": "Who?", "label": ["fluency:1", "fluency:2"]}
    found = read(json.dumps([twice, {"text": "Why?", "label": [[0, 1, "X"]]}, {"label": ["a"]}]))
    assert found.told == [(1, "value"), (2, "warning"), (3, "row")]
    assert list(found.frame.columns) == ["text"]
