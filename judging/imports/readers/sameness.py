"""Comparison of texts from files: the forms in which two texts count as equal."""

import re
import unicodedata

QUOTES = str.maketrans("‘’‚‛“”„‟«»–—−‐‑", '\'\'\'\'""""""-----')
SPACES_AND_QUOTES = str.maketrans("", "", " '\"")
FINAL_PUNCTUATION = ".,:;!?。，：；！？؟،؛।"


def plain(text: str) -> str:
    """Return a text in one Unicode form, with straight quotes and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(QUOTES).split())


def normalized(text: str) -> str:
    """Return a text without case, whitespace, quotation marks and final punctuation."""
    kept = plain(text).casefold().translate(SPACES_AND_QUOTES)
    return kept.rstrip(FINAL_PUNCTUATION) or kept


def words(text: str) -> list[str]:
    """Return the words of a text, without case."""
    return re.findall(r"\w+", plain(text).casefold())
