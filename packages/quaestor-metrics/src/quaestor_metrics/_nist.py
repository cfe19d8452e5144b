"""NIST (Doddington 2002): n-grams weighted by their information, added up over the orders, with a
softer penalty."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, log2
from typing import Any

from quaestor_metrics._contract import (
    WORDS,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Scale,
    ScoredQuestion,
    ScoredSystem,
    ScoredUnit,
    Scorer,
    undefined,
)
from quaestor_metrics._metric import Metric, QuestionMetric
from quaestor_metrics._progress import interruptible

# the penalty is .5 where the hypothesis has two thirds of the reference's words
BETA = log(0.5) / log(1.5) ** 2

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """One sentence's contribution to a NIST score: information matched and guesses for each order,
    and both lengths."""

    information: tuple[float, ...]
    guesses: tuple[int, ...]
    length: int
    reference_length: float


def information(references: Iterable[str], order: int = 5) -> dict[Gram, float]:
    """Return the information of every n-gram of a reference corpus, in bits.

    Notes
    -----
    Info(w1 ... wn) = log2(count(w1 ... wn-1) / count(w1 ... wn)); for one word the numerator is the corpus's length.
    """
    counts: Counter[Gram] = Counter()
    total = 0
    for reference in references:
        tokens = reference.split()
        total += len(tokens)
        for length in range(1, order + 1):
            counts.update(_grams(tokens, length))
    return {
        gram: log2((counts[gram[:-1]] if len(gram) > 1 else total) / count)
        for gram, count in counts.items()
    }


def tally_sentence(
    hypothesis: str, references: Sequence[str], info: Mapping[Gram, float], order: int = 5
) -> Tally:
    """Count one sentence; matches are clipped by the reference that has an n-gram most, lengths
    averaged."""
    tokens, others = hypothesis.split(), [reference.split() for reference in references]
    matched = [_matched(tokens, others, info, length) for length in range(1, order + 1)]
    guesses = tuple(max(0, len(tokens) - length + 1) for length in range(1, order + 1))
    return Tally(tuple(matched), guesses, len(tokens), sum(map(len, others)) / len(others))


def nist(tallies: Sequence[Tally], *, penalty: bool = True) -> float:
    """Return the NIST score of a sentence (one tally) or a corpus (all of them).

    Notes
    -----
    score = sum_n (information of matched n-grams / guessed n-grams) * exp(beta log^2 min(1, h/r)); from 0, unbounded.
    """
    score = 0.0
    for order in range(len(tallies[0].guesses)):
        guesses = sum(one.guesses[order] for one in tallies)
        score += sum(one.information[order] for one in tallies) / guesses if guesses else 0.0
    length, reference = (
        sum(one.length for one in tallies),
        sum(one.reference_length for one in tallies),
    )
    if not length:
        return 0.0
    return score * exp(BETA * log(min(1.0, length / reference)) ** 2) if penalty else score


def _matched(
    tokens: Sequence[str], others: Sequence[Sequence[str]], info: Mapping[Gram, float], length: int
) -> float:
    most: Counter[Gram] = Counter()
    for other in others:
        most |= Counter(_grams(other, length))
    shared = Counter(_grams(tokens, length)) & most
    return sum(count * info[gram] for gram, count in shared.items())


def _grams(tokens: Sequence[str], length: int) -> Iterable[Gram]:
    return zip(*(tokens[start:] for start in range(length)), strict=False)


PARAMETERS = (
    Parameter("order", 5, "longest n-gram", choices=(1, 2, 3, 4, 5)),
    Parameter("penalty", True, "length penalty", choices=(True, False)),
)


def normalized_nist(
    hypothesis: str,
    references: Sequence[str],
    info: Mapping[Gram, float],
    *,
    order: int = 5,
    penalty: bool = True,
) -> float | None:
    """Return NIST divided by the NIST of the reference against itself, from 0 to 1.

    If there are several references, the one that reaches the highest NIST is the divisor. A
    hypothesis that drops uninformative words can exceed its reference; it counts 1. None if the
    references carry no information, because each of their n-grams is certain.

    Examples
    --------
    >>> info = information(["a b c", "a b d"])
    >>> normalized_nist("a b c", ["a b c"], info), normalized_nist("x", ["a b c"], info)
    (1.0, 0.0)
    """

    def against_references(text: str) -> float:
        return nist([tally_sentence(text, references, info, order)], penalty=penalty)

    highest = max(against_references(reference) for reference in references)
    if highest == 0:
        return None
    return min(1.0, against_references(hypothesis) / highest)


class NIST(QuestionMetric):
    """NIST of one question; the references of the whole batch give the information of n-grams.

    Parameters
    ----------
    **settings
        `order`: longest n-gram, 1 to 5 (default). `penalty`: length penalty (default True).

    References
    ----------
    Doddington 2002, Automatic evaluation of machine translation quality using n-gram
    co-occurrence statistics.

    Examples
    --------
    >>> NIST(order=1).corpus_score(["a b", "a c"], ["a b", "a c"]).value
    1.5
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            id="nist",
            name="NIST",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            range=(0.0, float("inf")),
            scale=Scale.NUMBER,
            needs=WORDS | {Need.STUDY},
            parameters=PARAMETERS,
        )

    def of_corpus(self) -> Scorer | None:
        return CorpusNIST(**self.settings)

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        order = params["order"]
        texts = (text for question in interruptible(batch) for text in question.references)
        info = information(texts, order)
        return [self._one(one, info, params) for one in interruptible(batch)]

    def _one(
        self, question: ScoredQuestion, info: Mapping[Gram, float], params: Mapping[str, Any]
    ) -> MetricResult:
        one = tally_sentence(question.hypothesis, question.references, info, params["order"])
        return MetricResult(nist([one], penalty=params["penalty"]))


class NormalizedNIST(NIST):
    """NIST as a fraction of what the reference reaches: the part of Q-NIST that is not
    answerability."""

    def described(self) -> MetricSpec:
        return replace(super().described(), range=(0.0, 1.0), scale=Scale.FRACTION)

    def of_corpus(self) -> None:
        return None

    def _one(
        self, question: ScoredQuestion, info: Mapping[Gram, float], params: Mapping[str, Any]
    ) -> MetricResult:
        value = normalized_nist(question.hypothesis, question.references, info, **params)
        if value is None:
            return undefined("the NIST of the reference against itself is 0")
        return MetricResult(value)


class CorpusNIST(Metric):
    """NIST of a system; the references of all systems in the batch, each source once, give the
    information of n-grams.

    Parameters
    ----------
    **settings
        As for `NIST`.
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            id="corpus_nist",
            name="corpus NIST",
            version="1",
            unit=ScoredUnit.SYSTEM,
            range=(0.0, float("inf")),
            scale=Scale.NUMBER,
            needs=WORDS | {Need.STUDY},
            parameters=PARAMETERS,
        )

    def score(self, batch: Sequence[ScoredSystem], params: Mapping[str, Any]) -> list[MetricResult]:
        order, penalty = params["order"], params["penalty"]
        distinct = {question.references for system in batch for question in system.questions}
        info = information(
            (text for references in interruptible(sorted(distinct)) for text in references), order
        )
        return [self._one(system, info, order, penalty) for system in batch]

    @staticmethod
    def _one(
        system: ScoredSystem, info: Mapping[Gram, float], order: int, penalty: bool
    ) -> MetricResult:
        tallies = [
            tally_sentence(question.hypothesis, question.references, info, order)
            for question in interruptible(system.questions)
        ]
        return MetricResult(nist(tallies, penalty=penalty), detail={"questions": len(tallies)})
