"""Recognising numbers in files of users. They stay text, so that no digit is lost."""

import math
import re

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CHARACTERS = 100  # the length of a stored score; no program prints a longer number


def is_number(text: str) -> bool:
    """Return whether the text is a finite decimal number and nothing else."""
    if len(text) > _CHARACTERS or _NUMBER.fullmatch(text) is None:
        return False
    return math.isfinite(float(text))


def whole_number(text: str, *, least: int) -> int | None:
    """Return the whole number, of at most nine digits, or None."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        return None
    return int(text)


def with_point(text: str) -> str:
    """Return a number with a decimal comma rewritten with a point; return any other text
    unchanged.

    >>> with_point("0,61"), with_point("1,2,3"), with_point("when, where")
    ('0.61', '1,2,3', 'when, where')
    """
    pointed = text.replace(",", ".", 1)
    return pointed if "," in text and is_number(pointed) else text
