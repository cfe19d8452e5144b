"""Metrics against human ratings over systems: correlations and accuracies of the systems' means.

There are few systems, so tests permute them: under the null hypothesis of no association any order
of a metric's means is as likely as the observed one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal, Self, TypeAlias, get_args

import numpy as np

from quaestor_stats._correlation import all_orders
from quaestor_stats._design import Facets
from quaestor_stats._exact_sums import exact_means, exact_ranks
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray
from quaestor_stats._permutation import Swaps

REQUIRED_SYSTEMS = 3
ENUMERATED = 8  # systems; beyond it orders are drawn
DRAWN = 9_999
# Decimals of swapped means, of columns with deviation 1: equal sums of other parts stay ties
TIE = 9
_CELLS = 4_000_000
OverSystems: TypeAlias = Literal["pearson", "spearman", "kendall", "pairwise_accuracy"]
OVER_SYSTEMS: tuple[OverSystems, ...] = get_args(OverSystems)


@dataclass(frozen=True, slots=True)
class RankedMeans:
    """The means of systems, and their ranks, which tie exactly where the means are equal."""

    means: FloatArray  # (S, columns)
    ranks: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, facets: Facets) -> Self:
        """Return the means over each system's questions."""
        exact = [exact_means(column, facets.system, facets.n_systems) for column in columns.T]
        means = np.array([[float(mean) for mean in column] for column in exact])
        return cls(means.T, np.array([exact_ranks(column) for column in exact]).T)

    def features(self, coefficient: OverSystems) -> FloatArray:
        """Return the values whose products are the coefficient, see `features`."""
        return features(self.means if coefficient == "pearson" else self.ranks, coefficient)


def features(means: FloatArray, coefficient: OverSystems) -> FloatArray:
    """Return (..., features, columns) of means (..., S, columns), so that products of two columns
    are correlations.

    Pearson: deviations from the mean; Spearman: the same of ranks; Kendall: signs of the
    differences of all pairs; each of length 1, nan where all systems are alike. For pairwise
    accuracy signs and, weighted, what is no tie, see `accuracy`.
    """
    from scipy import stats

    if coefficient == "pearson":
        found = means - means.mean(axis=-2, keepdims=True)
        spread = np.abs(means).max(axis=-2, keepdims=True) * 1e-13
        found = np.where(np.ptp(means, axis=-2, keepdims=True) > spread, found, 0)
    elif coefficient == "spearman":
        found = 2 * stats.rankdata(means, axis=-2) - means.shape[-2] - 1  # whole: ties have halves
    else:
        first, second = np.triu_indices(means.shape[-2], 1)
        found = np.sign(means[..., first, :] - means[..., second, :])
        if coefficient == "pairwise_accuracy":
            return np.concatenate([found, np.sqrt(3) * np.abs(found)], axis=-2)
    length = np.sqrt((found**2).sum(axis=-2, keepdims=True))
    return np.asarray(found / np.where(length > 0, length, np.nan))


def coefficients_of(human: FloatArray, metric: FloatArray, coefficient: OverSystems) -> FloatArray:
    """Return (..., K, M) from features (..., F, K) and (..., F, M).

    Notes
    -----
    Of P pairs of systems, a is ordered by human ratings, b by the metric, c by both, and N is the
    concordant minus the discordant. Right are (N + c) / 2 concordant ones and P - a - b + c tied by both.
    """
    together = np.swapaxes(human, -1, -2) @ metric
    if coefficient != "pairwise_accuracy":
        return np.asarray(np.clip(together, -1, 1))
    pairs = human.shape[-2] // 2
    a, b = ((each[..., pairs:, :] > 0).sum(axis=-2) for each in (human, metric))
    return np.asarray((together / 2 + pairs - a[..., :, None] - b[..., None, :]) / pairs)


@dataclass(frozen=True, slots=True)
class Orders:
    """Orders of the systems: all there are, or some drawn by chance; the first is the given one."""

    rows: IntArray  # (P, S)
    complete: bool

    @classmethod
    def of(cls, systems: int, rng: np.random.Generator, *, drawn: int = DRAWN) -> Self:
        """Return all orders of up to `ENUMERATED` systems, else the given one and ``drawn``
        others.
        """
        if systems <= ENUMERATED:
            return cls(all_orders(systems), True)
        rows = np.argsort(rng.random((drawn, systems)), axis=1)
        return cls(np.vstack([np.arange(systems), rows]), False)

    @property
    def words(self) -> str:
        n, systems = self.rows.shape
        return (
            f"all {n:,} orders of {systems} systems" if self.complete else f"{n - 1:,} orders drawn"
        )

    def in_blocks(self, cells: int) -> Iterator[IntArray]:
        """Yield orders in blocks that need at most ``cells`` cells an order to be held at once."""
        step = max(1, _CELLS // max(1, cells))
        for start in range(0, len(self.rows), step):
            yield self.rows[start : start + step]


@dataclass(frozen=True, slots=True)
class OrderTest:
    """Coefficients over systems with the test by orders of the systems."""

    value: FloatArray  # (K, M)
    p: FloatArray
    smallest_p: FloatArray  # that any order of these means could reach


def order_test(
    human: RankedMeans, metrics: RankedMeans, coefficient: OverSystems, orders: Orders
) -> OrderTest:
    """Return coefficients and the share of orders that lie as far from their mean as the given one.

    For a correlation the mean over all orders is 0; for pairwise accuracy it is what a metric gets
    that orders and ties as many pairs by chance.
    """
    own = metrics.features(coefficient)
    columns = human.means if coefficient == "pearson" else human.ranks
    parts = []
    for rows in orders.in_blocks(len(columns) ** 2 * columns.shape[1]):
        reordered = features(columns[rows], coefficient)
        parts.append(coefficients_of(reordered, own, coefficient))
    return counted_orders(np.concatenate(parts))


def counted_orders(found: FloatArray) -> OrderTest:
    """Return value and p of a statistic (orders, ...) whose first order is the given one."""
    # rounding errors alone, which differ between processors, are 0
    given = np.where(np.abs(found[0]) < 1e-15, 0.0, found[0])
    away = np.abs(found - found.mean(axis=0))
    p = (away >= away[0] * (1 - 1e-9) - 1e-12).mean(axis=0)
    smallest = (away >= away.max(axis=0) * (1 - 1e-9) - 1e-12).mean(axis=0)
    undefined_ = np.isnan(given)
    return OrderTest(given, np.where(undefined_, np.nan, p), np.where(undefined_, np.nan, smallest))


@dataclass(frozen=True, slots=True)
class SwapTest:
    """Differences of coefficients over systems between pairs of metrics, with the test by swaps."""

    value: FloatArray  # (K, pairs)
    p: FloatArray
    smallest_p: float  # that these swaps could reach
    words: str


def swapped_systems(
    human: FloatArray,
    metrics: FloatArray,
    facets: Facets,
    pairs: Sequence[tuple[int, int]],
    *,
    coefficient: OverSystems,
    resamples: int,
    rng: np.random.Generator,
    tell: Callable[[], None] = lambda: None,
) -> SwapTest:
    """Test for pairs of metrics whether they correlate differently with human ratings over systems,
    by swapping their standardised scores.

    With the systems fixed the scores are swapped for all questions of a source, or of a cluster of
    sources; with systems random, for all questions of a system, which assumes that the differences
    of the systems are exchangeable and keeps the sources unchanged. All swaps are made if there are
    no more than ``resamples``; the first one swaps nothing. ``tell`` is called after each block of
    swaps, and may raise to end the test.
    """
    swapped = _SwappedMetrics.of(human, metrics, facets, pairs, coefficient)
    if facets.design.random_systems:
        unit, units = "system", facets.n_systems
    else:
        unit, units = facets.unit.singular, facets.n_clusters
    value = swapped.differences(np.ones((1, units)))[0]

    def as_extreme(signs: FloatArray) -> BoolArray:
        tell()
        return np.asarray(np.abs(swapped.differences(signs)) >= np.abs(value) - 1e-12)

    swaps = Swaps.of(units, resamples)
    size = swapped.means.size + units + 4 * len(swapped.means) * len(pairs)
    p = np.where(np.isnan(value), np.nan, swaps.share(as_extreme, rng, size=size))
    words = f"all swaps by {unit}" if swaps.complete else f"{resamples:,} swaps by {unit}"
    return SwapTest(value, p, 1 / swaps.number, words)


@dataclass(frozen=True, slots=True)
class _SwappedMetrics:
    """The systems' means of metrics whose scores are swapped, and the human columns beside them."""

    people: FloatArray  # features of the human columns, see `features`
    means: FloatArray  # (S, M)
    by_source: list[tuple[IntArray, FloatArray]] | None  # None: systems are swapped, not sources
    pairs: Sequence[tuple[int, int]]
    coefficient: OverSystems

    @classmethod
    def of(
        cls,
        human: FloatArray,
        metrics: FloatArray,
        facets: Facets,
        pairs: Sequence[tuple[int, int]],
        coefficient: OverSystems,
    ) -> Self:
        """Return the means of standardised metrics, and of human columns."""
        deviation = metrics.std(axis=0)
        standard = (metrics - metrics.mean(axis=0)) / np.where(deviation > 0, deviation, nan)
        means = np.stack([_means(column, facets) for column in standard.T], axis=1)
        people = RankedMeans.of(human, facets).features(coefficient)
        by_source = None if facets.design.random_systems else _parts_of_means(standard, facets)
        return cls(people, means, by_source, pairs, coefficient)

    def differences(self, signs: FloatArray) -> FloatArray:
        """Return (B, K, pairs): by how much the coefficients of two swapped metrics differ."""
        if self.by_source is None:
            turned = signs[:, :, None] * self.means
        else:
            parts = [signs[:, clusters] @ sums for clusters, sums in self.by_source]
            turned = np.stack(parts, axis=1)
        a, b = np.transpose(self.pairs)
        middle = (self.means[:, a] + self.means[:, b]) / 2
        half = (turned[:, :, a] - turned[:, :, b]) / 2
        return self._followed(middle + half) - self._followed(middle - half)

    def _followed(self, swapped: FloatArray) -> FloatArray:
        """Return (B, K, pairs): coefficients of the human columns with one metric of each pair, of
        swapped means (B, S, pairs)."""
        under = features(np.round(swapped, TIE), self.coefficient)
        return coefficients_of(self.people, under, self.coefficient)


def _parts_of_means(columns: FloatArray, facets: Facets) -> list[tuple[IntArray, FloatArray]]:
    """Return for each system the clusters (sources, by default) that it has questions of, and what
    each of these adds to the means (clusters, M)."""
    parts = []
    for system in range(facets.n_systems):
        rows = facets.system == system
        clusters, code = np.unique(facets.cluster[rows], return_inverse=True)
        sums = [np.bincount(code, column[rows], len(clusters)) for column in columns.T]
        parts.append((clusters, np.column_stack(sums) / rows.sum()))
    return parts


def _means(column: FloatArray, facets: Facets) -> FloatArray:
    sums = np.bincount(facets.system, column, facets.n_systems)
    return np.asarray(sums / np.bincount(facets.system, minlength=facets.n_systems))
