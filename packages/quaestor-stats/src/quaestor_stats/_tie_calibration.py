"""Pairwise accuracy with calibrated ties: how often a metric orders two questions as annotators do.

Annotators often give two questions the same score and metrics hardly ever do, so Kendall's tau
punishes a metric for not tying. Here a difference of at most epsilon counts as a tie of the metric,
and epsilon is chosen to maximise its accuracy (Deutsch, Foster and Freitag 2023, "Ties Matter").

An epsilon chosen on the same pairs is too optimistic: with many human ties a metric that ties
everything reaches their share. So the accuracy on each source is also computed with the epsilon
that is best on the others, and reported with the share of human ties, which is the accuracy of
tying everything.
"""

from collections import Counter
from dataclasses import dataclass, replace
from math import nan
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import Facets, facets
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, Labels, numeric, same_length
from quaestor_stats._jackknife import Inferred, WithoutUnits, infer_coefficients
from quaestor_stats._result import ConfidenceInterval, Result, undefined_result
from quaestor_stats._source_correlations import mean_left_out, system_means_by_source

NO_PAIR = "no pair of items to compare"
_NEAR = 1e-12
_CELLS = 4_000_000
_MAX_COMPARED_PAIRS = 50_000_000  # without groups: about a minute


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Accuracy over pairs, and the largest difference of the metric that was taken as a tie."""

    accuracy: Result  # epsilon chosen on the same pairs, as published; n counts pairs
    epsilon: float
    baseline: float  # share of pairs with tied human scores: the accuracy of tying every pair
    held_out: Result  # each source with the epsilon of the others; p: better than ordering and tying as often by chance


@dataclass(frozen=True, slots=True)
class Accuracies:
    """Calibrated accuracies of every human column (K) with every metric (M)."""

    in_sample: FloatArray  # (K, M)
    epsilon: FloatArray  # (K, M), of ``in_sample``
    baseline: FloatArray  # (K,)
    held_out: WithoutUnits  # (K, M)
    beyond_chance: (
        WithoutUnits  # (K, M): held out, minus what as many ties and orders by chance would get
    )
    pairs: int

    def limits(self) -> Inferred:
        """Return 95% intervals of the accuracy with the epsilon that is truly best, and the test of
        chance.

        With few sources held-out accuracy is too low, for want of the best epsilon, and accuracy on
        the same pairs too high: the interval reaches as far below the one as it does above the
        other. p is one-sided: that the metric is right no more often than by chance with as many
        ties. A two-sided p would not keep its level, because epsilon is chosen on the other sources:
        a metric that follows nothing is significantly worse than chance in up to 15% of studies.
        """
        held_out = infer_coefficients(self.held_out, scale="plain")
        high = np.minimum(held_out.high + self.in_sample - self.held_out.value, 1)
        two_sided = infer_coefficients(self.beyond_chance, scale="plain").p
        above = self.beyond_chance.value
        p = np.select([above > 0, above < 0], [two_sided / 2, 1 - two_sided / 2], two_sided)
        return replace(held_out, low=np.maximum(held_out.low, 0), high=high, p=p)


def pairwise_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    groups: Labels | None = None,
    epsilon: float | None = None,
) -> Calibrated:
    """Return the share of pairs of items that a metric orders, or ties, as humans do.

    Parameters
    ----------
    human, metric : array-like (n_items,)
        Scores of which higher is better, nan where missing.
    groups : sequence of labels (n_items,), optional
        Only items of one group are compared, and every group with a pair weighs the same; as a rule
        the source. By default all items are compared, as if each had a source of its own.
    epsilon : float, optional
        The largest difference of the metric that counts as a tie, in the unit of the metric. By
        default it is chosen so that the accuracy is highest.

    Returns
    -------
    Calibrated
        ``accuracy``, a `Result` whose ``n`` counts pairs; ``epsilon``; ``baseline``, the accuracy
        of a metric that ties every pair; and ``held_out``, the accuracy on each source with the
        epsilon that is best on the others. An accuracy is undefined if no pair can be compared, or
        if there are more than 50 million pairs without groups.

    Raises
    ------
    ValueError
        The scores are no numbers, or the columns differ in length.

    Notes
    -----
    The accuracy is (concordant pairs + pairs tied by both) / all pairs. An epsilon chosen on the
    same pairs makes it too high; ``held_out`` corrects for that.

    References
    ----------
    Deutsch, D., Foster, G. and Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with
    pairwise accuracy and tie calibration. EMNLP.

    Examples
    --------
    The data and the value are those of a test of the program mt-metrics-eval.

    >>> calibrated = pairwise_accuracy([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3])
    >>> calibrated.accuracy.value, calibrated.baseline
    (0.7, 0.1)
    """
    h, m = numeric(human, name="human", ndim=1), numeric(metric, name="metric", ndim=1)
    labels = np.zeros(len(h)) if groups is None else np.asarray(groups, dtype=object)
    same_length(human=h, metric=m, groups=labels)
    scored = ~(np.isnan(h) | np.isnan(m))
    dropped = int((~scored).sum())
    if reason := _reason_against_pairs(int(scored.sum()), grouped=groups is not None):
        return _no_accuracy(reason, dropped)
    of = facets(labels[scored], _places(labels[scored]))
    columns = h[scored, None], m[scored, None]
    accuracies = accuracies_within(*columns, of)
    if isinstance(accuracies, str):
        return _no_accuracy(accuracies, dropped)
    if epsilon is None:
        value, ties = float(accuracies.in_sample[0, 0]), "calibrated on these data"
        epsilon = float(accuracies.epsilon[0, 0])
    else:
        value, ties = _accuracy_at(epsilon, *columns, of), "as given"
    method = f"pairwise accuracy, ties {ties}" + ("" if groups is None else ", mean over groups")
    return Calibrated(
        accuracy=Result(value=value, n=accuracies.pairs, dropped=dropped, method=method),
        epsilon=epsilon,
        baseline=float(accuracies.baseline[0]),
        held_out=_held_out_accuracy(accuracies, dropped),
    )


def _reason_against_pairs(items: int, *, grouped: bool) -> str:
    """Return why the pairs of so many items are not compared; empty if they are."""
    if not items:
        return NO_PAIR
    pairs = items**2 // 2
    if not grouped and pairs > _MAX_COMPARED_PAIRS:
        return f"{pairs:,} pairs are too many to compare: give groups"
    return ""


def _no_accuracy(reason: str, dropped: int) -> Calibrated:
    undefined = undefined_result("pairwise accuracy", reason, dropped=dropped)
    return Calibrated(accuracy=undefined, epsilon=nan, baseline=nan, held_out=undefined)


def _places(labels: Labels) -> IntArray:
    """Number the items of each group."""
    sizes: Counter[object] = Counter()
    places = []
    for label in labels:
        places.append(sizes[label])
        sizes[label] += 1
    return np.array(places, dtype=np.intp)


def _accuracy_at(epsilon: float, human: FloatArray, metric: FloatArray, of: Facets) -> float:
    """Return the accuracy if differences of up to epsilon are ties of the metric."""
    pairs = _Pairs.of(system_means_by_source(human, of), system_means_by_source(metric, of))
    gap, human_gap = pairs.metrics[:, 0], pairs.human[:, 0]
    is_tie = np.abs(gap) <= epsilon + pairs.slack[0]
    return float(pairs.weight @ np.where(is_tie, human_gap == 0, human_gap * gap > 0))


def _held_out_accuracy(accuracies: Accuracies, dropped: int) -> Result:
    """Return the accuracy with epsilons of the other sources, its interval, and the one-sided test
    against chance, of the first human column with the first metric."""
    limits, first = accuracies.limits(), (0, 0)
    return Result(
        value=float(accuracies.held_out.value[first]),
        ci=ConfidenceInterval(float(limits.low[first]), float(limits.high[first])),
        n=accuracies.pairs,
        dropped=dropped,
        method=f"pairwise accuracy, epsilon of the other sources; jackknife over {limits.units[first]} sources",
        reason=str(limits.reason[first]),
        pvalue=float(limits.p[first]),
        df=float(limits.df[first]),
        clusters=int(limits.units[first]),
    )


def accuracies_within(human: FloatArray, metrics: FloatArray, facets: Facets) -> Accuracies | str:
    """Return accuracies over the pairs of systems on each source, or why there are none.

    Parameters
    ----------
    human : (n, K), metrics : (n, M), complete and oriented

    Notes
    -----
    acc_eq = (concordant + tied in both) / all pairs, of the means of the systems on a source; every
    source with two systems weighs the same. By chance, with the metric's scores on a source
    permuted, pairs tie in both with the product of both shares of ties, and half of those that tie
    in neither are in order.
    """
    pairs = _Pairs.of(
        system_means_by_source(human, facets), system_means_by_source(metrics, facets)
    )
    if pairs.source.size == 0:
        return NO_PAIR
    shape = human.shape[1], metrics.shape[1]
    in_sample, epsilon = np.empty((2, *shape))
    subsets = pairs.without_systems(facets.design.random_systems)
    right, beyond_chance = np.empty((2, len(subsets), facets.n_sources, *shape))
    cluster = facets.cluster_of_source[pairs.source]
    for m, gap in enumerate(pairs.metrics.T):
        steps = _TieSteps.of(gap, pairs.slack[m])
        for k, human_gap in enumerate(pairs.human.T):
            tied, in_order = human_gap == 0, human_gap * gap > 0
            in_sample[k, m], epsilon[k, m], is_tie = _calibrate(
                steps, tied, in_order, pairs.weight, cluster
            )
            for row, counted in enumerate(subsets):
                rates = _rates(pairs, counted, in_order, is_tie, tied)
                right[row, :, k, m], beyond_chance[row, :, k, m] = rates
    return Accuracies(
        in_sample=in_sample,
        epsilon=epsilon,
        baseline=np.asarray(pairs.weight @ (pairs.human == 0)),
        held_out=_means_over_sources(right, facets),
        beyond_chance=_means_over_sources(beyond_chance, facets),
        pairs=pairs.source.size,
    )


def _calibrate(
    steps: "_TieSteps",
    tied: BoolArray,
    in_order: BoolArray,
    weight: FloatArray,
    cluster: IntArray,
) -> tuple[float, float, BoolArray]:
    """Return the highest accuracy and its epsilon, and which pairs are ties with the epsilon that
    is best on the other clusters."""
    gains = weight * (tied.astype(np.float64) - in_order)
    curve = steps.curve(gains)
    top = int(np.argmax(curve >= curve.max() - _NEAR))
    is_tie = steps.step < steps.best(curve, gains, cluster)[cluster]
    return float(weight @ in_order + curve[top]), steps.epsilon(top), is_tie


def _means_over_sources(rates: FloatArray, facets: Facets) -> WithoutUnits:
    """Return means of rates (1 + S, n_sources, K, M), of all systems and without each if these are
    random."""
    by_system = rates[1:] if facets.design.random_systems else None
    return mean_left_out(rates[0], by_system, facets=facets)


def _rates(
    pairs: "_Pairs", counted: BoolArray, in_order: BoolArray, is_tie: BoolArray, tied: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return (n_sources,) the share of the counted pairs of each source that are right, and the
    same minus what is right by chance."""
    right = pairs.share(np.where(is_tie, tied, in_order), counted)
    metric_ties, human_ties = pairs.share(is_tie, counted), pairs.share(tied, counted)
    by_chance = metric_ties * human_ties + (1 - metric_ties) * (1 - human_ties) / 2
    return right, right - by_chance


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of systems on one source: both systems, their source, and how far they are apart
    in every column.
    """

    first: IntArray  # (P,)
    second: IntArray
    source: IntArray
    n_sources: int
    n_systems: int
    human: FloatArray  # (P, K)
    metrics: FloatArray  # (P, M)
    weight: FloatArray  # (P,) one over the number of its source's pairs and of sources
    slack: FloatArray  # (M,) differences of a metric that are less apart are the same, but for rounding

    @classmethod
    def of(cls, human: FloatArray, metrics: FloatArray) -> Self:
        n_sources, n_systems = human.shape[:2]
        first, second = np.triu_indices(n_systems, 1)
        present = ~np.isnan(human[..., 0])  # columns are complete, so all have the same gaps
        source, pair = np.nonzero(present[:, first] & present[:, second])
        first, second = first[pair], second[pair]
        count = np.bincount(source, minlength=n_sources)
        weight = 1 / count[source] / max(1, int((count > 0).sum()))
        gaps, slacks = [], []
        for means in (human, metrics):
            gap = means[source, second] - means[source, first]
            slacks.append(1e-12 * np.nan_to_num(np.abs(means)).max(axis=(0, 1)))
            gaps.append(np.where(np.abs(gap) <= slacks[-1], 0, gap))
        return cls(first, second, source, n_sources, n_systems, gaps[0], gaps[1], weight, slacks[1])

    def share(self, hit: BoolArray, counted: BoolArray) -> FloatArray:
        """Return, on every source, the share of its counted pairs that are hit; nan where it has
        none.
        """
        pairs = np.bincount(self.source, counted, self.n_sources)
        hits = np.bincount(self.source, counted & hit, self.n_sources)
        return np.asarray(hits / np.where(pairs > 0, pairs, nan))

    def without_systems(self, random_systems: bool) -> list[BoolArray]:
        """Return which pairs count: all, and if systems are random those without each system."""
        subsets = [np.ones(self.source.size, dtype=bool)]
        for system in range(self.n_systems if random_systems else 0):
            subsets.append((self.first != system) & (self.second != system))
        return subsets


@dataclass(frozen=True, slots=True)
class _TieSteps:
    """The sizes of a metric's differences, one after another the largest that is a tie; t of
    them are ties at step t.
    """

    sizes: FloatArray  # (T,) ascending; the largest of those that are the same but for rounding
    step: IntArray  # (P,) a pair is a tie from step + 1 on

    @classmethod
    def of(cls, gap: FloatArray, slack: float) -> Self:
        sizes, place = np.unique(np.abs(gap), return_inverse=True)
        number = np.cumsum(np.diff(sizes, prepend=sizes[0]) > slack, dtype=np.intp)
        return cls(sizes[np.append(np.diff(number) > 0, True)], number[place])

    def epsilon(self, t: int) -> float:
        return float(self.sizes[t - 1]) if t else 0.0

    def curve(self, gains: FloatArray) -> FloatArray:
        """Return the gain in accuracy from the ties of every step; pairs that the metric itself
        ties are ties from the start.
        """
        gained = np.concatenate([[0.0], np.bincount(self.step, gains, self.sizes.size)]).cumsum()
        if self.sizes[0] == 0:
            gained[0] = -np.inf
        return np.asarray(gained)

    def best(self, curve: FloatArray, gains: FloatArray, clusters: IntArray) -> IntArray:
        """Return for every cluster (C,) the first step that is best for all others together.

        Without a cluster its gains are taken from the curve, so no step can be best that lies
        further below the top than the gains of any cluster reach, up and down.
        """
        n = int(clusters.max()) + 1
        reach = np.bincount(clusters, np.abs(gains)).max()
        candidates = np.flatnonzero(curve >= curve.max() - 2 * reach - _NEAR)
        place = np.searchsorted(candidates, self.step + 1)  # of the first one that ties the pair
        size = candidates.size
        best = np.empty(n, dtype=np.intp)
        block = max(1, _CELLS // size)
        for first in range(0, n, block):
            some = (clusters >= first) & (clusters < first + block) & (place < size)
            cells = (clusters[some] - first) * size + place[some]
            rows = min(block, n - first)
            gained = np.bincount(cells, gains[some], rows * size).reshape(rows, size).cumsum(axis=1)
            rest = curve[candidates] - gained
            is_best = rest >= rest.max(axis=1, keepdims=True) - _NEAR
            best[first : first + rows] = candidates[is_best.argmax(axis=1)]
        return best
