"""SQuAD's JSON."""

import json
from typing import Any

from tests.judging.imports.recipes.reading import read


def squad(*questions: Any) -> str:
    paragraph = {"context": "Owls hunt at night.", "qas": questions}
    return json.dumps({"version": "2", "data": [{"title": "Owls", "paragraphs": [paragraph]}]})


def test_frame_has_the_first_answer_of_each_question() -> None:
    answers = [{"text": "night", "answer_start": 13}, {"text": "At night", "answer_start": 10}]
    first = {"id": "a1", "question": "When do owls hunt?", "answers": answers}
    second = {"id": "a2", "question": "Who?", "is_impossible": True, "plausible_answers": answers}
    found = read(squad(first, second))
    assert found.cells("title", "context", "id", "question", "answer", "answer_start") == [
        ("Owls", "Owls hunt at night.", "a1", "When do owls hunt?", "night", "13"),
        ("Owls", "Owls hunt at night.", "a2", "Who?", "", ""),
    ]
    assert found.frame["is_impossible"].tolist() == ["", "true"]
    assert (found.key, found.known["system"], found.roles["id"]) == ("squad", "human", "key")


def test_propose_leaves_the_system_to_a_column() -> None:
    found = read(squad({"id": "a1", "question": "When?", "model": "t5", "beam_score": 0.25}))
    assert found.cells("model", "beam_score") == [("t5", "0.25")]
    assert "system" not in found.known


def test_frame_refuses_questions_without_a_text() -> None:
    found = read(squad({"id": "a1", "question": "Who?", "answers": "none"}, {"id": "a2"}, "odd"))
    assert (len(found.frame), found.told) == (1, [(2, "row"), (3, "row")])
