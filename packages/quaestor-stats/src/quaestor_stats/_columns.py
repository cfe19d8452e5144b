"""The door for scores of items: columns of one length, over the items where none of them is
missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._arrays import BoolArray, FloatArray, numeric, same_length


@dataclass(frozen=True, slots=True)
class Complete:
    """Columns over one common set of items."""

    columns: FloatArray  # (n_items, n_columns)
    kept: BoolArray  # (n_all,)
    dropped: int

    @property
    def n(self) -> int:
        return len(self.columns)


def complete(columns: Sequence[ArrayLike], *, names: Sequence[str] | None = None) -> Complete:
    """Return the items where every column has a number: correlations that are compared need one
    common set."""
    labels = list(names) if names is not None else [f"column {i + 1}" for i in range(len(columns))]
    checked = {
        name: numeric(column, name=name, ndim=1)
        for name, column in zip(labels, columns, strict=True)
    }
    same_length(**checked)
    table = np.column_stack(list(checked.values()))
    kept = np.asarray(~np.isnan(table).any(axis=1))
    return Complete(table[kept], kept, int((~kept).sum()))


def oriented(scores: ArrayLike, *, higher_is_better: bool) -> FloatArray:
    """Return the scores so that higher is better; every correlation with them then has the right
    sign."""
    values = numeric(scores, name="scores", ndim=1)
    return values if higher_is_better else -values


def constant(column: FloatArray) -> bool:
    """Return whether a column does not vary beyond the rounding errors of float arithmetic."""
    return column.size == 0 or bool(np.ptp(column) <= 1e-13 * np.abs(column).max())


def ranked(columns: FloatArray) -> FloatArray:
    """Return mid-ranks along the first axis."""
    from scipy import stats

    return np.asarray(stats.rankdata(columns, axis=0), dtype=np.float64)


def standardised(columns: FloatArray) -> FloatArray:
    """Return columns with mean 0 and length 1, so that a product of two is their Pearson
    correlation."""
    centred = columns - columns.mean(axis=0)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=0)), dtype=np.float64)
