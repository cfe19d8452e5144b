"""The kind of rater that a name suggests: an annotator, a statistic of annotators, an adjudicated
rating or a language model."""

import re
from collections.abc import Collection
from typing import Literal

NamedAs = Literal["annotator", "statistic", "adjudicated", "llm_judge"]

PIECES_OF_A_NAME = 12  # first pieces of a name that are searched for a rater
_PIECE = re.compile(r"[^\W\d_]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
STATISTIC_WORDS = {
    "mean": "mean",
    "avg": "mean",
    "average": "mean",
    "averaged": "mean",
    "median": "median",
    "med": "median",
    "mode": "mode",
    "majority": "majority",
    "maj": "majority",
    "mv": "majority",
    "sum": "sum",
    "total": "sum",
    "count": "count",
    "cnt": "count",
    "n": "count",
    "num": "count",
    "votes": "count",
    "min": "minimum",
    "minimum": "minimum",
    "max": "maximum",
    "maximum": "maximum",
    "std": "standard deviation",
    "stdev": "standard deviation",
    "stddev": "standard deviation",
    "sd": "standard deviation",
    "agreement": "agreement",
    "agr": "agreement",
    "iaa": "agreement",
    "overall": "mean",
    "combined": "mean",
    "aggregate": "mean",
    "aggregated": "mean",
    "agg": "mean",
    "mittel": "mean",
    "mittelwert": "mean",
    "durchschnitt": "mean",
    "schnitt": "mean",
    "moyenne": "mean",
    "moy": "mean",
    "media": "mean",
    "promedio": "mean",
    "médiane": "median",
    "mediana": "median",
    "mehrheit": "majority",
    "majorité": "majority",
    "mayoría": "majority",
    "summe": "sum",
    "somme": "sum",
    "suma": "sum",
    "anzahl": "count",
    "gesamt": "mean",
}
_ADJUDICATED = {
    "final",
    "adjudicated",
    "adjudication",
    "adjudicator",
    "gold",
    "golden",
    "consensus",
    "resolved",
    "reconciled",
}
_MODEL = re.compile(
    r"(?:chat)?gpt[a-z]?|llms?|claude|gemini|llama|mistral|mixtral|qwen|chatgpt|deepseek|bard|palm"
    r"|vicuna|gemma|grok|prometheus|davinci|copilot|geval|openai|anthropic",
    re.I,
)
_AROUND = " _-:.()[]"
# Words after the name of a model.
_VERSIONS = {
    "b",
    "chat",
    "flash",
    "haiku",
    "instruct",
    "judge",
    "large",
    "mini",
    "o",
    "opus",
    "preview",
    "pro",
    "rating",
    "score",
    "sonnet",
    "turbo",
    "v",
}


def pieces(name: str) -> list[str]:
    """Return the words and numbers of a name.

    >>> pieces("fluencyRater_2"), pieces("gpt-4o")
    (['fluency', 'Rater', '2'], ['gpt', '4', 'o'])
    """
    return _PIECE.findall(_CAMEL.sub(" ", name))


def named_as(rater: str) -> NamedAs:
    """Return the kind of rater that a name suggests.

    >>> [named_as(name) for name in ("Anna", "rater_mean", "gold", "gpt-4o", "User 1")]
    ['annotator', 'statistic', 'adjudicated', 'llm_judge', 'annotator']
    """
    words = [piece.casefold() for piece in pieces(rater)]
    # the pieces split ChatGPT in two
    if any(_MODEL.fullmatch(word) for word in (*words, "".join(words))):
        return "llm_judge"
    if any(word in _ADJUDICATED for word in words) or words == ["expert"]:
        return "adjudicated"
    # a single letter counts annotators
    if words and words[-1] in STATISTIC_WORDS and len(words[-1]) > 1:
        return "statistic"
    return "annotator"


def of_no_annotator(column: str, criteria: Collection[str]) -> dict[str, str]:
    """Return the criterion and the language model, or the word for an adjudicated rating, in the
    name of a column; else nothing. Among the ratings of one criterion the name need not contain
    it.

    >>> of_no_annotator("fluency_gpt-4o", {"fluency"}), of_no_annotator("gpt2_ppl", {"fluency"})
    ({'criterion': 'fluency', 'rater': 'gpt-4o'}, {})
    >>> of_no_annotator("final_fluency", {"fluency"}), of_no_annotator("GPT-4o", {"fluency"})
    ({'criterion': 'fluency', 'rater': 'final'}, {'criterion': 'fluency', 'rater': 'GPT-4o'})
    """
    words = [piece.casefold() for piece in pieces(column)]
    if len(words) > PIECES_OF_A_NAME:
        return {}
    said = [word for word in words if _MODEL.fullmatch(word) or named_as(word) == "adjudicated"]
    rest = [
        word
        for word in words
        if word not in said and word not in _VERSIONS and not word.isdecimal()
    ]
    criterion = "_".join(rest)
    if said and not rest and len(criteria) == 1:
        return {"criterion": next(iter(criteria)), "rater": column}
    if not said or criterion not in criteria:
        return {}
    named = r"[\W_]*".join(map(re.escape, rest))
    return {"criterion": criterion, "rater": re.sub(named, "", column, flags=re.I).strip(_AROUND)}


def is_counted(rater: str) -> bool:
    """Return whether a rater's name ends in a number or a letter.

    >>> is_counted("User 1"), is_counted("A"), is_counted("Anna")
    (True, True, False)
    """
    found = pieces(rater)
    return bool(found) and (found[-1].isdecimal() or len(found[-1]) == 1)


def named_statistic(column: str) -> str:
    """Return the statistic that a word of a column's name means, or "".

    >>> named_statistic("avg_fluency"), named_statistic("n_raters"), named_statistic("fluency")
    ('mean', 'count', '')
    """
    words = (piece.casefold() for piece in pieces(column))
    return next((STATISTIC_WORDS[word] for word in words if word in STATISTIC_WORDS), "")
