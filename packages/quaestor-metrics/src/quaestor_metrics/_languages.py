"""Facts about languages for metrics: the name, whether spaces separate words, and the default
preparation."""

NAMES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "km": "Khmer",
    "ko": "Korean",
    "lo": "Lao",
    "my": "Burmese",
    "ru": "Russian",
    "th": "Thai",
    "zh": "Chinese",
}
THREE_LETTERS = {
    "eng": "en",
    "deu": "de",
    "fra": "fr",
    "ita": "it",
    "jpn": "ja",
    "kor": "ko",
    "rus": "ru",
    "spa": "es",
    "tha": "th",
    "zho": "zh",
    "cmn": "zh",
    "yue": "zh",
    "wuu": "zh",
}
UNSPACED = frozenset({"ja", "zh", "th", "lo", "km", "my"})


def primary(tag: str) -> str:
    """Return the language of a tag without script and region.

    Examples
    --------
    >>> primary("zh-Hant-TW"), primary("jpn"), primary("")
    ('zh', 'ja', 'en')
    """
    first = tag.replace("_", "-").split("-")[0].strip().lower() or "en"
    return THREE_LETTERS.get(first, first)


def language_name(tag: str) -> str:
    """Return the English name of a language, or its tag."""
    return NAMES.get(primary(tag), tag)


def is_spaced(tag: str) -> bool:
    """Return whether spaces separate the words of a language."""
    return primary(tag) not in UNSPACED


def default_preparation(tag: str) -> str:
    """Return the default preparation of a language's texts for metrics of words.

    English is prepared exactly as QG-Bench's published scores were. Other languages are first
    converted to one Unicode normal form, because the same letter may be written with or without a
    combining mark; those without spaces are then cut into characters.

    Examples
    --------
    >>> default_preparation("en"), default_preparation("fr-CA"), default_preparation("ja")
    ('nqg', 'nfc+nqg', 'nfkc+characters')
    """
    if not is_spaced(tag):
        return "nfkc+characters"
    return "nqg" if primary(tag) == "en" else "nfc+nqg"
