"""Counts of a file's rows that match a dataset, and of the rows that need a decision."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from tempfile import SpooledTemporaryFile
from typing import Any

from judging.formulas import BYTE_ORDER_MARK, inert
from judging.imports.readers.records import QuestionRecord
from judging.imports.readers.row_lists import RowKind, RowList
from judging.imports.readers.tables import shorten

SHOWN = 100
SPOOLED = 1 << 20  # characters that wait in memory before a temporary file is on the disk
NO_SUCH_QUESTION = "The dataset has no such question."


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A row of the file that needs a decision, with its text and the reason."""

    row: int
    what: str
    reason: str


class MatchCounts:
    """Counts of all rows, with the first examples of those that need a decision. Memory use does
    not grow with the number of rows.

    All rows that need a decision are kept in a temporary file, as CSV, and in the list of all rows,
    if one is made.
    """

    def __init__(self, listed: RowList | None = None) -> None:
        self.listed = listed
        self.counts: Counter[str] = Counter()
        self.tiers: Counter[str] = Counter()  # matched rows by the tier that found their question
        self.examples: dict[str, list[Example]] = {}
        self._file = SpooledTemporaryFile(SPOOLED, "w+", encoding="utf-8", newline="")  # noqa: SIM115
        self._file.write(BYTE_ORDER_MARK)
        self._rows = csv.writer(self._file)
        self._rows.writerow(("kind", "row", "what", "reason"))

    def note(
        self,
        kind: RowKind,
        row: int,
        what: str,
        reason: str,
        question: QuestionRecord | None = None,
    ) -> None:
        """Count a row, and keep it if it is among the first examples of its kind."""
        self.counts[kind] += 1
        kept = self.examples.setdefault(kind, [])
        if len(kept) < SHOWN:
            kept.append(Example(row=row, what=shorten(what), reason=reason))
        self._rows.writerow((kind, row, inert(shorten(what)), inert(reason)))
        if self.listed:
            self.listed.note(kind, row, what, reason, question=question)

    def left_out(self, row: int, what: str) -> None:
        """Note a row that refers to nothing in the dataset."""
        self.tiers["none"] += 1
        self.note("unmatched", row, what, NO_SUCH_QUESTION)

    @property
    def is_cut(self) -> bool:
        """Return whether there are more rows than examples."""
        return any(self.counts[kind] > len(kept) for kind, kept in self.examples.items())

    def pieces(self) -> Iterator[bytes]:
        """Yield pieces of the table of all rows that need a decision."""
        self._file.seek(0)
        while piece := self._file.read(SPOOLED):
            yield piece.encode()

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return {
            "counts": dict(self.counts),
            "tiers": dict(self.tiers),
            "examples": {
                kind: [asdict(each) for each in found] for kind, found in self.examples.items()
            },
        }
