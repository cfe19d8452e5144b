"""Label Studio's JSON: a task for each question, with an annotation of each rater, or the short
exports (JSON-MIN, CSV), one flat object for each annotation.

Choices, stars and numbers are ratings, a text area is a note. Labels on the passage are marked
spans; those on the question are notes.
"""

from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Opened, Problem
from judging.formats.mapping import Column, Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import ALL, Recipe
from judging.formats.recipes.long import own_columns
from judging.formats.recipes.shared import list_at, object_at, text_at
from judging.formats.recipes.writers import UNMARKED

_RATINGS = ("choices", "rating", "number")
_SHORT: dict[str, Role] = {
    "annotator": "rater",
    **dict.fromkeys(("annotation_id", "created_at", "updated_at", "lead_time"), "rating_metadata"),
}


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of the annotations; the data of our own export declare theirs."""
    if "annotation_id" in frame:
        why = "Label Studio exports it for each annotation."
        return {"columns": shared.roles_present(frame, _SHORT, why)}
    columns = shared.answer_columns(frame, "Label Studio")
    if not {"source_id", "system", "position", "question"} <= set(frame):
        return {"columns": columns}
    return {"columns": columns | own_columns(frame) | {shared.TASK: Column()}, "crossed": False}


def _rows(number: int, task: Any) -> Iterator[shared.NumberedRow]:
    if "annotation_id" in object_at(task):
        yield number, {name: _value(value) for name, value in task.items()}
    elif "data" in object_at(task):
        shown = object_at(task, "data") | {shared.TASK: text_at(task, "id") or number}
        given = list_at(task, "annotations")
        answers = (answer for annotation in given for answer in _answers(number, annotation))
        yield from shared.with_answers(number, shown, answers)
    else:
        yield shared.refused(number, task, "A task is an object with “data”.")


def _value(value: Any) -> Any:
    """Return the value of a control in the short export, which may be in a list of one object; in a
    CSV that list is JSON."""
    held = shared.json_in(value) if isinstance(value, str) and value.startswith("[{") else value
    held = held[0] if isinstance(held, list) and len(held) == 1 else held
    return next((held[kind] for kind in _RATINGS if kind in object_at(held)), value)


def _answers(number: int, annotation: Any) -> Iterator[shared.Row | Problem | None]:
    if shared.value_at(annotation, "was_cancelled") is True:
        yield shared.warning(number, "", "An annotation that was skipped holds no rating.")
        return
    rater = _rater(annotation)
    for result in list_at(annotation, "result"):
        answer = _answer(number, rater, result)
        if isinstance(answer, dict) and shared.VALUE in answer:
            answer |= _about(annotation, result)
        yield answer


def _answer(number: int, rater: str, result: Any) -> shared.Row | Problem | None:
    by, kind, control = {shared.RATER: rater}, text_at(result, "type"), text_at(result, "from_name")
    values = _texts(result, "text" if kind == "textarea" else kind)
    if kind in _RATINGS and control == UNMARKED:
        return by | {shared.MARK: "".join(values)}
    if kind in _RATINGS:
        return shared.rating(number, rater, control, values)
    if kind == "textarea":
        return by | {shared.NOTE: "\n".join(values)}
    if kind in ("labels", "hypertextlabels"):
        return by | _labelled(result, ", ".join(values))
    return shared.warning(number, control, f"A result of type “{kind}” is no rating.")


def _rater(annotation: Any) -> str:
    """Return the annotator's label if Quaestor wrote it, else the user's number or address."""
    by = shared.value_at(annotation, "completed_by")
    own = text_at(annotation, "annotator") or text_at(by, "id") or text_at(by, "email")
    return own or text_at(annotation, "completed_by")


def _texts(result: Any, kind: str) -> list[str]:
    value = shared.value_at(result, "value", kind)
    return [shared.json_cell(each) for each in (value if isinstance(value, list) else [value])]


def _about(annotation: Any, result: Any) -> dict[str, Any]:
    seconds = text_at(annotation, "lead_time")
    known = ({"lead_time": seconds} if seconds else {}) | object_at(result, "meta")
    return {f"judgment:{name}": value for name, value in known.items()}


def _labelled(result: Any, labels: str) -> dict[str, str]:
    value = object_at(result, "value")
    places = object_at(value, "globalOffsets") or value
    start, end, text = text_at(places, "start"), text_at(places, "end"), text_at(value, "text")
    if text_at(result, "to_name") == "question":
        return {shared.NOTE: f"{labels}: “{text}” ({start} to {end})"}
    place = {shared.MARK_START: start, shared.MARK_END: end, shared.MARK_TEXT: text}
    return {shared.MARK: "span"} | place


def _recognises(opened: Opened) -> bool:
    names = set(shared.names(opened))
    return {"data", "annotations"} <= names or {"annotator", "annotation_id"} <= names


RECIPES = (
    Recipe(
        key="label_studio",
        title="Label Studio JSON or CSV",
        recognises=_recognises,
        frame=shared.frame_by_item(_rows),
        propose=propose,
        carries=ALL,
        writes=True,
    ),
)
