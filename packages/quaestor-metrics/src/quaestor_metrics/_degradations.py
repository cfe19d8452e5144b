"""The four degradations of Nema and Khapra (2018, section 4.1): questions that are known to be
worse than before.

Each takes a cased question and a seeded `random.Random`, and returns None where the question has no
such word.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType

from quaestor_metrics._answerability import FUNCTION_WORDS, asks, classes
from quaestor_metrics._languages import primary

DROPPED_WORDS = 3
QUESTION_TYPES = ("who", "what", "which", "when", "where", "why", "how")


def knows_noise(language: str) -> bool:
    """Return whether questions of a language can be degraded: the lists of words are English."""
    return primary(language) == "en"


def drop_function_words(question: str, rng: Random) -> str | None:
    """Drop every function word.

    Examples
    --------
    >>> drop_function_words("Who was the director of Titanic?", Random(1))
    'Who director Titanic?'
    """
    tokens = question.split()
    places = [place for place, token in enumerate(tokens) if token.lower() in FUNCTION_WORDS]
    return _without(tokens, places)


def drop_entities(question: str, rng: Random) -> str | None:
    """Drop one to three capitalised words; the question word at the beginning is none."""
    return _without_some(
        question, classes(question, words="whitespace")[1].keys(), rng, capital=True
    )


def drop_content_words(question: str, rng: Random) -> str | None:
    """Drop one to three words that are neither question words, entities nor function words."""
    return _without_some(
        question, classes(question, words="whitespace")[0].keys(), rng, capital=False
    )


def change_question_type(question: str, rng: Random) -> str | None:
    """Put another question word in the place of the first one."""
    tokens = question.split()
    for place, token in enumerate(tokens):
        if token.lower() in QUESTION_TYPES:
            other = rng.choice([word for word in QUESTION_TYPES if word != token.lower()])
            tokens[place] = other.capitalize() if token[0].isupper() else other
            return " ".join(tokens)
    return None


DEGRADATIONS: Mapping[str, Callable[[str, Random], str | None]] = MappingProxyType(
    {
        "function_words": drop_function_words,
        "entities": drop_entities,
        "content_words": drop_content_words,
        "question_type": change_question_type,
    }
)


def degrade(questions: Sequence[str], kind: str, *, seed: int = 1) -> list[str | None]:
    """Make questions worse in one of the four ways of Nema and Khapra.

    Parameters
    ----------
    questions : sequence of str
        Cased English questions, (n,).
    kind : str
        `function_words`: all are dropped. `entities`, `content_words`: one to three are dropped.
        `question_type`: the question word is changed.
    seed : int
        Seed of the draws.

    Returns
    -------
    list of str or None
        The degraded questions, (n,); None for a question that has no such word.

    Raises
    ------
    ValueError
        There is no such kind.

    References
    ----------
    Nema and Khapra 2018, section 4.1.

    Examples
    --------
    >>> degrade(["Who was the director of Titanic?", "Directed?"], "function_words")
    ['Who director Titanic?', None]
    """
    if kind not in DEGRADATIONS:
        raise ValueError(f"no degradation is called {kind}; there are {', '.join(DEGRADATIONS)}")
    rng = Random(seed)
    return [DEGRADATIONS[kind](question, rng) for question in questions]


def _without_some(
    question: str, words: Collection[str], rng: Random, *, capital: bool
) -> str | None:
    tokens = question.split()
    places = [
        place
        for place, token in enumerate(tokens)
        if token.lower() in words
        and token[0].isupper() == capital
        and not (place == 0 and asks(token))
    ]
    return (
        _without(tokens, rng.sample(places, rng.randint(1, min(DROPPED_WORDS, len(places)))))
        if places
        else None
    )


def _without(tokens: Sequence[str], places: Sequence[int]) -> str | None:
    dropped = set(places)
    return (
        " ".join(token for place, token in enumerate(tokens) if place not in dropped)
        if dropped
        else None
    )
