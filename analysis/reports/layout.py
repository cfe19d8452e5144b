"""The parts of a report's page: tables with formatted numbers, and figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Self, TypeAlias

from analysis.reports.evidence import ItemQuery
from judging.base.limits import MAX_PAGE_ROWS
from quaestor_stats._result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

PAPER = 8  # columns that a page of paper is wide enough for
TALL = 25  # lines from which a table scrolls in a frame of its own
Chart: TypeAlias = "Drawing"


@dataclass(frozen=True)
class Plot:
    """An interval drawn in a cell: places between 0 and 100 on the table's axis."""

    low: float
    estimate: float
    high: float
    zero: float | None = None

    @classmethod
    def of(
        cls, estimate: Result, *, lowest: float, highest: float, zero: float | None = None
    ) -> Self | None:
        """Return the places on an axis between two values; what lies beyond them is cut."""
        if not estimate.defined or lowest >= highest:
            return None
        low, middle, high = (
            round(100 * (min(max(value, lowest), highest) - lowest) / (highest - lowest), 2)
            for value in (
                estimate.value if isnan(estimate.ci.low) else estimate.ci.low,
                estimate.value,
                estimate.value if isnan(estimate.ci.high) else estimate.ci.high,
            )
        )
        return cls(low, middle, high, zero)


@dataclass(frozen=True)
class Bar:
    """One value's share in a bar of shares: its start and width, of 100."""

    start: float
    width: float
    shade: int


@dataclass(frozen=True)
class Cell:
    """One number of a table, with the small text below it."""

    text: str
    under: str = ""
    best: bool = False
    letters: str = ""  # those it shares with systems it does not differ significantly from
    shade: int | None = None  # of a heat map, 0 to 20
    minus: bool = False  # the shade is of a negative number
    framed: bool = False
    plot: Plot | None = None
    bars: tuple[Bar, ...] = ()
    items: ItemQuery | None = None  # the questions that the number rests on
    of_letters: ItemQuery | None = None  # those that tell a system from the others
    shares: tuple[
        tuple[str, ItemQuery], ...
    ] = ()  # of the values of a scale, each with its questions


@dataclass(frozen=True)
class Line:
    """A line of a table: a name, numbers, and words at its end."""

    name: str
    cells: list[Cell]
    last: str = ""
    chip: str = ""
    under: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table of numbers: a first column of names, then columns of numbers."""

    title: str
    columns: list[str]
    lines: list[Line]
    first: str = ""  # heading of the first column
    last: str = ""  # heading of the words at the end of a line; none where it is empty
    notes: list[str] = field(default_factory=list)  # one below each column's name
    caption: str = ""  # what the numbers are
    reasons: list[str] = field(default_factory=list)  # why a number or its interval is missing
    folded: bool = False
    heat: bool = False
    words: bool = False  # its cells are words, which wrap
    place: int = 0  # among its section's tables, as the page orders them

    @property
    def many(self) -> bool:
        """Whether it has so many columns that they must be set close together."""
        return len(self.columns) > PAPER

    @property
    def is_tall(self) -> bool:
        """Whether it has too many lines to be readable on the page."""
        return len(self.lines) > TALL

    def cut(self, *, whole: int = 0, files: str = "files") -> PageTable:
        """Return the table with at most `MAX_PAGE_ROWS` lines: a hundred systems are 4,950 pairs.
        `whole`: the number of all lines, if the table was made of only the first ones."""
        whole, shown = max(whole, len(self.lines)), self.lines[:MAX_PAGE_ROWS]
        if len(shown) == whole:
            return self
        says = f"The first {len(shown)} of {whole:,} lines; all of them stand in the {files}."
        return replace(self, lines=shown, reasons=[says, *self.reasons])

    def in_parts(self) -> list[PageTable]:
        """Return the table as paper takes it: cut by its columns, each part with all lines, where
        they are too many."""
        whole = len(self.columns)
        if whole <= PAPER:
            return [self]
        size = -(-whole // -(-whole // PAPER))
        return [self._part(first, min(first + size, whole)) for first in range(0, whole, size)]

    def _part(self, first: int, behind: int) -> PageTable:
        whole = len(self.columns)
        says = [self.caption.rstrip("."), f"Columns {first + 1} to {behind} of {whole}"]
        return replace(
            self,
            columns=self.columns[first:behind],
            notes=self.notes[first:behind],
            lines=[replace(line, cells=line.cells[first:behind]) for line in self.lines],
            caption=". ".join(filter(None, says)) + ".",
            reasons=self.reasons if behind == whole else [],
        )

    def heads(self) -> list[dict[str, str]]:
        """Return each column's name with its note."""
        notes = self.notes or [""] * len(self.columns)
        return [
            {"name": name, "note": note} for name, note in zip(self.columns, notes, strict=True)
        ]


@dataclass(frozen=True)
class Figure:
    """A chart to draw, with the sentence that says what it shows. A page needs the sentence, the
    worker the chart."""

    name: str
    alt: str
    chart: Callable[[], Chart | None]  # None where there is nothing to draw
