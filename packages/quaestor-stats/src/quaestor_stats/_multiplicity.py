"""Many tests at once: Holm for the chance of any false finding, Benjamini-Hochberg and -Yekutieli
for their share."""

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._arrays import FloatArray, IntArray, numeric


def holm(p_values: ArrayLike) -> FloatArray:
    """Return Holm's (1979) step-down adjusted p; undefined tests (nan) are no part of the family.

    >>> holm([0.01, 0.02, 0.03, 0.04, 0.05]).round(2).tolist()
    [0.05, 0.08, 0.09, 0.09, 0.09]
    """
    p, order, size = _family(p_values)
    stepped = np.maximum.accumulate(p[order] * (size - np.arange(size)))
    return _back(p, order, np.minimum(stepped, 1))


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Return Benjamini and Hochberg's (1995) step-up adjusted p; undefined tests (nan) are no part
    of the family.

    >>> benjamini_hochberg([0.01, 0.02, 0.03, 0.04, 0.05]).round(2).tolist()
    [0.05, 0.05, 0.05, 0.05, 0.05]
    """
    p, order, size = _family(p_values)
    raised = p[order] * size / np.arange(1, size + 1)
    return _back(p, order, np.minimum.accumulate(raised[::-1])[::-1])


def benjamini_yekutieli(p_values: ArrayLike) -> FloatArray:
    """Return Benjamini and Yekutieli's (2001) adjusted p, which hold however the tests depend on
    each other.

    >>> benjamini_yekutieli([0.01, 0.02, 0.03, 0.04]).round(4).tolist()
    [0.0833, 0.0833, 0.0833, 0.0833]
    """
    p, order, size = _family(p_values)
    ranks = np.arange(1, size + 1)
    raised = p[order] * size * (1 / ranks).sum() / ranks
    return _back(p, order, np.minimum.accumulate(raised[::-1])[::-1])


def _family(p_values: ArrayLike) -> tuple[FloatArray, IntArray, int]:
    p = numeric(p_values, name="p_values", ndim=1) if np.size(p_values) else np.zeros(0)
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p_values: a p lies between 0 and 1")
    size = int((~np.isnan(p)).sum())
    return p, np.argsort(p, kind="stable")[:size], size


def _back(p: FloatArray, order: IntArray, adjusted: FloatArray) -> FloatArray:
    result = np.full(p.size, np.nan)
    result[order] = np.minimum(adjusted, 1)
    return result
