"""Pearson, Spearman and Kendall between scores: one pair, or all pairs over one common set of
items."""

from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, permutations
from math import factorial, nan, sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import FloatArray, IntArray, complete, constant, ranked, standardised
from quaestor_stats._result import ConfidenceInterval, Result, undefined_result

Method: TypeAlias = Literal["pearson", "spearman", "kendall"]
METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")
NAMES = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
REQUIRED_ITEMS = 3
ENUMERATED = 9  # up to here p comes from all n! orders


def correlate_columns(
    first: ArrayLike, second: ArrayLike, *, method: Method = "spearman"
) -> Result:
    """Correlation of two columns with its 95% interval and two-sided p.

    Parameters
    ----------
    first, second : (n_items,), NaN where missing; oriented so that higher is better
    method : "pearson", "spearman" (Pearson of mid-ranks) or "kendall" (tau-b)

    Returns
    -------
    Result
        ``value`` the coefficient, ``n`` the items where both are present, ``p`` two-sided: exact over all orders up to
        9 items, beyond that by t (Pearson, Spearman) or as scipy gives it (Kendall). The interval is Fisher's z with
        the standard errors of Bonett and Wright (2000) for Spearman and of Fieller, Hartley and Pearson (1957) for
        Kendall. All treat items as independent; where systems share sources see
        `against_people`.

    Notes
    -----
    Undefined with fewer than three items (two always give 1 or -1) and where a column does not vary.

    Examples
    --------
    >>> round(correlate_columns([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).value, 7)
    0.8207827
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    items, name = complete([first, second]), NAMES[method]
    x, y = items.columns.T
    reason = ""
    if items.n < REQUIRED_ITEMS:
        reason = f"{items.n} items have both scores: too few"
    elif constant(x) or constant(y):
        which = "first" if constant(x) else "second"
        reason = f"the {which} score is the same for every item"
    if reason:
        return undefined_result(name, reason, n=items.n, dropped=items.dropped)
    value = float(coefficients(items.columns, method=method)[0, 1])
    low, high = fisher_interval(value, items.n, method=method)
    return Result(
        value=value,
        ci=ConfidenceInterval(low, high),
        pvalue=independent_p(x, y, value, method),
        n=items.n,
        dropped=items.dropped,
        method=f"{name}; Fisher z, 95%",
        reason="" if low == low else "too few items or a perfect correlation: no interval",
    )


def coefficients(columns: FloatArray, *, method: Method) -> FloatArray:
    """Return the matrix of correlations between complete columns (n_items, k); nan for those that
    do not vary."""
    if method == "kendall":
        return _tau_matrix(columns)
    flat = np.ptp(columns, axis=0) <= 1e-13 * np.abs(columns).max(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = standardised(ranked(columns) if method == "spearman" else columns)
    matrix = np.clip(unit.T @ unit, -1, 1)
    matrix[flat] = matrix[:, flat] = nan
    return matrix


def pairwise(columns: FloatArray, *, method: Method) -> tuple[FloatArray, IntArray]:
    """Return the correlations of every pair of columns (n_items, k), and how many items each pair
    shares.

    A pair is correlated over the items where both are present, so pairs may rest on different
    items. A coefficient is nan below three items and where a column does not vary over them.

    Examples
    --------
    >>> r, n = pairwise(np.array([[1.0, 4, 1], [2, 3, 2], [3, 2, nan], [4, 1, 3]]), method="spearman")
    >>> n[0].tolist(), r[0].round(6).tolist()
    ([4, 4, 3], [1.0, -1.0, 1.0])
    """
    present = ~np.isnan(columns)
    patterns, pattern = np.unique(present, axis=1, return_inverse=True)
    shared = np.asarray(present.T.astype(np.intp) @ present.astype(np.intp), dtype=np.intp)
    values = np.full(shared.shape, nan)
    for i, j in combinations_with_replacement(range(patterns.shape[1]), 2):
        items = np.flatnonzero(patterns[:, i] & patterns[:, j])
        if items.size >= REQUIRED_ITEMS:
            first, second = np.flatnonzero(pattern == i), np.flatnonzero(pattern == j)
            block = _between(columns[items], first, second, method)
            values[np.ix_(first, second)] = block
            values[np.ix_(second, first)] = block.T
    return values, shared


def _between(columns: FloatArray, first: IntArray, second: IntArray, method: Method) -> FloatArray:
    """Return the correlations of the first with the second columns, (n_first, n_second)."""
    union = np.union1d(first, second)
    matrix = coefficients(np.ascontiguousarray(columns[:, union]), method=method)
    return matrix[np.ix_(np.searchsorted(union, first), np.searchsorted(union, second))]


def _tau_matrix(columns: FloatArray) -> FloatArray:
    from scipy import stats

    size = columns.shape[1]
    matrix = np.full((size, size), nan)
    for i in range(size):
        for j in range(i, size):
            if not (constant(columns[:, i]) or constant(columns[:, j])):
                matrix[i, j] = matrix[j, i] = stats.kendalltau(
                    columns[:, i], columns[:, j]
                ).statistic
    return matrix


def fisher_interval(r: float, n: int, *, method: Method) -> tuple[float, float]:
    """Return the large-sample 95% interval of a correlation; nan below five items and for perfect
    correlations."""
    from scipy import special

    if n < 5 or abs(r) >= 1 - 1e-12:
        return nan, nan
    variance = {
        "pearson": 1 / (n - 3),
        "spearman": (1 + r**2 / 2) / (n - 3),
        "kendall": 0.437 / (n - 4),
    }[method]
    reach = float(special.ndtri(0.975)) * sqrt(variance)
    return float(np.tanh(np.arctanh(r) - reach)), float(np.tanh(np.arctanh(r) + reach))


def independent_p(x: FloatArray, y: FloatArray, value: float, method: Method) -> float:
    """Return the two-sided p of a coefficient of complete columns, taking items as independent."""
    from scipy import special, stats

    if len(x) <= ENUMERATED:
        return exact_p(x, y, method=method)
    if method == "kendall":
        return float(stats.kendalltau(x, y).pvalue)
    df = len(x) - 2
    t = abs(value) * sqrt(df / max(1 - value**2, 1e-300))
    return float(2 * special.stdtr(df, -t))


def exact_p(x: FloatArray, y: FloatArray, *, method: Method) -> float:
    """Return the share of all orders of ``y`` whose correlation with ``x`` is at least as far from
    0 as the given."""
    orders = all_orders(len(x))
    if method == "kendall":
        signs = np.sign(y[:, None] - y[None, :])
        score = np.zeros(len(orders))
        for i, j in combinations(range(len(x)), 2):
            score += np.sign(x[i] - x[j]) * signs[orders[:, i], orders[:, j]]
    else:
        a, b = (ranked(x), ranked(y)) if method == "spearman" else (x, y)
        score = (b - b.mean())[orders] @ (a - a.mean())
    seen = abs(score[0])  # the first order is the given one
    return float((np.abs(score) >= seen * (1 - 1e-9)).mean())


@lru_cache(maxsize=2)
def all_orders(n: int) -> IntArray:
    """Return all orders of n things (n!, n), the given one first."""
    flat = np.fromiter(
        chain.from_iterable(permutations(range(n))), dtype=np.intp, count=n * factorial(n)
    )
    return flat.reshape(-1, n)
