"""The input of every function: what may enter as numbers, labels, columns of scores and tables of
ratings, and in which shape."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from scipy import sparse

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = Sequence[Hashable] | NDArray[np.generic]

RatingScale: TypeAlias = Sequence[float] | FloatArray
MAX_SHORT_SPAN = 16  # points of a scale of whole numbers that the ratings themselves tell
_CATEGORY_CELLS = 100_000_000  # units x values, beyond which values are taken as continuous


class RatingOffScale(ValueError):
    """A rating that is no point of its scale."""


class TooManyValues(ValueError):
    """A coefficient for categories was asked of values that are practically continuous."""


def numeric(values: ArrayLike, *, name: str, ndim: int) -> FloatArray:
    """Return ``values`` as float64 with NaN for what is missing; refuse anything that only looks
    like numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name}: expected numbers with NaN where missing, got {array.dtype} values"
        )
    if array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension(s), got shape {array.shape}")
    if np.isinf(array).any():
        raise ValueError(f"{name}: infinite values are no ratings or scores")
    return array.astype(np.float64, copy=False)


def same_length(**columns: NDArray[np.generic]) -> int:
    """Return the common length of the named columns, or say which one differs."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "columns differ in length: " + ", ".join(f"{k} {v}" for k, v in lengths.items())
        )
    return next(iter(lengths.values()))


def group_labels(labels: Labels, *, name: str) -> tuple[list[Hashable], IntArray]:
    """Return the distinct labels in order of first appearance, and each row's number among them."""
    flat = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(flat))}
    if any(label is None or label != label for label in numbers):
        raise ValueError(f"{name}: a label is missing")
    return list(numbers), np.fromiter(map(numbers.__getitem__, flat), np.intp, count=len(flat))


def number_labels(labels: Labels, name: str) -> tuple[int, IntArray]:
    """Return how many labels there are, and their numbers in the order of the labels, so that
    nothing depends on the order of the rows."""
    names, codes = group_labels(labels, name=name)
    try:
        ordered = sorted(names)  # type: ignore[type-var]
    except TypeError:  # labels of several kinds
        ordered = sorted(names, key=str)
    place = {label: number for number, label in enumerate(ordered)}
    return len(names), np.array([place[label] for label in names], dtype=np.intp)[codes]


def source_codes(sources: Labels | None, items: int) -> IntArray:
    """Return each item's source by number; without sources each item counts as its own source."""
    return np.arange(items) if sources is None else number_labels(sources, "sources")[1]


def judged_rows(
    ratings: ArrayLike, **labels: Labels
) -> tuple[FloatArray, dict[str, list[Hashable]], dict[str, IntArray]]:
    """Return the ratings that were given, the distinct labels of each kind, and the number among
    them that each of these ratings has."""
    values = numeric(ratings, name="ratings", ndim=1)
    names: dict[str, list[Hashable]] = {}
    codes: dict[str, IntArray] = {}
    for kind, column in labels.items():
        names[kind], codes[kind] = group_labels(column, name=kind)
    same_length(ratings=values, **codes)
    judged = ~np.isnan(values)
    return values[judged], names, {kind: code[judged] for kind, code in codes.items()}


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


def orient_scores(scores: ArrayLike, *, higher_is_better: bool) -> FloatArray:
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


@dataclass(frozen=True, slots=True)
class Patterns:
    """Units grouped by how often each value was given, which is all that most coefficients need."""

    values: FloatArray  # (V,) the scale, ascending
    counts: FloatArray  # (P, V) how often each value was given
    times: FloatArray  # (P,) number of units with this pattern
    clusters: sparse.csr_array | None = None  # (C, P) number of these units in each cluster

    @property
    def sizes(self) -> FloatArray:
        return np.asarray(self.counts.sum(axis=1))

    @property
    def n(self) -> int:
        return int(self.times.sum())

    def with_at_least(self, raters: int) -> Patterns:
        keep = self.sizes >= raters
        clusters = self.clusters
        if clusters is not None:
            clusters = clusters[:, np.flatnonzero(keep)]
            clusters = clusters[np.flatnonzero(np.diff(clusters.indptr)), :]  # those that hold any
        return Patterns(self.values, self.counts[keep], self.times[keep], clusters)


def value_counts(
    values: ArrayLike,
    counts: ArrayLike,
    times: ArrayLike,
    *,
    clusters: Labels | None = None,
) -> Patterns:
    """Return units from counts of how often each value was given, as a database groups them.

    Parameters
    ----------
    values : (V,) the scale
    counts : (P, V) how often a unit of the kind was given each value
    times : (P,) how many units of the kind there are
    clusters : (P,) labels of the cluster (as a rule the source) that holds these units; a kind of
        unit found in several clusters has a row for each of them
    """
    scale, table = checked_scale(np.asarray(values)), numeric(counts, name="counts", ndim=2)
    number = numeric(times, name="times", ndim=1)
    used = table.any(axis=1) & (number > 0)
    kinds, number = table[used][:, np.argsort(np.asarray(values))], number[used]
    if clusters is None:
        return Patterns(scale, kinds, number)
    cluster = cluster_codes(clusters, used, name="kinds of units")
    different, kind = np.unique(kinds, axis=0, return_inverse=True)
    members = memberships(cluster, kind.ravel(), number, len(different))
    return Patterns(scale, different, np.asarray(members.sum(axis=0), dtype=np.float64), members)


def cluster_codes(clusters: Labels, kept: BoolArray, *, name: str = "units") -> IntArray:
    """Return the clusters of some units, numbered from 0 in the order of their labels."""
    if len(clusters) != len(kept):
        raise ValueError(f"clusters: {len(clusters)} labels for {len(kept)} {name}")
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind in "iu":
        codes = clusters
    else:
        _, codes = number_labels(clusters, "clusters")
    return np.unique(codes[kept], return_inverse=True)[1]


def memberships(
    clusters: IntArray,
    kinds: IntArray,
    times: FloatArray,
    size: int,
) -> sparse.csr_array:
    """Return (C, size): the number of units of each kind in every cluster, from rows of counts."""
    from scipy import sparse

    shape = (int(clusters.max(initial=-1)) + 1, size)
    return sparse.csr_array(sparse.coo_array((times, (clusters, kinds)), shape=shape))


def sum_by_group(values: FloatArray, groups: IntArray, number: int) -> FloatArray:
    """Return the sums over the rows of each group, (number, ...), of values (n, ...)."""
    from scipy import sparse

    rows = np.arange(len(groups))
    members = sparse.csr_array((np.ones(len(groups)), (groups, rows)), shape=(number, len(groups)))
    width = math.prod(values.shape[1:])
    sums = np.asarray(members @ values.reshape(len(values), width))
    return sums.reshape(number, *values.shape[1:])


def mean_table(
    values: FloatArray, rows: IntArray, columns: IntArray, *, shape: tuple[int, int]
) -> FloatArray:
    """Return the mean value of each row and column, nan where there is none."""
    cell, size = rows * shape[1] + columns, shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size)
    means = np.bincount(cell, values, size) / np.where(counts > 0, counts, np.nan)
    return np.asarray(means.reshape(shape))


def check_ratings(ratings: ArrayLike) -> FloatArray:
    """Return the table as float64, or raise ValueError that says what is wrong with it."""
    return numeric(ratings, name="ratings", ndim=2)


def units_in(ratings: ArrayLike | Patterns) -> int:
    """Return the number of units, with or without ratings."""
    return ratings.n if isinstance(ratings, Patterns) else len(check_ratings(ratings))


def checked_scale(scale: RatingScale) -> FloatArray:
    """Return the points of a scale in ascending order."""
    values = numeric(np.asarray(scale, dtype=np.float64), name="scale", ndim=1)
    if np.isnan(values).any() or len(np.unique(values)) != len(values):
        raise ValueError("scale: points must be different numbers")
    return np.sort(values)


def observed_scale(table: FloatArray) -> FloatArray:
    """Return a scale that holds every rating: all whole numbers of a short span, else the distinct
    values."""
    short = short_scale(table)
    return np.unique(table[~np.isnan(table)]) if short is None else short


def short_scale(table: FloatArray) -> FloatArray | None:
    """Return the whole numbers between the lowest and the highest rating where all are whole and
    the span is short."""
    judged = table[~np.isnan(table)]
    if not judged.size or (judged != np.rint(judged)).any() or np.ptp(judged) >= MAX_SHORT_SPAN:
        return None
    return np.arange(judged.min(), judged.max() + 1)


def code_ratings(table: FloatArray, values: FloatArray) -> IntArray:
    """Return each rating's position on the scale, ``len(values)`` where not judged."""
    missing = np.isnan(table)
    if values.size and np.array_equal(values, values[0] + np.arange(values.size)):
        place = np.where(missing, values.size, table - values[0])
        codes = np.clip(place, 0, values.size).astype(np.intp)
        off = (codes != place) | ((codes == values.size) & ~missing)
    else:
        codes = np.where(missing, values.size, np.searchsorted(values, table))
        off = np.append(values, np.nan)[codes] != np.where(missing, 0, table)
        off &= ~missing
    if off.any():
        raise RatingOffScale(
            f"rating {table[off][0]:g} is not on the scale {values[0]:g} to {values[-1]:g}"
        )
    return codes


def patterns(
    ratings: ArrayLike | Patterns,
    *,
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
) -> Patterns:
    """Return the different patterns of units and the number of units with each; units without
    ratings are skipped.

    Units are grouped where a unit's counts fit into one integer, as with few values and few ratings
    per unit. `Patterns` are returned unchanged, with their clusters.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts (`value_counts`)
    clusters : (n_units,) labels of the clusters, as a rule the sources, that the units belong to
    """
    if isinstance(ratings, Patterns):
        if clusters is not None:
            raise ValueError("clusters: value counts carry their own, see value_counts")
        return ratings
    table = check_ratings(ratings)
    values = observed_scale(table) if scale is None else checked_scale(scale)
    counts = _counted(table, values)
    keys = _keys(counts)
    judged = np.asarray(counts.any(axis=1))
    _, first, kinds, times = np.unique(
        keys[judged], return_index=True, return_inverse=True, return_counts=True
    )
    grouped_units = Patterns(values, counts[judged][first], times.astype(np.float64))
    if clusters is None:
        return grouped_units
    members = memberships(
        cluster_codes(clusters, judged), kinds, np.ones(len(kinds)), len(grouped_units.times)
    )
    return replace(grouped_units, clusters=members)


def _keys(counts: FloatArray) -> IntArray:
    """Return a number for each unit, equal for equal counts if such numbers fit into an integer."""
    base, size = counts.sum(axis=1).max(initial=0) + 1, counts.shape[1]
    if base**size < 2.0**62:
        return np.asarray((counts @ base ** np.arange(size)).astype(np.int64))
    return np.arange(len(counts))


def _counted(table: FloatArray, values: FloatArray) -> FloatArray:
    """Return how often each unit was given each value (n_units, V)."""
    n, size = len(table), values.size + 1
    if n * size > _CATEGORY_CELLS:
        raise TooManyValues(
            f"{values.size} different values in {n} units: this coefficient is for a scale of few points"
        )
    cells = code_ratings(table, values) + size * np.arange(n)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n * size).reshape(n, size)
    return counts[:, :-1].astype(np.float64)
