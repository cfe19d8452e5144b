"""Label Studio's exports."""

import json
from typing import Any

import pytest

from tests.judging.imports.recipes.reading import read, table

DATA = {"context": "Owls hunt.", "question": "Who hunts?", "model": "T5"}


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": kind, "value": {kind: value}}


def task(*results: Any, **annotation: Any) -> dict[str, Any]:
    given = {"completed_by": 4, "result": list(results)} | annotation
    return {"id": 9, "data": DATA, "annotations": [given]}


def label(to: str) -> dict[str, Any]:
    value = {"start": 0, "end": 4, "text": "Owls", "labels": ["Odd"]}
    return {"from_name": "span", "to_name": to, "type": "labels", "value": value}


def test_frame_takes_choices_stars_numbers_and_notes() -> None:
    note = {"from_name": "remark", "type": "textarea", "value": {"text": ["odd", "old"]}}
    rated = (result("a", "choices", ["3"]), result("b", "rating", 4), result("c", "number", 0.5))
    found = read(json.dumps([task(*rated, note, lead_time=7)]))
    assert found.key == "label_studio"
    assert found.rated() == [("4", "a", "3"), ("4", "b", "4"), ("4", "c", "0.5")]
    assert found.notes() == ["odd\nold"]
    assert found.frame["judgment:lead_time"].tolist() == ["7", "7", "7", ""]
    assert (found.roles["task:id"], found.roles["judgment:lead_time"]) == ("key", "rating_metadata")


def test_frame_takes_labels_of_the_passage_as_marks_and_others_as_notes() -> None:
    found = read(json.dumps([task(label("passage"), label("question"))]))
    ends = [f"annotation:mark{part}" for part in ("", "_start", "_end", "_text")]
    assert found.cells(*ends)[0] == ("span", "0", "4", "Owls")
    assert found.notes() == ["Odd: “Owls” (0 to 4)"]


def test_frame_reports_what_is_no_rating() -> None:
    box = {"from_name": "box", "type": "rectanglelabels", "value": {}}
    unclear = result("a", "choices", ["1", "2"])
    found = read(json.dumps([task(box, box, unclear), task(was_cancelled=True), {"id": 3}]))
    assert found.told == [(1, "warning"), (1, "value"), (2, "warning"), (3, "row")]
    assert len(found.frame) == 2


SHORT = {
    "id": "1",
    "question": "Who?",
    "fluency": [{"rating": 3}],
    "relevance": "good",
    "annotator": "2",
    "annotation_id": "5",
    "lead_time": "4.5",
}


@pytest.mark.parametrize(
    "data", [json.dumps([SHORT]), table(SHORT | {"fluency": json.dumps(SHORT["fluency"])})]
)
def test_frame_of_the_short_exports_has_a_row_for_each_annotation(data: str) -> None:
    found = read(data, "short")
    assert found.cells("question", "fluency", "relevance") == [("Who?", "3", "good")]
    assert found.roles == {
        "annotator": "rater",
        "annotation_id": "rating_metadata",
        "lead_time": "rating_metadata",
    }
