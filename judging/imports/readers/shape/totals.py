"""Rows of totals and averages, which are no rows of the study.

A row is one by its label (“Average” in its first cell or as its system) if it has no question and
nothing else but numbers, or at the end of the file without a label if each of its numbers is the
sum, or each the mean, of the column above it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.numbers import is_number, with_point
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import (
    SHEET_NAMES,
    USUAL_SHARE,
    Propose,
    remark,
    replaced,
    usual_values,
)
from judging.imports.readers.tables import AnyTable, Row

_COLUMNS_SUMMED = 20  # of numbers that are added up
_ROWS_NAMED = 5
_LABEL = re.compile(
    r"(?:(?:grand|sub|overall|column)[ -]?)?"
    r"(?:totals?|averages?|avg\.?|means?|sums?|overall|medians?|std\.?(?: ?dev\.?)?|stdev|s\.?d\.?"
    r"|minimum|maximum|standard deviation|macro[ -]?avg\.?|micro[ -]?avg\.?)"
    r"(?: (?:score|rating|value|row)s?)?:?",
    re.I,
)


def without_totals(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table without rows of totals, which a remark names."""
    numeric = _numeric_places(table)
    if not numeric:
        return table
    finder = _Finder(table, propose(table), numeric)
    return replaced(table, finder.rows(table))


def _numeric_places(table: AnyTable) -> list[int]:
    """Return the columns in which nearly every cell is a number."""
    found = []
    for place in range(len(table.header)):
        cells = usual_values(table, place)
        numbers = sum(_number(cell) is not None for cell in cells)
        if cells and numbers >= USUAL_SHARE * len(cells):
            found.append(place)
    return found


@lru_cache(maxsize=4096)
def _number(cell: str) -> float | None:
    """Return the number that a cell holds, which may have a decimal comma or a percent sign."""
    plain = cell.strip().removesuffix("%").rstrip()
    if not is_number(plain):
        plain = with_point(plain)
    return float(plain) if is_number(plain) else None


class _Finder:
    """Finds rows of totals while the rows are read."""

    def __init__(self, table: AnyTable, roles: ColumnRoles, numeric: Sequence[int]) -> None:
        place = {name: number for number, name in enumerate(table.header)}
        questions = [roles.question, *(each.column for each in roles.by_system)]
        self.system = place.get(roles.system)
        self.questions = [place[name] for name in questions if name]
        beside = {roles.system, roles.rater, *SHEET_NAMES}
        self.numeric = numeric
        self.texts = [
            number
            for number, name in enumerate(table.header)
            if number not in numeric and name not in beside
        ]
        self.summed = numeric[:_COLUMNS_SUMMED]
        self.counts = [0] * len(self.summed)
        self.sums = [0.0] * len(self.summed)
        self.asking: set[str] = set()  # systems with a question
        for row in table.sample():
            if self._has_question(row.cells):
                self.asking.add(self._system_of(row.cells))
        self.excluded: list[tuple[int, str]] = []

    def rows(self, table: AnyTable) -> Iterator[Row | Problem]:
        held: list[tuple[Row, str]] = []  # rows that are totals if no other row follows
        for row in table.rows:
            if self._has_question(row.cells):
                self.asking.add(self._system_of(row.cells))
            elif label := self._label(row.cells):
                self.excluded.append((row.number, f"“{label}”"))
                continue
            elif statistic := self._statistic(row.cells):
                held.append((row, statistic))
                continue
            if held:
                yield from (earlier for earlier, _ in held)
                held = []
            self._add(row.cells)
            yield row
        self.excluded += [(row.number, statistic) for row, statistic in held]
        if self.excluded:
            yield remark(_said(sorted(self.excluded)))

    def _label(self, cells: Sequence[str]) -> str:
        """Return the label that makes a row one of totals; "" if there is none."""
        first = next((cell.strip() for cell in cells if cell.strip()), "")
        system = self._system_of(cells)
        label = next((each for each in (first, system) if _LABEL.fullmatch(each[:60])), "")
        if not label or (label == system and system in self.asking):
            return ""
        others = [cell for place in self.texts if (cell := cells[place].strip())]
        numbers = any(_number(cells[place]) is not None for place in self.numeric)
        return label if numbers and others in ([], [label]) else ""

    def _has_question(self, cells: Sequence[str]) -> bool:
        return any(cells[place].strip() for place in self.questions)

    def _system_of(self, cells: Sequence[str]) -> str:
        return "" if self.system is None else cells[self.system].strip()

    def _statistic(self, cells: Sequence[str]) -> str:
        """Return the statistic that all numbers of a row are, if it has nothing but numbers; else
        ""."""
        if not self.texts or any(
            cell.strip() for place, cell in enumerate(cells) if place not in self.numeric
        ):
            return ""
        given = [
            (number, count, total, cells[place])
            for place, count, total in zip(self.summed, self.counts, self.sums, strict=True)
            if (number := _number(cells[place])) is not None
        ]
        if not given or any(count < 2 for _, count, _, _ in given):
            return ""
        if all(_equal(number, total, cell) for number, _, total, cell in given):
            return "the sum of each column"
        if all(_equal(number, total / count, cell) for number, count, total, cell in given):
            return "the mean of each column"
        return ""

    def _add(self, cells: Sequence[str]) -> None:
        for which, place in enumerate(self.summed):
            if (number := _number(cells[place])) is not None:
                self.counts[which] += 1
                self.sums[which] += number


def _equal(number: float, expected: float, cell: str) -> bool:
    """Return whether a number is the expected one, rounded to the digits that it is written
    with."""
    digits = len(with_point(cell.strip().rstrip("% ")).partition(".")[2])
    return abs(number - expected) <= 0.5 * 10.0**-digits + 1e-9


def _said(excluded: Sequence[tuple[int, str]]) -> str:
    if len(excluded) == 1:
        [(number, label)] = excluded
        return f"Row {number:,} is a total ({label}) and is excluded."
    named = ", ".join(f"{number:,} ({label})" for number, label in excluded[:_ROWS_NAMED])
    more = f" and {len(excluded) - _ROWS_NAMED:,} more" if len(excluded) > _ROWS_NAMED else ""
    return f"Rows {named}{more} are totals and are excluded."
