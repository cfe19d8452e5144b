"""Text preparation as named steps, one for each side of a comparison.

Most disagreements between published scores come from here, not from the metrics: the same BLEU on raw and on tokenised
text differs by up to .66. A step is therefore named and stored with every score.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from analysis.metrics.ptb import ptb

_BRACKETS = str.maketrans({"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"})
_DETACHED = tuple(re.compile(re.escape(mark)) for mark in ("'s", "?", ",", "'", "$", "%"))
_QUOTED = re.compile(r'"([^"]+)"')
_WITH_TWO_MORE = tuple(re.compile(rf"[{mark}].{{2}}") for mark in (".", "-"))


NEARLY_ALL = 0.8  # texts with quotation marks or abbreviations change even when they were normalised before


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

    The order of the rules matters, and none strips. The last rule takes two characters along with a full stop or a
    hyphen, so `u.s. c` becomes `u .s. c` and a bracket `-lrb -`: odd, but what the published scores were computed on.

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
    r"""Put one blank before each mark, whatever stood there. As substituting `\s*(mark)` would, but that one looks at
    a run of blanks anew from each of them: a minute for a reference that ends in thirty thousand."""
    parts, end = [], 0
    for found in mark.finditer(text):
        parts += [text[end : found.start()].rstrip(), " ", found[0]]
        end = found.end()
    return "".join((*parts, text[end:]))


def is_prepared(texts: Sequence[str]) -> bool:
    """Say whether texts were normalised before they came here: nearly all of them stay as they are under `nqg`.

    Normalising twice is not harmless, as quotation marks and full stops are taken apart once more: on the 300 published
    rows of QG-Bench, whose references are normalised, BLEU-4 then differs in 13 of them, by up to .17.

    Examples
    --------
    >>> is_prepared(["who won the 2014 world cup ?"]), is_prepared(["Who won the 2014 World Cup?"])
    (True, False)
    """
    same = sum(nqg(text) == text for text in texts)
    return bool(texts) and same >= NEARLY_ALL * len(texts)


STEPS: Mapping[str, Callable[[str], str]] = MappingProxyType({"raw": raw, "lower": lower, "nqg": nqg, "ptb": ptb})


def step(name: str) -> Callable[[str], str]:
    """Return the step of that name."""
    if name not in STEPS:
        raise UnknownPreparation(f"no preparation is called {name}; there are {', '.join(STEPS)}")
    return STEPS[name]
