"""Resampling tests of a pair of metrics as in papers, swapping or drawing whole sources, or sources
and systems.

Scores of questions on the same source are not independent, and tests that take them as such find
differences that are not there (Williams: 29% false alarms instead of 5% with 30 sources and 10
systems, bench/false_alarms.py). Swapping and drawing whole sources holds its level where the
systems are fixed. With ``systems`` they are swapped or drawn too, as PERM-BOTH and BOOT-BOTH of
Deutsch, Dror and Roth (2021) do, for comparison with papers: where metrics favour systems,
PERM-BOTH finds more differences that are not there than swaps of sources alone, and the interval of
BOOT-BOTH is too wide with few systems (docs/statistics.md). Reports use `metric_differences`.

Ranks may be computed once, before resampling ("once", fast, a slightly different statistic), or
again in every resample ("anew", the statistic itself).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import BoolArray, FloatArray, Labels, numeric
from analysis.stats.columns import complete, constant, ranked, standardised
from analysis.stats.correlation import METHODS, NAMES, Method, coefficients
from analysis.stats.estimate import Estimate, Tested, undefined, untested
from analysis.stats.facets import Facets, facets
from analysis.stats.inference import Inference
from analysis.stats.rank_sums import OfSwaps, pooled_spearman, weighted_spearman
from analysis.stats.resampling import percentiles, with_spread

Ranks: TypeAlias = Literal["anew", "once"]
_BLOCK_CELLS = 200_000


def swap_test(
    human: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: Labels,
    systems: Labels | None = None,
    rng: np.random.Generator,
    method: Method = "spearman",
    ranks: Ranks = "anew",
    resamples: int = 1000,
) -> Tested:
    """Test whether two metrics correlate differently with the human scores, by swapping the metrics
    cluster by cluster.

    If it made no difference which metric is which, exchanging their (standardised, or ranked)
    scores for all questions of a source would leave the difference of correlations as it is.

    Parameters
    ----------
    human, first, second : (n_items,), oriented; only items complete in all three are used
    clusters : (n_items,) labels, as a rule the source
    systems : (n_items,) labels, to swap systems as well (PERM-BOTH)
    rng : numpy Generator; the same state gives the same p
    method : "pearson", "spearman" or "kendall"
    ranks : for Spearman, computed "anew" in each resample or "once"

    Returns
    -------
    Tested
        ``value`` r(human, first) - r(human, second), ``p`` two-sided (b + 1) / (B + 1), never 0; ``n`` items.
    """
    items, reason = _usable(
        {"human": human, "first": first, "second": second}, clusters, method, systems
    )
    unit = "cluster" if systems is None else "cluster and system"
    name = f"{NAMES[method]}, difference; swap permutation by {unit}, {resamples} resamples"
    name += ", ranks once" if method == "spearman" and ranks == "once" else ""
    if reason:
        return untested(name, reason, n=items.n, dropped=items.dropped)
    given, draws = _swapped(items, method, ranks, resamples, rng)
    extreme = int((np.abs(draws) >= abs(given) - 1e-12).sum())
    p = (extreme + 1) / (resamples + 1)
    return Tested(value=given, n=items.n, dropped=items.dropped, method=name, p=p)


def swap_matrix(
    human: ArrayLike,
    metrics: ArrayLike,
    *,
    clusters: Labels,
    rng: np.random.Generator,
    method: Literal["pearson", "spearman"] = "spearman",
    resamples: int = 1000,
) -> tuple[FloatArray, FloatArray]:
    """Return differences and p (n_metrics, n_metrics) of all pairs by the swap test, ranks taken
    once.

    All pairs are tested with the same swaps, over the items complete in every metric.
    """
    columns = np.asarray(metrics)
    items = complete([human, *columns.T])
    of = facets(clusters).kept(items.kept)
    if of.n_sources < 3:
        raise ValueError(f"{of.n_sources} cluster(s): swapping them needs three or more")
    with np.errstate(invalid="ignore", divide="ignore"):  # a metric that does not vary gives nan
        scores = standardised(ranked(items.columns) if method == "spearman" else items.columns)
    size = scores.shape[1] - 1
    signs = of.signs(resamples, rng)
    gap, p = np.zeros((size, size)), np.full((size, size), nan)
    for i, j in combinations(range(size), 2):
        given, draws = _linear_swaps(scores[:, 0], scores[:, i + 1], scores[:, j + 1], of, signs)
        gap[i, j], gap[j, i] = given, -given
        if given == given:
            p[i, j] = p[j, i] = ((np.abs(draws) >= abs(given) - 1e-12).sum() + 1) / (resamples + 1)
    return gap, p


def cluster_interval(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    clusters: Labels,
    rng: np.random.Generator,
    method: Method = "spearman",
    ranks: Ranks = "anew",
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Estimate:
    """Return a correlation with its percentile interval from drawing whole clusters with
    replacement."""
    items, reason = _usable({"human": human, "metric": metric}, clusters, method)
    if reason:
        return undefined(NAMES[method], reason, n=items.n, dropped=items.dropped)
    draws = _redrawn(items, method, ranks, resamples, rng)
    value = float(coefficients(items.table, method=method)[0, 1])
    return _bootstrapped(value, draws[:, 0], items, NAMES[method], confidence)


def cluster_intervals(
    human: ArrayLike,
    metrics: ArrayLike,
    *,
    clusters: Labels,
    rng: np.random.Generator,
    method: Method = "spearman",
    ranks: Ranks = "anew",
    resamples: int = 1000,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Return `cluster_interval` of every column of ``metrics`` (n_items, k) from the same draws,
    over common items.
    """
    columns = {
        f"metric {i}": column
        for i, column in enumerate(numeric(metrics, name="metrics", ndim=2).T, 1)
    }
    items, reason = _usable({"human": human} | columns, clusters, method)
    if reason:
        return [undefined(NAMES[method], reason, n=items.n, dropped=items.dropped) for _ in columns]
    draws = _redrawn(items, method, ranks, resamples, rng)
    values = coefficients(items.table, method=method)[0, 1:]
    return [
        _bootstrapped(float(value), draw, items, NAMES[method], confidence)
        for value, draw in zip(values, draws.T, strict=True)
    ]


def difference_interval(
    human: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: Labels,
    systems: Labels | None = None,
    rng: np.random.Generator,
    method: Method = "spearman",
    ranks: Ranks = "anew",
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Estimate:
    """Return r(human, first) - r(human, second) with its percentile interval from drawing whole
    clusters.

    With ``systems`` they are drawn as well, and a question weighs the product of both draws
    (BOOT-BOTH).
    """
    items, reason = _usable(
        {"human": human, "first": first, "second": second}, clusters, method, systems
    )
    name = f"{NAMES[method]}, difference"
    if reason:
        return undefined(name, reason, n=items.n, dropped=items.dropped)
    draws = _redrawn(items, method, ranks, resamples, rng)
    r = coefficients(items.table, method=method)[0]
    return _bootstrapped(float(r[1] - r[2]), draws[:, 0] - draws[:, 1], items, name, confidence)


@dataclass(frozen=True, slots=True)
class _Items:
    """Human and metric scores of the complete items, and what each belongs to: its cluster, and if
    drawn its system.
    """

    table: FloatArray  # (n_items, 1 + n_metrics)
    dropped: int
    facets: Facets

    @property
    def n(self) -> int:
        return len(self.table)


def _usable(
    columns: Mapping[str, ArrayLike],
    clusters: Labels,
    method: Method,
    systems: Labels | None = None,
) -> tuple[_Items, str]:
    """Return the items complete in all columns, and why they cannot be used or an empty string."""
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    found = complete(list(columns.values()), names=list(columns))
    if len(clusters) != len(found.kept):
        raise ValueError(f"clusters: {len(clusters)} labels for {len(found.kept)} items")
    of = facets(clusters, systems, design=Inference(systems=systems is not None))
    items = _Items(found.columns, found.dropped, of.kept(found.kept))
    if items.n < 4:
        return items, f"{items.n} items have all scores: too few"
    if items.facets.n_sources < 3:
        return items, f"{items.facets.n_sources} cluster(s): resampling them needs three or more"
    flat = [name for name, column in zip(columns, items.table.T, strict=True) if constant(column)]
    return items, f"the {flat[0]} score is the same for every item" if flat else ""


def _swapped(
    items: _Items, method: Method, ranks: Ranks, resamples: int, rng: np.random.Generator
) -> tuple[float, FloatArray]:
    table = ranked(items.table) if method == "spearman" else items.table
    human, first, second = standardised(table).T
    of = items.facets
    signs = of.signs(resamples, rng)
    if method == "pearson" or (method == "spearman" and ranks == "once"):
        return _linear_swaps(human, first, second, of, signs)
    compare = (
        pooled_spearman(human, first, second)
        if method == "spearman"
        else _kendall_swaps(human, first, second)
    )
    step = max(1, _BLOCK_CELLS // len(human))
    by_source, by_system = (np.ascontiguousarray(each.T < 0) for each in signs)
    blocks = [slice(i, i + step) for i in range(0, resamples, step)]
    parts = [compare(by_source[of.source, b] ^ by_system[of.system, b]) for b in blocks]
    return float(compare(np.zeros((len(human), 1), dtype=bool))[0]), np.concatenate(parts)


def _linear_swaps(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    of: Facets,
    signs: tuple[FloatArray, FloatArray],
) -> tuple[float, FloatArray]:
    """Return the difference of Pearson correlations as given and under every row of swap signs.

    A swapped metric is a + s d and its partner a - s d, with a the mean of both, d half their
    difference and s = +-1 by cluster (and system). Covariance, mean and length are then sums over
    clusters (and systems) times s. All three columns are standardised, so a has the mean 0.
    """
    middle, half = (first + second) / 2, (first - second) / 2
    with_human, shift, crossed = (
        _summed(column, of, signs) for column in (human * half, half, middle * half)
    )
    base, length, n = human @ middle, middle @ middle + half @ half, len(human)
    upper = (base + with_human) / np.sqrt(length + 2 * crossed - shift**2 / n)
    lower = (base - with_human) / np.sqrt(length - 2 * crossed - shift**2 / n)
    return float(human @ first - human @ second), upper - lower


def _summed(column: FloatArray, of: Facets, weights: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the sums of a column under every row of weights of sources times weights of
    systems."""
    cells = np.bincount(of.source * of.n_systems + of.system, column, of.n_sources * of.n_systems)
    by_system = weights[0] @ cells.reshape(of.n_sources, of.n_systems)
    return np.asarray((by_system * weights[1]).sum(axis=1))


def _kendall_swaps(human: FloatArray, first: FloatArray, second: FloatArray) -> OfSwaps:
    from scipy import stats

    def tau(metric: FloatArray) -> float:
        return float(stats.kendalltau(human, metric).statistic)

    def compare(swaps: BoolArray) -> FloatArray:
        return np.array(
            [tau(np.where(s, second, first)) - tau(np.where(s, first, second)) for s in swaps.T]
        )

    return compare


def _redrawn(
    items: _Items, method: Method, ranks: Ranks, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Return (resamples, n_metrics): the human score's correlation with every metric in each
    resample of clusters."""
    if method == "kendall":
        drawn = (
            np.repeat(np.arange(items.n), w)
            for block in _drawn(items, resamples, rng)
            for w in block.T.astype(np.intp)
        )
        return np.array(
            [coefficients(items.table[rows], method="kendall")[0, 1:] for rows in drawn]
        )
    if method == "spearman" and ranks == "anew":
        compare = weighted_spearman(items.table)
        return np.concatenate([compare(weights) for weights in _drawn(items, resamples, rng)])
    table = standardised(ranked(items.table) if method == "spearman" else items.table)
    human, metrics = table[:, :1], table[:, 1:]
    products = np.column_stack(
        [np.ones(items.n), human, human**2, metrics, metrics**2, human * metrics]
    )
    blocks = items.facets.times(resamples, rng)
    sums = ([_summed(column, items.facets, times) for column in products.T] for times in blocks)
    return np.concatenate([_r_of_sums(np.stack(each, axis=1)) for each in sums])


def _r_of_sums(sums: FloatArray) -> FloatArray:
    n, h, hh = sums[:, :1], sums[:, 1:2], sums[:, 2:3]
    x, xx, hx = np.split(sums[:, 3:], 3, axis=1)
    spread = (n * hh - h**2) * (n * xx - x**2)
    r: FloatArray = (n * hx - h * x) / np.sqrt(np.where(spread > 1e-24 * n**4, spread, nan))
    return r


def _drawn(items: _Items, resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield (n_items, block): how often each item comes."""
    of = items.facets
    for sources, systems in of.times(resamples, rng):
        yield (
            np.ascontiguousarray(sources.T)[of.source] * np.ascontiguousarray(systems.T)[of.system]
        )


def _bootstrapped(
    value: float, draws: FloatArray, items: _Items, name: str, confidence: float
) -> Estimate:
    over = f"{items.facets.n_sources} clusters"
    if items.facets.design.systems:
        over += f" and {items.facets.n_systems} systems"
    found = percentiles(draws, f"bootstrap of {len(draws)} over {over}", confidence)
    return with_spread(value, found, n=items.n, dropped=items.dropped, method=name)
