"""Dawid and Skene's model: what the units are and how each rater errs, found together by
expectation maximisation."""

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    RatingScale,
    check_ratings,
    checked_scale,
    code_ratings,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Competence:
    """The fitted model; rows of a confusion table are true values, columns given ones."""

    scale: FloatArray  # (V,)
    chances: (
        FloatArray  # (n_units, V) of each value to be the true one; nan for units without ratings
    )
    prevalence: FloatArray  # (V,)
    confusion: FloatArray  # (n_raters, V, V)
    iterations: int
    converged: bool

    @property
    def accuracy(self) -> FloatArray:
        """Each rater's probability of giving the true value, over the distribution of the units."""
        return np.asarray(np.einsum("v,rvv->r", self.prevalence, self.confusion))


def dawid_skene(
    ratings: ArrayLike,
    *,
    scale: RatingScale,
    tolerance: float = 1e-6,
    most_iterations: int = 500,
    smoothing: float = 0.01,
) -> Competence:
    """Estimate the true category of every unit and how often each rater errs.

    Parameters
    ----------
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit.
    scale : sequence of float
        Every category, used or not.
    tolerance : float
        Iteration stops if no probability changes by as much.
    most_iterations : int
        Limit of the number of iterations, 1 or more.
    smoothing : float
        Ratings added to every cell of a rater's confusion table, so that an error that no rater
        made is not impossible.

    Returns
    -------
    Competence
        ``chances`` (n_units, n_categories), the probability of each category to be the true one,
        nan for a unit without ratings; ``prevalence`` (n_categories,); ``confusion`` (n_raters,
        n_categories, n_categories) with true categories as rows; ``accuracy`` (n_raters,), the
        probability that a rater gives the true category; ``iterations`` and ``converged``.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, there is none, a rating is not on the scale, or
        ``most_iterations`` is below 1.

    Notes
    -----
    Expectation maximisation starts from the share of each category among a unit's ratings; the
    order of categories plays no part. The model takes raters to err independently given the truth.
    Raters who were trained together do not, and the probabilities are then too near to 0 and 1. A
    rater with a low accuracy differs from the others, who may be wrong.

    References
    ----------
    Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates
    using the EM algorithm. Journal of the Royal Statistical Society C 28, 20-28.

    Examples
    --------
    >>> ratings = np.array([[1.0, 1, 2], [2, 2, 2], [1, 1, 1], [2, 2, 1], [1, 1, 2], [2, 2, 1]])
    >>> model = dawid_skene(ratings, scale=[1, 2])
    >>> model.chances.argmax(axis=1).tolist(), model.accuracy.round(1).tolist()
    ([0, 1, 0, 1, 0, 1], [1.0, 1.0, 0.3])
    """
    table, values = check_ratings(ratings), checked_scale(scale)
    votes, judged = _votes(table, values)
    if most_iterations < 1:
        raise ValueError("most_iterations: one or more")
    flat = votes.reshape(len(votes), -1)
    chances = votes.sum(axis=1) / votes.sum(axis=(1, 2))[:, None]
    moved, iterations = inf, 0
    while moved >= tolerance and iterations < most_iterations:
        prevalence, confusion = _maximised(chances, flat, values.size, smoothing)
        fresh = _expected(prevalence, confusion, flat)
        moved, iterations, chances = float(np.abs(fresh - chances).max()), iterations + 1, fresh
    return Competence(
        scale=values,
        chances=_spread_out(chances, judged),
        prevalence=prevalence,
        confusion=confusion,
        iterations=iterations,
        converged=moved < tolerance,
    )


def _votes(table: FloatArray, values: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the values that raters gave, 1 at each, and which units have ratings.

    The votes (n_judged, n_raters, V) leave out units without ratings.
    """
    given = code_ratings(table, values)[:, :, None] == np.arange(values.size)
    judged = np.asarray(given.any(axis=(1, 2)))
    if not judged.any():
        raise ValueError("ratings: no rater judged any unit")
    return given[judged].astype(np.float64), judged


def _spread_out(chances: FloatArray, judged: BoolArray) -> FloatArray:
    """Return the chances of all units, nan for units without ratings."""
    everywhere = np.full((judged.size, chances.shape[1]), nan)
    everywhere[judged] = chances
    return everywhere


def _maximised(
    chances: FloatArray, flat: FloatArray, size: int, smoothing: float
) -> tuple[FloatArray, FloatArray]:
    """Return the prevalence of values and every rater's confusion table that fit the chances
    best."""
    counts = (chances.T @ flat).reshape(size, -1, size).transpose(1, 0, 2) + smoothing
    return chances.mean(axis=0), counts / counts.sum(axis=2, keepdims=True)


def _expected(prevalence: FloatArray, confusion: FloatArray, flat: FloatArray) -> FloatArray:
    """Return each unit's chances of the true value, given its ratings."""
    raters, size, _ = confusion.shape
    weights = np.log(confusion).transpose(0, 2, 1).reshape(raters * size, size)
    logs = flat @ weights + np.log(np.maximum(prevalence, 1e-300))
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
