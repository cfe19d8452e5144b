"""Tables of ratings and scores: what a data frame, a mapping of columns or rows of a file hold.

A table is a pandas data frame, a mapping from names to columns, or a sequence of rows (mappings), as
`csv.DictReader` gives them. pandas itself is not needed.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from quaestor_stats._inputs import FloatArray, group_labels

Table: TypeAlias = Any
BLANK = ("", "na", "nan")


@dataclass(frozen=True, slots=True)
class RatingsTable:
    """Ratings as an array, with the names of its rows and columns."""

    values: FloatArray  # (n_units, n_raters), nan where a rater did not rate a unit
    units: list[Hashable]
    raters: list[Hashable]
    clusters: list[Hashable] | None  # (n_units,)
    categories: list[str] | None  # the words behind the numbers, where ratings are words


def is_table(data: object) -> bool:
    """Return whether data have named columns, unlike an array."""
    if hasattr(data, "columns") or isinstance(data, Mapping):
        return True
    return isinstance(data, list | tuple) and bool(data) and isinstance(data[0], Mapping)


def table_columns(table: Table) -> list[Any]:
    """Return the names of a table's columns."""
    if not is_table(table):
        raise ValueError("a table is a data frame, a mapping of columns, or a list of rows")
    return list(table[0] if isinstance(table, list | tuple) else table)


def cells(table: Table, name: str) -> list[Any]:
    """Return a column, None where a cell is blank.

    Raises
    ------
    ValueError
        The table has no such column.
    """
    if name not in table_columns(table):
        there = ", ".join(map(str, table_columns(table)))
        raise ValueError(f"there is no column {name!r}; there are {there}")
    if hasattr(table, "columns") or isinstance(table, Mapping):
        values = list(table[name])
    else:
        values = [row.get(name) for row in table]
    return [None if _is_blank(value) else value for value in values]


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in BLANK
    try:
        return value is None or bool(value != value)
    except TypeError:  # a missing value of pandas has no truth
        return True


def labels(table: Table, name: str) -> list[Hashable]:
    """Return a column of names.

    Raises
    ------
    ValueError
        A cell is blank; the message names the row, counted from 1.
    """
    values = cells(table, name)
    if None in values:
        raise ValueError(f"column {name!r}, row {values.index(None) + 1}: the cell is blank")
    return values


def numeric_column(table: Table, name: str) -> FloatArray:
    """Return a column as numbers, nan where a cell is blank.

    Raises
    ------
    ValueError
        A cell is no number; the message names the row, counted from 1.
    """
    values = np.full(len(column := cells(table, name)), np.nan)
    for place, value in enumerate(column):
        if value is None:
            continue
        try:
            values[place] = float(value)
        except (TypeError, ValueError):
            message = f"column {name!r}, row {place + 1}: {value!r} is not a number"
            raise ValueError(message) from None
    return values


def ratings_table(
    table: Table,
    *,
    unit: str,
    rater: str,
    value: str,
    cluster: str | None = None,
    words: bool = False,
) -> RatingsTable:
    """Return the array of a table with a row for each rating.

    Parameters
    ----------
    table : data frame, mapping of columns, or sequence of rows
    unit, rater, value : str
        Columns of what was rated, who rated it, and the rating; a blank rating is missing.
    cluster : str, optional
        Column of what units share, as a rule the source or passage.
    words : bool
        Whether ratings may be words: categories get the numbers 0, 1, ... in alphabetical order.

    Raises
    ------
    ValueError
        A column is missing, a rating is no number, a rater rated a unit twice, or a unit lies in
        two clusters.
    """
    units, unit_of = group_labels(labels(table, unit), name=unit)
    raters, rater_of = group_labels(labels(table, rater), name=rater)
    given, categories = _ratings(table, value, words=words)
    cell = unit_of * len(raters) + rater_of
    different, times = np.unique(cell, return_counts=True)
    if (times > 1).any():
        first = int(different[times > 1][0])
        who, what = raters[first % len(raters)], units[first // len(raters)]
        raise ValueError(f"{rater} {who} has two ratings of {unit} {what}")
    array = np.full(len(units) * len(raters), np.nan)
    array[cell] = given
    clusters = None if cluster is None else _clusters(table, cluster, units, unit_of)
    return RatingsTable(array.reshape(len(units), len(raters)), units, raters, clusters, categories)


def _ratings(table: Table, name: str, *, words: bool) -> tuple[FloatArray, list[str] | None]:
    try:
        return numeric_column(table, name), None
    except ValueError:
        if not words:
            raise
    values = cells(table, name)
    categories = sorted({str(value) for value in values if value is not None})
    places = {category: float(place) for place, category in enumerate(categories)}
    codes = [np.nan if value is None else places[str(value)] for value in values]
    return np.array(codes), categories


def _clusters(
    table: Table, name: str, units: Sequence[Hashable], unit_of: np.ndarray
) -> list[Hashable]:
    cluster_of: dict[int, Hashable] = {}
    for place, cluster in zip(unit_of.tolist(), labels(table, name), strict=True):
        if cluster_of.setdefault(place, cluster) != cluster:
            raise ValueError(
                f"{units[place]} belongs to {cluster_of[place]} and {cluster} ({name})"
            )
    return list(cluster_of.values())
