"""Label Studio's JSON."""

import json
from dataclasses import replace
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring

from judging.imports.formats.label_studio import label_studio_config, write_label_studio
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import FORMAT
from judging.protocols.rubric_schema import CriterionPoint, RubricCriterion
from tests.judging.imports.formats.studies import FULL, contents


def read(*tasks: Any) -> StudyRecords:
    return FORMAT["label_studio"].read(json.dumps(tasks).encode())


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": kind, "value": {kind: value}}


def task(*results: Any, **annotation: Any) -> dict[str, Any]:
    data = {"context": "Owls hunt.", "question": "Who hunts?", "model": "T5"}
    return {
        "id": 9,
        "data": data,
        "annotations": [{"completed_by": 4, "result": list(results)} | annotation],
    }


def rated(study: StudyRecords) -> list[tuple[str, str, str]]:
    return [(rating.rater, rating.criterion, rating.value) for rating in study.ratings]


def test_written_tasks_come_back_whole() -> None:
    again = FORMAT["label_studio"].read(write_label_studio(FULL).encode())
    assert contents(again) == contents(FULL)
    assert again.problems == ()


def test_written_piece_by_piece_the_file_is_the_list_as_a_whole() -> None:
    for study in (FULL, replace(FULL, expected={})):
        text = write_label_studio(study)
        assert json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n" == text


def test_read_takes_choices_stars_numbers_and_notes() -> None:
    note = {"from_name": "remark", "type": "textarea", "value": {"text": ["odd", "old"]}}
    study = read(
        task(
            result("a", "choices", ["3"]),
            result("b", "rating", 4),
            result("c", "number", 0.5),
            note,
        )
    )
    assert rated(study) == [("4", "a", "3"), ("4", "b", "4"), ("4", "c", "0.5")]
    assert [(each.rater, each.text) for each in study.notes] == [("4", "odd\nold")]
    assert (study.systems, study.sources[0].passage, study.questions[0].text) == (
        ("T5",),
        "Owls hunt.",
        "Who hunts?",
    )
    assert len(study.questions) == 1


@pytest.mark.parametrize(
    ("by", "rater"),
    [(7, "7"), ({"id": 7, "email": "x@y"}, "7"), ({"email": "x@y"}, "x@y"), ("J01", "J01")],
)
def test_read_takes_the_annotator_by_number_or_address(by: Any, rater: str) -> None:
    assert rated(read(task(result("a", "rating", 1), completed_by=by))) == [(rater, "a", "1")]


def label(text: str, start: int, end: int, to: str = "passage") -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": ["Odd"]}
    return {"from_name": "span", "to_name": to, "type": "labels", "value": value}


def test_read_takes_labels_in_the_passage_for_marks_and_those_in_the_question_for_notes() -> None:
    study = read(task(label("Owls", 0, 4), label("hunts", 4, 9, "question"), label("Mice", 5, 9)))
    assert [(each.rater, each.start, each.end) for each in study.marks] == [("4", 0, 4)]
    assert [(each.rater, each.text) for each in study.notes] == [("4", "Odd: “hunts” (4 to 9)")]
    assert [problem.reason for problem in study.problems] == ["There the passage says “hunt”."]


def test_read_takes_offsets_counted_as_browsers_do_and_line_breaks_written_out() -> None:
    one = task(label("says\\nhi", 3, 10))
    one["data"]["context"] = "🦉 says\nhi"
    assert [(each.start, each.end) for each in read(one).marks] == [(2, 9)]


def test_read_tells_what_is_no_rating() -> None:
    marks = {"from_name": "box", "type": "rectanglelabels", "value": {"rectanglelabels": ["X"]}}
    unclear = result("a", "choices", ["1", "2"])
    study = read(
        task(marks, marks, unclear), task(was_cancelled=True) | {"id": 10}, "nonsense", {"id": 3}
    )
    assert [(problem.row, problem.kind) for problem in study.problems if problem.kind != "row"] == [
        (1, "warning"),
        (1, "value"),
        (2, "warning"),
    ]
    assert [problem.row for problem in study.problems_of("row")] == [3, 4]
    assert study.ratings == ()


def test_read_keeps_the_same_question_of_two_tasks_apart() -> None:
    study = read(task(result("a", "rating", 1)), task(result("a", "rating", 2)) | {"id": 10})
    assert [(question.position, question.key) for question in study.questions] == [
        (1, "9"),
        (2, "10"),
    ]


def test_read_takes_the_short_export() -> None:
    short = {
        "id": 1,
        "passage": "Owls hunt.",
        "question": "Who?",
        "fluency": 3,
        "annotator": 2,
        "annotation_id": 5,
    }
    study = read(short, short | {"annotator": 3, "fluency": 1})
    assert rated(study) == [("2", "fluency", "3"), ("3", "fluency", "1")]


def test_config_offers_every_point_of_every_criterion() -> None:
    points = (CriterionPoint(1, 'bad "&" worse'), CriterionPoint(2, "good"))
    criterion = RubricCriterion(
        "fluency", "Fluency", "Is <it> fluent?", "d", points, "ordinal", "highest", "all"
    )
    view = fromstring(label_studio_config([criterion]))
    assert [(each.get("value"), each.get("hint")) for each in view.iter("Choice")] == [
        ("1", 'bad "&" worse'),
        ("2", "good"),
        ("none", None),
    ]
    assert [each.get("value") for each in view.iter("Header")] == ["Is <it> fluent?"]
