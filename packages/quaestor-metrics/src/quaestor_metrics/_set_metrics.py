"""Set metrics derived from a metric of one question: P-, R- and F-metric, Multi-metric,
Average-metric, and the conservative and liberal evaluation.

The first three are of Schlichtkrull and Cheng 2020, the next two of Ray Chowdhury et al. 2022, the
last two of Du and Cardie 2017.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    ScoredQuestion,
    ScoredSet,
    ScoredUnit,
    Scorer,
    failed_result,
    undefined,
)
from quaestor_metrics._metric import Derived, SetMetric
from quaestor_metrics._pair_matrices import Matrix, best_assignment, f_measure, precision, recall
from quaestor_metrics._scoring import QUESTION_UNITS, score_items
from quaestor_metrics._variants import AVERAGES

BATCH_PAIRS = 100_000  # scored together: memory holds the pairs of a few sets
DEDUPE = Parameter(
    "dedupe", "none", "drop repeated predictions of a set first", choices=("none", "exact")
)


class PairScores:
    """The pair scores of a base metric. The last batch is remembered, so P, R, F and Multi of a
    chunk score it once."""

    def __init__(self, base: Scorer) -> None:
        self.base = base
        self._last: tuple[object, list[Matrix | MetricResult]] | None = None

    def matrices(
        self, sets: Sequence[ScoredSet], params: Mapping[str, Any]
    ) -> list[Matrix | MetricResult]:
        """Return each set's matrix of pair scores, or why it has none."""
        key = (list(sets), dict(params))
        if self._last is None or self._last[0] != key:
            self._last = (key, self._scored(sets, params))
        return self._last[1]

    def _scored(
        self, sets: Sequence[ScoredSet], params: Mapping[str, Any]
    ) -> list[Matrix | MetricResult]:
        matrices: list[Matrix | MetricResult] = []
        for some in _groups(sets):
            distinct = dict.fromkeys(
                (p, r) for one in some for p in one.hypotheses for r in one.references
            )
            scores = score_items(
                self.base, [ScoredQuestion(p, (r,)) for p, r in distinct], params=params
            )
            by_pair = dict(zip(distinct, scores, strict=True))
            matrices += [_matrix(one, by_pair) for one in some]
        return matrices


class Composed(Derived, SetMetric):
    """A set metric that is a function of the matrix of pair scores.

    `p`: mean over hypotheses of the best reference. `r`: mean over references of the best
    hypothesis. `f`: their harmonic mean (Schlichtkrull and Cheng 2020). `multi`: 2 S / (m + n),
    where S is the total of the best one-to-one assignment of m hypotheses to n references (Ray
    Chowdhury et al. 2022). Several metrics may share `pairs`.

    Examples
    --------
    >>> from quaestor_metrics import BLEU
    >>> multi = Composed(BLEU(order=1), "multi")
    >>> round(multi.set_score(["a b", "c d"], ["a b", "x y", "c d"]).value, 3)
    0.8
    """

    def __init__(
        self, base: Scorer, measure: str, *, pairs: PairScores | None = None, **settings: Any
    ) -> None:
        self.base, self.measure = base, measure
        self.pairs = pairs or PairScores(base)
        super().__init__(**settings)

    def described(self) -> MetricSpec:
        return _spec(self.base, self.measure, MEASURES[self.measure][0])

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        sets = [drop_repeats(one, params["dedupe"]) for one in batch]
        matrices = self.pairs.matrices(sets, _base_params(self.base, params))
        measure = MEASURES[self.measure][1]
        return [measure(one) if isinstance(one, np.ndarray) else one for one in matrices]


class Average(Derived, SetMetric):
    """The mean over hypotheses of the score against all references at once.

    `avg`: Ray Chowdhury et al. 2022, table 3. `conservative` and `liberal` compare the questions on
    one source as Du and Cardie (2017) compare those on one sentence. A set with hypotheses or
    references alone scores 0; with `liberal` it has no value.
    """

    def __init__(self, base: Scorer, scheme: str = "avg", **settings: Any) -> None:
        self.base, self.scheme = base, scheme
        super().__init__(**settings)

    def described(self) -> MetricSpec:
        return _spec(self.base, self.scheme, AVERAGES[self.scheme])

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        sets = [drop_repeats(one, params["dedupe"]) for one in batch]
        return [mean for some in _groups(sets) for mean in self._means(some, params)]

    def _means(
        self, sets: Sequence[ScoredSet], params: Mapping[str, Any]
    ) -> Iterator[MetricResult]:
        questions = [
            ScoredQuestion(hypothesis, one.references)
            for one in sets
            for hypothesis in one.hypotheses
        ]
        scores = iter(score_items(self.base, questions, params=_base_params(self.base, params)))
        for one in sets:
            results = [next(scores) for _ in one.hypotheses]
            if self.scheme == "liberal" and bool(one.hypotheses) != bool(one.references):
                yield undefined("the source has predictions or references alone")
            else:
                yield _mean(one, results)


def can_compose(spec: MetricSpec) -> bool:
    """Return whether set metrics can be derived from a metric: it scores a question by references
    alone, higher is better and bounded below, and no parameter has a name that set metrics add."""
    names = {parameter.name for parameter in spec.parameters}
    alone = spec.unit in QUESTION_UNITS and not spec.needs & {Need.CONTEXT, Need.ANSWER}
    bounded = spec.range[0] > -inf  # log-likelihoods have no 0 for what is missing
    return alone and bounded and spec.higher_is_better and DEDUPE.name not in names


def multi(scores: Matrix) -> MetricResult:
    """Return the Multi-metric with its assignment, as a drawing of it needs it."""
    assignment = best_assignment(scores)
    pairs = [(i, j, float(scores[i, j])) for i, j in assignment.pairs]
    detail = {
        "assignment": pairs,
        "total": assignment.total,
        "precision": assignment.precision,
        "recall": assignment.recall,
        "scores": scores.tolist(),
    }
    return MetricResult(assignment.f, detail=detail)


MEASURES: Mapping[str, tuple[str, Callable[[Matrix], MetricResult]]] = {
    "p": ("P", lambda scores: MetricResult(precision(scores))),
    "r": ("R", lambda scores: MetricResult(recall(scores))),
    "f": ("F", lambda scores: MetricResult(f_measure(scores))),
    "multi": ("Multi", multi),
}


def drop_repeats(one: ScoredSet, how: str) -> ScoredSet:
    """Return the set without its repeated predictions where asked."""
    return replace(one, hypotheses=tuple(dict.fromkeys(one.hypotheses))) if how == "exact" else one


def _spec(base: Scorer, prefix: str, title: str) -> MetricSpec:
    inner = base.spec
    return replace(
        inner,
        id=f"{prefix}_{inner.id}",
        name=f"{title}-{inner.name}",
        unit=ScoredUnit.SET,
        parameters=(DEDUPE, *inner.parameters),
    )


def _base_params(base: Scorer, params: Mapping[str, Any]) -> dict[str, Any]:
    return {parameter.name: params[parameter.name] for parameter in base.spec.parameters}


def _matrix(
    one: ScoredSet, by_pair: Mapping[tuple[str, str], MetricResult]
) -> Matrix | MetricResult:
    if not one.hypotheses and not one.references:
        return _neither()
    results = [by_pair[p, r] for p in one.hypotheses for r in one.references]
    for result in results:
        if result.value is None:
            return failed_result(f"a pair has no score: {result.reason}")
        if result.value < 0:
            return failed_result(f"a pair score is negative: {result.value}")
    return np.array([result.value for result in results]).reshape(
        len(one.hypotheses), len(one.references)
    )


def _mean(one: ScoredSet, results: Sequence[MetricResult]) -> MetricResult:
    if not one.references and not results:
        return _neither()
    if not one.references or not results:
        return MetricResult(0.0)
    for result in results:
        if result.value is None:
            return failed_result(f"a question has no score: {result.reason}")
    return MetricResult(sum(result.value or 0.0 for result in results) / len(results))


def _groups(sets: Sequence[ScoredSet]) -> Iterator[list[ScoredSet]]:
    """Yield the sets some at a time, so that memory holds the pairs of a few."""
    some: list[ScoredSet] = []
    pairs = 0
    for one in sets:
        some.append(one)
        pairs += len(one.hypotheses) * len(one.references)
        if pairs >= BATCH_PAIRS:
            yield some
            some, pairs = [], 0
    yield some


def _neither() -> MetricResult:
    return undefined("the set has neither predictions nor references")
