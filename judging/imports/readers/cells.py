"""The cells of each column, counted over all rows that are read."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from judging.imports.readers.numbers import is_number, with_point

MISSING_WORDS = {
    "nan",
    "n/a",
    "na",
    "#n/a",
    "null",
    "none",
    "nil",
    "?",
    "??",
    "-",
    "--",
    "–",
    "—",
    ".",
    "missing",
    "unknown",
    "n.a.",
    "not available",
    "<na>",
    "[empty]",
    "<empty>",
    "(empty)",
    "[none]",
    "nd",
    "n.d.",
}
COUNTED_VALUES = 500  # distinct values counted in a column: more than a scale has
WORDS_MAPPED = 50  # distinct words of ratings, each of which is mapped to a point
_SHORT = 40  # characters; no point of a scale is longer
_FEW = 8  # cells; with fewer, one odd cell counts


def nearly_all(count: int, total: int) -> bool:
    """Return whether at most one in twenty is missing from the total, or one of eight to nineteen.

    >>> nearly_all(19, 20), nearly_all(8, 9), nearly_all(3, 4), nearly_all(0, 0)
    (True, True, False, False)
    """
    return total > 0 and total - count <= max(total / 20, total >= _FEW)


def plain_digits(text: str) -> str:
    """Return the text with the digits of every script written as 0 to 9.

    >>> plain_digits("٣"), plain_digits("３ - good")
    ('3', '3 - good')
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


@dataclass(frozen=True)
class CellCounts:
    """The distinct values of a column with their numbers, without blanks and words for "missing".
    `uncounted` cells are texts, or further values of a column with very many."""

    values: Mapping[str, int]
    uncounted: int = 0

    @cached_property
    def total(self) -> int:
        """The number of cells with a value."""
        return sum(self.values.values()) + self.uncounted

    @cached_property
    def numbers(self) -> Counter[float]:
        """The numbers among the values."""
        found: Counter[float] = Counter()
        for value, count in self.values.items():
            if is_number(plain := plain_digits(value)):
                found[float(plain)] += count
        return found

    @cached_property
    def has_numbers(self) -> bool:
        """Whether nearly all of the counted values are numbers."""
        return nearly_all(self.numbers.total(), sum(self.values.values()))

    @cached_property
    def has_decimals(self) -> bool:
        """Whether more than a few of the numbers are written with decimals."""
        pointed = sum(count for value, count in self.values.items() if "." in value)
        return pointed > 0 and not nearly_all(self.numbers.total() - pointed, self.numbers.total())

    def with_points(self) -> "CellCounts":
        """Return the same values with decimal points in place of decimal commas."""
        values = Counter[str]()
        for value, count in self.values.items():
            values[with_point(value)] += count
        return CellCounts(values, self.uncounted)


class ColumnCounts:
    """Counts of each column's values, taken row by row."""

    def __init__(self, header: Sequence[str]) -> None:
        """Count the cells of these columns."""
        self.header = header
        self._values: list[dict[str, int]] = [{} for _ in header]
        self._uncounted = [0] * len(header)

    def take(self, cells: Sequence[str]) -> None:
        """Count the cells of one row."""
        for place, cell in enumerate(cells):
            values = self._values[place]
            if (count := values.get(cell)) is not None:
                values[cell] = count + 1
            elif len(cell) > _SHORT or (
                len(values) >= COUNTED_VALUES and cell.strip().casefold() not in MISSING_WORDS
            ):
                self._uncounted[place] += 1
            else:
                values[cell] = 1

    def of_columns(self) -> dict[str, CellCounts]:
        """Return the counts of each column."""
        found = {}
        for name, cells, uncounted in zip(self.header, self._values, self._uncounted, strict=True):
            values = Counter[str]()
            for cell, count in cells.items():
                word = cell.strip()
                if word and word.casefold() not in MISSING_WORDS:
                    values[word] += count
            found[name] = CellCounts(values, uncounted)
        return found

    def missing(self) -> dict[str, dict[str, int]]:
        """Return the words for "missing" in each column that has any, with their numbers."""
        found = {}
        for name, cells in zip(self.header, self._values, strict=True):
            words = Counter[str]()
            for cell, count in cells.items():
                if (word := cell.strip()).casefold() in MISSING_WORDS:
                    words[word] += count
            if words:
                found[name] = dict(words)
        return found


def few_words(values: Mapping[str, int]) -> dict[str, int]:
    """Return the words among values, without numbers; none if there are too many to be labels."""
    words = {
        word: count
        for word, count in values.items()
        if word and not is_number(with_point(word)) and word.casefold() not in MISSING_WORDS
    }
    return words if len(words) <= WORDS_MAPPED else {}


def counted(header: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, CellCounts]:
    """Return the counts of each column of these rows."""
    counts = ColumnCounts(header)
    for row in rows:
        counts.take(row)
    return counts.of_columns()


def number_in(text: str) -> float | None:
    """Return the number that a text represents, in digits of any script; None if it is none."""
    plain = plain_digits(text)
    return float(plain) if is_number(plain) else None
