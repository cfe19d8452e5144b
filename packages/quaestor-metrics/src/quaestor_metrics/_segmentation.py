"""Words of languages that are written without spaces: as characters, or by the dictionary of
Sudachi (Japanese)."""

import re
import unicodedata
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from quaestor_metrics._contract import MetricUnavailable

# Thai and Lao, Tibetan, Burmese, Khmer, kana, ideographs, half-width kana
_RANGES = (
    (0x0E00, 0x0EFF),
    (0x0F00, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)
JOINER = "\u200d"


@cache
def _pattern() -> re.Pattern[str]:
    unspaced = "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES)
    # a combining mark belongs to the character before it; Python's \w excludes most of them
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x300, 0x10000)
        if unicodedata.category(chr(code))[0] == "M"
    )
    one = rf"[{unspaced}][{marks}]*"
    word = rf"(?:(?![{unspaced}])\w[{marks}]*)+"
    emoji = rf"[^\w\s](?:[{marks}]|[\U0001f3fb-\U0001f3ff]|{JOINER}[^\w\s])*"
    return re.compile(rf"{one}|{word}|{emoji}|\S")


def characters(text: str) -> str:
    """Lower-case the text and separate its characters by spaces; words of scripts that have spaces
    stay whole.

    The recipe of sacreBLEU's `zh` for ideographs, extended to kana and to the scripts of Thai, Lao,
    Khmer and Burmese. Punctuation marks are separate, a combining mark stays with its character.

    Examples
    --------
    >>> characters("いつNASAは設立されましたか?")
    'い つ nasa は 設 立 さ れ ま し た か ?'
    """
    return " ".join(_pattern().findall(text.lower()))


def sudachi(text: str) -> str:
    """Part Japanese words by spaces, in Sudachi's shortest units.

    The words of spaCy's Japanese tokeniser, and so those that QG-Bench's Japanese scores count.

    Raises
    ------
    MetricUnavailable
        The packages are not installed.
    """
    return " ".join(
        word for piece in _tokenizer().tokenize(text) if (word := piece.surface().strip())
    )


def sudachi_version() -> str:
    """Return the version of Sudachi's dictionary, or nothing where it is not installed."""
    try:
        version("sudachipy")
        return version("sudachidict-core")
    except PackageNotFoundError:
        return ""


@cache
def _tokenizer() -> Any:
    if not sudachi_version():
        raise MetricUnavailable("sudachi is not installed (extra japanese)")
    library = import_module("sudachipy")
    dictionary = library.Dictionary(dict="core")
    make = getattr(dictionary, "tokenizer", dictionary.create)  # its name since 0.7
    return make(mode=library.SplitMode.A)
