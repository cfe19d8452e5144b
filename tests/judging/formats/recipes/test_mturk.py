"""Batch results of Mechanical Turk."""

import pytest

from tests.judging.imports.recipes.reading import read, table

ONE = {
    "WorkerId": "W1",
    "AssignmentStatus": "Approved",
    "WorkTimeInSeconds": "9",
    "Input.passage_1_before": "Owls sleep by day. ",
    "Input.sentence_1": "Owls hunt at night.",
    "Input.passage_1_after": " So it is.",
    "Input.answer_1": "night",
    "Input.question_1a": "When do owls hunt?",
    "Input.question_1b": "Who hunts?",
    "Answer.fluency_1a": "3",
    "Answer.fluency_1b": "2",
}


def test_frame_has_a_row_for_each_question_of_an_assignment() -> None:
    found = read(table(ONE, ONE | {"WorkerId": "W2", "Answer.fluency_1a": "1"}), "b.csv")
    assert found.key == "mturk"
    assert found.cells("system", "question", "WorkerId", "Answer.fluency") == [
        ("a", "When do owls hunt?", "W1", "3"),
        ("b", "Who hunts?", "W1", "2"),
        ("a", "When do owls hunt?", "W2", "1"),
        ("b", "Who hunts?", "W2", "2"),
    ]
    assert found.frame.index.tolist() == [2, 2, 3, 3]
    passage = "Owls sleep by day. Owls hunt at night. So it is."
    assert found.cells("passage", "answer")[0] == (passage, "night")
    assert [found.roles[name] for name in ("WorkerId", "Status")] == ["rater", "rating_metadata"]
    assert found.columns["Answer.fluency"].name == "fluency"


@pytest.mark.parametrize(
    ("inputs", "systems"),
    [
        ({"Input.system_1a": "T5", "Input.system_1b": "NQG"}, ["T5", "NQG"]),
        ({"Input.system_a": "NQG", "Input.system_b": "T5"}, ["NQG", "T5"]),
        ({"Input.model": "T5"}, ["T5", "T5"]),
    ],
)
def test_frame_takes_systems_from_inputs(inputs: dict[str, str], systems: list[str]) -> None:
    assert read(table(ONE | inputs), "b.csv").frame["system"].tolist() == systems


@pytest.mark.parametrize(
    "row",
    [
        {"Input.paragraph1": "Owls.", "Input.question1": "Who?", "Answer.fluency1": "3"},
        {"Input.question_1": "Who?", "Answer.fluency_1.1": "false", "Answer.fluency_1.3": "true"},
        {"Input.question": "Who?", "Answer.taskAnswers": '[{"fluency": {"2": false, "3": true}}]'},
        {"Input.question_1": "Who?", "Answer.taskAnswers": '[{"fluency_1": 3}]'},
    ],
)
def test_frame_takes_any_numbering_and_template(row: dict[str, str]) -> None:
    found = read(table({"WorkerId": "W1"} | row), "b.csv")
    assert found.cells("question", "Answer.fluency") == [("Who?", "3")]


def test_propose_leaves_out_rejected_assignments() -> None:
    rows = [ONE, ONE | {"AssignmentStatus": "Rejected"}, ONE | {"Reject": "too fast"}]
    found = read(table(*rows), "b.csv")
    assert found.known["exclude_rows"] == {"Status": ("Rejected",), "Reject": ("too fast",)}


def test_frame_keeps_answers_that_belong_to_no_question() -> None:
    found = read(table(ONE | {"Answer.comment": "fun", "Input.question_1b": ""}), "b.csv")
    assert found.frame["judgment:Answer.comment"].tolist() == ["fun", "fun"]
    assert found.roles["judgment:Answer.comment"] == "rating_metadata"


def test_frame_takes_the_pools_of_another_platform() -> None:
    row = {"INPUT:paragraph": "Owls.", "INPUT:question": "Who?", "OUTPUT:fluency": "3"}
    about = {"ASSIGNMENT:worker_id": "w1", "ASSIGNMENT:status": "REJECTED"}
    found = read(table(row | about, delimiter="\t"), "pool.tsv")
    assert found.cells("passage", "question", "WorkerId", "Answer.fluency") == [
        ("Owls.", "Who?", "w1", "3")
    ]
    assert found.known["exclude_rows"] == {"Status": ("REJECTED",)}
