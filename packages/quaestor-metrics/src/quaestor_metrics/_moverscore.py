"""MoverScore (Zhao et al. 2019) as QG-Bench has it: how far the words of one text must travel to be
the other's."""

import string
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._contract import MetricSpec, Parameter, ScoredUnit
from quaestor_metrics._encoder import Encoded, EncodedPairs
from quaestor_metrics._models import libraries

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
    solution: Any = linprog(cost.ravel(), A_eq=sums, b_eq=masses, method="highs")
    return float(solution.fun)


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


class MoverScore(EncodedPairs):
    """MoverScore of one question, best of several references, as QG-Bench computes it.

    Parameters
    ----------
    model, revision, device, batch_size
        As for `BERTScore`.
    **settings
        `layer`: hidden layer whose vectors are compared; -1 (default) is the last.

    References
    ----------
    Zhao et al. 2019, MoverScore: Text generation evaluating with contextualized embeddings and
    earth mover distance. Ushio et al. 2022, Generative language models for paragraph-level
    question generation.
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="moverscore",
            name="MoverScore (unigrams, 1/(1 + d))",
            version="1",
            unit=ScoredUnit.PAIR,
            parameters=(
                self.model_parameter(),
                Parameter(
                    "layer",
                    -1,
                    "hidden layer whose vectors are compared; -1 is the last",
                    least=-200,
                    most=200,
                ),
            ),
            library=libraries(),
            tokenises=True,
        )

    def compared(
        self, hypothesis: Encoded, reference: Encoded, params: Mapping[str, Any]
    ) -> tuple[float, dict[str, Any]]:
        return mover_score(hypothesis, reference), {}
