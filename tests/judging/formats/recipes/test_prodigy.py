"""Prodigy's tasks."""

from typing import Any

from tests.judging.imports.recipes.reading import lines, read

OPTIONS = [{"id": 1, "text": "bad"}, {"id": 2, "text": "good"}]


def task(answer: str = "accept", by: str = "ann", **fields: Any) -> dict[str, Any]:
    shown = {"text": "Who hunts?", "meta": {"passage": "Owls hunt.", "system": "A"}}
    return shown | {"_input_hash": 7, "answer": answer, "_annotator_id": by} | fields


def test_frame_takes_options_and_decisions_as_ratings() -> None:
    found = read(lines(task(options=OPTIONS, accept=[2]), task("reject", "ben", label="FLUENT")))
    assert (found.key, found.rated()) == (
        "prodigy",
        [("ann", "choice", "2"), ("ben", "FLUENT", "reject")],
    )
    assert found.cells("text", "passage", "system")[0] == ("Who hunts?", "Owls hunt.", "A")
    assert (found.roles["text"], found.roles["annotation:value"]) == ("question", "value")


def test_frame_names_the_session_else_the_program_as_annotator() -> None:
    found = read(lines(task(by="", _session_id="owls-ann"), task(by="", question="Why?")))
    assert "text" not in found.roles  # another column is called question
    assert [rater for rater, *_ in found.rated()] == ["owls-ann", "prodigy"]


def test_frame_reports_what_is_no_rating() -> None:
    ignored, rejected = task("ignore", user_input="odd"), task("reject", options=OPTIONS)
    found = read(lines(ignored, rejected, task(options=OPTIONS, accept=[1, 2]), {"text": "Who?"}))
    assert (found.rated(), found.notes()) == ([], ["odd"])
    assert found.told == [(1, "warning"), (3, "value"), (4, "row")]
