"""The first line of a table: whether it names the columns, and how its fields match those of the
rows.

Both are detected from the shape of the first rows, and both can be declared. A line of names
differs from the lines below it: it has no number over a column of numbers, no question over
questions, no text over texts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from judging.imports.readers.guessing import is_known_name
from judging.imports.readers.likely_columns import QUESTION_MARKS
from judging.imports.readers.numbers import is_number

_LONG = 40  # characters; texts are longer, names of columns shorter


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names of the columns, the fewest fields of a row that fits them, and remarks about
    both."""

    names: tuple[str, ...]
    least: int
    headed: bool
    remarks: tuple[str, ...] = ()


def lay_out(rows: Sequence[Sequence[str]], header: bool | None = None) -> Layout:
    """Return how the first rows are laid out; `header` says whether the first of them names the
    columns.

    If most rows have fewer fields than the header, they lack the fields of its last names, which
    are blank. If most have one field more, it is the row number that some programs write first,
    else a last field without a name in the header.
    """
    first = list(rows[0]) if rows else []
    headed = not looks_like_a_row(rows) if header is None else header
    below = rows[1:] if headed else rows
    usual = _usual_width(below, len(first))
    if not headed:
        remark = (
            ""
            if header is False
            else (
                "The first line looks like a row, not like names, so the columns are named by their places. If it does "
                "name the columns, say that the file has a header."
            )
        )
        blank = [""] * max(len(first), usual)
        return Layout(
            names=_named(blank), least=min(usual, len(first)), headed=False, remarks=_kept(remark)
        )
    if usual == len(first) + 1:
        return _one_more(first, below)
    names = _named(first)
    remark = "" if usual >= len(first) else _left_out(names, usual)
    return Layout(names=names, least=min(usual, len(names)), headed=True, remarks=_kept(remark))


def looks_like_a_row(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line is like those below it in at least one column, and unlike them
    in none."""
    if len(rows) < 3 or any(is_known_name(cell) for cell in rows[0]):
        return False
    found = [
        likeness(cell.strip(), column)
        for cell, column in zip(rows[0], below_each(rows), strict=True)
        if column
    ]
    return max(found, default=0) > 0 and min(found, default=0) >= 0


def below_each(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the cells below each cell of the first row, without blanks."""
    width = len(rows[0])
    return [
        [row[place].strip() for row in rows[1:] if place < len(row) and row[place].strip()]
        for place in range(width)
    ]


def likeness(first: str, below: Sequence[str]) -> int:
    """Return 1 if the cell is like those below it, -1 if it is unlike them, 0 if that is
    undecided."""
    if not first:
        return 0
    if sum(map(is_number, below)) > 0.8 * len(below):
        return 1 if is_number(first) else -1
    if sum(cell.endswith(QUESTION_MARKS) for cell in below) > 0.6 * len(below):
        return 1 if first.endswith(QUESTION_MARKS) else -1
    if median(map(len, below)) > _LONG:
        return 1 if len(first) > _LONG else -1 if len(first) < _LONG / 2 else 0
    return 0


def _usual_width(rows: Sequence[Sequence[str]], header: int) -> int:
    """Return the number of fields of most rows, or the header's if no number is that of most."""
    widths = Counter(_width(row, header) for row in rows)
    width, count = max(widths.items(), key=lambda each: each[1], default=(header, 0))
    return width if 2 * count > len(rows) else header


def _width(row: Sequence[str], header: int) -> int:
    """Return the number of fields of a row, without blank ones beyond the header."""
    width = len(row)
    while width > header and not row[width - 1].strip():
        width -= 1
    return width


def _one_more(first: Sequence[str], rows: Sequence[Sequence[str]]) -> Layout:
    wide = [row for row in rows if _width(row, len(first)) == len(first) + 1]
    numbers = [row[0].strip().strip('"') for row in wide]
    ascending = all(text.isdecimal() and len(text) < 10 for text in numbers) and (
        [int(text) for text in numbers]
        == list(range(int(numbers[0]), int(numbers[0]) + len(numbers)))
    )
    names = _named(["", *first] if ascending else [*first, ""])
    which = (
        f"first, which numbers them, is called “{names[0]}”"
        if ascending
        else f"last is called “{names[-1]}”"
    )
    remark = (
        f"The rows have {len(names):,} fields and the header has {len(first):,}: the rows’ {which}."
    )
    return Layout(names=names, least=len(names), headed=True, remarks=(remark,))


def _left_out(names: Sequence[str], usual: int) -> str:
    missing = ", ".join(f"“{name[:80]}”" for name in names[usual:][:10])
    more = f" and {len(names) - usual - 10:,} more" if len(names) - usual > 10 else ""
    return (
        f"The header has {len(names):,} fields and most rows have {usual:,}: they end before {missing}{more}, which "
        "is blank there."
    )


def _named(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))


def _kept(remark: str) -> tuple[str, ...]:
    return (remark,) if remark else ()
