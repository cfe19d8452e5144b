"""Text preparation as named steps, one for each side of a comparison.

Most disagreements between published scores come from here, not from the metrics: the same BLEU on
raw and on tokenised text differs by up to .66. A step is therefore named and stored with every
score.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from quaestor_metrics._contract import (
    MetricSpec,
    Need,
    NotForLanguage,
    Preparation,
    effective,
    shorten_value,
)
from quaestor_metrics._languages import is_spaced, language_name, primary
from quaestor_metrics._segmentation import characters, sudachi
from quaestor_metrics._treebank import ptb

_BRACKETS = str.maketrans(
    {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
)
_DETACHED = tuple(re.compile(re.escape(mark)) for mark in ("'s", "?", ",", "'", "$", "%"))
_QUOTED = re.compile(r'"([^"]+)"')
_WITH_TWO_MORE = tuple(re.compile(rf"[{mark}].{{2}}") for mark in (".", "-"))


# Texts with quotation marks or abbreviations change even when they were normalised before
NEARLY_ALL = 0.8


class UnknownPreparation(ValueError):
    """A preparation that has no such name."""


def raw(text: str) -> str:
    """Leave the text as it is."""
    return text


def lower(text: str) -> str:
    """Lower-case the text and change nothing else."""
    return text.lower()


def nqg(text: str) -> str:
    """Normalise a generated question as QG-Bench does before BLEU, ROUGE-L and METEOR.

    The order of the rules matters, and none strips. The last rule takes two characters along with a
    full stop or a hyphen, so `u.s. c` becomes `u .s. c` and a bracket `-lrb -`: odd, but what the
    published scores were computed on.

    Examples
    --------
    >>> nqg("Who won the 2014 World Cup?")
    'who won the 2014 world cup ?'
    """
    text = text.lower().translate(_BRACKETS)
    for mark in _DETACHED:
        text = _apart(mark, text)
    text = _QUOTED.sub(r"`` \1 ''", text)
    for mark in _WITH_TWO_MORE:
        text = _apart(mark, text)
    return text


def _apart(mark: re.Pattern[str], text: str) -> str:
    r"""Put exactly one blank before each mark. Substituting `\s*(mark)` would give the same, but it
    scans a run of blanks again from each blank: a minute for a reference that ends in thirty
    thousand."""
    parts, end = [], 0
    for match in mark.finditer(text):
        parts += [text[end : match.start()].rstrip(), " ", match[0]]
        end = match.end()
    return "".join((*parts, text[end:]))


def is_prepared(texts: Sequence[str]) -> bool:
    """Return whether texts are already normalised: `nqg` leaves nearly all of them unchanged.

    Normalising twice is not harmless, because quotation marks and full stops are split again: on
    the 300 published rows of QG-Bench, whose references are normalised, BLEU-4 then differs in 13
    of them, by up to .17.

    Examples
    --------
    >>> is_prepared(["who won the 2014 world cup ?"]), is_prepared(["Who won the 2014 World Cup?"])
    (True, False)
    """
    same = sum(nqg(text) == text for text in texts)
    return bool(texts) and same >= NEARLY_ALL * len(texts)


def nfc(text: str) -> str:
    """Write each letter and its marks as one character where Unicode has one: é however it was
    typed."""
    return unicodedata.normalize("NFC", text)


def nfkc(text: str) -> str:
    """Do the same, and write full-width, half-width and other variants of a character alike."""
    return unicodedata.normalize("NFKC", text)


STEPS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "raw": raw,
        "lower": lower,
        "nqg": nqg,
        "ptb": ptb,
        "nfc": nfc,
        "nfkc": nfkc,
        "characters": characters,
        "sudachi": sudachi,
    }
)
STEPS_TAKEN = (
    4  # a Unicode form, words, a normalisation, and one to spare: nothing offered has more
)
LOWERING = frozenset({"lower", "nqg", "ptb", "characters"})
SEGMENTING = frozenset({"characters", "sudachi"})


def both_sides(prepare: str | tuple[str, str]) -> Preparation:
    """Return the preparation of one name for both sides, or of a pair for hypothesis and reference.

    Examples
    --------
    >>> both_sides("ptb"), both_sides(("nqg", "raw")).reference
    (Preparation(hypothesis='ptb', reference='ptb'), 'raw')
    """
    sides = (prepare, prepare) if isinstance(prepare, str) else prepare
    return Preparation(*sides)


def preparation_step(name: str) -> Callable[[str], str]:
    """Return the step of that name, or several with a plus between, one after the other.

    Examples
    --------
    >>> preparation_step("nfkc+lower")("Ｗｈｏ？")
    'who?'
    """
    names = name.split("+")
    if len(names) > STEPS_TAKEN:
        raise UnknownPreparation(
            f"a preparation has at most {STEPS_TAKEN} steps, this one has {len(names):,}"
        )
    steps = []
    for one in names:
        if one not in STEPS:
            raise UnknownPreparation(
                f"no preparation is called {shorten_value(one)}; there are {', '.join(STEPS)}"
            )
        steps.append(STEPS[one])
    if len(steps) == 1:
        return steps[0]

    def in_turn(text: str) -> str:
        for change in steps:
            text = change(text)
        return text

    return in_turn


def prepare(texts: Sequence[str], steps: str) -> list[str]:
    """Prepare texts by named steps.

    Parameters
    ----------
    texts : sequence of str
        Hypotheses or references, (n,).
    steps : str
        `raw`, `lower`, `nqg`, `ptb`, `nfc`, `nfkc`, `characters` or `sudachi`; or several that run
        from left to right, joined by a plus sign.

    Returns
    -------
    list of str
        The prepared texts, (n,); words are separated by white space.

    Raises
    ------
    UnknownPreparation
        There is no such step.

    Examples
    --------
    >>> prepare(["Who won the 2014 World Cup?"], "nqg")
    ['who won the 2014 world cup ?']
    """
    return list(map(preparation_step(steps), texts))


def separates_words(name: str) -> bool:
    """Return whether a preparation separates the words of a language that has no spaces."""
    return not SEGMENTING.isdisjoint(name.split("+"))


def require_language(
    spec: MetricSpec, params: Mapping[str, object], preparation: Preparation, language: str
) -> None:
    """Refuse a metric that has no recipe for a language, or not with this preparation.

    Raises
    ------
    NotForLanguage
        The message names the language and what is missing.
    """
    if reason := not_for(spec, language, as_english=bool(params.get("as_english"))):
        raise NotForLanguage(f"{spec.id}: {reason}")
    used = effective(spec, preparation)
    parted = all(separates_words(side) for side in (used.hypothesis, used.reference))
    if Need.WORDS in spec.needs and not is_spaced(language) and not parted:
        sides = (
            used.hypothesis
            if used.hypothesis == used.reference
            else f"{used.hypothesis} / {used.reference}"
        )
        raise NotForLanguage(
            f"{spec.id}: not for this language with the preparation {sides}: {language_name(language)} has no spaces "
            "between words; choose one that segments, such as nfkc+characters"
        )


def not_for(spec: MetricSpec, language: str, *, as_english: bool = False) -> str:
    """Return why a metric has no recipe for a language whatever the preparation, or nothing."""
    if spec.languages is not None and primary(language) not in spec.languages and not as_english:
        made_for = ", ".join(sorted(map(language_name, spec.languages)))
        return (
            f"not for this language: it knows {made_for}, the texts are {language_name(language)}"
        )
    if Need.WORDS in spec.needs and Need.CASED in spec.needs and not is_spaced(language):
        return f"not for this language: it compares words, and {language_name(language)} has no spaces between them"
    return ""
