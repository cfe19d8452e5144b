"""The output of OpenAI's batch API: a request to a line, whose output is one question or several.

The request's own id (`custom_id`) is the source's, the model the system. An output that is JSON is
opened: a list of questions, or of objects with a question, is a question set. Numbered questions
are divided like those of any cell. A request that failed is refused with its reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import Format, is_object, proposed
from judging.imports.readers.json_files import at, items, list_at, object_at, refused, text_at
from judging.imports.readers.numbers import is_number
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    RowOrProblem,
    open_objects,
    parse_json,
)
from judging.imports.readers.text import Unreadable

_LOOKED_AT = 20  # requests whose outputs tell whether they are questions or judgments
_QUESTION = ("question", "generated_question", "text")
_ANSWER = ("answer", "submitted_answer")


def open_openai_batch(data: bytes) -> OpenTable:
    """Return the questions of the outputs as rows.

    Raises
    ------
    Unreadable
        If the outputs are judgments, or no line is a request.
    """
    requests = items(data)
    first = list(islice(requests, _LOOKED_AT))
    _refuse_judgments([output for _, request in first for output in _outputs(request)])
    return open_objects(
        row for number, each in chain(first, requests) for row in _rows(number, each)
    )


def openai_batch_columns(table: AnyTable) -> ColumnRoles:
    """Return the columns of such a table."""
    return proposed(table, "")


def _rows(number: int, request: object) -> Iterator[RowOrProblem]:
    name, outputs = text_at(request, "custom_id"), _outputs(request)
    if not name:
        yield refused(number, request, "A request is an object with “custom_id”.")
        return
    if not outputs:
        reason = f"The request failed: {_error(request)}."
        yield number, Problem(row=number, column="custom_id", value=name, reason=reason)
        return
    about = {"custom_id": name, "model": text_at(request, "response", "body", "model")}
    for output in outputs:
        for question, answer in _questions(output):
            row = about | {"question": question}
            yield number, row | ({"submitted_answer": answer} if answer else {})


def _outputs(request: object) -> list[str]:
    """Return the texts of a request's choices, as each of OpenAI's interfaces writes them."""
    body = object_at(request, "response", "body")
    messages = [each for each in list_at(body, "output") if text_at(each, "type") == "message"]
    parts = [part for message in messages for part in list_at(message, "content")]
    choices = list_at(body, "choices")
    texts = [text_at(choice, "message", "content") or text_at(choice, "text") for choice in choices]
    return texts + [text_at(part, "text") for part in parts]


def _error(request: object) -> str:
    found = at(request, "error") or at(request, "response", "body", "error")
    status = text_at(request, "response", "status_code")
    reason = text_at(found, "message") or text_at(found, "code") or f"status {status or 'unknown'}"
    return reason.rstrip(".")


def _questions(output: str) -> list[tuple[str, str]]:
    """Return the questions of an output, each with its answer if it names one."""
    held = _json_in(output)
    if isinstance(held, dict):
        lists = [each for each in held.values() if isinstance(each, list)]
        held = lists[0] if len(lists) == 1 else [held]
    found = [(each, "") if isinstance(each, str) else _pair(each) for each in held or []]
    return found if found and all(question for question, _ in found) else [(output, "")]


def _pair(held: object) -> tuple[str, str]:
    question, answer = (
        next((text for name in names if (text := text_at(held, name))), "")
        for names in (_QUESTION, _ANSWER)
    )
    return question, answer


def _json_in(output: str) -> list[object] | dict[str, object] | None:
    """Return the list or the object that an output is, also in a fence of Markdown."""
    text = output.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text[3:-3].removeprefix("json").strip()
    try:
        found = parse_json(text)
    except ValueError:
        return None
    return found if isinstance(found, list | dict) else None


def _refuse_judgments(outputs: Sequence[str]) -> None:
    judged = [criteria for each in outputs if (criteria := _criteria(_json_in(each)))]
    if 2 * len(judged) > len(outputs):
        named = ", ".join(f"“{name[:40]}”" for name in judged[0][:3])
        raise Unreadable(
            f"The outputs of this batch are judgments ({named}), not questions. To import them as an LLM judge, make a "
            "table with the column item, a column for each criterion and a row for each request, and add it to the "
            "campaign on the page “LLM judges”."
        )


def _criteria(held: object) -> list[str]:
    """Return the names of the numbers in an object without a question."""
    if not isinstance(held, Mapping) or _pair(held)[0]:
        return []
    values = {name: at(each, "score") or at(each, "rating") or each for name, each in held.items()}
    return [name for name, each in values.items() if isinstance(each, str) and is_number(each)]


READS = (
    Format(
        key="openai_batch",
        title="OpenAI batch output",
        endings=(),
        is_like=lambda head: is_object(head, b"custom_id", b"response", b"body"),
        rank=42,
        table=open_openai_batch,
        propose=lambda table, _name: openai_batch_columns(table),
        carries=("questions", "answers"),
        page="openai-batch",
    ),
)
