"""The output of OpenAI's batch API: the shared case, and files like it."""

import json
from typing import Any

import pytest

from judging.imports.readers.text import Unreadable
from tests.judging.imports.readers.shape.reading import case, read, texts


def request(name: str, *outputs: str, **fields: Any) -> dict[str, Any]:
    choices = [{"message": {"role": "assistant", "content": output}} for output in outputs]
    body = {"model": "m-1", "choices": choices, "usage": {"total_tokens": 9}}
    response = {"status_code": 200, "body": body}
    return {"id": f"b-{name}", "custom_id": name, "response": response, "error": None} | fields


def lines(*requests: Any) -> str:
    return "\n".join(map(json.dumps, requests))


def test_case_of_numbered_questions_gives_a_set_for_each_source() -> None:
    found, study = case("15-several-questions-in-a-cell", "35.jsonl")

    assert (found.format, study.systems) == ("openai_batch", ("m-1",))
    assert [source.key for source in study.sources] == ["src-0", "src-1", "src-2", "src-3"]
    assert [(each.position, each.text) for each in study.questions[:2]] == [
        (1, "When do ravens store food?"),
        (2, "What store ravens?"),
    ]
    assert [dict(question.attributes) for question in study.questions] == [{}] * 8


@pytest.mark.parametrize(
    "output",
    [
        '["Who?", "Why?"]',
        '{"questions": ["Who?", "Why?"]}',
        '```json\n[{"question": "Who?"}, {"question": "Why?"}]\n```',
    ],
)
def test_json_of_several_questions_is_a_question_set(output: str) -> None:
    _, study = read(lines(request("s1", output), request("s2", "What?")))

    assert texts(study) == ["Who?", "Why?", "What?"]
    assert [each.source_key for each in study.questions] == ["s1", "s1", "s2"]


def test_json_with_answers_gives_the_answer_of_the_system() -> None:
    output = json.dumps([{"question": "Who?", "answer": "an owl"}, {"question": "Why?"}])

    _, study = read(lines(request("s1", output)))

    assert [each.submitted_answer for each in study.questions] == ["an owl", ""]


def test_other_interfaces_and_several_choices_are_read() -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": "Who?"}]}
    body = {"model": "m-2", "output": [{"type": "reasoning"}, message]}
    plain = {"model": "m-3", "choices": [{"text": "What?"}]}

    _, study = read(
        lines(
            request("s1", "Which?", "Whose?"),
            request("s1", response={"status_code": 200, "body": body}),
            request("s1", response={"status_code": 200, "body": plain}),
        )
    )

    assert [(each.system, each.text) for each in study.questions] == [
        ("m-1", "Which?"),
        ("m-1", "Whose?"),
        ("m-2", "Who?"),
        ("m-3", "What?"),
    ]


def test_failed_requests_are_refused_with_their_row_and_reason() -> None:
    failed = {"status_code": 429, "body": {"error": {"message": "Rate limit reached."}}}

    _, study = read(
        lines(
            request("s1", "Who?"),
            request("s2", response=failed),
            request("s3", response=None, error={"code": "batch_expired"}),
            request("s4", response={"status_code": 500, "body": {}}),
            {"response": {}},
        )
    )

    assert texts(study) == ["Who?"]
    assert [(each.row, each.value, each.reason) for each in study.problems[:3]] == [
        (2, "s2", "The request failed: Rate limit reached."),
        (3, "s3", "The request failed: batch_expired."),
        (4, "s4", "The request failed: status 500."),
    ]
    assert [each.row for each in study.problems] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    "output", ['{"fluency": 3, "relevance": 2}', '{"fluency": {"score": 3, "reason": "odd"}}']
)
def test_judgments_are_named_with_the_way_to_import_them(output: str) -> None:
    with pytest.raises(Unreadable, match=r"judgments \(“fluency”.*LLM judge.*“LLM judges”"):
        read(lines(request("s1", output), request("s2", output)))
