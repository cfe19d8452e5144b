"""Pearmut's log: one submitted page to a line, each with its items and what every system got.

The target text of an item is the question, its source text the passage. The score is a value of the
criterion `score`, other numbers are values of a criterion of their name, a text field is a note.
Error spans are marked in the question, where we keep no marks, so each becomes a note too. The
tutorial's pages and skipped ones hold no ratings. If an annotator was reset, the pages that they
submitted before are passed over.
"""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import Format, is_object
from judging.imports.readers.json_files import items, list_at, object_at, refused, text_at
from judging.imports.readers.numbers import is_number, whole_number
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import AnyTable, OpenTable, RowOrProblem, open_objects, shorten
from judging.limits import MAX_EXCERPT_CHARACTERS

_RESET = "__RESET__"
_ASIDE = ("welcome_", "random_", "goodbye_")
COLUMNS = ColumnRoles(
    question="tgt",
    passage="src",
    source_id="item_id",
    system="model",
    rater="user_id",
    criterion="criterion",
    value="value",
    note="textfield",
)


def open_pearmut(data: bytes) -> OpenTable:
    """Return the ratings as rows, one for each item, system and criterion.

    Raises
    ------
    Unreadable
        If no line is a page.
    """
    return open_objects(_pages(data))


def pearmut_columns(table: AnyTable) -> ColumnRoles:
    """Return the columns of such a table, which are always the same."""
    return COLUMNS


def _pages(data: bytes) -> Iterator[RowOrProblem]:
    pages = list(items(data))
    resets = {text_at(page, "user_id"): number for number, page in pages if _is_reset(page)}
    for number, page in pages:
        if _is_reset(page):
            continue
        if number < resets.get(text_at(page, "user_id"), 0):
            reason = "The annotator was reset after this page, which no longer counts."
            user = text_at(page, "user_id")
            yield number, Problem(row=number, column="user_id", value=user, reason=reason)
        elif not list_at(page, "item") or not list_at(page, "annotation"):
            yield refused(number, page, "A page has lists “item” and “annotation”.")
        elif (place := text_at(page, "item_i")).startswith(_ASIDE):
            reason = "A page of the tutorial or of checks is passed over."
            yield number, Problem(row=number, column="item_i", value=place, reason=reason)
        else:
            yield from ((number, row) for row in _rows(page))


def _is_reset(page: object) -> bool:
    return text_at(page, "annotation") == _RESET


def _rows(page: object) -> Iterator[dict[str, object]]:
    user = text_at(page, "user_id")
    for place, (item, said) in enumerate(
        zip_longest(list_at(page, "item"), list_at(page, "annotation"))
    ):
        item_id = text_at(item, "item_id") or f"{text_at(page, 'item_i')}.{place}"
        for model, text in object_at(item, "tgt").items():
            shown = {
                "item_id": item_id,
                "src": text_at(item, "src"),
                "model": model,
                "tgt": text,
                "user_id": user,
            }
            cells = {"criterion": "", "value": "", "textfield": ""}
            own = object_at(said, model)
            for row in [*_said(own), *_errors(own, text)] or [{}]:
                yield shown | cells | row


def _errors(annotation: Mapping[str, object], question: object) -> Iterator[dict[str, object]]:
    """Yield a note for each error span; Pearmut counts the last character in."""
    for span in list_at(annotation, "error_spans"):
        first, last = (
            whole_number(text_at(span, place), least=0) for place in ("start_i", "end_i")
        )
        kind = (
            ", ".join(filter(None, (text_at(span, "severity"), text_at(span, "category"))))
            or "error"
        )
        if first is not None and last is not None and isinstance(question, str):
            marked = shorten(question[first : last + 1], most=MAX_EXCERPT_CHARACTERS)
            yield {"textfield": f"{kind}: “{marked}” ({first} to {last + 1})"}


def _said(annotation: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for name, value in annotation.items():
        if name == "textfield" and isinstance(value, str) and value:
            yield {"textfield": value}
        elif isinstance(value, str) and is_number(value):
            yield {"criterion": name, "value": value}
        elif isinstance(value, dict):
            yield from _said(value)


READS = (
    Format(
        key="pearmut",
        title="Pearmut log",
        endings=(".jsonl",),
        is_like=lambda head: (
            is_object(head, b"annotation", b"actions") or is_object(head, b"annotation", b"item")
        ),
        rank=50,
        table=open_pearmut,
        propose=lambda table, _name: pearmut_columns(table),
        carries=("questions", "ratings", "notes"),
        page="pearmut",
    ),
)
