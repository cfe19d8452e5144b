"""ROUGE-L (Lin 2004) with beta 1.2, as the COCO caption evaluation and QG-Bench compute it."""

from collections.abc import Mapping, Sequence
from typing import Any

from quaestor_metrics._contract import WORDS, MetricResult, MetricSpec, ScoredQuestion, ScoredUnit
from quaestor_metrics._metric import QuestionMetric
from quaestor_metrics._progress import interruptible

BETA = 1.2


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    One row of the table is a single integer whose bits mark where the row grows (Crochemore et al.
    2001; Hyyrö 2004), and each word has one whose bits mark its positions: texts of 10,000 tokens
    take milliseconds. Positions are kept only for words that both texts have, and only in the
    shorter text: memory grows with the number of these words times that text's length.

    Examples
    --------
    Nema and Khapra (2018), section 3: "the boy home" is the longest.

    >>> lcs_length("the boy went home".split(), "the boy will go home".split())
    3
    """
    shorter, longer = sorted((left, right), key=len)
    in_both = set(shorter) & set(longer)
    places: dict[str, int] = {}
    for position, token in enumerate(shorter):
        if token in in_both:
            places[token] = places.get(token, 0) | (1 << position)
    full = (1 << len(shorter)) - 1
    row = full
    for token in longer:
        here = row & places.get(token, 0)
        if here:
            row = ((row + here) | (row - here)) & full
    return len(shorter) - row.bit_count()


def rouge_l(hypothesis: str, references: Sequence[str]) -> float:
    """Return ROUGE-L from 0 to 1.

    Tokens are separated by *single* spaces, so a doubled space is an empty token and changes the
    score. With several references the best precision and the best recall are taken, each for
    itself.

    Notes
    -----
    P = LCS / |h|, R = LCS / |r|, F = (1 + b^2) P R / (R + b^2 P) with b = 1.2.

    Examples
    --------
    Nema and Khapra (2018), section 3, their two sentences: P = 3/4, R = 3/5.

    >>> round(rouge_l("the boy went home", ["the boy will go home"]), 4)
    0.6536
    """
    tokens = hypothesis.split(" ")
    others = [reference.split(" ") for reference in references]
    common = [lcs_length(other, tokens) for other in others]
    precision = max(common) / len(tokens)
    recall = max(shared / len(other) for shared, other in zip(common, others, strict=True))
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


class ROUGEL(QuestionMetric):
    """ROUGE-L of one question with beta 1.2.

    References
    ----------
    Lin 2004, ROUGE: A package for automatic evaluation of summaries.

    Examples
    --------
    >>> round(ROUGEL().sentence_score("the boy went home", "the boy will go home").value, 4)
    0.6536
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            id="rouge_l",
            name="ROUGE-L (beta 1.2)",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=WORDS,
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        return [
            MetricResult(rouge_l(question.hypothesis, question.references))
            for question in interruptible(batch)
        ]
