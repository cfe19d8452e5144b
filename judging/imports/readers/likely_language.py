"""Which language texts are probably in, by the script most of their letters are of: what the form
proposes. Of the languages that share a script it is the one with most readers."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

_LETTERS = 5000  # looked at
# The first word of a letter's Unicode name, and the language it is taken for.
_SCRIPTS = {
    "LATIN": "en",
    "ARABIC": "ar",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "DEVANAGARI": "hi",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "HANGUL": "ko",
    "HEBREW": "he",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "KHMER": "km",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
}
_KANA = 0.1  # of the letters of a Japanese text, at least: the others look Chinese


def likely_language(texts: Iterable[str]) -> str:
    """Return the tag of the language; that of English where the letters say nothing."""
    letters = [letter for text in texts for letter in text if letter.isalpha()][:_LETTERS]
    names = (unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    counts = Counter(_SCRIPTS[name] for name in names if name in _SCRIPTS)
    if counts["ja"] > _KANA * len(letters):
        return "ja"
    return counts.most_common(1)[0][0] if counts else "en"
