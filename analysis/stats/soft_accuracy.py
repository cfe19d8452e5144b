"""Soft pairwise accuracy: does a metric tell systems apart as surely as people do? (Thompson et al.
2024)

Pairwise accuracy asks only which of two systems is ahead, so it counts a lead that could be chance
like one that could not. Here each pair of systems has a p by people and a p by the metric, and
accuracy is how near they are.
"""

from itertools import combinations

import numpy as np

from analysis.stats.arrays import FloatArray
from analysis.stats.facets import Facets
from analysis.stats.system_level import Orders, OrderTest, counted_orders
from analysis.stats.within_source import tables


def soft_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return (K, M) soft accuracies from the p of all pairs of systems, see `pair_tests`.

    SPA is the mean over pairs i < j of 1 - |p_human - p_metric|.
    """
    first, second = np.triu_indices(human.shape[0], 1)
    apart = np.abs(human[first, second][:, :, None] - metric[first, second][:, None, :])
    return np.asarray(1 - apart.mean(axis=0))


def pair_tests(
    columns: FloatArray,
    facets: Facets,
    *,
    rng: np.random.Generator,
    permutations: int = 1000,
) -> FloatArray:
    """Return the one-sided p that system i is ahead of system j, by every column, (S, S, columns).

    Parameters
    ----------
    columns : (n, columns), complete and oriented; all are tested with the same permutations

    Notes
    -----
    On each source both systems answered, their mean scores there change places or not; p is the
    share of permutations in which system i leads by at least as much as it does. Sources that one
    of them lacks are left out for this pair.

    A tie of two sums counts as "at least as much", and sums that differ by less than a billionth of
    what was added tie. The program of the paper's authors (mt-metrics-eval) adds in single
    precision, where rounding decides which ties count. Ratings tie often: on 50 sources its
    accuracies differ from these by up to .008, and change with the order of the sources and the
    processor.
    """
    means = tables(columns, facets)
    held = np.asarray(~np.isnan(means).any(axis=2))
    n = facets.n_systems
    signs = rng.choice([-1.0, 1.0], size=(permutations, facets.n_sources))
    p = np.full((n, n, columns.shape[1]), np.nan)
    for i, j in combinations(range(n), 2):
        both = held[:, i] & held[:, j]
        if both.any():
            p[i, j], p[j, i] = _ahead(means[both, i] - means[both, j], signs[:, both])
    return p


def _ahead(lead: FloatArray, signs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return p that the first system is ahead and p that the second is."""
    drawn, given, slack = signs @ lead, lead.sum(axis=0), 1e-9 * np.abs(lead).sum(axis=0)
    return (drawn >= given - slack).mean(axis=0), (drawn <= given + slack).mean(axis=0)


def soft_order_test(human: FloatArray, metric: FloatArray, orders: Orders) -> OrderTest:
    """Return soft accuracies with their test by orders of the systems.

    Parameters
    ----------
    human : (S, S, K), metric : (S, S, M), from `pair_tests`
    """
    first, second = np.triu_indices(human.shape[0], 1)
    target = metric[first, second]
    parts = []
    for rows in orders.in_blocks(first.size * human.shape[2] * metric.shape[2]):
        reordered = human[rows[:, first], rows[:, second]]  # (b, pairs, K)
        parts.append(1 - np.abs(reordered[..., None] - target[None, :, None, :]).mean(axis=1))
    return counted_orders(np.concatenate(parts))
