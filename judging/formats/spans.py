"""A span that an annotator marked in a passage, checked against the text it was marked in."""

from typing import NamedTuple

from judging.base.texts import whole_number
from judging.formats.frames import shorten_line
from judging.protocols.spans import NOTHING, Range, comparable_text

SPAN = "span"


class WrittenMark(NamedTuple):
    """A mark as the cells of one row give it."""

    kind: str
    start: str
    end: str
    text: str

    def __str__(self) -> str:
        ends = f"{self.start}-{self.end}" if self.start else ""
        return " ".join(filter(None, (self.kind, ends, self.text)))


def span_of(mark: WrittenMark, passage: str, *, rater: str, is_set: bool) -> Range | str | None:
    """Return the range of a mark, None if it says that nothing answers the question, or a sentence
    that says why it cannot be stored."""
    if not rater:
        return "The mark names no annotator."
    if is_set:
        return "A mark belongs to one question, and this row is about a whole set."
    if mark.kind.casefold() == NOTHING:
        return None
    if mark.kind.casefold() not in ("", SPAN):
        return f"A mark is “{SPAN}” or “{NOTHING}”."
    if not passage:
        return "There is no passage to mark in."
    start, end = whole_number(mark.start, least=0), whole_number(mark.end, least=1)
    if start is None or end is None:
        return "A span is two whole numbers, counted in characters from 0."
    if start >= end:
        return "The span is empty."
    return _in_passage(mark, passage, start, end)


def _in_passage(mark: WrittenMark, passage: str, start: int, end: int) -> Range | str:
    # Label Studio writes a line break as a backslash and an n
    text = comparable_text(mark.text.replace("\\n", "\n"))
    tried = [(start, end), *([_from_utf16(passage, start, end)] if text else [])]
    for found in tried:
        if found[1] <= len(passage) and (
            not text or comparable_text(passage[slice(*found)]) == text
        ):
            return found
    if end > len(passage):
        return f"The span ends beyond the passage, which has {len(passage):,} characters."
    return f"There the passage says “{shorten_line(passage[start:end])}”."


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
