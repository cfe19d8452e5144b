"""What counts as a number in somebody's file. It stays text: no digit is lost on the way."""

import math
import re

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def is_number(text: str) -> bool:
    """Say whether the text is a finite decimal number, and nothing beside it."""
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def whole_number(text: str, *, least: int) -> int | None:
    """Return the whole number, of at most nine digits, or None."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        return None
    return int(text)
