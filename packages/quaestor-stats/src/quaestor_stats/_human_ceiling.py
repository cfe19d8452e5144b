"""The human ceiling as observed: how well one annotator follows the mean of the others."""

from dataclasses import dataclass, replace
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._arrays import FloatArray, IntArray, Labels, judged_rows
from quaestor_stats._correlation import METHODS, NAMES, REQUIRED_ITEMS, Method, coefficients
from quaestor_stats._resampling import Jackknife, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined
from quaestor_stats._source_correlations import source_correlations

CeilingLevel: TypeAlias = Literal["within_source", "pooled", "systems"]
TABULATED_CELLS = 20_000_000  # of the tables of two scores by source; above it sources go in groups
GROUPS = 50
DECIMALS = 10  # means of ratings that are equal but for rounding are one value
# of a source's rated systems; at .81 the value was half a standard error too high in large simulated
# studies, and at .58 intervals covered in .80
REQUIRED_SHARE = 0.9
FEW_SYSTEMS = (
    "annotators share {share:.0%} of the rated systems of a source: correlations of so few systems "
    "do not compare with those of metrics"
)
NO_INTERVAL = "no interval across systems: with few of them it would not keep its level"
WORDS = {
    "within_source": "across systems within sources",
    "pooled": "over all questions",
    "systems": "across the systems' means",
}


def human_ceiling(
    ratings: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels | None = None,
    clusters: Labels | None = None,
    method: Method = "spearman",
    level: CeilingLevel = "pooled",
    interval: Jackknife | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Correlate each annotator with the mean of the others, and average over annotators.

    Parameters
    ----------
    ratings : (n,) of one criterion, NaN where not judged
    systems, sources, annotators : (n,) labels
    questions : (n,) labels; by default a system has one question on each source
    clusters : (n,) labels of the sources' clusters; the jackknife leaves out one of these at a time
    method : the coefficient that metrics are compared by
    level : "within_source" across systems on one source, averaged over sources; "pooled" over all
        questions; "systems" across the means of systems
    interval : jackknife over sources, or clusters of them, for these annotators; there is none at the level of systems,
        where it held the coefficient in 88 to 100% of simulated studies instead of 95%

    Returns
    -------
    Result
        ``n`` sources with a question that two annotators rated, ``clusters`` the units of its
        interval, ``dropped`` annotators for whom the coefficient is undefined.

    Notes
    -----
    For annotator a only questions count that a and another rated, with the mean of all others
    there. A metric is compared with the mean of all annotators, which is a little more reliable
    than that of all but one: a metric can lie above this ceiling. Within sources the ceiling is
    undefined if, on average, an annotator shares less than 90% of a source's rated systems with
    others: shorter lists give other correlations, and two systems always 1 or -1.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    if level not in get_args(CeilingLevel):
        raise ValueError(f"level: {level!r} is none of {', '.join(get_args(CeilingLevel))}")
    name = f"{NAMES[method]} of one annotator with the mean of the others, {WORDS[level]}"
    pairs, n, clustered = _paired(ratings, systems, sources, annotators, questions, clusters)
    if not pairs:
        return undefined(name, "no question has ratings of two annotators")
    share = np.concatenate([pair.shares() for pair in pairs]).mean()
    if level == "within_source" and share < REQUIRED_SHARE:
        return undefined(name, FEW_SYSTEMS.format(share=share), n=n, dropped=len(pairs))
    units = _units(pairs, method, level, clustered)
    left_out = np.array([LEVELS[level](pair.with_units(units), method, units) for pair in pairs])
    few = np.array([_correlated(pair, level) < REQUIRED_ITEMS for pair in pairs])
    if few.all():
        what = "systems" if level == "systems" else "questions"
        reason = (
            f"nobody shares {REQUIRED_ITEMS} {what} with others: a correlation of two tells nothing"
        )
        return undefined(name, reason, n=n, dropped=len(pairs))
    defined = ~np.isnan(left_out[:, 0]) & ~few
    dropped = int((~defined).sum())
    if not defined.any():
        return undefined(name, "no annotator's ratings vary with others'", n=n, dropped=dropped)
    value, *without = left_out[defined].mean(axis=0).tolist()
    if interval is None or level == "systems":
        reason = NO_INTERVAL if interval else ""
        return Result(
            value=value, n=n, clusters=clustered, dropped=dropped, method=name, reason=reason
        )
    unit = interval.unit
    spread = jackknife_interval(value, np.array(without), np.ones(units), interval)
    name_of_unit = unit.singular if units == clustered else "group"
    spread = replace(spread, words=spread.words.replace("unit", name_of_unit))
    if too_few := unit.reason_against(clustered):
        spread = replace(spread, low=nan, high=nan, reason=too_few)
    found = with_spread(
        value, spread, n=n, dropped=dropped, method=name, at_least=-1.0, at_most=1.0
    )
    return replace(found, clusters=clustered)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One annotator's ratings and the means of the others, over the questions that both have."""

    own: FloatArray
    others: FloatArray
    system: IntArray
    source: IntArray  # numbered over all sources with such a question
    cluster: IntArray  # the jackknife's unit: the source, or the cluster that it belongs to
    systems: int
    rated: IntArray  # number of systems that any annotator rated, of each source

    @property
    def sources(self) -> int:
        return len(self.rated)

    def with_units(self, units: int) -> "_Pair":
        """Return the same design with its clusters merged into `units` groups."""
        return replace(self, cluster=self.cluster % units)

    def shares(self) -> FloatArray:
        """Return the share of each source's rated systems that these ratings have, over the sources
        with any."""
        cells = np.unique(self.source * self.systems + self.system)
        counts = np.bincount(cells // self.systems, minlength=self.sources)
        return np.asarray((counts / self.rated)[counts > 0])


def _paired(
    ratings: ArrayLike,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels | None,
    clusters: Labels | None,
) -> tuple[list[_Pair], int, int]:
    """Return a pair for every annotator who shares a question, and how many sources, and clusters
    of them, have one."""
    values, names, codes = judged_rows(
        ratings,
        systems=systems,
        sources=sources,
        annotators=annotators,
        questions=systems if questions is None else questions,
        clusters=sources if clusters is None else clusters,
    )
    system, source, annotator, slot, cluster = codes.values()
    n_systems = len(names["systems"])
    key = (source * n_systems + system) * len(names["questions"]) + slot
    _, first, question = np.unique(key, return_index=True, return_inverse=True)
    table = _means(values, question, annotator, shape=(first.size, len(names["annotators"])))
    shared = (~np.isnan(table)).sum(axis=1) > 1

    rated = np.bincount(np.unique(source * n_systems + system) // n_systems)
    kept, source = np.unique(source[first][shared], return_inverse=True)
    held, cluster = np.unique(cluster[first][shared], return_inverse=True)
    system, own = system[first][shared], np.round(table[shared], DECIMALS)
    others = np.round(_means_of_others(table[shared]), DECIMALS)
    pairs = [
        _Pair(
            own=own[rows, a],
            others=others[rows, a],
            system=system[rows],
            source=source[rows],
            cluster=cluster[rows],
            systems=n_systems,
            rated=rated[kept],
        )
        for a, rows in enumerate(~np.isnan(own.T))
        if rows.any()
    ]
    return pairs, len(kept), len(held)


def _means(
    values: FloatArray, question: IntArray, annotator: IntArray, *, shape: tuple[int, int]
) -> FloatArray:
    """Return each annotator's mean rating of each question, (n_questions, n_annotators); NaN where
    there is none."""
    cell, cells = question * shape[1] + annotator, shape[0] * shape[1]
    counts = np.bincount(cell, minlength=cells)
    means = np.bincount(cell, values, cells) / np.where(counts > 0, counts, nan)
    return np.asarray(means.reshape(shape))


def _means_of_others(table: FloatArray) -> FloatArray:
    """Return per annotator the mean of all others, of questions that two or more rated."""
    ratings, count = np.nan_to_num(table), (~np.isnan(table)).sum(axis=1, keepdims=True)
    return np.asarray((ratings.sum(axis=1, keepdims=True) - ratings) / (count - 1))


def _correlated(pair: _Pair, level: CeilingLevel) -> int:
    """Return how many scores a correlation is of; on each source it is of any two systems, as that
    of a metric is."""
    if level == "within_source":
        return REQUIRED_ITEMS
    return len(np.unique(pair.system)) if level == "systems" else len(pair.own)


def _units(pairs: list[_Pair], method: Method, level: CeilingLevel, clusters: int) -> int:
    """Return how many units to leave out one at a time: the clusters, or groups of them."""
    if level != "pooled" or method == "pearson":
        return clusters
    most = max(len(np.unique(pair.own)) * len(np.unique(pair.others)) for pair in pairs)
    return clusters if most * clusters <= TABULATED_CELLS else min(clusters, GROUPS)


def _within_source(pair: _Pair, method: Method, units: int) -> FloatArray:
    """Return the mean over sources of the correlation across systems, then without each unit."""
    own, others, count = _by_cell(pair)
    judged = np.where(count > 0, count, nan)
    r = source_correlations(own / judged, others / judged, method=method)
    cluster = np.zeros(pair.sources, dtype=np.intp)
    cluster[pair.source] = pair.cluster
    defined = np.bincount(cluster, ~np.isnan(r), units)
    sums = np.bincount(cluster, np.nan_to_num(r), units)
    kept = defined.sum() - np.append(0, defined)
    total = sums.sum() - np.append(0.0, sums)
    return np.asarray(total / np.where(kept > 0, kept, nan))


def _across_systems(pair: _Pair, method: Method, units: int) -> FloatArray:
    own, others, count = (sums.sum(axis=1) for sums in _by_cell(pair))
    judged = np.where(count > 0, count, nan)
    means = (np.round(sums / judged, DECIMALS)[:, None] for sums in (own, others))
    return source_correlations(*means, method=method)


def _by_cell(pair: _Pair) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums of both scores and counts (n_systems, n_sources)."""
    cell, size = pair.system * pair.sources + pair.source, pair.systems * pair.sources
    shape = (pair.systems, pair.sources)
    own = np.bincount(cell, pair.own, size).reshape(shape)
    others = np.bincount(cell, pair.others, size).reshape(shape)
    count = np.bincount(cell, np.ones(cell.size), size).reshape(shape)
    return np.asarray(own), np.asarray(others), np.asarray(count)


def _pooled(pair: _Pair, method: Method, units: int) -> FloatArray:
    first, x = np.unique(pair.own, return_inverse=True)
    second, y = np.unique(pair.others, return_inverse=True)
    cells = units * first.size * second.size
    if method == "pearson":
        return _pearson(pair, units)
    if cells > TABULATED_CELLS:
        columns = np.column_stack([pair.own, pair.others])
        kept = [np.full(len(columns), True), *(pair.cluster != unit for unit in range(units))]
        found = [coefficients(columns[rows], method=method)[0, 1] for rows in kept if rows.any()]
        return np.array(found + [nan] * (len(kept) - len(found)))
    cell = (pair.cluster * first.size + x) * second.size + y
    counts = np.bincount(cell, minlength=cells).reshape(units, first.size, second.size)
    whole = counts.sum(axis=0)
    tables = np.concatenate([whole[None], whole - counts]).astype(np.float64)
    return (_spearman if method == "spearman" else _kendall)(tables)


def _pearson(pair: _Pair, units: int) -> FloatArray:
    x, y = pair.own - pair.own.mean(), pair.others - pair.others.mean()
    scores = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    by_unit = (np.bincount(pair.cluster, each, units) for each in scores)
    n, sx, sy, xx, yy, xy = (each.sum() - np.append(0, each) for each in by_unit)
    return _over(n * xy - sx * sy, (n * xx - sx**2) * (n * yy - sy**2))


def _spearman(tables: FloatArray) -> FloatArray:
    """Return rho of tables of counts (n, x, y), by mid-ranks of the margins."""
    n = tables.sum(axis=(1, 2))
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    x = np.cumsum(rows, axis=1) - rows / 2 - n[:, None] / 2
    y = np.cumsum(columns, axis=1) - columns / 2 - n[:, None] / 2
    product = np.einsum("nxy,nx,ny->n", tables, x, y)
    return _over(product, (rows * x**2).sum(axis=1) * (columns * y**2).sum(axis=1))


def _kendall(tables: FloatArray) -> FloatArray:
    """Return tau-b of tables of counts (n, x, y)."""
    n = tables.sum(axis=(1, 2))
    below = np.cumsum(tables, axis=1) - tables  # counts with a lower x
    lower = np.cumsum(below, axis=2) - below  # and a lower y
    higher = below.sum(axis=2, keepdims=True) - np.cumsum(below, axis=2)
    product = (tables * (lower - higher)).sum(axis=(1, 2))
    squares = [n * (n - 1) - (m * (m - 1)).sum(axis=1) for m in (tables.sum(2), tables.sum(1))]
    return _over(product, squares[0] * squares[1] / 4)


def _over(product: FloatArray, squares: FloatArray) -> FloatArray:
    return np.asarray(product / np.sqrt(np.where(squares > 1e-9, squares, nan)))


LEVELS = {"within_source": _within_source, "pooled": _pooled, "systems": _across_systems}
