"""The output of OpenAI's batch API."""

import json
from typing import Any

import pytest

from judging.formats.frames import Unreadable
from tests.judging.imports.recipes.reading import lines, read


def request(name: str, *outputs: str, **fields: Any) -> dict[str, Any]:
    choices = [{"message": {"role": "assistant", "content": output}} for output in outputs]
    response = {"status_code": 200, "body": {"model": "m-1", "choices": choices}}
    return {"id": f"b-{name}", "custom_id": name, "response": response, "error": None} | fields


@pytest.mark.parametrize(
    "output",
    [
        "1. Who?\n2. Why?",
        "- Who?\n- Why?\n",
        "Who?\n\nWhy?",
        '["Who?", "Why?"]',
        '```json\n[{"question": "Who?"}, {"question": "Why?"}]\n```',
    ],
)
def test_frame_divides_an_output_of_several_questions(output: str) -> None:
    found = read(lines(request("s1", output), request("s2", "What owl\ndid it see?")))
    assert found.key == "openai_batch"
    assert found.cells("custom_id", "model", "question") == [
        ("s1", "m-1", "Who?"),
        ("s1", "m-1", "Why?"),
        ("s2", "m-1", "What owl\ndid it see?"),
    ]
    assert found.roles == {"custom_id": "source_id", "model": "system", "question": "question"}


def test_frame_takes_the_answers_of_the_system() -> None:
    output = json.dumps([{"question": "Who?", "answer": "an owl"}, {"question": "Why?"}])
    assert read(lines(request("s1", output))).frame["submitted_answer"].tolist() == ["an owl", ""]


def test_frame_refuses_failed_requests_with_their_reason() -> None:
    failed = {"status_code": 429, "body": {"error": {"message": "Rate limit reached."}}}
    expired = {"response": None, "error": {"code": "batch_expired"}}
    requests = [request("s1", "Who?"), request("s2", response=failed), request("s3", **expired)]
    found = read(lines(*requests, request("s4", response={"status_code": 500}), {"response": {}}))
    assert [(each.row, each.reason) for each in found.problems[:3]] == [
        (2, "The request failed: Rate limit reached."),
        (3, "The request failed: batch_expired."),
        (4, "The request failed: status 500."),
    ]
    assert len(found.problems) == 4


@pytest.mark.parametrize(
    "output", ['{"fluency": 3, "relevance": 2}', '{"fluency": {"score": 3, "reason": "odd"}}']
)
def test_frame_refuses_judgments_with_the_way_to_import_them(output: str) -> None:
    with pytest.raises(Unreadable, match=r"judgments \(“fluency”.*LLM judge.*“LLM judges”"):
        read(lines(request("s1", output), request("s2", output)))
