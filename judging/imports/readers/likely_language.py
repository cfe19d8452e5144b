"""The likely language of texts, from the script of most of their letters, as a proposal in a form.
Of the languages that share a script it is the one with most readers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_LETTERS = 5000  # examined
# The first word of a letter's Unicode name, and the language assumed for it.
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
# Names of languages in datasets, for those without tags.
_NAMED = {
    "arabic": "ar",
    "bengali": "bn",
    "chinese": "zh",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hebrew": "he",
    "hindi": "hi",
    "indonesian": "id",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swahili": "sw",
    "swedish": "sv",
    "telugu": "te",
    "thai": "th",
    "turkish": "tr",
    "ukrainian": "uk",
    "urdu": "ur",
    "vietnamese": "vi",
}
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_MIXED = 0.1  # share of texts in another script from which it is reported
_KANA = 0.1  # minimum share of letters in a Japanese text: the others look Chinese


def language_tag(text: str) -> str:
    """Return the tag of a language, which may be written with an underscore or be its English name.

    >>> language_tag("de"), language_tag("pt_BR"), language_tag("German"), language_tag("row 1")
    ('de', 'pt-BR', 'de', '')
    """
    plain = text.strip().replace("_", "-")
    named = _NAMED.get(plain.casefold())
    return named or (plain if _TAG.fullmatch(plain) else "")


def are_mixed(counts: Counter[str]) -> bool:
    """Return whether each of several languages is that of many texts."""
    return sum(count >= _MIXED * counts.total() for count in counts.values()) > 1


def likely_language(texts: Iterable[str]) -> str:
    """Return the tag of the likely language; English if the letters do not decide."""
    letters = [letter for text in texts for letter in text if letter.isalpha()][:_LETTERS]
    names = (unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    counts = Counter(_SCRIPTS[name] for name in names if name in _SCRIPTS)
    if counts["ja"] > _KANA * len(letters):
        return "ja"
    return counts.most_common(1)[0][0] if counts else "en"
