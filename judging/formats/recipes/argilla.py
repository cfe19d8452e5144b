"""Argilla's exports: a record for each question, with the responses of its annotators.

Argilla 2 writes `fields` and `responses`, or flat records with `fluency.responses` and
`fluency.responses.users`; Argilla 1 writes a list of responses under the name of each question of
its form. Suggestions are a model's: they are metadata.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from judging.formats.frames import Opened, Problem
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import list_at, object_at, text_at

_PROGRAM = ("_server_id", "status", "vectors", "fields", "metadata", "responses")
_COMMENT = re.compile(r"comments?|notes?|remarks?|reasons?|feedback|explanations?|rationales?")
_LABEL_CHARACTERS = 60  # a longer answer is free text


def _rows(number: int, item: Any) -> Iterator[shared.NumberedRow]:
    if not isinstance(item, dict):
        yield shared.refused(number, item, "A record is an object with fields and responses.")
        return
    answers = (
        _answer(number, name, place, response)
        for name, responses in _responses(item).items()
        for place, response in enumerate(responses, 1)
    )
    yield from shared.with_answers(number, _task(item), answers)


def _task(item: dict[str, Any]) -> shared.Row:
    """Return the record's fields and metadata, and the models' suggestions."""
    fields, about = dict(object_at(item, "fields")), dict(object_at(item, "metadata"))
    about |= object_at(shared.json_in(item.get("metadata")))
    for name, value in item.items():
        if name in ("id", "external_id"):
            fields[shared.TASK] = value or fields.get(shared.TASK)
        elif name == "suggestions":
            about |= {
                f"{each}-suggestion": text_at(value, each, "value") for each in object_at(value)
            }
        elif name.endswith(("-suggestion", ".suggestion")):
            about[f"{name[: -len('.suggestion')]}-suggestion"] = value
        elif not (name in _PROGRAM or re.search("suggestion|[.]responses", name) or _rates(value)):
            fields[name] = value
    return fields | {f"metadata.{name}" if name in fields else name: about[name] for name in about}


def _rates(value: Any) -> bool:
    responses = value if isinstance(value, list) else []
    return bool(responses) and all("value" in object_at(response) for response in responses)


def _responses(item: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the responses by question of the form, in any of the layouts."""
    found = {name: value for name, value in item.items() if _rates(value)}
    found |= {name: list_at(value) for name, value in object_at(item, "responses").items()}
    for response in list_at(item, "responses"):
        about = {name: text_at(response, name) for name in ("user_id", "status")}
        for name, answer in object_at(response, "values").items():
            found.setdefault(name, []).append(about | object_at(answer))
    for name in [name for name in item if name.endswith(".responses")]:
        parts = (list_at(item, f"{name}{part}") for part in ("", ".users", ".status"))
        sides = zip_longest(*parts)
        keys = ("value", "user_id", "status")
        found[name.removesuffix(".responses")] = [dict(zip(keys, s, strict=True)) for s in sides]
    return found


def _answer(number: int, name: str, place: int, response: Any) -> shared.Row | Problem | None:
    rater, value = text_at(response, "user_id") or f"annotator {place}", _values(response)
    if text_at(response, "status") not in ("", "submitted"):
        return shared.warning(number, name, "A response that was not submitted is no rating.")
    if any(isinstance(each, dict) for each in value):
        return shared.warning(number, name, "A response that ranks or marks is no rating.")
    text = text_at(response, "value")
    if text and (_COMMENT.fullmatch(name.casefold()) or len(text) > _LABEL_CHARACTERS):
        return {shared.RATER: rater, shared.NOTE: text}
    return shared.rating(number, rater, name, value)


def _values(response: Any) -> list[Any]:
    value = shared.value_at(response, "value")
    return value if isinstance(value, list) else [value]


def _recognises(opened: Opened) -> bool:
    names = set(shared.names(opened))
    is_first = "external_id" in names and any(name.endswith("-suggestion") for name in names)
    is_flat = any(name.endswith(".responses.users") for name in names)
    return {"fields", "responses", "suggestions"} <= names or is_first or is_flat


RECIPES = (
    Recipe(
        key="argilla",
        title="Argilla JSON or JSON Lines",
        recognises=_recognises,
        frame=shared.frame_by_item(_rows),
        propose=lambda frame: {"columns": shared.answer_columns(frame, "Argilla")},
        carries=("questions", "references", "answers", "ratings", "notes", "metadata"),
    ),
)
