"""doccano's JSON Lines."""

import json
from typing import Any

import pytest

from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import FORMAT


def read(*examples: Any) -> StudyRecords:
    return FORMAT["doccano"].read("\n".join(map(json.dumps, examples)).encode(), name="anna.jsonl")


@pytest.mark.parametrize(
    ("label", "criterion", "value"),
    [
        ("fluency:3", "fluency", "3"),
        ("fluency = 3", "fluency", "3"),
        ("answer_consistency_2", "answer_consistency", "2"),
        ("good", "label", "good"),
    ],
)
def test_read_takes_criterion_and_value_from_a_label(
    label: str, criterion: str, value: str
) -> None:
    study = read({"id": 1, "text": "Who?", "label": [label]})
    assert [(each.rater, each.criterion, each.value) for each in study.ratings] == [
        ("anna", criterion, value)
    ]


def test_read_takes_metadata_for_what_they_are_named() -> None:
    example = {
        "id": 4,
        "text": "Who hunts?",
        "label": [],
        "Comments": [],
        "passage": "Owls hunt.",
        "system": "T5",
    }
    study = read(example | {"label": ["fluency:1"]}, example | {"id": 5, "system": "NQG"})
    assert [(each.key, each.system, each.text) for each in study.questions] == [
        ("4", "T5", "Who hunts?"),
        ("5", "NQG", "Who hunts?"),
    ]
    assert study.sources[0].passage == "Owls hunt."


def test_read_tells_what_is_no_rating() -> None:
    study = read(
        {"text": "Who?", "label": ["fluency:1", "fluency:2"]},
        {"text": "Why?", "label": [[0, 1, "X"]]},
        {"id": 3},
    )
    assert [(problem.row, problem.kind) for problem in study.problems] == [
        (1, "value"),
        (2, "warning"),
        (3, "row"),
    ]
    assert study.ratings == ()


def test_read_takes_comments_for_notes_of_the_annotator() -> None:
    study = read({"text": "Who?", "label": ["fluency:1"], "Comments": ["odd", "old"]})
    assert [(note.rater, note.text) for note in study.notes] == [("anna", "odd\nold")]
