"""Screening of rows that refer to nothing in a dataset: they are skipped while a file is read, and
no record is made of them.

A screen holds digests of what rows may name: ids of sources, keys and texts of questions. It serves
files that name their questions by these alone; a row with inputs of a system may be matched by
those instead.
"""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.sameness import normalized
from judging.imports.readers.tables import Row

TellLeftOut = Callable[[int, str], None]  # called with a row's number and its text
GIVEN_COLUMNS = ("passage", "sentence", "answer", "target_type")
_ROLES = ("source_id", "key", "question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Digests of a dataset's ids, keys and texts. Two different texts share a digest with a chance
    of one in 10 to the 13."""

    held: frozenset[int]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return {"held": b64encode(array("Q", self.held).tobytes()).decode()}

    def passes(
        self, header: tuple[str, ...], columns: ColumnRoles, left_out: TellLeftOut
    ) -> Callable[[Row], bool]:
        """Return a function that decides whether a row may refer to the dataset; `left_out` is
        called for the others."""
        place = {name: number for number, name in enumerate(header)}
        named = [(role, place[name]) for role in _ROLES if (name := getattr(columns, role))]
        shown = [
            place[name] for name in (columns.source_id, columns.system, columns.position) if name
        ]
        held = self.held

        def pass_(row: Row) -> bool:
            for role, number in named:
                cell = row.cells[number]
                if cell.strip() and digest(role, cell) in held:
                    return True
            said = [row.cells[number] for role, number in named if role != "source_id"]
            left_out(
                row.number,
                next(filter(str.strip, said), "") or ", ".join(row.cells[each] for each in shown),
            )
            return False

        return pass_


def screen_from(data: dict[str, Any]) -> Screen:
    """Return the screen that plain data hold."""
    held = array("Q")
    held.frombytes(b64decode(data["held"]))
    return Screen(held=frozenset(held))


def screen_of(*, ids: Iterable[str], keys: Iterable[str], texts: Iterable[str]) -> Screen:
    """Return the screen of a dataset with these sources and questions."""
    parts = zip(_ROLES, (ids, keys, texts), strict=True)
    return Screen(held=frozenset(digest(role, each) for role, all_ in parts for each in all_))


def digest(role: str, text: str) -> int:
    """Return 64 bits of the compared text: a question's text normalised, ids without surrounding
    blanks."""
    compared = normalized(text) if role == "question" else text.strip()
    return int.from_bytes(blake2b(f"{role}\0{compared}".encode(), digest_size=8).digest())


def serves(columns: ColumnRoles) -> bool:
    """Return whether rows of these columns can be screened."""
    given = any(getattr(columns, each) for each in GIVEN_COLUMNS)
    return not given and not columns.by_system and any(getattr(columns, each) for each in _ROLES)
