"""The human ceiling as observed: how well one annotator follows the mean of the others."""

from dataclasses import dataclass, replace
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._correlation import METHODS, NAMES, REQUIRED_ITEMS, Method, coefficients
from quaestor_stats._design import SOURCE, Design, Facets
from quaestor_stats._inputs import FloatArray, IntArray, Labels, judged_rows, number_labels
from quaestor_stats._jackknife import MAX_GROUPS, deal_groups, jackknife
from quaestor_stats._pooled import pooled_correlations
from quaestor_stats._resampling import Jackknife, Spread, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined_result
from quaestor_stats._within_source import on_sources, system_means_by_source

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
        return undefined_result(name, "no question has ratings of two annotators")
    share = np.concatenate([pair.shares() for pair in pairs]).mean()
    if level == "within_source" and share < REQUIRED_SHARE:
        return undefined_result(name, FEW_SYSTEMS.format(share=share), n=n, dropped=len(pairs))
    enough = [pair for pair in pairs if _correlated(pair, level) >= REQUIRED_ITEMS]
    if not enough:
        what = "systems" if level == "systems" else "questions"
        reason = (
            f"nobody shares {REQUIRED_ITEMS} {what} with others: a correlation of two tells nothing"
        )
        return undefined_result(name, reason, n=n, dropped=len(pairs))
    correlated = [_LEVELS[level](pair, pair.facets(n, clustered), method) for pair in enough]
    correlated = [one for one in correlated if not np.isnan(one[0])]
    dropped = len(pairs) - len(correlated)
    if not correlated:
        return undefined_result(
            name, "no annotator's ratings vary with others'", n=n, dropped=dropped
        )
    values, left_out = zip(*correlated, strict=True)
    value = float(np.mean(values))
    spread = Spread(nan, nan, "", NO_INTERVAL if interval else "", clustered)
    if interval and level != "systems":
        spread = _spread(value, np.mean(left_out, axis=0), interval, clustered)
    result = with_spread(
        value, spread, n=n, dropped=dropped, method=name, at_least=-1.0, at_most=1.0
    )
    return result if spread.words else replace(result, method=name)


def _spread(value: float, left_out: FloatArray, interval: Jackknife, clusters: int) -> Spread:
    """Return the interval over clusters, or why there is none."""
    groups = np.ones(len(left_out))
    spread = jackknife_interval(value, left_out, groups, interval, units=clusters)
    words = spread.words.replace("unit", interval.unit.singular)
    spread = replace(spread, words=words, clusters=clusters)
    if too_few := interval.unit.reason_against(clusters):
        return replace(spread, low=nan, high=nan, reason=too_few)
    return spread


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

    def facets(self, sources: int, clusters: int) -> Facets:
        """Return the facets of these questions; all annotators have the same clusters."""
        return Facets(
            self.source,
            sources,
            self.system,
            self.systems,
            Design(),
            self.cluster,
            clusters,
            SOURCE,
        )

    def shares(self) -> FloatArray:
        """Return the share of each source's rated systems that these ratings have, over the sources
        with any."""
        cells = np.unique(self.source * self.systems + self.system)
        counts = np.bincount(cells // self.systems, minlength=len(self.rated))
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
    system, source, annotator, slot, _ = codes.values()
    _, number = number_labels(names["clusters"], "clusters")
    cluster = number[codes["clusters"]]
    n_systems = len(names["systems"])
    key = (source * n_systems + system) * len(names["questions"]) + slot
    _, first, question = np.unique(key, return_index=True, return_inverse=True)
    table = _means(values, question, annotator, shape=(first.size, len(names["annotators"])))
    shared = (~np.isnan(table)).sum(axis=1) > 1

    rated = np.bincount(np.unique(source * n_systems + system) // n_systems)
    shared_sources, source = np.unique(source[first][shared], return_inverse=True)
    shared_clusters, cluster = np.unique(cluster[first][shared], return_inverse=True)
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
            rated=rated[shared_sources],
        )
        for a, rows in enumerate(~np.isnan(own.T))
        if rows.any()
    ]
    return pairs, len(shared_sources), len(shared_clusters)


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


def _pooled(pair: _Pair, facets: Facets, method: Method) -> tuple[float, FloatArray]:
    """Return the correlation over all questions, and without each cluster or group of them."""
    columns = pair.own[:, None], pair.others[:, None]
    left = pooled_correlations(*columns, facets, coefficients=[method])[method]
    return float(left.value[0, 0]), left.sources[:, 0, 0]


def _within_source(pair: _Pair, facets: Facets, method: Method) -> tuple[float, FloatArray]:
    """Return the mean over sources of the correlation across systems, and the same without each
    cluster or group of them."""
    own, others = (
        system_means_by_source(scores[:, None], facets) for scores in (pair.own, pair.others)
    )
    r = on_sources(own, others, coefficient=method)[:, 0, 0]
    number = min(facets.n_clusters, MAX_GROUPS)
    value, without = jackknife(_mean, deal_groups(facets.cluster_of_source), r, number=number)
    return float(value), without


def _mean(r: FloatArray) -> float:
    defined = r[~np.isnan(r)]
    return float(defined.mean()) if defined.size else nan


def _across_systems(pair: _Pair, facets: Facets, method: Method) -> tuple[float, FloatArray]:
    """Return the correlation of the systems' means; nothing is left out."""
    both = np.column_stack([pair.own, pair.others])
    counts = np.bincount(pair.system, minlength=pair.systems)
    sums = [np.bincount(pair.system, scores, pair.systems) for scores in both.T]
    rated = counts > 0
    means = np.round(np.column_stack(sums)[rated] / counts[rated, None], DECIMALS)
    return float(coefficients(means, method=method)[0, 1]), np.zeros(0)


_LEVELS = {"within_source": _within_source, "pooled": _pooled, "systems": _across_systems}
