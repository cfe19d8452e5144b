"""Tests of two correlations that share a variable: does one metric correlate more strongly with the
human scores than another?

Notation: 1 is the human score, 2 and 3 the metrics; r12, r13, r23 their correlations over the same
n items, oriented so that higher is better. Williams' test treats items as independent. If systems
share sources that is wrong: trust `quaestor_stats._metric_differences`, and use this only to compare
with papers.
"""

from collections.abc import Sequence
from math import isnan, nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import Method, coefficients
from quaestor_stats._inputs import FloatArray, complete
from quaestor_stats._result import Result, undefined_result

Number: TypeAlias = float | FloatArray
Alternative: TypeAlias = Literal["two-sided", "greater"]
REQUIRED_ITEMS = 4


class ImpossibleTriple(ValueError):
    """Three correlations that cannot come from one common set of items."""


def williams(
    r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided"
) -> Result:
    """Test whether two metrics correlate equally with human scores (Williams' test).

    Items count as independent. If systems share sources, use `compare_metrics` with the column of
    the source.

    Parameters
    ----------
    r12, r13 : float
        Correlation of the first and of the second metric with the human scores.
    r23 : float
        Correlation of the two metrics.
    n : int
        Number of items, four or more; all three correlations are over the same items.
    alternative : {"two-sided", "greater"}
        "greater" tests only whether r12 > r13; declare it before you see the data.

    Returns
    -------
    Result
        ``value`` is r12 - r13, ``statistic`` Student's t with n - 3 degrees of freedom. The test is
        undefined with fewer than four items, if a correlation is undefined, or if the two metrics
        order the items identically or in reverse.

    Raises
    ------
    ImpossibleTriple
        The correlations cannot come from one set of items: their matrix is not positive
        semi-definite. It is a ValueError.
    ValueError
        The alternative is unknown.

    References
    ----------
    Williams, E. J. (1959). The comparison of regression variables. Journal of the Royal Statistical
    Society B 21, 396-399.

    Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix. Psychological
    Bulletin 87, 245-251. (Equation 7.)

    Examples
    --------
    The correlations and the result are those of a test of the R package cocor.

    >>> result = williams(0.3, 0.4, 0.5, 100)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (-1.0767, 0.2843)
    """
    method = f"Williams' test, {alternative}"
    if alternative not in get_args(Alternative):
        raise ValueError(f"alternative: {alternative!r} is neither two-sided nor greater")
    if reason := _reason_against(r12, r13, r23, n):
        return undefined_result(method, reason, n=n)
    t = float(williams_t(r12, r13, r23, n))
    if np.isnan(t):
        way = "alike" if r23 > 0 else "the opposite way"
        return undefined_result(
            method, f"the two metrics order the items {way}: nothing to test", n=n
        )
    return Result(
        value=r12 - r13, n=n, method=method, statistic=t, pvalue=_p_of_t(t, n - 3, alternative)
    )


def williams_t(r12: Number, r13: Number, r23: Number, n: int) -> FloatArray:
    """Return t for arrays of correlations; nan where undefined."""
    k = determinant(r12, r13, r23)
    if np.any(k < -1e-12):
        raise ImpossibleTriple("the three correlations cannot come from one common set of items")
    level = (r12 + r13) / 2
    below = 2 * np.maximum(k, 0) * (n - 1) / (n - 3) + level**2 * (1 - r23) ** 3
    below = np.where(below > 1e-13, below, nan)
    return np.asarray((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below))


def determinant(r12: Number, r13: Number, r23: Number) -> FloatArray:
    """Return |R|, the determinant of the 3 x 3 correlation matrix."""
    return np.asarray(1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)


def williams_matrix(
    human: ArrayLike, metrics: ArrayLike, *, method: Method = "pearson"
) -> tuple[FloatArray, FloatArray]:
    """Return t and two-sided p (n_metrics, n_metrics) of every pair of metrics, over the items
    complete in all.

    Parameters
    ----------
    human : (n_items,)
    metrics : (n_items, n_metrics), oriented
    method : correlation to compare; for ranks the test is only approximate
    """
    from scipy import special

    columns = np.asarray(metrics)
    items = complete([human, *columns.T])
    if items.n < REQUIRED_ITEMS:
        raise ValueError(f"Williams' test needs four items, {items.n} are complete")
    r = coefficients(items.columns, method=method)
    t = williams_t(r[0, 1:, None], r[0, None, 1:], r[1:, 1:], items.n)
    np.fill_diagonal(t, nan)
    return t, 2 * special.stdtr(items.n - 3, -np.abs(t))


def williams_of_columns(
    columns: Sequence[ArrayLike], *, method: Method = "spearman"
) -> tuple[Result, float]:
    """Return Williams' test of two metrics on the questions that all columns have, and its
    one-sided p.

    Parameters
    ----------
    columns : human scores, the metric with the higher correlation, and the other, each
        (n_questions,), oriented so that higher is better
    """
    items = complete(columns)
    name = "Williams' test, two-sided"
    if items.n < REQUIRED_ITEMS:
        reason = f"{items.n} questions have all scores: too few"
        return undefined_result(name, reason, n=items.n), nan
    r = coefficients(items.columns, method=method)
    triple = float(r[0, 1]), float(r[0, 2]), float(r[1, 2])
    if any(isnan(value) for value in triple):
        return undefined_result(name, "a score is the same for every question", n=items.n), nan
    two_sided = williams(*triple, items.n)
    return two_sided, williams(*triple, items.n, alternative="greater").pvalue


def _reason_against(r12: float, r13: float, r23: float, n: int) -> str:
    """Return why the three correlations cannot be compared, or an empty string."""
    if n < REQUIRED_ITEMS:
        return f"{n} items: the test needs {REQUIRED_ITEMS}"
    return "a correlation is undefined" if np.isnan([r12, r13, r23]).any() else ""


def _p_of_t(t: float, df: int, alternative: Alternative) -> float:
    from scipy import special

    if alternative == "greater":
        return float(special.stdtr(df, -t))
    return float(2 * special.stdtr(df, -abs(t)))
