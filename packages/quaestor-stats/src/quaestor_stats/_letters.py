"""Letters beside system names: two systems share one exactly if they do not differ significantly."""

from collections.abc import Sequence, Set
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import numeric

GROUPS_ON_THE_WAY = 500  # with more groups, letters could not describe the differences


def letters(means: ArrayLike, differ: Set[tuple[int, int]]) -> list[str]:
    """Return letters that summarise which systems differ significantly.

    Two systems share a letter exactly if they do not differ significantly.

    Parameters
    ----------
    means : array-like (n_systems,)
        Means of the systems; the letter "a" begins with the highest.
    differ : set of (int, int)
        Positions of the two systems of every pair that differs significantly.

    Returns
    -------
    list of str
        The letters of each system; empty strings if 52 letters are not enough.

    Raises
    ------
    ValueError
        The means are no numbers, or are not one-dimensional.

    References
    ----------
    Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise
    comparisons. Journal of Computational and Graphical Statistics 13, 456-466.

    Examples
    --------
    >>> letters([3.0, 1.0, 2.0], {(0, 1)})
    ['a', 'b', 'ab']
    """
    order = np.argsort(-_finite(means), kind="stable")
    place = {int(system): rank for rank, system in enumerate(order)}
    groups = [(1 << len(order)) - 1]  # the bit of a rank is set if its system belongs
    for i, j in sorted(tuple(sorted((place[a], place[b]))) for a, b in differ):
        both = 1 << i | 1 << j
        split = [group for group in groups if group & both == both]
        groups = [group for group in groups if group & both != both]
        groups += _not_inside([group & ~(1 << k) for group in split for k in (i, j)], groups)
        if len(groups) > GROUPS_ON_THE_WAY:
            break
    if len(groups) > len(ascii_letters):
        return [""] * len(order)
    groups.sort(key=lambda group: [rank for rank in range(len(order)) if group >> rank & 1])
    named = list(zip(ascii_letters, groups, strict=False))
    return [
        "".join(letter for letter, group in named if group >> place[i] & 1)
        for i in range(len(order))
    ]


def _finite(means: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.nan_to_num(
        numeric(np.nan_to_num(np.asarray(means, float), neginf=-1e300), name="means", ndim=1)
    )


def _not_inside(parts: Sequence[int], groups: Sequence[int]) -> list[int]:
    """Return the parts that lie in no group and in no other part."""
    kept: list[int] = []
    for part in sorted(parts, key=int.bit_count, reverse=True):
        if not any(part & other == part for other in (*groups, *kept)):
            kept.append(part)
    return kept
