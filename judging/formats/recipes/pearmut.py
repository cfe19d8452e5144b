"""Pearmut's log: one submitted page to a line, each with its items and the answers about every
system.

Numbers are ratings by their names, a text field is a note, and so is each error span, because
Quaestor keeps no marks in questions. Pages that an annotator submitted before a reset do not count.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from judging.base.texts import is_number, whole_number
from judging.formats.frames import Opened
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import list_at, object_at, text_at

_ROLES: dict[str, Role] = {"item_id": "source_id", "src": "passage", "tgt": "question"}
_ROLES |= {"model": "system", "user_id": "rater", "textfield": "note"}
_ROLES |= {"criterion": "criterion", "value": "value"}
_ASIDE = ("welcome_", "random_", "goodbye_")


def frame(opened: Opened) -> shared.Frame:
    """Return a row for each item, system and answer."""
    return shared.frame_of_rows(opened, _pages(opened))


def _pages(opened: Opened) -> Iterator[shared.NumberedRow]:
    pages = list(shared.read_items(opened))
    resets = {text_at(page, "user_id"): number for number, page in pages if _is_reset(page)}
    for number, page in pages:
        user, place = text_at(page, "user_id"), text_at(page, "item_i")
        if _is_reset(page):
            continue
        if number < resets.get(user, 0):
            reason = "The annotator was reset after this page, which no longer counts."
            yield shared.refused(number, user, reason, "user_id")
        elif not list_at(page, "item") or not list_at(page, "annotation"):
            yield shared.refused(number, page, "A page has lists “item” and “annotation”.")
        elif place.startswith(_ASIDE):
            reason = "A page of the tutorial or of checks is excluded."
            yield shared.refused(number, place, reason, "item_i")
        else:
            yield from _rows(number, page, user, place)


def _is_reset(page: Any) -> bool:
    return text_at(page, "annotation") == "__RESET__"


def _rows(number: int, page: Any, user: str, place: str) -> Iterator[shared.NumberedRow]:
    pairs = zip_longest(list_at(page, "item"), list_at(page, "annotation"))
    for count, (item, answers) in enumerate(pairs):
        known = text_at(item, "item_id") or f"{place}.{count}"
        about = {"item_id": known, "src": text_at(item, "src"), "user_id": user}
        for model, question in object_at(item, "tgt").items():
            own, text = object_at(answers, model), shared.json_cell(question)
            shown = about | {"model": model, "tgt": text}
            yield from shared.with_answers(number, shown, [*_answers(own), *_errors(own, text)])


def _answers(own: dict[str, Any]) -> Iterator[shared.Row]:
    for name, value in own.items():
        if isinstance(value, dict):
            yield from _answers(value)
        elif name == "textfield" and value:
            yield {"textfield": value}
        elif is_number(text_at(own, name)):
            yield {"criterion": name, "value": value}


def _errors(own: dict[str, Any], question: str) -> Iterator[shared.Row]:
    """Yield a note for each error span; Pearmut counts the last character in."""
    for span in list_at(own, "error_spans"):
        kind = ", ".join(filter(None, (text_at(span, name) for name in ("severity", "category"))))
        first = whole_number(text_at(span, "start_i"), least=0)
        last = whole_number(text_at(span, "end_i"), least=0)
        if first is not None and last is not None:
            marked = question[first : last + 1]
            yield {"textfield": f"{kind or 'error'}: “{marked}” ({first} to {last + 1})"}


def _recognises(opened: Opened) -> bool:
    names = shared.names(opened) if opened.kind == "json" else []
    return "annotation" in names and ("actions" in names or "item" in names)


RECIPES = (
    Recipe(
        key="pearmut",
        title="Pearmut log",
        recognises=_recognises,
        frame=frame,
        propose=lambda frame: {
            "columns": shared.roles_present(frame, _ROLES, "Pearmut's log has it.")
        },
        carries=("questions", "ratings", "notes"),
    ),
)
