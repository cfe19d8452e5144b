"""What counts as a number in somebody's file. It stays text: no digit is lost on the way."""

import math
import re

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CHARACTERS = 100  # as many as the column of a score holds; no program prints a longer number


def is_number(text: str) -> bool:
    """Say whether the text is a finite decimal number, and nothing beside it."""
    if len(text) > _CHARACTERS or _NUMBER.fullmatch(text) is None:
        return False
    return math.isfinite(float(text))


def whole_number(text: str, *, least: int) -> int | None:
    """Return the whole number, of at most nine digits, or None."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        return None
    return int(text)


def with_point(text: str) -> str:
    """Return a number that is written with a decimal comma as it is written with a point; any other
    text as it is.

    >>> with_point("0,61"), with_point("1,2,3"), with_point("when, where")
    ('0.61', '1,2,3', 'when, where')
    """
    pointed = text.replace(",", ".", 1)
    return pointed if "," in text and is_number(pointed) else text
