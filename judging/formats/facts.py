"""What the cells of one column show: the witnesses from which roles are proposed."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import pandas as pd

from judging.base.texts import as_number, has_thousands, number_in, plain_name
from judging.formats.vocabulary import is_missing, words_of

QUESTION_MARKS = ("?", "？", "؟", "՞", "\u037e")
LABEL_CHARACTERS = 40  # of the longest label of a scale
POINTS = 101  # of the largest scale: 0 to 100
FEW_POINTS = 11  # of a scale that no name confirms: 0 to 10
LABELS = 7  # of the largest scale of words
PASSAGE_CHARACTERS = 80  # from which a median text is a passage
MOST = 0.95
USUAL = 0.8
MANY = 0.6


class Facts:
    """One column: its name, and its cells without surrounding blanks and words for "missing"."""

    def __init__(self, name: str, cells: "pd.Series[str]") -> None:
        self.name = name
        self.plain = plain_name(name)
        self.words = words_of(name)
        stripped = cells.str.strip()
        self.missing = sorted({cell for cell in stripped.unique() if cell and is_missing(cell)})
        self.cells = stripped.mask(stripped.isin(self.missing), "") if self.missing else stripped
        counts = self.cells[self.cells != ""].value_counts()
        self.counts = Counter({str(value): int(count) for value, count in counts.items()})

    @cached_property
    def total(self) -> int:
        """The number of cells with a value."""
        return self.counts.total()

    @cached_property
    def numbers(self) -> Counter[float]:
        """The numbers among the values."""
        return self._numbers(self.written)

    def _numbers(self, written: str) -> Counter[float]:
        found: Counter[float] = Counter()
        for value, count in self.counts.items():
            plain = as_number(value, written) if len(value) <= LABEL_CHARACTERS else ""
            if (number := number_in(plain)) is not None:
                found[number] += count
        return found

    def values(self) -> "pd.Series[float]":
        """Return the number in each cell, NaN if it holds none."""
        return pd.to_numeric(self.cells.map(lambda cell: as_number(cell, self.written)), "coerce")

    @cached_property
    def is_numeric(self) -> bool:
        """Whether nearly all values are numbers."""
        return _is_most(self.numbers.total(), self.total)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether more than one number in twenty has a fraction."""
        parts = sum(count for number, count in self.numbers.items() if not number.is_integer())
        return self.is_numeric and parts > (1 - MOST) * self.numbers.total()

    @cached_property
    def has_thirds(self) -> bool:
        """Whether a number is neither whole nor half, as a mean may be and a point is not."""
        return self.is_numeric and any(not (2 * number).is_integer() for number in self.numbers)

    @cached_property
    def is_whole(self) -> bool:
        """Whether nearly all values are whole numbers of a usual scale."""
        return self._has_points(1)

    @cached_property
    def is_on_scale(self) -> bool:
        """Whether nearly all values are whole or half numbers of a usual scale."""
        return self._has_points(2)

    def _has_points(self, parts: int) -> bool:
        points = sum(
            count
            for number, count in self.numbers.items()
            if (parts * number).is_integer() and -10 <= number <= 100
        )
        return _is_most(points, self.total)

    @cached_property
    def written(self) -> str:
        """How the numbers are written (see `Mapping.numbers`)."""
        if _is_most(self._numbers("point").total(), self.total):
            return "point"
        for how in ("comma", "point_thousands", "comma_thousands"):
            needs = how == "comma" or any(map(has_thousands, self.counts))
            if needs and _is_most(self._numbers(how).total(), self.total):
                return how
        return "point"

    @cached_property
    def is_scale_of_words(self) -> bool:
        """Whether the values are a few short words, as labels of a scale are."""
        short = [value for value in self.counts if len(value) <= LABEL_CHARACTERS]
        return 0 < len(short) == len(self.counts) <= LABELS and self.total >= 2 * len(short)

    @cached_property
    def length(self) -> float:
        """The median length of the values."""
        lengths = self.cells[self.cells != ""].str.len()
        return float(lengths.median()) if self.total else 0.0

    @cached_property
    def asks(self) -> bool:
        """Whether most values are questions."""
        asking = sum(
            count for value, count in self.counts.items() if value.endswith(QUESTION_MARKS)
        )
        return self.total > 0 and asking > MANY * self.total

    @cached_property
    def is_text(self) -> bool:
        """Whether at least half of the values are texts of several words."""
        several = sum(
            count
            for value, count in self.counts.items()
            if " " in value or (len(value) > 5 and not value.isascii())
        )
        return self.total > 0 and 2 * several >= self.total and not self.is_numeric


def _is_most(count: int, total: int) -> bool:
    """Return whether at most one in twenty is missing, or one of eight to nineteen."""
    return total > 0 and total - count <= max((1 - MOST) * total, total >= 8)


def column_facts(frame: pd.DataFrame) -> dict[str, Facts]:
    """Return the facts of each column."""
    return {name: Facts(name, frame[name]) for name in frame.columns}


def are_of_one_scale(columns: Sequence[Facts], *, is_sure: bool) -> bool:
    """Return whether columns hold ratings on one scale: numbers of a few points or the same few
    words. A scale that no name confirms (`is_sure`) has at most eleven points up to 10, most of
    which the columns share; one that a name confirms may be a slider from 0 to 100."""
    given = [column for column in columns if column.total]
    if not given:
        return False
    if not all(each.is_numeric for each in given):
        words = set().union(*(each.counts for each in given))
        return len(words) <= LABELS and all(each.is_scale_of_words for each in given)
    points = set().union(*(each.numbers for each in given))
    return _is_scale_or_slider(points) if is_sure else _is_small_scale(given, points)


def _is_scale_or_slider(points: set[float]) -> bool:
    """Return whether numbers are whole or half points, or those of a slider."""
    is_slider = min(points) >= 0 and 50 <= max(points) <= 100
    parts = sum(not (2 * point).is_integer() for point in points)
    is_stepped = len(points) <= POINTS and parts <= (1 - MOST) * len(points)
    return max(points) <= POINTS and (is_slider or is_stepped)


def _is_small_scale(columns: Sequence[Facts], points: set[float]) -> bool:
    """Return whether columns hold mostly the same few points."""
    used = Counter(point for column in columns for point in column.numbers)
    shared = [
        2 * sum(count for point, count in column.numbers.items() if used[point] > 1) > column.total
        for column in columns
    ]
    few = len(points) <= FEW_POINTS and max(map(abs, points)) <= FEW_POINTS - 1
    is_shared = len(columns) == 1 or all(shared)
    return few and is_shared and all(column.is_on_scale for column in columns)
