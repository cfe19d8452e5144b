"""Rows as CSV that a spreadsheet opens without taking a cell for a formula, one line at a time."""

import csv
from collections.abc import Iterable, Iterator, Sequence

from judging.formulas import BYTE_ORDER_MARK, inert


def lines(header: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield the lines of a table."""
    writer = csv.writer(_Echo())
    yield BYTE_ORDER_MARK + writer.writerow(header)
    for row in rows:
        yield writer.writerow(inert(str(cell)) for cell in row)


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line
