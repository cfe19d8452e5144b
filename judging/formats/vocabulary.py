"""The names in `vocabulary.yaml`, and what a name alone tells."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from judging.base.texts import plain_digits, plain_name

_PIECE = re.compile(r"[^\W\d_]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, Any]:
    """Return the vocabulary."""
    path = Path(__file__).with_name("vocabulary.yaml")
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def pieces(name: str) -> list[str]:
    """Return the words and numbers of a name.

    >>> pieces("fluencyRater_2"), pieces("gpt-4o")
    (['fluency', 'Rater', '2'], ['gpt', '4', 'o'])
    """
    return _PIECE.findall(_CAMEL.sub(" ", name))


def words_of(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name in lower case."""
    return tuple(piece.casefold() for piece in pieces(name))


def is_criterion(name: str) -> bool:
    """Return whether this is the name of a common criterion.

    >>> is_criterion("Fluency (1-3)"), is_criterion("length")
    (True, False)
    """
    criteria = vocabulary()["criteria"]
    return plain_name(name) in (*criteria["higher"], *criteria["unknown"])


def statistic(name: str) -> str:
    """Return the statistic that a word of a name means, or "".

    >>> statistic("avg_fluency"), statistic("n_raters"), statistic("fluency")
    ('mean', 'number of ratings', '')
    """
    found = set(words_of(name))
    for meaning, words in vocabulary()["statistics"].items():
        if found.intersection(words):
            return str(meaning)
    return ""


def is_model(name: str) -> bool:
    """Return whether a rater is named like a language model.

    >>> is_model("gpt-4o"), is_model("ChatGPT"), is_model("Anna")
    (True, True, False)
    """
    found = words_of(name)
    pattern = _language_models()
    return any(pattern.fullmatch(word) for word in (*found, "".join(found)))


def is_adjudicated(name: str) -> bool:
    """Return whether a rater's name says that the ratings are the outcome of several."""
    return not set(vocabulary()["adjudicated"]).isdisjoint(words_of(name))


def is_missing(text: str) -> bool:
    """Return whether a cell is a word for a value that is missing."""
    return text.strip().casefold() in _missing()


@lru_cache(maxsize=1)
def _missing() -> frozenset[str]:
    return frozenset(vocabulary()["missing"])


@lru_cache(maxsize=1)
def _language_models() -> re.Pattern[str]:
    return re.compile(vocabulary()["language_models"])


def propose_points(
    words: Any, *, labels: dict[str, int], scale: list[int]
) -> dict[str, int | None]:
    """Return the point that each word probably means, None if none is likely.

    The labels of the scale come first, then a known order of words, then the only number in a word.
    `labels` are in lower case, `scale` is in order, the worst point first.
    """
    plain = {word: " ".join(word.casefold().split()) for word in words}
    ladder = _ladder(set(plain.values()) - labels.keys(), scale)
    return {
        word: labels.get(text, ladder.get(text, _number_in(text, scale)))
        for word, text in plain.items()
    }


def _ladder(words: set[str], scale: list[int]) -> dict[str, int]:
    """Return the points of words that are all in one known order: preferably one of which every
    place is used, else one with as many places as the scale."""
    found: list[tuple[bool, bool, dict[str, int]]] = []
    for line in vocabulary()["ladders"]:
        ladder = [place.split("|") for place in line.split(" < ")]
        steps, rest = divmod(len(scale) - 1, len(ladder) - 1)
        if not steps or rest:
            continue
        points = {word: scale[place * steps] for place, same in enumerate(ladder) for word in same}
        if points.keys() >= words:
            is_whole = all(words.intersection(same) for same in ladder)
            found.append((is_whole, len(ladder) == len(scale), points))
    return max(found, key=lambda each: each[:2], default=(False, False, {}))[2]


def order_scale_words(words: set[str]) -> list[list[str]]:
    """Return words of a scale in their order, the worst first, with those of one point together;
    empty if no known order has them all. A place of the order without a word is no point."""
    plain = {" ".join(word.casefold().split()): word for word in words}
    for line in vocabulary()["ladders"]:
        ladder = [place.split("|") for place in line.split(" < ")]
        if plain.keys() <= {word for same in ladder for word in same}:
            used = ([plain[word] for word in same if word in plain] for same in ladder)
            return [same for same in used if same]
    return []


_NUMBER = re.compile(r"(?<![\d.,])[+-]?\d+(?![\d.,])")


def _number_in(text: str, scale: list[int]) -> int | None:
    """Return the point that begins a text like “3 - correct”, or the only one in “correct (3)”."""
    plain = plain_digits(text)
    numbers = [int(number) for number in _NUMBER.findall(plain)]
    if not numbers or (len(numbers) > 1 and not plain.lstrip("([ ")[0].isdecimal()):
        return None
    return numbers[0] if numbers[0] in scale else None


def criterion_of_mean(column: str) -> str:
    """Return the criterion of a column of means, if its name contains one.

    >>> criterion_of_mean("Fluency (1-3)"), criterion_of_mean("Loveliness (mean)")
    ('fluency', 'Loveliness (mean)')
    """
    last = column.rpartition(".")[2]
    for name in (column, last):
        words = words_of(plain_name(name))
        kept = [word for word in words if statistic(word) != "mean" and word != "human"]
        if is_criterion("_".join(kept)):
            return "_".join(kept)
    return column
