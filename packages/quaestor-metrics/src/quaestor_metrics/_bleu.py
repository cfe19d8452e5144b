"""BLEU-1 to 4 as the COCO caption evaluation counts it: the BLEU of most question generation
papers.

Papineni et al. (2002) define BLEU for a corpus; a sentence whose 4-grams all miss would score 0.
This one adds 1e-15 to each count of matches and 1e-9 to each count of guesses, so such a sentence
gets a tiny value whose size depends on how many orders are empty. That orders sentences which would
tie at 0, and Spearman and Kendall see it: never mix two BLEUs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any, NamedTuple

from quaestor_metrics._contract import (
    WORDS,
    MetricResult,
    MetricSpec,
    ScoredQuestion,
    ScoredSystem,
    ScoredUnit,
    Scorer,
    UnknownParameter,
)
from quaestor_metrics._metric import Metric, QuestionMetric
from quaestor_metrics._progress import interruptible

TINY, SMALL = 1e-15, 1e-9
ORDERS = 4


class Counts(NamedTuple):
    """Clipped matches and guesses for each order, and both lengths: all that BLEU needs of a
    sentence."""

    matches: tuple[int, ...]
    guesses: tuple[int, ...]
    length: int
    reference_length: int


def bleu(hypothesis: str, references: Sequence[str]) -> tuple[float, ...]:
    """Return BLEU-1 to BLEU-4 of one sentence, whose tokens are separated by white space.

    With several references a match counts as often as in the reference that has it most, and the
    reference length is the closest one (the shorter where two are as close).

    Notes
    -----
    p_k = (matches_k + 1e-15) / (guesses_k + 1e-9); BLEU-n = BP (p_1 ... p_n)^(1/n); BP = exp(1 - r/h) where h < r.

    Examples
    --------
    Nema and Khapra (2018), section 1, BLEU-3 of the question that lost its entity, in their preparation: 81.9.

    >>> round(bleu("who was the director of", ["who was the director of titanic"])[2], 3)
    0.819
    """
    return combine_counts(count_ngrams(hypothesis, tuple(references)))


def corpus_bleu(pairs: Iterable[tuple[str, Sequence[str]]]) -> tuple[float, ...]:
    """Return BLEU-1 to BLEU-4 of a corpus: the counts are added up before the formula, not the
    scores after it."""
    matches, guesses, length, reference_length = [0] * ORDERS, [0] * ORDERS, 0, 0
    for hypothesis, references in pairs:
        one = count_ngrams(hypothesis, tuple(references))
        matches = [a + b for a, b in zip(matches, one.matches, strict=True)]
        guesses = [a + b for a, b in zip(guesses, one.guesses, strict=True)]
        length, reference_length = length + one.length, reference_length + one.reference_length
    return combine_counts(Counts(tuple(matches), tuple(guesses), length, reference_length))


def count_ngrams(hypothesis: str, references: tuple[str, ...]) -> Counts:
    """Count matches, clipped by the references, and guesses for each order.

    If no n-gram of one order matches, none of a higher order can match.
    """
    words, others = hypothesis.split(), [reference.split() for reference in references]
    matches = [0] * ORDERS
    for order in range(ORDERS):
        matches[order] = _matched(_grams(words, order), [_grams(other, order) for other in others])
        if not matches[order]:
            break
    length = len(words)
    guesses = tuple([length - order if length > order else 0 for order in range(ORDERS)])
    closest = min([len(other) for other in others], key=lambda other: (abs(other - length), other))
    return Counts(tuple(matches), guesses, length, closest)


def combine_counts(count: Counts) -> tuple[float, ...]:
    """Turn counts into BLEU-1 to BLEU-4."""
    ratio = (count.length + TINY) / (count.reference_length + SMALL)
    penalty = exp(1 - 1 / ratio) if ratio < 1 else 1.0
    scores, product = [], 1.0
    for order, (matches, guesses) in enumerate(
        zip(count.matches, count.guesses, strict=True), start=1
    ):
        product *= (matches + TINY) / (guesses + SMALL)
        scores.append(product ** (1 / order) * penalty)
    return tuple(scores)


def _grams(words: list[Any], order: int) -> list[Any]:
    """Return the n-grams of order + 1 words; of one word, the words."""
    return (
        list(zip(*[words[start:] for start in range(order + 1)], strict=False)) if order else words
    )


def _matched(mine: list[Any], theirs: Sequence[list[Any]]) -> int:
    """Count the n-grams that a reference has too, each at most as often as in the reference that
    has it most."""
    distinct = set(mine)
    if len(theirs) == 1:
        others = set(theirs[0])
        shared = distinct & others
        if (
            not shared or len(distinct) == len(mine) or len(others) == len(theirs[0])
        ):  # nothing to clip
            return len(shared)
    times = [Counter(grams) for grams in theirs]
    return sum(
        [min(count, max([one[gram] for one in times])) for gram, count in Counter(mine).items()]
    )


class Sentences:
    """The BLEUs of the last batch, which metrics of several orders share: counting for one is
    counting for all."""

    def __init__(self) -> None:
        self._last: tuple[list[ScoredQuestion], list[tuple[float, ...]]] = ([], [])

    def scores(self, batch: Sequence[ScoredQuestion]) -> list[tuple[float, ...]]:
        """Return BLEU-1 to BLEU-4 of each question."""
        questions = list(batch)
        if questions != self._last[0]:
            scores = [bleu(one.hypothesis, one.references) for one in interruptible(questions)]
            self._last = questions, scores
        return self._last[1]


class BLEU(QuestionMetric):
    """BLEU of one question, as the COCO caption evaluation computes it.

    Parameters
    ----------
    order : int
        Longest n-gram, 1 to 4.
    sentences : Sentences, optional
        Cache that several orders share.

    References
    ----------
    Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation.

    Examples
    --------
    >>> metric = BLEU(order=3)
    >>> round(metric.sentence_score("who was the director of", "who was the director of titanic").value, 3)
    0.819
    >>> print(metric.corpus_score(["a b c d"], ["a b c e"]))
    corpus BLEU-3 (coco) = 0.6300 (corpus_bleu_3|nrefs:1|case:mixed|prep:raw|recipe:1|version:0.1.0)
    """

    def __init__(self, order: int = ORDERS, *, sentences: Sentences | None = None) -> None:
        if order not in range(1, ORDERS + 1):
            raise UnknownParameter(f"BLEU: order is from 1 to {ORDERS}, not {order}")
        self.order = order
        self.sentences = sentences or Sentences()
        super().__init__()

    def described(self) -> MetricSpec:
        return MetricSpec(
            id=f"bleu_{self.order}",
            name=f"BLEU-{self.order} (coco)",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=WORDS,
        )

    def of_corpus(self) -> Scorer:
        return CorpusBLEU(self.order)

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        return [MetricResult(scores[self.order - 1]) for scores in self.sentences.scores(batch)]


class CorpusBLEU(Metric):
    """Corpus BLEU of a system: counts of all questions are added up before the formula
    (Schlichtkrull and Cheng 2020, table 4: cBLEU, beside the mean of sentence scores)."""

    def __init__(self, order: int = ORDERS) -> None:
        self.order = order
        super().__init__()

    def described(self) -> MetricSpec:
        return MetricSpec(
            id=f"corpus_bleu_{self.order}",
            name=f"corpus BLEU-{self.order} (coco)",
            version="1",
            unit=ScoredUnit.SYSTEM,
            needs=WORDS,
        )

    def score(self, batch: Sequence[ScoredSystem], params: Mapping[str, Any]) -> list[MetricResult]:
        return [self._whole(system) for system in batch]

    def _whole(self, system: ScoredSystem) -> MetricResult:
        pairs = ((one.hypothesis, one.references) for one in interruptible(system.questions))
        value = corpus_bleu(pairs)[self.order - 1]
        return MetricResult(value, detail={"questions": len(system.questions)})
