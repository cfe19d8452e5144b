"""The output of OpenAI's batch API: a request to a line, whose output is one question or several.

The request's `custom_id` is the source, the model the system. An output may be a JSON list of
questions, or a line for each question.
"""

import re
from collections.abc import Iterator
from typing import Any

from judging.base.texts import is_number
from judging.formats.frames import Opened, Unreadable
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import json_cell, list_at, object_at, text_at

_ROLES: dict[str, Role] = {"custom_id": "source_id", "model": "system"}
_ROLES |= {"question": "question", "submitted_answer": "submitted_answer"}
_QUESTION = ("question", "generated_question", "text")
_NUMBERED = re.compile(r"\s*(?:\d+\s*[.):]|[-*•])\s+(.*\S)\s*")
_MARKS = ("?", "？", "؟")


def frame(opened: Opened) -> shared.Frame:
    """Return a row for each question; refuse outputs of which most are judgments."""
    outputs = [output for _, request in shared.read_items(opened) for output in _outputs(request)]
    judged = [named for output in outputs if (named := _criteria(_json_in(output)))]
    if 2 * len(judged) > len(outputs):
        shown = ", ".join(f"“{name[:40]}”" for name in judged[0][:3])
        raise Unreadable(
            f"The outputs of this batch are judgments ({shown}), not questions. To import them as an LLM judge, make a "
            "table with the column item, a column for each criterion and a row for each request, and add it to the "
            "campaign on the page “LLM judges”."
        )
    return shared.frame_by_item(_rows)(opened)


def _rows(number: int, request: Any) -> Iterator[shared.NumberedRow]:
    name, outputs = text_at(request, "custom_id"), _outputs(request)
    if not name:
        yield shared.refused(number, request, "A request is an object with “custom_id”.")
    elif not outputs:
        reason = f"The request failed: {_error(request)}."
        yield shared.refused(number, name, reason, "custom_id")
    about = {"custom_id": name, "model": text_at(request, "response", "body", "model")}
    for question, answer in [
        question for output in outputs if name for question in _questions(output)
    ]:
        row = about | {"question": question}
        yield number, row | ({"submitted_answer": answer} if answer else {})


def _outputs(request: Any) -> list[str]:
    """Return the texts of a request's choices, as each of OpenAI's interfaces writes them."""
    body = object_at(request, "response", "body")
    choices = list_at(body, "choices")
    found = [text_at(choice, "message", "content") or text_at(choice, "text") for choice in choices]
    messages = (each for each in list_at(body, "output") if text_at(each, "type") == "message")
    return found + [
        text_at(part, "text") for message in messages for part in list_at(message, "content")
    ]


def _error(request: Any) -> str:
    fault = object_at(request, "error") or object_at(request, "response", "body", "error")
    status = text_at(request, "response", "status_code") or "unknown"
    return (text_at(fault, "message") or text_at(fault, "code") or f"status {status}").rstrip(".")


def _questions(output: str) -> list[tuple[str, str]]:
    """Return the questions of an output, each with its answer if it names one."""
    held = _json_in(output)
    if isinstance(held, dict):
        lists = [each for each in held.values() if isinstance(each, list)]
        held = lists[0] if len(lists) == 1 else [held]
    found = [_pair(each) for each in held or []]
    if found and all(question for question, _ in found):
        return found
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    numbered = [match[1] for line in lines if (match := _NUMBERED.fullmatch(line))]
    is_list = len(numbered) == len(lines) > 1
    is_list_of_questions = len(lines) > 1 and all(line.endswith(_MARKS) for line in lines)
    questions = numbered if is_list else lines if is_list_of_questions else [output]
    return [(question, "") for question in questions]


def _pair(held: Any) -> tuple[str, str]:
    if not isinstance(held, dict):
        return json_cell(held), ""
    question = next((text for name in _QUESTION if (text := text_at(held, name))), "")
    return question, text_at(held, "answer") or text_at(held, "submitted_answer")


def _json_in(output: str) -> Any:
    """Return the list or the object that an output is, also in a fence of Markdown."""
    found = shared.json_in(re.sub(r"^```(json)?|```$", "", output.strip()))
    return found if isinstance(found, list | dict) else None


def _criteria(held: Any) -> list[str]:
    """Return the names of the numbers in an object without a question."""
    own = {} if _pair(held)[0] else object_at(held)
    numbers = {name: own[name] if isinstance(own[name], str) else "" for name in own}
    numbers |= {name: text_at(own, name, "score") or numbers[name] for name in own}
    return [name for name, number in numbers.items() if is_number(number)]


RECIPES = (
    Recipe(
        key="openai_batch",
        title="OpenAI batch output",
        recognises=lambda opened: {"custom_id", "response"} <= set(shared.names(opened)),
        frame=frame,
        propose=lambda frame: {"columns": shared.roles_present(frame, _ROLES, "OpenAI writes it.")},
        carries=("questions", "answers"),
    ),
)
