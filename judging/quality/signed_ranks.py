"""Wilcoxon's signed-rank test for small samples, in plain Python."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

EXACT_UP_TO = 50  # differences up to which the null distribution is enumerated


def one_sided_p(differences: Sequence[float]) -> float | None:
    """Return the one-sided p: the chance that the ranks of negative differences sum to as much or
    more if each sign is decided by a coin.

    Differences of zero are excluded, equal sizes share their mean rank (Wilcoxon 1945). Up to 50
    differences the distribution is exact, also with ties; beyond, the normal approximation with the
    corrections for ties and continuity. None if there are no differences at all; 1 if all are
    zero.
    """
    if not differences:
        return None
    told = sorted((difference for difference in differences if difference), key=abs)
    if not told:
        return 1.0
    doubled = _doubled_ranks([abs(each) for each in told])  # whole numbers, also for shared ranks
    negative = sum(rank for rank, each in zip(doubled, told, strict=True) if each < 0)
    if len(told) <= EXACT_UP_TO:
        return _share_at_least(negative, doubled)
    variance = sum(rank * rank for rank in doubled) / 4
    return 1 - NormalDist().cdf((negative - sum(doubled) / 2 - 1) / sqrt(variance))


def _doubled_ranks(sizes: Sequence[float]) -> list[int]:
    """Return twice the rank of each of sizes in ascending order; equal ones get their mean rank."""
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for place, size in enumerate(sizes, start=1):
        first.setdefault(size, place)
        last[size] = place
    return [first[size] + last[size] for size in sizes]


def _share_at_least(wanted: int, ranks: Sequence[int]) -> float:
    """Return the share of all choices of signs whose chosen ranks sum to `wanted` or more."""
    ways = [1] + [0] * sum(ranks)
    for rank in ranks:
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return float(sum(ways[wanted:]) / 2 ** len(ranks))
