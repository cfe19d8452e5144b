"""BLEU-1 to 4 as the COCO caption evaluation counts it: the BLEU of most question generation papers.

Papineni et al. (2002) define BLEU for a corpus; a sentence whose 4-grams all miss would score 0. This one adds 1e-15 to
each count of matches and 1e-9 to each count of guesses, so such a sentence gets a tiny value whose size depends on how
many orders are empty. That orders sentences which would tie at 0, and Spearman and Kendall see it: never mix two BLEUs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Any

from analysis.metrics.contract import MetricResult, MetricSpec, Question, System, Unit

TINY, SMALL = 1e-15, 1e-9
ORDERS = 4
LONGEST_KEPT = 1000  # characters; longer texts are counted anew each time, so memory stays flat

Grams = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Counts:
    """Clipped matches and guesses for each order, and both lengths: all that BLEU needs of a sentence."""

    matches: tuple[int, ...]
    guesses: tuple[int, ...]
    length: int
    reference_length: int


def bleu(hypothesis: str, references: Sequence[str]) -> tuple[float, ...]:
    """Return BLEU-1 to BLEU-4 of one sentence.

    Parameters
    ----------
    hypothesis, references
        Prepared texts; tokens are separated by white space. At least one reference.

    Returns
    -------
    tuple of float
        BLEU-1, BLEU-2, BLEU-3, BLEU-4, each from 0 to 1. With several references a match counts as often as in the
        reference that has it most, and the reference length is the closest one (the shorter where two are as close).

    Notes
    -----
    p_k = (matches_k + 1e-15) / (guesses_k + 1e-9); BLEU-n = BP (p_1 ... p_n)^(1/n); BP = exp(1 - r/h) where h < r.

    Examples
    --------
    Nema and Khapra (2018), section 1, BLEU-3 of the question that lost its entity, in their preparation: 81.9.

    >>> round(bleu("who was the director of", ["who was the director of titanic"])[2], 3)
    0.819
    """
    return combined(counts(hypothesis, tuple(references)))


def corpus_bleu(pairs: Iterable[tuple[str, Sequence[str]]]) -> tuple[float, ...]:
    """Return BLEU-1 to BLEU-4 of a corpus: the counts are added up before the formula, not the scores after it."""
    matches, guesses, length, reference_length = [0] * ORDERS, [0] * ORDERS, 0, 0
    for hypothesis, references in pairs:
        one = counts(hypothesis, tuple(references))
        matches = [a + b for a, b in zip(matches, one.matches, strict=True)]
        guesses = [a + b for a, b in zip(guesses, one.guesses, strict=True)]
        length, reference_length = length + one.length, reference_length + one.reference_length
    return combined(Counts(tuple(matches), tuple(guesses), length, reference_length))


def counts(hypothesis: str, references: tuple[str, ...]) -> Counts:
    """Count matches, clipped by the references, and guesses for each order."""
    length = len(hypothesis.split())
    clip, lengths = _clip(references)
    matches = tuple(_matched(mine, theirs) for mine, theirs in zip(_grams(hypothesis), clip, strict=True))
    guesses = tuple(max(0, length - order) for order in range(ORDERS))
    return Counts(matches, guesses, length, min(lengths, key=lambda other: (abs(other - length), other)))


def combined(count: Counts) -> tuple[float, ...]:
    """Turn counts into BLEU-1 to BLEU-4."""
    ratio = (count.length + TINY) / (count.reference_length + SMALL)
    penalty = exp(1 - 1 / ratio) if ratio < 1 else 1.0
    scores, product = [], 1.0
    for order, (matches, guesses) in enumerate(zip(count.matches, count.guesses, strict=True), start=1):
        product *= (matches + TINY) / (guesses + SMALL)
        scores.append(product ** (1 / order) * penalty)
    return tuple(scores)


def _matched(mine: Grams, theirs: Grams) -> int:
    shared = mine.keys() & theirs.keys()
    return sum([min(mine[gram], theirs[gram]) for gram in shared]) if shared else 0


def _grams(text: str) -> tuple[Grams, ...]:
    return _kept(text) if len(text) <= LONGEST_KEPT else _counted(text)


@lru_cache(maxsize=2048)
def _kept(text: str) -> tuple[Grams, ...]:
    return _counted(text)


def _counted(text: str) -> tuple[Grams, ...]:
    tokens = text.split()
    shifted = [tokens[start:] for start in range(ORDERS)]
    return tuple(Counter(zip(*shifted[:order], strict=False)) for order in range(1, ORDERS + 1))


def _clip(references: tuple[str, ...]) -> tuple[tuple[Grams, ...], tuple[int, ...]]:
    lengths = tuple(len(reference.split()) for reference in references)
    if len(references) == 1:
        return _grams(references[0]), lengths
    most: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(ORDERS)]
    for reference in references:
        for kept, grams in zip(most, _grams(reference), strict=True):
            kept |= Counter(grams)
    return tuple(most), lengths


@dataclass(frozen=True, slots=True)
class Bleu:
    """BLEU-n of one question."""

    order: int

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(id=f"bleu_{self.order}", name=f"BLEU-{self.order} (coco)", version="1", unit=Unit.MULTI_REF)

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(self, batch: Sequence[Question], params: Mapping[str, Any]) -> list[MetricResult]:
        return [MetricResult(bleu(question.hypothesis, question.references)[self.order - 1]) for question in batch]


@dataclass(frozen=True, slots=True)
class CorpusBleu:
    """Corpus BLEU-4 of a system (003 Table 4: cBLEU, beside the mean of sentence scores)."""

    spec = MetricSpec(id="corpus_bleu_4", name="corpus BLEU-4 (coco)", version="1", unit=Unit.SYSTEM)

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(self, batch: Sequence[System], params: Mapping[str, Any]) -> list[MetricResult]:
        return [_whole(system) for system in batch]


def _whole(system: System) -> MetricResult:
    value = corpus_bleu((question.hypothesis, question.references) for question in system.questions)[ORDERS - 1]
    return MetricResult(value, detail={"questions": len(system.questions)})
