"""The human ceiling as observed: how well one annotator follows the mean of the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import METHODS, NAMES, REQUIRED_ITEMS, Method, coefficients
from quaestor_stats._design import SOURCE, ClusterUnit, Facets, facets
from quaestor_stats._inputs import (
    FloatArray,
    IntArray,
    Labels,
    judged_rows,
    mean_table,
    number_labels,
)
from quaestor_stats._jackknife import MAX_GROUPS, deal_groups, jackknife
from quaestor_stats._pooled import pooled_correlations
from quaestor_stats._resampling import Jackknife, Spread, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined_result
from quaestor_stats._source_correlations import on_sources, system_means_by_source

CeilingLevel: TypeAlias = Literal["within_source", "pooled", "systems"]
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


def ceiling_of_arrays(
    ratings: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels | None = None,
    clusters: Labels | None = None,
    method: Method = "spearman",
    level: CeilingLevel = "pooled",
    unit: ClusterUnit = SOURCE,
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
    unit : the name of the clusters, and how many an interval needs

    Returns
    -------
    Result
        ``n`` sources with a question that two annotators rated, ``clusters`` the units of its
        interval, ``dropped`` annotators for whom the coefficient is undefined. The interval leaves
        out one source, or cluster, at a time, for these annotators. There is none at the level of
        systems, where it held the coefficient in 88 to 100% of simulated studies instead of 95%.

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
    labels = {
        "systems": systems,
        "sources": sources,
        "annotators": annotators,
        "questions": systems if questions is None else questions,
        "clusters": sources if clusters is None else clusters,
    }
    pairs, of = _pairs(ratings, labels)
    enough = [pair for pair in pairs if pair.correlated(level) >= REQUIRED_ITEMS]
    every = [_LEVELS[level](pair, method) for pair in enough]
    correlations = [correlation for correlation in every if not np.isnan(correlation[0])]
    dropped = len(pairs) - len(correlations)
    if reason := _reason_against(pairs, level):
        return undefined_result(name, reason, n=of.n_sources, dropped=len(pairs))
    if not correlations:
        reason = "no annotator's ratings vary with others'"
        return undefined_result(name, reason, n=of.n_sources, dropped=dropped)
    values, left_out = zip(*correlations, strict=True)
    value = float(np.mean(values))
    spread = _spread(value, np.mean(left_out, axis=0), level, unit, of.n_clusters)
    return with_spread(
        value, spread, n=of.n_sources, dropped=dropped, method=name, at_least=-1.0, at_most=1.0
    )


def _reason_against(pairs: "Sequence[_Pair]", level: CeilingLevel) -> str:
    """Return why the annotators share too little for a ceiling; empty if they share enough."""
    if not pairs:
        return "no question has ratings of two annotators"
    share = np.concatenate([pair.shares() for pair in pairs]).mean()
    if level == "within_source" and share < REQUIRED_SHARE:
        return FEW_SYSTEMS.format(share=share)
    if max(pair.correlated(level) for pair in pairs) < REQUIRED_ITEMS:
        what = "systems" if level == "systems" else "questions"
        return (
            f"nobody shares {REQUIRED_ITEMS} {what} with others: a correlation of two tells nothing"
        )
    return ""


def _spread(
    value: float, left_out: FloatArray, level: CeilingLevel, unit: ClusterUnit, clusters: int
) -> Spread:
    """Return the interval over clusters, or why there is none."""
    if level == "systems":
        return Spread(nan, nan, "", NO_INTERVAL, clusters)
    interval = Jackknife(unit=unit)
    spread = jackknife_interval(value, left_out, np.ones(len(left_out)), interval, units=clusters)
    words = spread.words.replace("unit", unit.singular)
    spread = replace(spread, words=words, clusters=clusters)
    if too_few := unit.reason_against(clusters):
        return replace(spread, low=nan, high=nan, reason=too_few)
    return spread


@dataclass(frozen=True, slots=True)
class _Pair:
    """One annotator's ratings and the means of the others, over the questions that both have."""

    ratings: FloatArray  # (n,)
    others: FloatArray  # (n,)
    facets: Facets  # of these questions, numbered as those of all annotators
    rated: IntArray  # (n_sources,) systems on each source that any annotator rated

    def shares(self) -> FloatArray:
        """Return the share of each source's rated systems that these ratings have, over the sources
        with any."""
        systems = self.facets.n_systems
        cells = np.unique(self.facets.source * systems + self.facets.system)
        counts = np.bincount(cells // systems, minlength=len(self.rated))
        return np.asarray((counts / self.rated)[counts > 0])

    def correlated(self, level: CeilingLevel) -> int:
        """Return how many scores a correlation is of; on each source it is of any two systems, as
        that of a metric is."""
        if level == "within_source":
            return REQUIRED_ITEMS
        return len(np.unique(self.facets.system) if level == "systems" else self.ratings)


def _pairs(ratings: ArrayLike, labels: Mapping[str, Labels]) -> tuple[list[_Pair], Facets]:
    """Return a pair for every annotator who shares a question, and the facets of all shared
    questions."""
    values, names, codes = judged_rows(ratings, **labels)
    system, source, annotator, slot, cluster = codes.values()
    cell = source * len(names["systems"]) + system
    _, row, question = np.unique(
        cell * len(names["questions"]) + slot, return_index=True, return_inverse=True
    )
    table = mean_table(values, question, annotator, shape=(row.size, len(names["annotators"])))
    shared = (~np.isnan(table)).sum(axis=1) > 1
    table, row = table[shared], row[shared]

    _, number = number_labels(names["clusters"], "clusters")
    of = facets(source[row], system[row], clusters=number[cluster[row]])
    rated = np.bincount(np.unique(cell) // len(names["systems"]))[np.unique(source[row])]
    others = np.round(_means_of_others(table), DECIMALS)
    table = np.round(table, DECIMALS)
    return [
        _Pair(table[rows, a], others[rows, a], of.rows(rows), rated)
        for a, rows in enumerate(~np.isnan(table.T))
        if rows.any()
    ], of


def _means_of_others(table: FloatArray) -> FloatArray:
    """Return per annotator the mean of all others, of questions that two or more rated."""
    ratings, count = np.nan_to_num(table), (~np.isnan(table)).sum(axis=1, keepdims=True)
    return np.asarray((ratings.sum(axis=1, keepdims=True) - ratings) / (count - 1))


def _pooled(pair: _Pair, method: Method) -> tuple[float, FloatArray]:
    """Return the correlation over all questions, and without each cluster or group of them."""
    columns = pair.ratings[:, None], pair.others[:, None]
    left = pooled_correlations(*columns, pair.facets, coefficients=[method])[method]
    return float(left.value[0, 0]), left.sources[:, 0, 0]


def _within_source(pair: _Pair, method: Method) -> tuple[float, FloatArray]:
    """Return the mean over sources of the correlation across systems, and the same without each
    cluster or group of them."""
    of = pair.facets
    means = [system_means_by_source(scores[:, None], of) for scores in (pair.ratings, pair.others)]
    r = on_sources(*means, coefficient=method)[:, 0, 0]
    number = min(of.n_clusters, MAX_GROUPS)
    value, without = jackknife(_mean, deal_groups(of.cluster_of_source), r, number=number)
    return float(value), without


def _mean(r: FloatArray) -> float:
    defined = r[~np.isnan(r)]
    return float(defined.mean()) if defined.size else nan


def _across_systems(pair: _Pair, method: Method) -> tuple[float, FloatArray]:
    """Return the correlation of the systems' means; nothing is left out."""
    _, system, counts = np.unique(pair.facets.system, return_inverse=True, return_counts=True)
    sums = np.column_stack([np.bincount(system, scores) for scores in (pair.ratings, pair.others)])
    means = np.round(sums / counts[:, None], DECIMALS)
    return float(coefficients(means, method=method)[0, 1]), np.zeros(0)


_LEVELS = {"within_source": _within_source, "pooled": _pooled, "systems": _across_systems}
