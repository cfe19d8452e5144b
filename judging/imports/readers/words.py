"""Points of a scale that words of ratings probably mean: a proposal, which a user confirms."""

import re
from collections.abc import Collection, Mapping, Sequence

from judging.imports.readers.cells import plain_digits

# Words in order, the worst first; words of one place mean the same.
_LADDERS = [
    tuple(place.split("|") for place in ladder.split(" < "))
    for ladder in (
        "no|n < yes|y",
        "false|f < true|t",
        "incorrect|wrong < correct|right",
        "bad|poor|negative < good|positive",
        "reject|rejected|unacceptable|fail < accept|accepted|acceptable|pass",
        "no|n < partially|partly|somewhat|maybe|unsure|partial < yes|y",
        "incorrect|wrong < partially correct|partly correct|partial < correct|right",
        "irrelevant|not relevant < partially relevant|partly relevant|somewhat relevant < relevant",
        "bad|poor < fair|average|ok|okay|neutral|medium|mediocre|acceptable < good",
        "low < medium|moderate|mid < high",
        "negative < neutral < positive",
        "disagree < neutral|undecided|neither agree nor disagree < agree",
        "never < sometimes < always",
        "poor|bad < fair|ok|okay|average < good < excellent|very good",
        "none < low < medium < high",
        "strongly disagree < disagree < agree < strongly agree",
        "very bad|very poor|terrible < bad|poor < fair|average|ok|okay|neutral|acceptable < good < very good|excellent",
        "poor < fair < good < very good < excellent",
        "very low < low < medium|moderate < high < very high",
        "strongly disagree < disagree < neutral|undecided|neither agree nor disagree < agree < strongly agree",
        "never < rarely|seldom < sometimes < often < always",
        "nein < ja",
        "falsch < richtig",
        "schlecht < mittel < gut",
        "non < oui",
        "faux < vrai",
        "mauvais < moyen < bon",
        "malo|mal < regular < bueno|bien",
        "no < sí|si",
    )
]
_NUMBER = re.compile(r"(?<![\d.,])[+-]?\d+(?![\d.,])")


def propose_points(
    words: Collection[str], *, labels: Mapping[str, int], scale: Sequence[int]
) -> dict[str, int | None]:
    """Return the point of each word, None if none is likely.

    The labels of the scale come first, then a known order of words, then the only number in a word.
    `labels` are in lower case, `scale` is in order, the worst point first.
    """
    plain = {word: " ".join(word.casefold().split()) for word in words}
    ladder = _ladder(set(plain.values()) - labels.keys(), scale)
    return {
        word: labels.get(text, ladder.get(text, _number_in(text, scale)))
        for word, text in plain.items()
    }


def _ladder(words: Collection[str], scale: Sequence[int]) -> dict[str, int]:
    """Return the points of words that are all in one known order: preferably one of which every
    place is used, else one with as many places as the scale."""
    found: list[tuple[bool, bool, dict[str, int]]] = []
    for ladder in _LADDERS:
        steps, rest = divmod(len(scale) - 1, len(ladder) - 1)
        if not steps or rest:
            continue
        points = {word: scale[place * steps] for place, same in enumerate(ladder) for word in same}
        if points.keys() >= set(words):
            is_whole = all(set(words).intersection(same) for same in ladder)
            found.append((is_whole, len(ladder) == len(scale), points))
    return max(found, key=lambda each: each[:2], default=(False, False, {}))[2]


def _number_in(text: str, scale: Sequence[int]) -> int | None:
    """Return the point that begins a text like “3 - correct”, or the only one in “correct (3)”."""
    plain = plain_digits(text)
    numbers = [int(number) for number in _NUMBER.findall(plain)]
    if not numbers or (len(numbers) > 1 and not plain.lstrip("([ ")[0].isdecimal()):
        return None
    return numbers[0] if numbers[0] in scale else None
