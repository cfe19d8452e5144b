"""Many tests at once: Holm for the chance of any false finding, Benjamini-Hochberg and -Yekutieli
for their share."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import FloatArray, numeric


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust p values after Holm, which bounds the chance of any false finding.

    Parameters
    ----------
    p_values : array-like (n_tests,)
        Between 0 and 1. An undefined test is nan and does not belong to the family.

    Returns
    -------
    ndarray (n_tests,)
        Adjusted p values; nan stays nan.

    Raises
    ------
    ValueError
        A p value is below 0 or above 1, or is no number.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70.

    Examples
    --------
    >>> holm([0.01, 0.02, 0.03, 0.04, 0.05]).round(2).tolist()
    [0.05, 0.08, 0.09, 0.09, 0.09]
    """

    def adjust(p: FloatArray) -> FloatArray:
        order = np.argsort(p, kind="stable")
        stepped = np.maximum.accumulate(p[order] * (p.size - np.arange(p.size)))
        adjusted = np.empty(p.size)
        adjusted[order] = np.minimum(stepped, 1)
        return adjusted

    return _adjusted(p_values, adjust)


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Adjust p values after Benjamini and Hochberg.

    The adjusted values bound the expected share of false findings among all findings, if the tests
    are independent or positively dependent.

    Parameters
    ----------
    p_values : array-like (n_tests,)
        Between 0 and 1. An undefined test is nan and does not belong to the family.

    Returns
    -------
    ndarray (n_tests,)
        Adjusted p values; nan stays nan.

    Raises
    ------
    ValueError
        A p value is below 0 or above 1, or is no number.

    References
    ----------
    Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a practical and
    powerful approach to multiple testing. Journal of the Royal Statistical Society B 57, 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.03, 0.04, 0.05]).round(2).tolist()
    [0.05, 0.05, 0.05, 0.05, 0.05]
    """
    from scipy import stats

    return _adjusted(p_values, stats.false_discovery_control)


def benjamini_yekutieli(p_values: ArrayLike) -> FloatArray:
    """Return Benjamini and Yekutieli's (2001) adjusted p, which hold however the tests depend on
    each other.

    >>> benjamini_yekutieli([0.01, 0.02, 0.03, 0.04]).round(4).tolist()
    [0.0833, 0.0833, 0.0833, 0.0833]
    """
    from scipy import stats

    return _adjusted(p_values, lambda p: stats.false_discovery_control(p, method="by"))


def _adjusted(p_values: ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the adjusted p of the defined tests, nan elsewhere."""
    p = numeric(p_values, name="p_values", ndim=1) if np.size(p_values) else np.zeros(0)
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p_values: a p lies between 0 and 1")
    adjusted, defined = p.copy(), ~np.isnan(p)
    if defined.any():
        adjusted[defined] = adjust(p[defined])
    return adjusted
