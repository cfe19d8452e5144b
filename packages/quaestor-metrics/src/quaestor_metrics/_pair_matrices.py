"""Scores of a whole question set from a matrix of pair scores.

M is (m predictions, n references); entry i, j is s(p_i, r_j) >= 0, the prediction being the
hypothesis. With m = 0 or n = 0, but not both, every measure is 0; with both it is undefined, which
the caller must handle.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OneToOne:
    """The best one-to-one assignment: pairs (i, j), their total score S, and S/m, S/n and their
    harmonic mean."""

    pairs: tuple[tuple[int, int], ...]
    total: float
    precision: float
    recall: float
    f: float


def precision(scores: Matrix) -> float:
    """Return u (Schlichtkrull and Cheng 2020, equation 1): the mean over predictions of their best
    reference."""
    return float(scores.max(axis=1).mean()) if scores.size else 0.0


def recall(scores: Matrix) -> float:
    """Return v (equation 2): the mean over references of their best prediction; not u with the
    arguments swapped."""
    return float(scores.max(axis=0).mean()) if scores.size else 0.0


def f_measure(scores: Matrix) -> float:
    """Return F (equation 3): the harmonic mean of u and v, 0 where both are 0.

    Examples
    --------
    Their appendix A with METEOR: one prediction, two references; published .3516 (F) beside .3773 (best reference).

    >>> round(f_measure(np.array([[0.37736, 0.280982]])), 4)
    0.3516
    """
    u, v = precision(scores), recall(scores)
    return 2 * u * v / (u + v) if u + v else 0.0


def best_assignment(scores: Matrix) -> OneToOne:
    """Return the one-to-one assignment with the highest total (Ray Chowdhury et al. 2022, section
    3.1).

    Notes
    -----
    F = 2 (S/m)(S/n) / (S/m + S/n) = 2 S / (m + n). If assignments tie, S and F are the same for each; any one of them
    is returned.
    """
    from scipy.optimize import linear_sum_assignment

    if not scores.size:
        return OneToOne((), 0.0, 0.0, 0.0, 0.0)
    m, n = scores.shape
    rows, columns = linear_sum_assignment(scores, maximize=True)
    total = float(scores[rows, columns].sum())
    pairs = tuple(zip(rows.tolist(), columns.tolist(), strict=True))
    return OneToOne(pairs, total, total / m, total / n, 2 * total / (m + n))
