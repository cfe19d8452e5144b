"""QAAligned F1 (the program lmqg; Ushio et al. 2023): a set's questions with their answers, each
against the nearest reference with its answer."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.metrics.composers import PairScores
from analysis.metrics.contract import (
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    ScoredSet,
    ScoredUnit,
    undefined,
)
from analysis.metrics.scoring import kept
from analysis.metrics.sets import f_measure, precision, recall

REPEATED = Parameter(
    "dedupe", "exact", "drop a pair that comes again, as lmqg does", choices=("exact", "none")
)


@dataclass(frozen=True)
class QaAligned:
    """F1 over pairs of question and answer: precision is the mean over a set's pairs of the best
    reference pair, recall the mean over reference pairs of the best of the set's."""

    pairs: PairScores

    @property
    def spec(self) -> MetricSpec:
        inner = self.pairs.base.spec
        return replace(
            inner,
            id=f"qa_aligned_{inner.id}",
            name=f"QAAligned F1, {inner.name}",
            unit=ScoredUnit.SET,
            needs=inner.needs | {Need.ANSWER},
            parameters=(REPEATED, *inner.parameters),
        )

    def available(self) -> tuple[bool, str]:
        return self.pairs.base.available()

    @contextmanager
    def kept(self) -> Iterator[None]:
        with kept([self.pairs.base]):
            yield

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        asked = {each.name: params[each.name] for each in self.pairs.base.spec.parameters}
        written = [_written(one, params["dedupe"]) for one in batch]
        found = self.pairs.matrices(written, asked)
        return [_result(*each) for each in zip(written, found, strict=True)]


def _written(one: ScoredSet, dedupe: str) -> ScoredSet:
    """Return a set whose texts are its pairs of question and answer; a question without an answer
    is no pair."""
    pairs = one.qa_pairs if dedupe == "none" else tuple(dict.fromkeys(one.qa_pairs))
    return ScoredSet(pairs, one.reference_qa_pairs)


def _result(one: ScoredSet, scores: np.ndarray[Any, Any] | MetricResult) -> MetricResult:
    if not one.references:
        return undefined("no reference of the set has an answer")
    if isinstance(scores, MetricResult):
        return scores
    detail = {"precision": precision(scores), "recall": recall(scores)}
    return MetricResult(f_measure(scores), detail=detail)
