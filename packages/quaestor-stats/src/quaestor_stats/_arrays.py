"""The first door: what may enter as numbers, and in which shape."""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = Sequence[Hashable] | NDArray[np.generic]


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


def grouped(labels: Labels, *, name: str) -> tuple[list[Hashable], IntArray]:
    """Return the distinct labels in order of first appearance, and each row's number among them."""
    flat = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(flat))}
    if any(label is None or label != label for label in numbers):
        raise ValueError(f"{name}: a label is missing")
    return list(numbers), np.fromiter(map(numbers.__getitem__, flat), np.intp, count=len(flat))


def source_codes(sources: Labels | None, items: int) -> IntArray:
    """Return each item's source by number; without sources each item counts as its own source."""
    return np.arange(items) if sources is None else grouped(sources, name="sources")[1]


def judged_rows(
    ratings: ArrayLike, **labels: Labels
) -> tuple[FloatArray, dict[str, list[Hashable]], dict[str, IntArray]]:
    """Return the ratings that were given, the distinct labels of each kind, and the number among
    them that each of these ratings has."""
    values = numeric(ratings, name="ratings", ndim=1)
    names: dict[str, list[Hashable]] = {}
    codes: dict[str, IntArray] = {}
    for kind, column in labels.items():
        names[kind], codes[kind] = grouped(column, name=kind)
    same_length(ratings=values, **codes)
    judged = ~np.isnan(values)
    return values[judged], names, {kind: code[judged] for kind, code in codes.items()}
