"""The spans that raters marked in passages, checked against the texts they were marked in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judging.imports.readers.numbers import whole_number
from judging.imports.readers.records import MarkRecord, Problem, SourceRecord
from judging.imports.readers.tables import shorten
from judging.spans import NOTHING, Range, plain

SPAN = "span"
MarkedUnit = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkSaid:
    """A mark as the cells of one row give it, with the row and the column of the file."""

    kind: str
    start: str
    end: str
    text: str
    row: int
    column: str

    def __bool__(self) -> bool:
        return bool(self.kind or self.start or self.end)

    def __str__(self) -> str:
        return " ".join(
            filter(None, (self.kind, f"{self.start}-{self.end}" if self.start else "", self.text))
        )


class _MarkRefused(ValueError):
    """A mark cannot be stored."""


class MarksSeen:
    """The marks read so far; the passages are known when the whole file is read."""

    def __init__(self) -> None:
        """Start with none."""
        self._said: list[tuple[MarkedUnit, str, MarkSaid]] = []

    def put(self, unit: MarkedUnit, rater: str, said: MarkSaid) -> None:
        """Keep the mark of a row, to be checked when the passages are known."""
        self._said.append((unit, rater, said))

    def records(self, sources: Mapping[str, SourceRecord]) -> Iterator[MarkRecord | Problem]:
        """Yield each mark that fits its passage, and a problem for every other one."""
        before: dict[tuple[MarkedUnit, str], MarkRecord] = {}
        for unit, rater, said in self._said:
            try:
                mark = _record(unit, rater, said, sources[unit[0]].passage)
                _agree(before.setdefault((unit, rater), mark), mark)
                yield mark
            except _MarkRefused as refusal:
                yield Problem(
                    row=said.row,
                    column=said.column,
                    value=str(said),
                    reason=str(refusal),
                    kind="value",
                )


def _agree(before: MarkRecord, now: MarkRecord) -> None:
    if (before.start is None) != (now.start is None):
        raise _MarkRefused(
            f"In row {before.row:,} the annotator says otherwise: a span is marked, or nothing answers."
        )


def _record(unit: MarkedUnit, rater: str, said: MarkSaid, passage: str | None) -> MarkRecord:
    source, system, position = unit
    if not rater:
        raise _MarkRefused("The mark names no annotator.")
    if position is None:
        raise _MarkRefused("A mark belongs to one question, and this row is about a whole set.")
    start, end = (None, None) if said.kind.casefold() == NOTHING else _range(said, passage)
    return MarkRecord(
        source_key=source,
        system=system,
        position=position,
        rater=rater,
        start=start,
        end=end,
        row=said.row,
    )


def _range(said: MarkSaid, passage: str | None) -> Range:
    if said.kind.casefold() not in ("", SPAN):
        raise _MarkRefused(f"A mark is “{SPAN}” or “{NOTHING}”.")
    if not passage:
        raise _MarkRefused("There is no passage to mark in.")
    start, end = whole_number(said.start, least=0), whole_number(said.end, least=1)
    if start is None or end is None:
        raise _MarkRefused("A span is two whole numbers, counted in characters from 0.")
    if start >= end:
        raise _MarkRefused("The span is empty.")
    for found in ((start, end), *([_from_utf16(passage, start, end)] if said.text else [])):
        if found[1] <= len(passage) and (
            not said.text or plain(passage[slice(*found)]) == _written(said.text)
        ):
            return found
    if end > len(passage):
        raise _MarkRefused(
            f"The span ends beyond the passage, which has {len(passage):,} characters."
        )
    raise _MarkRefused(f"There the passage says “{shorten(passage[start:end])}”.")


def _from_utf16(passage: str, start: int, end: int) -> Range:
    """Convert a range counted in UTF-16 units, as browsers count, to code points; if it splits a
    character, return a range beyond the text.

    >>> _from_utf16("🦉 hunts", 3, 8)
    (2, 7)
    """
    units = passage.encode("utf-16-le")
    try:
        first, last = (len(units[: 2 * place].decode("utf-16-le")) for place in (start, end))
    except UnicodeDecodeError:
        return start, len(passage) + 1
    return first, last


def _written(text: str) -> str:
    """Return the text of a mark in the form used for comparison; Label Studio writes a line break
    as a backslash and an n."""
    return plain(text.replace("\\n", "\n"))
