"""The type of a question, by its words (Ray Chowdhury et al. 2022, section 6.2) or by the head of
its wh-phrase (Rus et al. 2010, Task A)."""

from collections.abc import Sequence
from math import log

from quaestor_metrics._languages import primary
from quaestor_metrics._treebank import ptb

TYPES = ("who", "when", "where", "what", "quantity", "how", "why", "which", "other")

_ORDER = (
    (("who", "whom", "whose"), "who"),
    (("when",), "when"),
    (("where",), "where"),
    (("what",), "what"),
    (("how many", "how much"), "quantity"),
    (("how",), "how"),
    (("why",), "why"),
    (("which",), "which"),
)

# The nouns that make a question with "what" or "which" a question of another type
_HEADS = {
    "who": """
        actor actress artist astronaut athlete author boy captain child composer director emperor
        engineer explorer father girl governor inventor judge king lady leader man mayor minister
        mother musician novelist officer painter people person philosopher pilot player poet
        politician pope president prince princess professor queen researcher saint scholar scientist
        singer soldier student teacher woman writer
    """,
    "when": "age century date day decade era hour minute month period season time week weekday year",
    "where": """
        area city continent country county district island location nation place province region
        republic state street town village
    """,
    "quantity": "amount count fraction number percent percentage proportion quantity share",
    "why": "cause reason",
    "how": "manner means method way",
}
_TYPE_OF_HEAD = {head: found for found, heads in _HEADS.items() for head in heads.split()}
_IRREGULAR_PLURALS = {"men": "man", "women": "woman", "children": "child"}
# Words that end the phrase after "what" or "which"
_PHRASE_ENDS = """
    am is are was were be been being do does did have has had can could will would shall should may
    might must about after against along among around as at before between by during for from in into
    like near of off on onto over since through to toward towards under until upon with within without
    that which who whom whose where when why how what and or but if because not i you he she it we
    they his her its their our your my this these those the a an
    became began bought brought built came chose did drew fell fought found gave got grew held kept
    knew led left lost made met meant ran said sang saw sent sold spoke stood taught thought told took
    went won wore wrote
"""
_ENDING_WORDS = frozenset(_PHRASE_ENDS.split())


def knows_types(language: str) -> bool:
    """Return whether types are known in a language: the rules know only English question words."""
    return primary(language) == "en"


def question_type(question: str, answer: str = "") -> str:
    """Return the type of a question; the first rule that fits, in the order of their script.

    The word may be anywhere in the question. Quantity comes before *how* only, so a question with both *what* and
    *how many* is a *what*. A question that is answered yes or no is `other`.

    Examples
    --------
    >>> question_type("In what year did it open?"), question_type("How many rooms are there?")
    ('what', 'quantity')
    """
    if ptb(answer) in ("yes", "no"):
        return "other"
    words = f" {ptb(question)} "
    for phrases, type_name in _ORDER:
        if any(f" {phrase} " in words for phrase in phrases):
            return type_name
    return "other"


def head_of_phrase(question: str) -> str:
    """Return the head of the phrase that follows the first *what* or *which*, in the singular.

    The phrase ends before a preposition, an auxiliary, a pronoun, a determiner, a common verb or a
    word in *-ed*, and after a possessive; its last word is the head. This replaces a parser, so an
    uncommon verb can be taken for the head.

    Lower case; empty if there is neither word, or if no noun phrase follows it.

    References
    ----------
    Rus et al. 2010, The first question generation shared task evaluation challenge, section 1.

    Examples
    --------
    >>> head_of_phrase("What U.S. researcher discovered it?"), head_of_phrase("What is it?")
    ('researcher', '')
    """
    words = ptb(question).split()
    start = next((place for place, word in enumerate(words) if word in ("what", "which")), None)
    if start is None:
        return ""
    phrase: list[str] = []
    for word in words[start + 1 :]:
        if word == "'s" or word in _ENDING_WORDS or (phrase and word.endswith("ed")):
            break
        phrase.append(word)
    return _singular(phrase[-1]) if phrase else ""


def type_by_head(question: str, answer: str = "") -> str:
    """Return the type of a question; for *what* and *which*, the type of the head of the phrase.

    A question with *what* or *which* keeps that type if the head is none of the nouns for persons,
    times, places, quantities, reasons and manners that are listed here.

    References
    ----------
    Rus et al. 2010, Task A, criterion diversity: "What U.S. researcher" asks who.

    Examples
    --------
    >>> type_by_head("What U.S. researcher ...?"), type_by_head("In what year did it open?")
    ('who', 'when')
    """
    type_name = question_type(question, answer)
    if type_name in ("what", "which"):
        return _TYPE_OF_HEAD.get(head_of_phrase(question), type_name)
    return type_name


def _singular(noun: str) -> str:
    if noun in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[noun]
    if noun.endswith("ies"):
        return noun.removesuffix("ies") + "y"
    return noun if noun.endswith(("ss", "us", "means")) else noun.removesuffix("s")


def type_evenness(types: Sequence[str]) -> float:
    """Return how evenly a set's types are spread: Shannon entropy over log k, for k types among q
    questions.

    1 for one question, 0 where several questions share one type. The share of distinct types alone
    cannot distinguish 2-2-2 from 4-1-1 (QG-STEC+'s example); this can.

    Examples
    --------
    >>> evenly, mostly = ["who", "when", "why"] * 2, ["who"] * 4 + ["when", "why"]
    >>> round(type_evenness(evenly), 3), round(type_evenness(mostly), 3)
    (1.0, 0.79)
    """
    counts = [types.count(one) for one in dict.fromkeys(types)]
    if len(counts) == 1:
        return 1.0 if len(types) == 1 else 0.0
    shares = [count / len(types) for count in counts]
    return min(1.0, -sum(share * log(share) for share in shares) / log(len(counts)))
