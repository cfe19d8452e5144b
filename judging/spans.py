"""Marked spans of a text: ranges of code points, as they are sent and kept, and found again from a
pasted piece."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

Range = tuple[int, int]
Segment = tuple[str, str]  # a piece of a text and its kind: plain, sentence, mark or sentence_mark
NOTHING = "none"
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def range_of(piece: str, start: int | None) -> Range | None:
    """Return where a piece of a text stands; None where there is none, or its place is not
    known."""
    return None if start is None or not piece else (start, start + len(piece))


class NoSpans(ValueError):
    """The text names no ranges."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What is marked for one question, in order and apart; `nothing`: it was said that nothing
    answers it."""

    ranges: tuple[Range, ...] = ()
    nothing: bool = False

    def __bool__(self) -> bool:
        return self.nothing or bool(self.ranges)

    def __str__(self) -> str:
        return NOTHING if self.nothing else " ".join(f"{start}-{end}" for start, end in self.ranges)

    def within(self, length: int) -> bool:
        """Say whether every range lies inside a text of that many code points."""
        return all(end <= length for _start, end in self.ranges)

    def adding(self, *ranges: Range) -> Marked:
        """Return the same with more ranges; who marks something takes "nothing" back."""
        return Marked(joined((*self.ranges, *ranges)))

    def without(self, *ranges: Range) -> Marked:
        return Marked(tuple(each for each in self.ranges if each not in ranges), self.nothing)


def read(text: str) -> Marked:
    """Return what was sent.

    >>> read("16-20 0-5 3-9").ranges
    ((0, 9), (16, 20))
    >>> read("none")
    Marked(ranges=(), nothing=True)
    """
    if text == NOTHING:
        return Marked(nothing=True)
    return Marked(joined(_range(word) for word in text.split()))


def _range(word: str) -> Range:
    found = _RANGE.fullmatch(word)
    if not found or int(found[1]) >= int(found[2]):
        raise NoSpans(f"“{word[:30]}” is no range such as 13-27.")
    return int(found[1]), int(found[2])


def joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return ranges in order; those that overlap or touch become one."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


class Searched:
    """A text in which pieces are looked for; any blank is as good as another, since copying changes
    them."""

    def __init__(self, text: str) -> None:
        plain: list[str] = []
        self.starts: list[int] = []  # where each character of `plain` stands in the text
        for place, character in enumerate(text):
            blank = character.isspace()
            if not (blank and plain and plain[-1] == " "):
                plain.append(" " if blank else character)
                self.starts.append(place)
        self.plain = "".join(plain)

    def places(self, piece: str) -> Iterator[Range]:
        """Yield where a piece stands.

        >>> list(Searched("a lock, a weir").places("a"))
        [(0, 1), (8, 9)]
        """
        wanted = " ".join(piece.split())
        start = self.plain.find(wanted) if wanted else -1
        while start >= 0:
            last = start + len(wanted) - 1
            yield self.starts[start], self.starts[last] + 1
            start = self.plain.find(wanted, last + 1)


def segments(
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
