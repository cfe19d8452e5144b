"""The position of an answer in its passage. Offsets count code points."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from judging.base.limits import MAX_PAGE_ROWS
from judging.formats.frames import shorten_line
from judging.protocols.spans import Alike, Range, differences

# Scripts written without spaces, and Hangul, whose particles join the noun: in these, adjacent
# letters do not make a longer word.
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
    """The starts of the answer and the sentence; `choices` if the text leaves several answers
    possible; `warning` is a sentence."""

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
    found: Callable[[str, str], Sequence[Range]] | None = None,
) -> AnswerPlace:
    """Return the position of the answer: the declared one, else its only occurrence, else the one
    in the sentence.

    Without a passage the sentence is the text. `found`: `occurrences`, or a version of it that
    caches results.
    """
    text = sentence if passage is None else passage
    sentences = _occurrences(passage or "", sentence)
    is_elsewhere = bool(passage is not None and sentence and not sentences)
    warning = "The sentence does not occur in the passage." if is_elsewhere else ""
    places, doubt = _places(text, answer, declared, found or occurrences)
    inside = [place for place in places if _within(place, sentences, len(sentence))]
    places = (inside or places)[:MAX_PAGE_ROWS]
    doubts = [doubt, _difference(text, answer, places[0])] if places else [doubt]
    said = " ".join(filter(None, doubts)) or warning
    return _answer_place(places, sentences, len(sentence), said)


def _answer_place(
    places: Sequence[Range], sentences: Sequence[int], length: int, warning: str
) -> AnswerPlace:
    """Return the only place of an answer, or several as choices, with the sentence around it."""
    place = places[0] if len(places) == 1 else None
    return AnswerPlace(
        answer_start=place[0] if place else None,
        sentence_start=_sentence_start(sentences, length, place),
        choices=tuple(start for start, _ in places) if len(places) > 1 else (),
        warning=warning,
    )


def _places(
    text: str, answer: str, declared: int | None, find: Callable[[str, str], Sequence[Range]]
) -> tuple[Sequence[Range], str]:
    if not answer:
        return (), ""
    if declared is not None and declared >= 0:
        if text.startswith(answer, declared):
            return ((declared, declared + len(answer)),), ""
        if place := _alike(text).place_at(declared, answer):
            return (place,), ""
    found = find(text, answer)
    if not found:
        return (), "Answer not found in the passage; no span will be highlighted."
    doubt = f"The answer is not at {declared} in the passage. It was searched for instead."
    return found, "" if declared is None else doubt


def _difference(text: str, answer: str, place: Range) -> str:
    """Return a sentence that shows how the text spells the answer, if it spells it differently."""
    written = text[slice(*place)]
    if written == answer:
        return ""
    named = ", ".join(differences(written, answer))
    return f"The passage writes the answer as “{shorten_line(written)}” (different: {named}); it is marked there."


def occurrences(text: str, answer: str) -> Sequence[Range]:
    """Return the occurrences of an answer; those inside a longer word or number only if there is no
    other. An answer without any is searched for in other spellings that the text may use."""
    if found := [(start, start + len(answer)) for start in _occurrences(text, answer)]:
        return [place for place in found if not _inside_word(text, place)] or found
    return [place for place in _alike(text).places(answer) if not _inside_word(text, place)]


_alike = lru_cache(maxsize=8)(Alike)  # questions share passages


def _occurrences(text: str, part: str) -> list[int]:
    found: list[int] = []
    start = text.find(part) if part else -1
    while start >= 0:
        found.append(start)
        start = text.find(part, start + len(part))
    return found


def _within(place: Range, sentences: Sequence[int], sentence_length: int) -> bool:
    """Return whether a range is in one of the sentences, which are ordered and do not overlap."""
    start, end = place
    before = bisect_right(sentences, start)
    return before > 0 and end <= sentences[before - 1] + sentence_length


def _sentence_start(sentences: Sequence[int], length: int, answer: Range | None) -> int | None:
    if len(sentences) == 1 or answer is None:
        return sentences[0] if len(sentences) == 1 else None
    return next((first for first in sentences if _within(answer, [first], length)), None)


def _inside_word(text: str, place: Range) -> bool:
    start, end = place
    return (start > 0 and _joined(text[start - 1], text[start])) or (
        end < len(text) and _joined(text[end - 1], text[end])
    )


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not _unspaced(left) and not _unspaced(right)


def _unspaced(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _UNSPACED)
