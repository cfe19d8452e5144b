"""doccano's exports of a text classification (JSON Lines, JSON, CSV): the text is the question.

doccano has no ratings, so users name their labels `fluency:3`, `fluency=3` or `fluency_3`; any
other label is a value of the criterion `label`. There is a file for each annotator, whom it does
not name.
"""

import re
from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Opened, Problem
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe

_LABEL = re.compile(r"(?P<criterion>.*[^\s:=_-])[\s:=_-]+(?P<value>[^\s:=_-]+)")
_LABELS, _COMMENTS, _PREFIX = ("label", "labels", "cats"), "Comments", "label:"


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of doccano's columns."""
    columns = shared.rated_columns(frame, _PREFIX, "A label names it.")
    note: Role = "note" if columns else "metadata"
    roles: dict[str, Role] = {"text": "question", _COMMENTS: note}
    return {"columns": columns | shared.roles_present(frame, roles, "doccano exports it.")}


def _rows(number: int, item: Any) -> Iterator[shared.NumberedRow]:
    if not shared.text_at(item, "text"):
        yield shared.refused(number, item, "An example is an object with “text”.")
        return
    found = dict[str, list[str]]()
    for label in _labels(number, item):
        if isinstance(label, Problem):
            yield label
        else:
            found.setdefault(label[0], []).append(label[1])
    row = {name: value for name, value in item.items() if name not in (*_LABELS, _COMMENTS)}
    for criterion, values in found.items():
        rated = shared.one_of(number, criterion, values)
        if isinstance(rated, Problem):
            yield rated
        else:
            row[_PREFIX + criterion] = rated
    if comments := [each for each in _listed(item, _COMMENTS) if isinstance(each, str)]:
        row[_COMMENTS] = "\n".join(comments)
    yield number, row


def _labels(number: int, item: Any) -> Iterator[tuple[str, str] | Problem]:
    """Yield the criterion and the value of each label."""
    for label in [label for name in _LABELS for label in _listed(item, name)]:
        if isinstance(label, str):
            named = _LABEL.fullmatch(label.strip())
            yield (named["criterion"], named["value"]) if named else ("label", label.strip())
        else:
            yield shared.warning(number, "label", "A label on a part of the text is no rating.")


def _listed(item: Any, name: str) -> list[Any]:
    """Return a list of labels; in a CSV a hash divides them."""
    value = shared.value_at(item, name)
    return list(filter(None, value.split("#"))) if isinstance(value, str) else value or []


def _recognises(opened: Opened) -> bool:
    names = shared.names(opened)
    if opened.kind != "json":
        return "text" in names and names[-2:] == ["label", _COMMENTS]
    lists = [
        name
        for _, item in shared.read_items(opened)
        for name in _LABELS
        if shared.list_at(item, name)
    ]
    return "text" in names and bool(lists)


RECIPES = (
    Recipe(
        key="doccano",
        title="doccano JSON Lines, JSON or CSV",
        recognises=_recognises,
        frame=shared.frame_by_item(_rows),
        propose=propose,
        carries=("questions", "references", "answers", "ratings", "scores", "notes", "metadata"),
    ),
)
