"""The first value of each column, and whether its numbers look like human ratings."""

from collections.abc import Sequence
from itertools import pairwise

from judging.imports.readers.cells import CellCounts, ColumnCounts, nearly_all
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.guessing import is_about_rating, is_metric, is_own_name
from judging.imports.readers.rater_names import pieces
from judging.imports.readers.records import ColumnSummary
from judging.imports.readers.tables import shorten
from judging.limits import MAX_EXCERPT_CHARACTERS

_END_OF_A_SCALE = 10  # the end of a scale of points; a slider ends at 100
_SLIDER = 100
# The last word of names whose numbers count or order something.
_COUNTS = {
    "characters",
    "chars",
    "count",
    "counts",
    "date",
    "day",
    "duration",
    "end",
    "fold",
    "hour",
    "id",
    "idx",
    "index",
    "key",
    "len",
    "length",
    "minutes",
    "month",
    "no",
    "nr",
    "num",
    "number",
    "offset",
    "page",
    "position",
    "run",
    "seconds",
    "seed",
    "size",
    "start",
    "time",
    "tokens",
    "version",
    "words",
    "year",
}
_COUNTS_FIRST = {"n", "nb", "nr", "num", "number", "count", "length", "column", "unnamed"}


class ColumnSummaries:
    """Collects the first value and the numbers of each column, row by row."""

    def __init__(self, header: Sequence[str], columns: ColumnRoles) -> None:
        """Expect rows of this header; numbers are counted in columns that hold no text of a role."""
        self._header, self._has_commas = header, columns.decimal == "comma"
        kept = {*columns.metadata, *columns.source_metadata, *columns.rating_metadata}
        scored = {score.column for score in columns.scores}
        in_other_roles = {*columns.named()} - kept - scored
        self._places = [
            place
            for place, name in enumerate(header)
            if name not in in_other_roles and _may_be_rated(name)
        ]
        self._counts = ColumnCounts([header[place] for place in self._places])
        self._first = [""] * len(header)
        self._blank = list(range(len(header)))

    def take(self, cells: Sequence[str]) -> None:
        """Take the cells of one more row."""
        if self._blank:
            for place in self._blank:
                self._first[place] = cells[place].strip()
            self._blank = [place for place in self._blank if not self._first[place]]
        self._counts.take([cells[place] for place in self._places])

    def found(self) -> tuple[ColumnSummary, ...]:
        """Return the summaries in the order of the columns."""
        ranges = {name: self._range(counts) for name, counts in self._counts.of_columns().items()}
        return tuple(
            ColumnSummary(
                column=name,
                first=shorten(first, most=MAX_EXCERPT_CHARACTERS),
                rating_range=ranges.get(name, ""),
            )
            for name, first in zip(self._header, self._first, strict=True)
        )

    def _range(self, counts: CellCounts) -> str:
        return rating_range(counts.with_points() if self._has_commas else counts)


def _may_be_rated(name: str) -> bool:
    """Return whether a name does not show that its numbers are metric scores, counts or ids."""
    words = [piece.casefold() for piece in pieces(name) if not piece.isdecimal()]
    is_counted = bool(words) and (words[-1] in _COUNTS or words[0] in _COUNTS_FIRST)
    return not (is_counted or is_own_name(name) or is_about_rating(name) or is_metric(name))


def rating_range(counts: CellCounts) -> str:
    """Return the range of a column's numbers if they look like ratings: whole numbers of a scale or
    a slider. Return "" for other values, and for row numbers.

    >>> rating_range(CellCounts({"3": 9, "1": 7, "5": 2})), rating_range(CellCounts({"3.25": 9}))
    ('1 to 5', '')
    >>> rating_range(CellCounts({"1": 1, "2": 1, "3": 1})), rating_range(CellCounts({"31": 5, "9": 4}))
    ('', '')
    """
    whole = {number: count for number, count in counts.numbers.items() if number.is_integer()}
    if len(whole) < 2 or not nearly_all(sum(whole.values()), counts.total):
        return ""
    least, most = min(whole), max(whole)
    is_scale = least >= -_END_OF_A_SCALE and most <= _END_OF_A_SCALE
    is_slider = least >= 0 and _SLIDER / 2 <= most <= _SLIDER
    are_row_numbers = all(number + 1 == after for number, after in pairwise(whole)) and all(
        count == 1 for count in whole.values()
    )
    return f"{least:g} to {most:g}" if (is_scale or is_slider) and not are_row_numbers else ""
