"""Where an answer stands in its passage. Offsets count code points."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judging.limits import MAX_PAGE_ROWS

# Scripts written without spaces, and Hangul, whose particles join the noun: there a neighbour makes
# no longer word.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0xD7FF),  # Han, kana, Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x3FFFF),  # Han
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlace:
    """Where the answer and the sentence stand; `choices` where the text does not settle it;
    `warning` is a sentence."""

    answer_start: int | None = None
    sentence_start: int | None = None
    choices: tuple[int, ...] = ()
    warning: str = ""


def locate(
    *,
    passage: str | None,
    sentence: str,
    answer: str,
    declared: int | None = None,
    found: Callable[[str, str], Sequence[int]] | None = None,
) -> AnswerPlace:
    """Return where the answer stands: where it is declared, else where it stands once, else where
    the sentence says.

    Without a passage the sentence is the text. `found`: `occurrences`, or what remembers what it
    returned.
    """
    text = sentence if passage is None else passage
    sentences = _occurrences(passage or "", sentence)
    warning = (
        ""
        if sentences or not sentence or passage is None
        else "The sentence does not stand in the passage."
    )
    starts, doubt = _starts(text, answer, declared, found or occurrences)
    if len(starts) > 1 and sentences:
        inside = [
            start for start in starts if _within(start, len(answer), sentences, len(sentence))
        ]
        starts = inside or starts
    starts = starts[:MAX_PAGE_ROWS]
    start = starts[0] if len(starts) == 1 else None
    return AnswerPlace(
        answer_start=start,
        sentence_start=_sentence_start(sentences, len(sentence), start, len(answer)),
        choices=tuple(starts) if len(starts) > 1 else (),
        warning=doubt or warning,
    )


def _starts(
    text: str, answer: str, declared: int | None, find: Callable[[str, str], Sequence[int]]
) -> tuple[Sequence[int], str]:
    if not answer:
        return (), ""
    if declared is not None and declared >= 0 and text.startswith(answer, declared):
        return (declared,), ""
    found = find(text, answer)
    if not found:
        return (), "The answer does not stand in the text; nothing will be marked."
    doubt = (
        ""
        if declared is None
        else f"The answer does not stand at {declared}; it was looked for instead."
    )
    return found, doubt


def occurrences(text: str, answer: str) -> Sequence[int]:
    """Return where an answer stands; inside a longer word or number only where there is no other
    place."""
    found = _occurrences(text, answer)
    whole = [start for start in found if not _inside_word(text, start, start + len(answer))]
    return whole or found


def _occurrences(text: str, part: str) -> list[int]:
    found: list[int] = []
    start = text.find(part) if part else -1
    while start >= 0:
        found.append(start)
        start = text.find(part, start + len(part))
    return found


def _within(start: int, length: int, sentences: Sequence[int], sentence_length: int) -> bool:
    """Say whether a stretch stands in one of the sentences, which are in order and apart."""
    before = bisect_right(sentences, start)
    return before > 0 and start + length <= sentences[before - 1] + sentence_length


def _sentence_start(
    sentences: Sequence[int], length: int, answer_start: int | None, answer_length: int
) -> int | None:
    if len(sentences) == 1 or answer_start is None:
        return sentences[0] if len(sentences) == 1 else None
    return next(
        (first for first in sentences if _within(answer_start, answer_length, [first], length)),
        None,
    )


def _inside_word(text: str, start: int, end: int) -> bool:
    return (start > 0 and _joined(text[start - 1], text[start])) or (
        end < len(text) and _joined(text[end - 1], text[end])
    )


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not _unspaced(left) and not _unspaced(right)


def _unspaced(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _UNSPACED)
