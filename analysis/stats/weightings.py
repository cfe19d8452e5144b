"""Sums of several criteria under random weights: how far a ranking depends on the weights."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import FloatArray, numeric


def randomly_weighted(values: ArrayLike, *, rng: np.random.Generator, draws: int) -> FloatArray:
    """Return the weighted sums of systems under random weights.

    Parameters
    ----------
    values : (n_systems, n_criteria) aggregates, none missing
    rng : source of the weights
    draws : number of sets of weights

    Returns
    -------
    FloatArray
        (n_draws, n_systems). Each set of weights is positive and sums to 1; every such set is
        equally probable, Dirichlet(1, ..., 1).

    Raises
    ------
    ValueError
        If a value is missing or no number.

    Examples
    --------
    A system that is better on every criterion is first under all weights.

    >>> sums = randomly_weighted([[2, 3], [1, 2]], rng=np.random.default_rng(1), draws=100)
    >>> bool((sums[:, 0] > sums[:, 1]).all())
    True
    """
    table = numeric(values, name="values", ndim=2)
    if np.isnan(table).any():
        raise ValueError("values: a system lacks the aggregate of a criterion")
    weights = rng.dirichlet(np.ones(table.shape[1]), size=draws)
    return np.asarray(weights @ table.T)
