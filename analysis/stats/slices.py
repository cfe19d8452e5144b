"""Any number by the values of a metadata column: question type, source, domain, language, noise, day."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import nan
from typing import Generic, TypeVar

import numpy as np

from analysis.stats.arrays import IntArray, Labels, grouped
from analysis.stats.estimate import Estimate, Tested
from analysis.stats.multiplicity import holm

Found = TypeVar("Found", bound=Estimate)


@dataclass(frozen=True, slots=True)
class Slice(Generic[Found]):
    """A number for the rows with one label."""

    label: Hashable
    rows: int
    found: Found
    adjusted_p: float  # Holm over the slices; nan where the number is no test


def sliced(labels: Labels, analyse: Callable[[IntArray], Found]) -> list[Slice[Found]]:
    """Return ``analyse(rows)`` for the rows of every label, in order of first appearance.

    The more slices one looks at, the more differ by chance: where the number is a test, its p is also given adjusted
    over all slices.

    Parameters
    ----------
    labels : (n_rows,)
    analyse : takes the positions of a slice's rows

    >>> from analysis.stats.correlation import correlate
    >>> x, y = np.arange(6.0), np.array([0.0, 1, 2, 5, 4, 3])
    >>> [round(s.found.value, 6) for s in sliced(list("aaabbb"), lambda rows: correlate(x[rows], y[rows]))]
    [1.0, -1.0]
    """
    names, codes = grouped(labels, name="labels")
    rows = [np.flatnonzero(codes == i) for i in range(len(names))]
    found = [analyse(part) for part in rows]
    p = [f.p if isinstance(f, Tested) else nan for f in found]
    adjusted = holm(p)
    return [Slice(*row) for row in zip(names, map(len, rows), found, map(float, adjusted), strict=True)]
