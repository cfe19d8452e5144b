"""Argilla's three layouts."""

import json
from typing import Any

import pytest

from tests.judging.imports.recipes.reading import lines, read

FIELDS = {"passage": "Owls hunt.", "question": "Who hunts?"}
GIVEN = [{"value": 3, "user_id": "a"}, {"value": 2, "user_id": "b"}]
RATED = [("a", "fluency", "3"), ("b", "fluency", "2")]


def record(**changes: Any) -> dict[str, Any]:
    about = {"metadata": {"system": "S1"}, "suggestions": {"fluency": {"value": 1}}}
    return {"id": "r0", "fields": FIELDS, "responses": {"fluency": GIVEN}, **about, **changes}


FIRST = {"fluency-suggestion": 1, "external_id": "r0", "metadata": '{"system": "S1"}'}
FLAT = {"fluency.responses": [3, 2], "fluency.responses.users": ["a", "b"]}
FLAT |= {"id": "r0", "system": "S1", "fluency.suggestion": 1}
BY_RATER = [{"user_id": each["user_id"], "values": {"fluency": each}} for each in GIVEN]
LAYOUTS = [record(), FIELDS | FIRST | {"fluency": GIVEN}, FIELDS | FLAT, record(responses=BY_RATER)]


@pytest.mark.parametrize("item", LAYOUTS)
@pytest.mark.parametrize("write", [lines, lambda item: json.dumps([item])])
def test_frame_of_each_layout_has_a_row_for_each_response(item: Any, write: Any) -> None:
    found = read(write(item))
    assert (found.key, found.rated()) == ("argilla", RATED)
    shown = ("passage", "question", "system", "fluency-suggestion", "task:id")
    assert found.cells(*shown) == [("Owls hunt.", "Who hunts?", "S1", "1", "r0")] * 2
    assert found.roles["task:id"] == "key"


def test_frame_takes_comments_and_long_texts_as_notes() -> None:
    responses = {"comment": [{"value": "odd", "user_id": "a"}], "why": [{"value": "x" * 61}]}
    found = read(lines(record(responses=responses)))
    assert (found.rated(), found.notes()) == ([], ["odd", "x" * 61])
    assert found.roles["annotation:note"] == "note"


def test_frame_reports_what_is_no_rating() -> None:
    responses = {
        "order": [{"value": [{"value": "a", "rank": 1}], "user_id": "a"}],
        "faults": [{"value": ["typo", "vague"], "user_id": "a"}],
        "fluency": [{"value": 1, "user_id": "a", "status": "draft"}],
    }
    found = read(lines(record(responses=responses), record(responses={})))
    assert found.rated() == []
    assert len(found.frame) == 2
    assert sorted(found.told) == [(1, "value"), (1, "warning"), (1, "warning")]
