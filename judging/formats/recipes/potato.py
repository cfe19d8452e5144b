"""Potato's annotated instances: JSON Lines of one annotator, or the table of all annotators with
columns such as `schema:::label`; Potato 2 writes `schema.label` and the ids of instances only.

Some versions keep every point of a scale that was clicked before the last and do not say which was
the last, so several points of one schema are no rating.
"""

from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Opened, Problem
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import object_at, text_at

_PREFIX = "schema:"
_ROLES: dict[str, Role] = {"displayed_text": "question", "id": "source_id", "user": "rater"}
_ROLES |= {"instance_id": "key", "note": "note"}


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of Potato's columns."""
    why = "Potato exports it for each instance."
    rated = shared.rated_columns(frame, _PREFIX, why)
    return {"columns": shared.roles_present(frame, _ROLES, why) | rated}


def _rows(number: int, item: Any) -> Iterator[shared.NumberedRow]:
    text, known = text_at(item, "displayed_text"), text_at(item, "instance_id")
    if not (text or known):
        yield shared.refused(number, item, "An instance is an object with “displayed_text”.")
        return
    row = {"id": text_at(item, "id") or known, "displayed_text": text}
    row = row if text else {"instance_id": known}
    if user := text_at(item, "user") or text_at(item, "user_id"):
        row["user"] = user
    for schema, chosen in _labels(item).items():
        if note := text_at(chosen, "text_box"):
            row["note"] = note
            continue
        points = (_point(label, value) for label, value in object_at(chosen).items())
        rated = shared.one_of(number, schema, points)
        if isinstance(rated, Problem):
            yield rated
        elif rated:
            row[_PREFIX + schema] = rated
    yield number, row


def _labels(item: dict[str, Any]) -> dict[str, Any]:
    """Return the labels of each schema, in a table those of the columns that name them."""
    found = dict(object_at(item, "label_annotations") or object_at(item, "labels"))
    for name, cell in item.items():
        schema, divider, label = name.partition(":::" if "displayed_text" in item else ".")
        if divider:
            found.setdefault(schema, {})[label] = cell
    return found


def _point(label: str, value: Any) -> str:
    """Return the label if the value only says that it was chosen, else the value."""
    text = shared.json_cell(value).strip()
    is_chosen = text.casefold() in ("true", "on", "yes")
    return label if is_chosen else "" if text.casefold() == "false" else text


def _recognises(opened: Opened) -> bool:
    names = shared.names(opened)
    if opened.kind == "json":
        return "label_annotations" in names or {"instance_id", "user_id", "labels"} <= set(names)
    is_first = "displayed_text" in names and any(":::" in name for name in names)
    return is_first or (names[:2] == ["instance_id", "user_id"] and "." in "".join(names))


RECIPES = (
    Recipe(
        key="potato",
        title="Potato annotated instances",
        recognises=_recognises,
        frame=shared.frame_by_item(_rows),
        propose=propose,
        carries=("questions", "ratings", "notes"),
    ),
)
