"""Prodigy's exports: the shared cases, and files like them."""

import json
from typing import Any

import pytest

from judging.imports.readers.records import StudyRecords
from tests.judging.imports.readers.shape.reading import case, read, remarks, values


def task(answer: str = "accept", by: str = "ann", **fields: Any) -> dict[str, Any]:
    shown = {"text": "Who hunts?", "meta": {"passage": "Owls hunt.", "system": "A"}}
    return shown | {"_input_hash": 7, "answer": answer, "_annotator_id": by} | fields


def lines(*tasks: Any) -> str:
    return "\n".join(map(json.dumps, tasks))


def rated(study: StudyRecords) -> list[tuple[str, str, str]]:
    return [(each.rater, each.criterion, each.value) for each in study.ratings]


def test_case_of_choices_gives_ratings_by_two_annotators() -> None:
    found, study = case("06-prodigy", "34.jsonl")

    assert (found.format, len(study.questions), study.systems) == ("prodigy", 8, ("S1", "S2"))
    assert {rater: len(given) for rater, given in values(study).items()} == {"qg-a": 8, "qg-b": 7}
    assert {source.answer for source in study.sources} == {""}
    [ignored] = study.problems
    assert (ignored.row, ignored.kind) == (12, "warning")


def test_case_of_decisions_gives_ratings_by_two_annotators() -> None:
    found, study = case("06-prodigy", "34b.jsonl")

    assert (found.format, len(study.questions), study.systems) == ("prodigy", 20, ("S1", "S2"))
    assert {rater: len(given) for rater, given in values(study).items()} == {"qg-a": 20, "qg-b": 20}
    assert found.words_of["accepted"] == {"accept": 26, "reject": 14}
    assert {source.answer for source in study.sources} == {""}


@pytest.mark.parametrize("write", [lambda tasks: lines(*tasks), json.dumps])
def test_tasks_are_read_as_lines_and_as_a_list(write: Any) -> None:
    options = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]
    tasks = [
        task(options=options, accept=["good"]),
        task(by="ben", options=options, accept=["bad"]),
    ]

    _, study = read(write(tasks), "a.json")

    assert rated(study) == [("ann", "choice", "good"), ("ben", "choice", "bad")]


def test_label_is_the_criterion_and_other_keys_are_columns() -> None:
    fields = {
        "text": "Owls hunt.",
        "question": "Who?",
        "model": "T5",
        "label": "FLUENT",
        "meta": {},
    }

    _, study = read(lines(task(**fields), task("reject", "ben", **fields)))

    assert (study.questions[0].text, study.systems) == ("Who?", ("T5",))
    assert study.sources[0].passage == "Owls hunt."
    assert rated(study) == [("ann", "FLUENT", "accept"), ("ben", "FLUENT", "reject")]


def test_annotator_is_the_session_else_the_program() -> None:
    _, study = read(lines(task(by="", _session_id="owls-ann"), task(by="")))

    assert study.raters == ("owls-ann", "prodigy")


def test_equal_questions_of_two_systems_stay_apart() -> None:
    other = {"passage": "Owls hunt.", "system": "B"}

    _, study = read(lines(task(), task(meta=other)))

    assert [(each.system, each.text) for each in study.questions] == [
        ("A", "Who hunts?"),
        ("B", "Who hunts?"),
    ]


def test_what_is_no_rating_is_passed_over_or_put_aside() -> None:
    options = [{"id": 1, "text": "bad"}, {"id": 2, "text": "good"}]
    found, study = read(
        lines(
            task("ignore"),
            task("reject", options=options, accept=[]),
            task(options=options, accept=[1, 2]),
            task("ignore", user_input="odd"),
            {"text": "Who?"},
        )
    )

    assert (rated(study), [note.text for note in study.notes]) == ([], ["odd"])
    assert [(each.row, each.kind) for each in study.problems] == [
        (1, "warning"),
        (3, "value"),
        (5, "row"),
    ]
    assert remarks(found) == []
