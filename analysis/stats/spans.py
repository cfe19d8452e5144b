"""How far marked spans agree: between annotators, with the span a system submitted, and between
questions of a set.

Spans are compared by the tokens of the passage they touch, so a stray blank or full stop makes no
difference. Scores are per question or per set; `analysis.stats.systems.system_means` averages them
over systems, with intervals over sources.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import nan

MarkedRange = tuple[int, int]
Ranges = Sequence[MarkedRange]
SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x20000, 0x3FFFF),  # Han, further extensions
)


@lru_cache(maxsize=1_000)
def tokens(text: str) -> tuple[MarkedRange, ...]:
    """Return the start and end of every token, in code points.

    A token is a run of letters, digits and their marks; in scripts written without spaces every
    character is one.

    Examples
    --------
    >>> tokens("Agnes Tolliver, 1796")
    ((0, 5), (6, 14), (16, 20))
    """
    found: list[list[int]] = []
    for place, character in enumerate(text):
        category = unicodedata.category(character)[0]
        if category not in "LNM":
            continue
        joins = (
            bool(found)
            and found[-1][1] == place
            and (category == "M" or not _stands_alone(text, place))
        )
        if joins:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return tuple((start, end) for start, end in found)


def _stands_alone(text: str, place: int) -> bool:
    """A character of a spaceless script begins a token, and ends it before the next letter."""
    return _spaceless(text[place]) or _spaceless(text[place - 1])


def _spaceless(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in SPACELESS)


def touched(text: str, ranges: Ranges) -> frozenset[int]:
    """Return the numbers of the tokens that the ranges touch.

    Raises
    ------
    ValueError
        If a range is empty or lies outside the text.
    """
    for start, end in ranges:
        if not 0 <= start < end <= len(text):
            raise ValueError(
                f"ranges: {start} to {end} is no part of a text of {len(text)} characters"
            )
    return frozenset(
        number
        for number, (first, last) in enumerate(tokens(text))
        if any(start < last and first < end for start, end in ranges)
    )


def token_f1(text: str, first: Ranges, second: Ranges) -> float:
    """Return 2 |A & B| / (|A| + |B|) over the tokens touched; 1 if both touch none.

    Two annotators who both say that the passage does not answer a question agree, hence 1.

    Examples
    --------
    >>> token_f1("the engineer Agnes Tolliver", [(4, 27)], [(13, 27)])
    0.8
    """
    return _f1(touched(text, first), touched(text, second))


def _f1(first: frozenset[int], second: frozenset[int]) -> float:
    if not first and not second:
        return 1.0
    return 2 * len(first & second) / (len(first) + len(second))


def between_raters(text: str, marks: Sequence[Ranges]) -> float:
    """Return the mean token F1 over all pairs of raters of one question, NaN for fewer than two
    raters."""
    sets = [touched(text, ranges) for ranges in marks]
    return _mean([_f1(first, second) for first, second in combinations(sets, 2)])


def with_submitted(text: str, marks: Sequence[Ranges], submitted: Ranges) -> float:
    """Return the mean token F1 of each rater's span with the submitted one, NaN without raters or
    submitted span."""
    target = touched(text, submitted)
    return _mean([_f1(touched(text, ranges), target) for ranges in marks]) if target else nan


def set_overlap(text: str, answers: Sequence[Ranges]) -> float:
    """Return how far the answers of a set's questions overlap: mean token F1 over pairs, 0 if none
    overlap.

    Questions without an answer in the passage are skipped; NaN if fewer than two remain.
    ``answers`` are the spans of one rater.
    """
    sets = [found for ranges in answers if (found := touched(text, ranges))]
    return _mean([_f1(first, second) for first, second in combinations(sets, 2)])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan
