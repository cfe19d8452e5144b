"""Numbers and texts as they are written in files: they stay text, so that no digit is lost."""

import math
import re
import unicodedata

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_CHARACTERS = 100  # the length of a stored score; no program prints a longer number
_THOUSANDS = {
    ",": re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"),
    ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)?"),
}
_QUOTES = str.maketrans("‘’‚‛“”„‟«»–—−‐‑", '\'\'\'\'""""""-----')
_SPACES_AND_QUOTES = str.maketrans("", "", " '\"")
_FINAL_PUNCTUATION = ".,:;!?。，：；！？؟،؛।"


def is_number(text: str) -> bool:
    """Return whether the text is a finite decimal number and nothing else."""
    if len(text) > _NUMBER_CHARACTERS or _NUMBER.fullmatch(text) is None:
        return False
    return math.isfinite(float(text))


def number_in(text: str) -> float | None:
    """Return the number that a text represents, in digits of any script; None if it is none."""
    plain_text = plain_digits(text)
    return float(plain_text) if is_number(plain_text) else None


def whole_number(text: str, *, least: int) -> int | None:
    """Return the whole number, of at most nine digits, or None."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        return None
    return int(text)


def plain_digits(text: str) -> str:
    """Return the text with the digits of every script written as 0 to 9.

    >>> plain_digits("٣"), plain_digits("３ - good")
    ('3', '3 - good')
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


def as_number(text: str, written: str) -> str:
    """Return a number in a file that writes numbers in this way (see `Mapping.numbers`) with a
    decimal point and without separators; return any other text unchanged.

    >>> as_number("0,61", "comma"), as_number("1,203.5", "point_thousands"), as_number("a, b", "comma")
    ('0.61', '1203.5', 'a, b')
    """
    if written == "point_thousands" and _THOUSANDS[","].fullmatch(text):
        return text.replace(",", "")
    if written == "comma_thousands" and _THOUSANDS["."].fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    if written.startswith("comma") and "," in text:
        pointed = text.replace(",", ".", 1)
        return pointed if is_number(pointed) else text
    return text


def has_thousands(text: str) -> bool:
    """Return whether a number has separators of thousands, as in 1,203.5.

    >>> has_thousands("1,203.5"), has_thousands("1.203,5"), has_thousands("0.700")
    (True, True, False)
    """
    return any(pattern.fullmatch(text) for pattern in _THOUSANDS.values())


def unify_text(text: str) -> str:
    """Return a text in one Unicode form, with straight quotes and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split())


def normalize_text(text: str) -> str:
    """Return a text without case, whitespace, quotation marks and final punctuation."""
    kept = unify_text(text).casefold().translate(_SPACES_AND_QUOTES)
    return kept.rstrip(_FINAL_PUNCTUATION) or kept


def split_text(text: str) -> list[str]:
    """Return the words of a text, without case."""
    return re.findall(r"\w+", unify_text(text).casefold())


def plain_name(name: str) -> str:
    """Return a name of a column in lower case, its words divided by underscores.

    >>> plain_name("Generated Question"), plain_name("answerStart"), plain_name("#PASSAGE")
    ('generated_question', 'answer_start', 'passage')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", without_scale(name))
    return re.sub(r"[\W_]+", "_", apart.casefold()).strip("_")


def inner_name(name: str) -> str:
    """Return the plain name of a column without the objects from which it was opened.

    >>> inner_name("ratings.Fluency"), inner_name("Answer 1.5")
    ('fluency', 'answer_1_5')
    """
    _, dot, last = name.rpartition(".")
    return plain_name(last if dot and last[:1].isalpha() else name)


# A scale in brackets after a name: its first point, then another point or what the first means.
_SCALE = re.compile(r"\s*[+-]?[0-9]+\s*(?:[-–—/=:,…]|to\b|\.\.)[^()\[\]]*[)\]]\s*$")


def without_scale(name: str) -> str:
    """Return the name of a column without the scale in brackets after it.

    >>> without_scale("Fluency (1-3)"), without_scale("clarity [1 = worst, 5 = best]")
    ('Fluency', 'clarity')
    """
    kept, _, scale = name.rpartition("(" if name.rstrip().endswith(")") else "[")
    return kept.rstrip() if kept.strip() and _SCALE.match(scale) else name


_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


def language_tag(text: str) -> str:
    """Return the tag of a language, which may be written with an underscore; "" if it is none.

    >>> language_tag("de"), language_tag("pt_BR"), language_tag("row 1")
    ('de', 'pt-BR', '')
    """
    tag = text.strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else ""


def count_with_noun(number: int, one: str, several: str = "") -> str:
    """Return a number with the noun that it counts.

    >>> counted(1, "source"), counted(1200, "criterion", "criteria")
    ('1 source', '1,200 criteria')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
