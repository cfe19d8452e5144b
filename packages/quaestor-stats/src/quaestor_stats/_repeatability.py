"""Repeatability of one study by another: scores of systems, their order, and confirmed findings."""

from math import gamma, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import FloatArray, numeric
from quaestor_stats._resampling import Bootstrap, redrawn
from quaestor_stats._result import ConfidenceInterval, Result, undefined_result

TIE = 9  # decimals of means: equal sums of other parts stay ties
REQUIRED_SYSTEMS = 3  # systems, before their order is compared


def cv_star(scores: ArrayLike, *, lowest: float) -> Result:
    """Return the coefficient of variation for small samples, CV*, in per cent.

    CV* = 100 (1 + 1 / (4 n)) s* / \\|m\\|: scores are shifted so that the scale begins at 0
    (``lowest`` is taken off, whichever end is best), m is their mean, s* their standard deviation
    with n - 1 divided by c4(n) = sqrt(2 / (n - 1)) gamma(n / 2) / gamma((n - 1) / 2), which makes it
    unbiased for normal scores. For two studies s* = \\|a - b\\| sqrt(pi) / 2.

    Parameters
    ----------
    scores : (n_studies,) one score of one system from each study
    lowest : the scale's lowest point

    Examples
    --------
    >>> round(cv_star([2.0, 2.4], lowest=1).value, 2)
    33.23
    """
    shifted = numeric(scores, name="scores", ndim=1) - lowest
    n, name = len(shifted), "CV*"
    if n < 2 or np.isnan(shifted).any():
        return undefined_result(name, "a study has no score of this system", n=n)
    mean = float(shifted.mean())
    if mean <= 0:
        return undefined_result(name, "every score is the scale's lowest point", n=n)
    c4 = sqrt(2 / (n - 1)) * gamma(n / 2) / gamma((n - 1) / 2)
    spread = float(shifted.std(ddof=1)) / c4
    return Result(value=100 * (1 + 1 / (4 * n)) * spread / mean, n=n, method=name)


def order_kept(
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> Result:
    """Return Spearman's correlation of the systems' means in two studies of the same sources.

    The range covers 95% of redrawn samples of sources, the same for both studies: it shows how much
    the number depends on these sources. The systems are fixed, so it has no confidence level.

    Parameters
    ----------
    first, second : sums and counts (n_systems, n_sources) of question means, in the same order
    """
    systems, sources = first[0].shape
    name = "Spearman over systems; 95% of redrawn sources"
    if systems < REQUIRED_SYSTEMS:
        return undefined_result(
            name, f"{systems} systems: too few to compare their order", n=systems
        )
    value = float(_spearman(first, second, np.ones((1, sources)))[0])
    if np.isnan(value):
        return undefined_result(name, "in one study all systems have the same mean", n=systems)
    drawn = redrawn(np.ones(sources), Bootstrap(rng, resamples))  # block by block
    found = np.concatenate([_spearman(first, second, times) for times in drawn])
    known = found[~np.isnan(found)]
    low, high = np.percentile(known, [2.5, 97.5]) if len(known) else (nan, nan)
    return Result(
        value=value,
        ci=ConfidenceInterval(float(low), float(high)),
        n=systems,
        clusters=sources,
        method=name,
    )


def _spearman(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray], times: FloatArray
) -> FloatArray:
    """Return the coefficient for each row of how often a source was drawn; nan where a system has
    no question, or all tie."""
    from scipy import stats

    ranks = []
    for sums, counts in (first, second):
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.round((times @ sums.T) / (times @ counts.T), TIE)
        ranked = stats.rankdata(np.nan_to_num(means), axis=1)
        ranks.append(np.where(np.isnan(means).any(axis=1, keepdims=True), nan, ranked))
    one, two = (rank - rank.mean(axis=1, keepdims=True) for rank in ranks)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((one * two).sum(1) / np.sqrt((one**2).sum(1) * (two**2).sum(1)))
