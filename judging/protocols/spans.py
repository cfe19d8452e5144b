"""Marked spans of a text: ranges of code points as they are sent and stored, and their search
from a pasted piece."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

Range = tuple[int, int]
Segment = tuple[str, str]  # a piece of a text and its kind: plain, sentence, mark or sentence_mark
NOTHING = "none"
_BLANKS = 64  # characters more, for runs of blanks
_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛′", "'") | dict.fromkeys("“”„‟″«»", '"'))
DIFFERENCES: Mapping[str, Callable[[str], str]] = {
    "Unicode form": lambda text: unicodedata.normalize("NFD", text),
    "blanks": lambda text: " ".join(text.split()),
    "quotation marks": lambda text: text.translate(_QUOTES),
    "case": str.casefold,
}
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def range_of(piece: str, start: int | None, text: str) -> Range | None:
    """Return the range of a piece of a text, also if the text spells it differently (see `Alike`);
    None if there is none, or it does not begin at `start`."""
    if start is None or not piece:
        return None
    if text.startswith(piece, start):
        return start, start + len(piece)
    # decomposed, a letter takes at most four times as much
    place = Alike(text[start : start + 4 * len(piece) + _BLANKS]).place_at(0, piece)
    return (start, start + place[1]) if place else None


def comparable_text(text: str, *, without: str = "") -> str:
    """Return a text in the form used for comparison; `without` keeps one of the `DIFFERENCES`.

    >>> plain("“Agnes’s\\u00a0lock”")
    '"agnes\\'s lock"'
    """
    for name, step in DIFFERENCES.items():
        text = text if name == without else step(text)
    return text


def differences(one: str, other: str) -> list[str]:
    """Return the kinds of differences between two similar texts.

    >>> differences("In\\u00a0Autumn", "in autumn")
    ['blanks', 'case']
    """
    return [
        name
        for name in DIFFERENCES
        if comparable_text(one, without=name) != comparable_text(other, without=name)
    ]


class NoSpans(ValueError):
    """The text contains no ranges."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The marks for one question, in order and without overlaps; `nothing`: the annotator marked
    that nothing answers it."""

    ranges: tuple[Range, ...] = ()
    nothing: bool = False

    def __bool__(self) -> bool:
        return self.nothing or bool(self.ranges)

    def __str__(self) -> str:
        return NOTHING if self.nothing else " ".join(f"{start}-{end}" for start, end in self.ranges)

    def within(self, length: int) -> bool:
        """Return whether every range is inside a text of that many code points."""
        return all(end <= length for _start, end in self.ranges)

    def adding(self, *ranges: Range) -> Marked:
        """Return the marks with further ranges; marking a range removes "nothing"."""
        return Marked(join_ranges((*self.ranges, *ranges)))

    def without(self, *ranges: Range) -> Marked:
        return Marked(tuple(each for each in self.ranges if each not in ranges), self.nothing)


def parse_marks(text: str) -> Marked:
    """Return the marks in a sent text.

    >>> read("16-20 0-5 3-9").ranges
    ((0, 9), (16, 20))
    >>> read("none")
    Marked(ranges=(), nothing=True)
    """
    if text == NOTHING:
        return Marked(nothing=True)
    return Marked(join_ranges(_range(word) for word in text.split()))


def _range(word: str) -> Range:
    found = _RANGE.fullmatch(word)
    if not found or int(found[1]) >= int(found[2]):
        raise NoSpans(f"“{word[:30]}” is no range such as 13-27.")
    return int(found[1]), int(found[2])


def join_ranges(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return ranges in order; those that overlap or touch become one."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


class Searched:
    """A text in which pieces are searched for; all blanks are equal, because copying changes
    them."""

    def __init__(self, text: str) -> None:
        plain: list[str] = []
        self.starts: list[int] = []  # the position of each character of `plain` in the text
        for place, character in enumerate(text):
            blank = character.isspace()
            if not (blank and plain and plain[-1] == " "):
                plain.append(" " if blank else character)
                self.starts.append(place)
        self.plain = "".join(plain)

    def places(self, piece: str) -> Iterator[Range]:
        """Yield the ranges of a piece.

        >>> list(Searched("a lock, a weir").places("a"))
        [(0, 1), (8, 9)]
        """
        wanted = " ".join(piece.split())
        start = self.plain.find(wanted) if wanted else -1
        while start >= 0:
            last = start + len(wanted) - 1
            yield self.starts[start], self.starts[last] + 1
            start = self.plain.find(wanted, last + 1)


class Alike:
    """A text in which differently spelled pieces are found: in another Unicode form, with other
    blanks or quotation marks, or in another case."""

    def __init__(self, text: str) -> None:
        written: list[str] = []
        length, start = 0, 0
        # for each character with its marks: its start in the plain text, with one more entry for
        # the end, and its start and end in the text itself
        self._plain_starts, self._starts, self._ends = array("L"), array("L"), array("L")
        for end in _ends_of_characters(text):
            character = _plain_character(text[start:end])
            if text[start].isspace():
                character = " " if written[-1:] != [" "] else ""
            if character:
                self._plain_starts.append(length)
                self._starts.append(start)
                self._ends.append(end)
                written.append(character)
                length += len(character)
            else:
                self._ends[-1] = end
            start = end
        self._plain_starts.append(length)
        self._plain = "".join(written)

    def places(self, piece: str) -> Iterator[Range]:
        """Yield the ranges of a piece in order, without overlaps; none begins or ends within a
        character."""
        wanted = comparable_text(piece)
        start = self._plain.find(wanted) if wanted else -1
        while start >= 0:
            place = self._range(start, start + len(wanted))
            if place:
                yield place
            start = self._plain.find(wanted, start + (len(wanted) if place else 1))

    def place_at(self, start: int, piece: str) -> Range | None:
        """Return the range of a piece that begins at this position; None if it does not."""
        wanted, number = comparable_text(piece), bisect_left(self._starts, start)
        if not wanted or start not in self._starts[number : number + 1]:
            return None
        first = self._plain_starts[number]
        is_there = self._plain.startswith(wanted, first)
        return self._range(first, first + len(wanted)) if is_there else None

    def _range(self, start: int, end: int) -> Range | None:
        """Return the range of the text for a range of the plain text; None if it begins or ends
        within a character."""
        first, after = (bisect_left(self._plain_starts, place) for place in (start, end))
        is_begin = self._plain_starts[first] == start
        is_end = self._plain_starts[after] == end
        return (self._starts[first], self._ends[after - 1]) if is_begin and is_end else None


_plain_character = lru_cache(maxsize=4096)(comparable_text)


def _ends_of_characters(text: str) -> Iterator[int]:
    """Yield the end of each letter together with its combining marks."""
    for end in range(1, len(text)):
        if not unicodedata.combining(text[end]) or text[end - 1].isspace():
            yield end
    if text:
        yield len(text)


def cut_segments(
    text: str, *, sentence: Range | None = None, answer: Range | None = None
) -> tuple[Segment, ...]:
    """Cut a text where its sentence and its answer begin and end; positions count code points.

    >>> segments("It was. Ada did it.", sentence=(8, 19), answer=(8, 11))
    (('It was. ', 'plain'), ('Ada', 'sentence_mark'), (' did it.', 'sentence'))
    """
    spans = [span for span in (sentence, answer) if span]
    cuts = sorted({0, len(text), *(min(max(end, 0), len(text)) for span in spans for end in span)})
    return tuple((text[start:end], _kind(start, sentence, answer)) for start, end in pairwise(cuts))


def _kind(start: int, sentence: Range | None, answer: Range | None) -> str:
    inside = [
        name
        for name, span in (("sentence", sentence), ("mark", answer))
        if span and span[0] <= start < span[1]
    ]
    return "_".join(inside) or "plain"
