"""Pairwise accuracy with calibrated ties: how often a metric orders two questions as people do.

People often give two questions the same score and metrics hardly ever do, so Kendall's tau punishes a metric for not
tying. Here a difference of at most epsilon counts as a tie of the metric, and epsilon is the one that serves the metric
best (Deutsch, Foster and Freitag 2023, "Ties Matter").
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import FloatArray, IntArray, Labels, grouped, numeric, same_length
from analysis.stats.estimate import Estimate, undefined

_MOST_PAIRS = 50_000_000


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Accuracy over pairs, and the largest difference of the metric that was taken as a tie."""

    accuracy: Estimate  # n counts pairs
    epsilon: float


def pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, groups: Labels | None = None, epsilon: float | None = None
) -> Calibrated:
    """Share of pairs that the metric orders, or ties, as the human scores do.

    Parameters
    ----------
    human, metric : (n_items,), oriented, NaN where missing
    groups : (n_items,) only items of one group are compared, and every group with a pair weighs the same; as a rule the
        source. None compares all items.
    epsilon : a given threshold, or None to find the best

    Notes
    -----
    acc_eq = (concordant + tied in both) / all pairs. With epsilon chosen on the same data it is somewhat too good: the
    same for every metric compared, but no number to carry elsewhere.

    Examples
    --------
    >>> pairwise_accuracy([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]).accuracy.value
    0.7
    """
    h, m = numeric(human, name="human", ndim=1), numeric(metric, name="metric", ndim=1)
    codes = np.zeros(len(h), dtype=np.intp) if groups is None else grouped(groups, name="groups")[1]
    same_length(human=h, metric=m, groups=codes)
    scored = ~(np.isnan(h) | np.isnan(m))
    dropped = int((~scored).sum())
    gap_h, gap_m, weight = _pairs(h[scored], m[scored], codes[scored])
    if gap_h.size == 0:
        return Calibrated(undefined("pairwise accuracy", "no pair of items to compare", dropped=dropped), nan)
    value, used = _accuracy(gap_h, gap_m, weight, epsilon)
    how = "ties calibrated on these data" if epsilon is None else "ties as given"
    method = f"pairwise accuracy, {how}" + ("" if groups is None else ", mean over groups")
    return Calibrated(Estimate(value=value, n=gap_h.size, dropped=dropped, method=method), used)


def _pairs(human: FloatArray, metric: FloatArray, codes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return per pair the human and the metric difference, and its weight: one over the number of its group's pairs.

    Items are sorted by group; the k-th neighbours of all items are then compared at once.
    """
    order = np.argsort(codes, kind="stable")
    human, metric, codes = human[order], metric[order], codes[order]
    sizes = np.bincount(codes, minlength=1)
    total = int((sizes * (sizes - 1) // 2).sum())
    if total > _MOST_PAIRS:
        raise ValueError(f"{total} pairs are too many: compare within groups")
    gaps_h, gaps_m, groups = [], [], []
    for k in range(1, int(sizes.max(initial=0))):
        same = codes[k:] == codes[:-k]
        gaps_h.append((human[k:] - human[:-k])[same])
        gaps_m.append((metric[k:] - metric[:-k])[same])
        groups.append(codes[k:][same])
    if not groups:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    of_group = np.concatenate(groups)
    count = np.bincount(of_group)
    return np.concatenate(gaps_h), np.concatenate(gaps_m), 1 / count[of_group] / (count > 0).sum()


def _accuracy(gap_h: FloatArray, gap_m: FloatArray, weight: FloatArray, epsilon: float | None) -> tuple[float, float]:
    """Return accuracy and epsilon: pairs in order of their metric difference become ties one after another."""
    right, tied = weight * (gap_h * gap_m > 0), weight * (gap_h == 0)
    size = np.abs(gap_m)
    if epsilon is not None:
        return float(np.where(size <= epsilon, tied, right).sum()), epsilon
    order = np.argsort(size, kind="stable")
    size = size[order]
    gained = np.cumsum((tied - right)[order])
    last = np.append(size[1:] > size[:-1], True)  # all pairs of one difference tie together
    none = size[0] > 0
    gains = np.append(0.0, gained[last]) if none else gained[last]
    thresholds = np.append(0.0, size[last]) if none else size[last]
    best = int(gains.argmax())
    return float(right.sum() + gains[best]), float(thresholds[best])
