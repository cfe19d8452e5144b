"""MoverScore (Zhao et al. 2019) as QG-Bench has it: how far the words of one text must travel to be
the other's."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._bertscore import PAIRS_AT_ONCE, unknown_to_model
from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._encoder import LAYER, MODEL_VARIABLE, Encoded, encoder
from quaestor_metrics._local_model import folder_of, identity, reason_against
from quaestor_metrics._progress import told

PUNCTUATION = frozenset(string.punctuation)

Float64Array = NDArray[np.float64]


def transport_cost(cost: Float64Array) -> float:
    """Return the least cost of moving one unit of mass, spread evenly over rows, to columns that
    share it evenly.

    Examples
    --------
    >>> transport_cost(np.array([[0.0, 1.0], [1.0, 0.0]]))
    0.0
    """
    from scipy.optimize import linear_sum_assignment, linprog
    from scipy.sparse import coo_array

    m, n = cost.shape
    if m == n:
        rows, columns = linear_sum_assignment(cost)
        return float(cost[rows, columns].mean())
    cells = np.arange(m * n)
    place = np.concatenate([cells // n, m + cells % n])
    sums: Any = coo_array((np.ones(2 * m * n), (place, np.concatenate([cells, cells])))).tocsr()
    masses = np.concatenate([np.full(m, 1 / m), np.full(n, 1 / n)])
    found: Any = linprog(cost.ravel(), A_eq=sums, b_eq=masses, method="highs")
    return float(found.fun)


def mover_score(hypothesis: Encoded, reference: Encoded) -> float:
    """Return 1 / (1 + d), where d is the earth mover's distance of unit vectors with equal weights,
    Euclidean cost.

    Word pieces that continue a word and punctuation are dropped. If nothing remains of a text, the
    score is 0.
    """
    mine, theirs = _words(hypothesis), _words(reference)
    if not len(mine) or not len(theirs):
        return 0.0
    squared = 2 - 2 * (mine @ theirs.T)
    return 1 / (1 + transport_cost(np.sqrt(np.maximum(squared, 0.0))))


def _words(text: Encoded) -> Float64Array:
    keep = [not piece.startswith("##") and piece not in PUNCTUATION for piece in text.pieces]
    vectors = np.asarray(text.vectors[np.array(keep, dtype=bool)], dtype=np.float64)
    # the model's own normalisation is exact to seven digits, of which the root in the cost leaves
    # three
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


@dataclass(frozen=True, slots=True)
class MoverScore:
    """MoverScore of one question, best of several references, by the operator's local model."""

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="moverscore",
            name="MoverScore (unigrams, 1/(1 + d))",
            version="1",
            unit=ScoredUnit.PAIR,
            parameters=(LAYER,),
            library=identity(folder_of(MODEL_VARIABLE)),
            tokenises=True,
        )

    def available(self) -> tuple[bool, str]:
        reason = reason_against(folder_of(MODEL_VARIABLE), MODEL_VARIABLE)
        return not reason, reason

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        folder = folder_of(MODEL_VARIABLE)
        if folder is None:
            raise MetricUnavailable(f"no model: set {MODEL_VARIABLE}")
        results: list[MetricResult] = []
        for start in range(0, len(batch), PAIRS_AT_ONCE):
            chunk = batch[start : start + PAIRS_AT_ONCE]
            texts = [
                text for question in chunk for text in (question.hypothesis, question.references[0])
            ]
            found = encoder(folder).encoded(texts, params["layer"])
            results.extend(
                _result(found[question.hypothesis], found[question.references[0]])
                for question in told(chunk)
            )
        return results


def _result(hypothesis: Encoded, reference: Encoded) -> MetricResult:
    if nothing := unknown_to_model(hypothesis, reference):
        return nothing
    detail = {
        "truncated": hypothesis.truncated or reference.truncated,
        "unknown": hypothesis.unknown + reference.unknown,
    }
    return MetricResult(mover_score(hypothesis, reference), detail=detail)
