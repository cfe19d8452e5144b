"""Answerability (Nema and Khapra 2018): does a question keep the words without which it cannot be
answered?

Words are the white-space tokens of the *cased* question, in four classes: relevant content words,
named entities, question words, function words. Capitals are what tells entities, so lower-cased
questions have none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from quaestor_metrics._bleu import bleu
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._metric import QuestionMetric
from quaestor_metrics._progress import interruptible
from quaestor_metrics._treebank import ptb

CLASSES = ("content", "entity", "question", "function")

QUESTION_WORDS = frozenset(("what", "which", "why", "who", "whom", "whose", "where", "when", "how"))
_FUNCTION_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves this that these those am is are was were be been
    being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under
    again further then once here there all any both each few more most other some such no nor not only own same
    so than too very s t can will just don should now
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())  # 119, as in the authors' list

Bag = Counter[str]
Bags = tuple[Bag, Bag, Bag, Bag]


WORDS = ("split", "whitespace")
_POSSESSIVE = re.compile(r"(?<=\w)(?=['’]s\b)")
_INSIDE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)  # a search for the end alone is quadratic


def split_words(text: str) -> list[str]:
    """Return the words of a question without the punctuation at their ends; a possessive s is a
    word of its own.

    Examples
    --------
    >>> split_words("Who directed Cameron's 'Titanic'?")
    ['Who', 'directed', 'Cameron', 's', 'Titanic']
    """
    pieces = _POSSESSIVE.sub(" ", text).split()
    return [word[0] for piece in pieces if (word := _INSIDE.search(piece))]


def classes(text: str, *, stems: Sequence[str] = (), words: str = "split") -> Bags:
    """Sort the words of a cased question into content, entity, question and function words.

    A word can be in two classes: the word after what or which counts as a question word, and also
    in its own class. With `stems` (the paper's WikiMovies) content words are those that contain one
    of them. Capitals decide the class; the bags hold lower-cased words, so `The` and `the` match.
    `words`: "split" takes punctuation off, so that "Titanic?" and "Titanic ?" are the same;
    "whitespace" leaves it on, as the papers' scripts do.

    Examples
    --------
    >>> [sorted(bag) for bag in classes("Who was the director of Titanic")]
    [['director'], ['titanic'], ['who'], ['of', 'the', 'was']]
    """
    tokens = split_words(text) if words == "split" else text.split()
    question = _question_words(tokens)
    rest = tokens[1:] if tokens and asks(tokens[0]) else tokens
    entities = [token for token in rest if token[0].isupper()]
    function = [token for token in tokens if token.lower() in FUNCTION_WORDS]
    if stems:
        content = [token for token in tokens if any(stem in token for stem in stems)]
    else:
        question_words = set(question)
        content = [
            t
            for t in tokens
            if t not in question_words and not t[0].isupper() and t not in FUNCTION_WORDS
        ]
    return _bag(content), _bag(entities), _bag(question), _bag(function)


def _bag(tokens: Iterable[str]) -> Bag:
    return Counter(token.lower() for token in tokens)


def asks(token: str) -> bool:
    """Return whether a word is a question word, in lower case or with a capital first letter."""
    return token in QUESTION_WORDS or (
        token[0].isupper() and token[0].lower() + token[1:] in QUESTION_WORDS
    )


def _question_words(tokens: Sequence[str]) -> list[str]:
    words = []
    for place, token in enumerate(tokens):
        if asks(token):
            words.append(token)
            if token.lower() in ("what", "which"):
                words.extend(tokens[place + 1 : place + 2])
    return words


def precision_recall(hypothesis: Bag, reference: Bag) -> tuple[float, float]:
    """Return the share of either bag's words that the other bag has; a word counts as often as both
    have it."""
    shared = (hypothesis & reference).total()
    return (shared / hypothesis.total() if hypothesis else 0.0), (
        shared / reference.total() if reference else 0.0
    )


def unclipped_precision_recall(hypothesis: Bag, reference: Bag) -> tuple[float, float]:
    """Return the same where each occurrence counts that the other bag has at all (Ray Chowdhury et
    al.'s script)."""
    forth = sum(count for word, count in hypothesis.items() if word in reference)
    return (forth / hypothesis.total() if hypothesis else 0.0), (
        forth / reference.total() if reference else 0.0
    )


def bleu_both_ways(hypothesis: Bag, reference: Bag) -> tuple[float, float]:
    """Return BLEU-1 of the treebank words both ways, brevity penalty included, as the authors'
    script has it."""
    mine, theirs = ptb(" ".join(hypothesis.elements())), ptb(" ".join(reference.elements()))
    return bleu(mine, [theirs])[0], bleu(theirs, [mine])[0]


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


BY_CLASS: Mapping[str, Callable[[Bag, Bag], tuple[float, float]]] = {
    "paper": precision_recall,
    "clipped_f": precision_recall,
    "per_class_f": bleu_both_ways,
    "unclipped_f": unclipped_precision_recall,
}


Part = tuple[float, float]


def components(
    hypothesis: Bags, reference: Bags, *, formula: str, empty_class: str
) -> list[Part | None]:
    """Return precision and recall for each class; a class that neither question has is 1, 0 or left
    out (None)."""
    nothing = {"one": (1.0, 1.0), "zero": (0.0, 0.0), "renormalise": None}[empty_class]
    measure = BY_CLASS[formula]
    return [
        measure(mine, theirs) if mine or theirs else nothing
        for mine, theirs in zip(hypothesis, reference, strict=True)
    ]


def answerability(
    hypothesis: Bags,
    reference: Bags,
    weights: Sequence[float],
    *,
    formula: str = "paper",
    empty_class: str = "one",
) -> float:
    """Return how much of what makes the reference answerable the hypothesis has, 0 to 1.

    Parameters
    ----------
    hypothesis, reference
        The words by class, from `classes`.
    weights
        For content, entity, question and function words; they sum to 1.
    formula
        `paper`: the harmonic mean of weighted precision and weighted recall. `per_class_f`: the weighted mean of one
        F for each class, of BLEU-1 in both directions (the authors' script). `clipped_f`: the same, of plain bags.
        `unclipped_f`: the same, a repeated word counted again (the script of the multi-metrics paper).
    empty_class
        What a class is worth that neither question has: `one`, `zero`, or `renormalise` over the other classes.

    Notes
    -----
    P = sum_i w_i c_i / |l_i|, R = sum_i w_i c_i / |r_i|, Answerability = 2 P R / (P + R).
    """
    scores = components(hypothesis, reference, formula=formula, empty_class=empty_class)
    parts = [
        (weight, part) for weight, part in zip(weights, scores, strict=True) if part is not None
    ]
    total = sum(weight for weight, _ in parts) if empty_class == "renormalise" else 1.0
    if not total:
        return 0.0
    if formula != "paper":
        return sum(weight * harmonic(*part) for weight, part in parts) / total
    precision, recall = (
        sum(weight * part[side] for weight, part in parts) / total for side in (0, 1)
    )
    return harmonic(precision, recall)


PUBLISHED_WEIGHTS = (0.36, 0.41, 0.20, 0.03)  # Q-BLEU1 on SQuAD

PARAMETERS = (
    *(
        Parameter(name, weight, f"weight of {name} words", least=0, most=1)
        for name, weight in zip(CLASSES, PUBLISHED_WEIGHTS, strict=True)
    ),
    Parameter("formula", "paper", "how classes are combined", choices=tuple(BY_CLASS)),
    Parameter(
        "words",
        "split",
        "split takes punctuation off words; whitespace leaves it on, which reproduces published figures",
        choices=WORDS,
    ),
    Parameter(
        "empty_class", "one", "a class neither side has", choices=("one", "zero", "renormalise")
    ),
    Parameter(
        "stems",
        (),
        "content words are those with one of these stems (WikiMovies)",
        longest=400,  # every word is looked through for each
    ),
)


def weights_of(params: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the four weights, which must be from 0 to 1 and sum to 1."""
    weights = tuple(float(params[name]) for name in CLASSES)
    if min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
        raise ValueError(f"the weights {', '.join(map(str, weights))} are not shares that sum to 1")
    return weights


def best_answerability(question: ScoredQuestion, params: Mapping[str, Any]) -> float:
    """Return the answerability against the reference that the question is nearest to."""
    weights, stems = weights_of(params), tuple(params["stems"])
    words = params["words"]
    mine = classes(question.hypothesis, stems=stems, words=words)
    how = {"formula": params["formula"], "empty_class": params["empty_class"]}
    others = [classes(one, stems=stems, words=words) for one in question.references]
    return max(answerability(mine, other, weights, **how) for other in others)


def has_capitals(texts: Iterable[str]) -> bool:
    """Return whether any text has a capital letter, by which entities are recognised."""
    return any(character.isupper() for text in texts for character in text)


class Answerability(QuestionMetric):
    """Answerability of one question, by default with the weights published for SQuAD.

    Parameters
    ----------
    **settings
        `content`, `entity`, `question`, `function`: weights of the four classes of words, which
        sum to 1. `formula`: `paper`, `per_class_f`, `clipped_f` or `unclipped_f`. `words`: `split`
        or `whitespace`. `empty_class`: `one`, `zero` or `renormalise`. `stems`: stems of content
        words.

    References
    ----------
    Nema and Khapra 2018, Towards a better metric for evaluating question generation systems.

    Examples
    --------
    >>> question, reference = "Who was the director of?", "Who was the director of Titanic?"
    >>> round(Answerability().sentence_score(question, reference).value, 3)
    0.59
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            id="answerability",
            name="Answerability (Nema and Khapra)",
            version="2",
            unit=ScoredUnit.MULTI_REF,
            needs=frozenset({Need.REFS, Need.CASED}),
            parameters=PARAMETERS,
            languages=ENGLISH,
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        return [
            MetricResult(
                best_answerability(question, params),
                detail={"cased": has_capitals((question.hypothesis, *question.references))},
            )
            for question in interruptible(batch)
        ]
