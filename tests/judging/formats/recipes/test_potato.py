"""Potato's annotated instances."""

from typing import Any

import pytest

from tests.judging.imports.recipes.reading import lines, read


def instance(**labels: Any) -> dict[str, Any]:
    return {"id": "1", "displayed_text": "Who hunts?", "label_annotations": labels}


def test_frame_takes_points_chosen_labels_and_notes() -> None:
    chosen = {"good": "true", "bad": False}
    found = read(
        lines(instance(fluency={"scale_3": "3"}, relevance=chosen, why={"text_box": "odd"}))
    )
    assert found.key == "potato"
    assert found.cells("id", "displayed_text", "schema:fluency", "schema:relevance", "note") == [
        ("1", "Who hunts?", "3", "good", "odd")
    ]
    assert found.columns["schema:fluency"].name == "fluency"
    assert (found.roles["displayed_text"], found.roles["id"]) == ("question", "source_id")


@pytest.mark.parametrize(
    ("header", "row", "name", "role"),
    [
        ("user,instance_id,displayed_text,fluency:::2", "ha,1,Who?,2", "id", "source_id"),
        ("instance_id,user_id,fluency.2", "1,ha,2", "instance_id", "key"),
    ],
)
def test_frame_takes_the_tables_of_all_annotators(
    header: str, row: str, name: str, role: str
) -> None:
    found = read(f"{header}\n{row}\n", "all.csv")
    assert found.cells(name, "user", "schema:fluency") == [("1", "ha", "2")]
    assert (found.roles[name], found.roles["user"]) == (role, "rater")


def test_frame_reports_several_points_and_what_is_no_instance() -> None:
    found = read(lines(instance(fluency={"scale_2": "2", "scale_3": "3"}), {"labels": {}}))
    assert found.told == [(1, "value"), (2, "row")]
    assert "schema:fluency" not in found.frame
