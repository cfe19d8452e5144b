"""The door for tables of ratings (n_units, n_raters), NaN where a rater did not judge a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._arrays import BoolArray, FloatArray, IntArray, Labels, grouped, numeric

if TYPE_CHECKING:
    from scipy import sparse

RatingScale: TypeAlias = Sequence[float] | FloatArray
_BLOCK_CELLS = 100_000
_CATEGORY_CELLS = 100_000_000  # units x values, beyond which values are taken as continuous


class RatingOffScale(ValueError):
    """A rating that is no point of its scale."""


class TooManyValues(ValueError):
    """A coefficient for categories was asked of values that are practically continuous."""


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
    _require_counts(table, number, scale.size)
    used = table.any(axis=1) & (number > 0)
    kinds, number = table[used][:, np.argsort(np.asarray(values))], number[used]
    if clusters is None:
        return Patterns(scale, kinds, number)
    codes = cluster_codes(clusters, used, name="kinds of units")
    different, kind = np.unique(kinds, axis=0, return_inverse=True)
    members = memberships(codes, kind.ravel(), number, len(different))
    return Patterns(scale, different, np.asarray(members.sum(axis=0), dtype=np.float64), members)


def _require_counts(counts: FloatArray, times: FloatArray, values: int) -> None:
    """Refuse counts of another shape than (n_times, n_values), and what is no whole number."""
    if counts.shape != (times.size, values):
        raise ValueError(
            f"counts: shape {counts.shape} for {times.size} kinds of units and {values} values"
        )
    for name, array in (("counts", counts), ("times", times)):
        if not (array >= 0).all() or (array != np.rint(array)).any():
            raise ValueError(f"{name}: whole numbers from 0 on are expected")


def cluster_codes(clusters: Labels, kept: BoolArray, *, name: str = "units") -> IntArray:
    """Return the kept units' clusters, numbered from 0 without gaps."""
    if len(clusters) != len(kept):
        raise ValueError(f"clusters: {len(clusters)} labels for {len(kept)} {name}")
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind in "iu":
        codes = clusters
    else:
        _, codes = grouped(clusters, name="clusters")
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


def checked(ratings: ArrayLike) -> FloatArray:
    """Return the table as float64, or raise ValueError that says what is wrong with it."""
    return numeric(ratings, name="ratings", ndim=2)


def units_in(ratings: ArrayLike | Patterns) -> int:
    """Return the number of units, with or without ratings."""
    return ratings.n if isinstance(ratings, Patterns) else len(checked(ratings))


def transposed(ratings: ArrayLike) -> str:
    """Return a warning when the table looks as if its rows were raters, else an empty string."""
    units, raters = checked(ratings).shape
    if raters <= max(units, 2):
        return ""
    return f"{raters} raters for {units} units: rows must be units and columns raters; is the table transposed?"


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
    low, high = (
        np.fmin.reduce(table, axis=None, initial=np.inf),
        np.fmax.reduce(table, axis=None, initial=-np.inf),
    )
    if 0 <= high - low < 16 and all(
        np.isnan(part[part != np.rint(part)]).all() for part in _blocks(table)
    ):
        return np.arange(low, high + 1)
    return None


def coded(table: FloatArray, values: FloatArray) -> IntArray:
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

    With few values and few ratings per unit a unit's counts fit into one integer, so that a million
    units are counted in one pass with little memory. `Patterns` are returned unchanged, with their
    clusters.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts (`value_counts`)
    clusters : (n_units,) labels of the clusters, as a rule the sources, that the units belong to
    """
    if isinstance(ratings, Patterns):
        if clusters is not None:
            raise ValueError("clusters: value counts carry their own, see value_counts")
        return ratings
    table = checked(ratings)
    values = observed_scale(table) if scale is None else checked_scale(scale)
    most = max((int((~np.isnan(part)).sum(axis=1).max()) for part in _blocks(table)), default=0)
    bits = max(1, most.bit_length())
    if bits * values.size <= 62:
        counts, times, different, keys = _packed(table, values, bits)
    else:
        counts = _counted(table, values)
        times = np.ones(len(counts))
        keys = different = np.arange(len(counts))
    judged = counts.any(axis=1)
    found = Patterns(values, counts[judged], times[judged])
    if clusters is None:
        return found
    rows = np.asarray(~np.isnan(table).all(axis=1))
    held = cluster_codes(clusters, rows)
    kinds = np.searchsorted(different[judged], keys[rows])
    return replace(found, clusters=memberships(held, kinds, np.ones(len(kinds)), len(found.times)))


def _packed(
    table: FloatArray,
    values: FloatArray,
    bits: int,
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the different units' counts (P, V), times and keys (P,), and each unit's key."""
    place = bits * np.arange(values.size)
    worth = np.append(np.int64(1) << place, 0)
    keys = np.concatenate(
        [_key(coded(part, values), worth) for part in _blocks(table)] or [np.zeros(0, np.int64)]
    )
    if bits * values.size <= 20:
        tally = np.bincount(keys)
        different = np.flatnonzero(tally)
        times = tally[different]
    else:
        different, times = np.unique(keys, return_counts=True)
    counts = (different[:, None] >> place) & ((1 << bits) - 1)
    return counts.astype(np.float64), times.astype(np.float64), different, keys


def _key(codes: IntArray, worth: IntArray) -> IntArray:
    key = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        key += worth[column]
    return key


def _counted(table: FloatArray, values: FloatArray) -> FloatArray:
    n, size = len(table), values.size + 1
    if n * size > _CATEGORY_CELLS:
        raise TooManyValues(
            f"{values.size} different values in {n} units: this coefficient is for a scale of few points"
        )
    cells = coded(table, values) + size * np.arange(n)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n * size).reshape(n, size)
    return counts[:, :-1].astype(np.float64)


def _blocks(table: FloatArray) -> Iterator[FloatArray]:
    """Yield the table in slices of rows that stay in the processor's cache."""
    step = max(1, _BLOCK_CELLS // max(1, table.shape[1]))
    for start in range(0, len(table), step):
        yield table[start : start + step]
