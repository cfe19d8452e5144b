"""Soft pairwise accuracy: does a metric distinguish systems as confidently as human ratings do?
(Thompson et al. 2024)

Pairwise accuracy considers only which of two systems is ahead, so it counts a lead that could be
chance like one that could not. Here each pair of systems has a p by human ratings and a p by the
metric, and accuracy is how near they are.
"""

import numpy as np

from quaestor_stats._design import Facets
from quaestor_stats._inputs import FloatArray, IntArray, sum_by_group
from quaestor_stats._permutation import Swaps
from quaestor_stats._source_correlations import system_means_by_source
from quaestor_stats._system_level import Orders, OrderTest, counted_orders

# Drawn, and as many mirror images: the standard error of a soft accuracy is then at most .001
PERMUTATIONS = 250_000


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
    permutations: int = PERMUTATIONS,
) -> FloatArray:
    """Return the one-sided p that system i is ahead of system j, by every column, (S, S, columns).

    Parameters
    ----------
    columns : (n, columns), complete and oriented; all are tested with the same permutations
    permutations : number of permutations that are drawn unless there are fewer; each counts
        together with its mirror image, which swaps all other sources

    Notes
    -----
    On each source that both systems answered, their mean scores are swapped or not, for all sources
    of a cluster together; p is the share of permutations in which system i leads by at least as
    much as in the data. Sources that one of the two lacks are skipped for this pair. With B
    permutations and their mirror images a p has a standard error of at most 1 / (4 sqrt(B)). The
    difference of two p, and so a soft accuracy, has one of at most 1 / (2 sqrt(B)): .001 with
    250,000.

    A tie of two sums counts as "at least as much", and sums that differ by less than a billionth of
    what was added tie. The program of the paper's authors (mt-metrics-eval) adds in single
    precision, where rounding decides which ties count. Ratings tie often: on 50 sources its
    accuracies differ from these by up to .008, and change with the order of the sources and the
    processor.
    """
    first, second, lead = _leads(columns, facets)
    parts = sum_by_group(lead, facets.cluster_of_source, facets.n_clusters)
    given, slack = parts.sum(axis=0), 1e-9 * np.abs(lead).sum(axis=0)
    flat = parts.reshape(facets.n_clusters, -1)

    def reached(signs: FloatArray) -> IntArray:
        """Return (B, 2, pairs, columns): in how many of a swap and its mirror image the first
        system leads by as much as in the data, and the second."""
        swapped = (signs @ flat).reshape(len(signs), *given.shape)
        ahead = np.add(swapped >= given - slack, swapped <= slack - given, dtype=np.int8)
        behind = np.add(swapped <= given + slack, swapped >= -given - slack, dtype=np.int8)
        return np.stack([ahead, behind], axis=1)

    swaps = Swaps.of(facets.n_clusters, permutations)
    p = np.full((facets.n_systems, facets.n_systems, columns.shape[1]), np.nan)
    p[first, second], p[second, first] = swaps.share(reached, rng, size=4 * flat.shape[1]) / 2
    return p


def _leads(columns: FloatArray, facets: Facets) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of systems with a source in common, and by how much the first leads on every
    source (G, pairs, columns), 0 where one of them has no question."""
    means = system_means_by_source(columns, facets)
    present = np.asarray(~np.isnan(means).any(axis=2))
    first, second = np.triu_indices(facets.n_systems, 1)
    both = present[:, first] & present[:, second]
    tested = both.any(axis=0)
    first, second, both = first[tested], second[tested], both[:, tested]
    return first, second, np.where(both[..., None], means[:, first] - means[:, second], 0)


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
