"""Rows above the names of a table's columns: a title, notes, the names of groups of columns.

A row above the names fills at most half as many columns as most rows do, and is unlike the rows
below. Names may take two rows: if the second fills the cells that the first leaves blank and leaves
blank those that all other rows fill, both are read together; so are names that repeat under the
names of groups (`fluency` and `relevance` under `Rater 1` and under `Rater 2`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from judging.imports.readers.guessing import is_criterion, is_known_name
from judging.imports.readers.header import below_each, likeness

ROWS_ABOVE_NAMES = 10
_REQUIRED_ROWS = 2  # below the possible names
_USUAL_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The names of the columns as one row, and the rows that they and the rows above them take."""

    cells: tuple[str, ...]
    above: int  # skipped rows above the names
    rows: int  # those and the rows of the names


def column_names(rows: Sequence[Sequence[str]], above: int | None = None) -> ColumnNames:
    """Return the names of the columns; `above` is the number of rows above them."""
    place = _above(rows) if above is None else min(above, max(0, len(rows) - 1))
    names = list(rows[place]) if rows else []
    over = rows[place - 1] if place else ()
    if _goes_on(rows[place:]):
        second = list(rows[place + 1])
        told = _told_apart(second, names)
        width = max(len(names), len(second))
        both = zip(_wide(told, width), _wide(names, width), strict=True)
        return ColumnNames(tuple(own or first for own, first in both), place, place + 2)
    return ColumnNames(tuple(_told_apart(names, over)), place, place + 1)


def _above(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above the names; 0 if no row below looks like names."""
    if len(rows) <= _REQUIRED_ROWS:
        return 0
    usual = median(map(_filled, rows[1:]))
    place = 0
    while (
        place < min(ROWS_ABOVE_NAMES, len(rows) - _REQUIRED_ROWS)
        and 2 * _filled(rows[place]) <= usual
    ):
        place += 1
    if not place or not _are_names(rows[place:]):
        return 0
    below = rows[place + 1 :]
    return place if all(max(_likenesses([row, *below])) < 1 for row in rows[:place]) else 0


def _goes_on(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the names of the first row continue in the second."""
    if len(rows) <= _REQUIRED_ROWS:
        return False
    first, second, below = rows[0], rows[1], rows[2:]
    width = max(map(len, (first, second)))
    pairs = list(zip(_wide(first, width), _wide(second, width), strict=True))
    fills = any(not one.strip() and other.strip() for one, other in pairs)
    filled = below_each([[""] * width, *below])
    leaves = any(
        one.strip() and not other.strip() and len(column) >= _USUAL_SHARE * len(below)
        for (one, other), column in zip(pairs, filled, strict=True)
    )
    return fills and leaves and _are_names(rows[1:])


def _are_names(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row certainly names columns: by common names of columns, or because
    it is unlike the rows below it."""
    first = [cell for cell in rows[0] if cell.strip()]
    known = sum(is_known_name(cell) or is_criterion(cell) for cell in first)
    found = _likenesses(rows)
    return max(found) < 1 and (known > 1 or min(found) < 0)


def _likenesses(rows: Sequence[Sequence[str]]) -> list[int]:
    columns = below_each(rows)
    return [
        likeness(cell.strip(), column)
        for cell, column in zip(rows[0], columns, strict=True)
        if column
    ] or [0]


def _told_apart(names: Sequence[str], over: Sequence[str]) -> list[str]:
    """Return names, those that repeat preceded by the name of their group, which is above the first
    of its columns."""
    counts = Counter(cell.strip() for cell in names if cell.strip())
    found, group = [], ""
    for name, label in zip(names, _wide(over, len(names)), strict=False):
        group = label.strip() or group
        found.append(f"{group} {name.strip()}" if counts[name.strip()] > 1 and group else name)
    return found


def _wide(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]


def _filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)
