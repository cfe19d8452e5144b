"""SQuAD's JSON."""

import json
from typing import Any

import pytest

from judging.imports.formats.squad import COLUMNS, open_squad
from judging.imports.readers.mapping import to_study
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.text import Unreadable

OWL = "Owls hunt at night. At night, owls see mice."


def squad(*questions: Any) -> bytes:
    return json.dumps(
        {
            "version": "2.0",
            "data": [{"title": "Owls", "paragraphs": [{"context": OWL, "qas": questions}]}],
        }
    ).encode()


def test_read_squad_keeps_answers_with_their_starts() -> None:
    first = {
        "id": "a1",
        "question": "When do owls see mice?",
        "answers": [
            {"text": "night", "answer_start": 23},
            {"text": "At night", "answer_start": 20},
        ],
    }
    second = {"id": "a2", "question": "Who sleeps?", "is_impossible": True, "answers": []}
    study = to_study(open_squad(squad(first, second)), COLUMNS)
    assert [(source.answer, source.answer_start) for source in study.sources] == [
        ("night", 23),
        ("", None),
    ]
    assert [(each.key, each.system, each.text, each.row) for each in study.questions] == [
        ("a1", "human", "When do owls see mice?", 1),
        ("a2", "human", "Who sleeps?", 2),
    ]
    assert study.questions[0].attributes == {"title": "Owls"}
    assert study.problems == ()


def test_questions_of_models_in_the_shape_of_squad_keep_which_model_asked() -> None:
    asked = [
        {"id": f"a{model}", "question": f"When, {model}?", "model": model, "beam_score": score}
        for model, score in (("t5", 0.25), ("bart", 0.5))
    ]
    study = FORMAT["squad"].read(squad(*asked))
    assert [(each.system, each.key) for each in study.questions] == [
        ("t5", "at5"),
        ("bart", "abart"),
    ]
    assert [each.scores for each in study.questions] == [
        {"beam_score": "0.25"},
        {"beam_score": "0.5"},
    ]


def test_squad_without_models_is_of_people_and_keeps_what_else_is_said() -> None:
    second = {"id": "a2", "question": "Who sleeps?", "is_impossible": True, "answers": []}
    [question] = FORMAT["squad"].read(squad(second)).questions
    assert (question.system, question.key) == ("human", "a2")
    assert question.attributes == {"title": "Owls", "is_impossible": "true"}


def test_read_squad_refuses_questions_without_text_and_accounts_for_them() -> None:
    table = open_squad(
        squad({"id": "a1", "question": "Who?", "answers": "none"}, {"id": "a2"}, "nonsense")
    ).table()
    assert (len(table.rows), table.rows_read) == (1, 3)
    assert [problem.row for problem in table.problems] == [2, 3]


@pytest.mark.parametrize(
    "data", [b"", b"[1]", b"{}", b'{"data": []}', b'{"data": [1, "x", null]}', b"{", b"[" * 100_000]
)
def test_read_squad_refuses_with_a_sentence(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        open_squad(data)
    assert caught.value.reason.endswith(".")
