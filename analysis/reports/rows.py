"""The typed rows of a report as flat records, and what they mean.

A section's row is a `table_row`, a frozen dataclass whose fields are `column`s. All exports are
derived from it here: the order of CSV columns, JSON records and their schema, the list of columns in
the docs, and the row itself when a run is read again. A field that is a `Result` becomes a column for
each of its numbers; its `statistic` and `p` only if the field is a `TestedResult`. A row with several
results has a prefix for each: the columns of a prefix are `WITH_PREFIX`, and one column, `method`,
holds the rest of all of them.
"""

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from math import isfinite, nan
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from quaestor_stats._result import ConfidenceInterval, Result

Record = dict[str, Any]
DIGITS = 12  # significant digits: the same on every machine
R = TypeVar("R")
ColumnKind: TypeAlias = Literal["text", "number", "count", "boolean", "list", "document"]
TestedResult: TypeAlias = Annotated[Result, "tested"]

RESULT_COLUMNS: dict[str, str] = {
    "value": "the estimate; empty where it is undefined",
    "low": "lower end of its 95% CI",
    "high": "upper end of its 95% CI",
    "n": "number of units it rests on",
    "dropped": "units left out, because something they need is missing",
    "clusters": "sources, or clusters of them, that the interval or test keeps together; 0 where "
    "units count as independent",
    "df": "degrees of freedom of an interval over sources or clusters of them; over units n - 1",
    "method": "how the estimate and its interval were made",
    "reason": "why the estimate, or its interval, is missing",
    "caution": "what makes the number less sure",
    "statistic": "the test's statistic",
    "p": "p, not corrected; two-sided unless the table says otherwise",
}
OF_TESTS = ("statistic", "p")
WITH_PREFIX = ("value", "low", "high", "n", "reason")
IN_METHOD = ("dropped", "clusters", "df", "method", "caution")
METHOD = "method"
METHOD_MEANING = "of each estimate of the row: dropped, clusters, df, method and caution, as in tables of one estimate"
_PATHS = {"low": ("ci", "low"), "high": ("ci", "high"), "p": ("pvalue",)}  # others: as the column
_RESULT_KINDS: dict[str, ColumnKind] = {
    **dict.fromkeys(("n", "dropped", "clusters"), "count"),
    **dict.fromkeys(("method", "reason", "caution"), "text"),
}


@dataclass(frozen=True)
class RowColumn:
    """One column of a downloaded table."""

    name: str
    kind: ColumnKind
    meaning: str
    path: tuple[str, ...]  # the attributes that lead to it from the row


def row_field(meaning: str, *, default: Any = MISSING, prefix: str = "") -> Any:
    """Return a field of a row with the meaning that docs and schema give its column. `prefix`: of
    the columns of a `Result`, if a row has two of them."""
    return field(default=default, metadata={"meaning": meaning, "prefix": prefix})


@dataclass_transform(frozen_default=True, field_specifiers=(row_field,))
def table_row(row_type: type[R]) -> type[R]:
    """Make a class the type of a table's rows: a frozen dataclass of columns."""
    return dataclass(frozen=True)(row_type)


def stable_number(value: float | None) -> float | None:
    """Return a value with the digits that are the same everywhere; None where it is undefined."""
    if value is None or not isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def row_columns(row_type: type) -> tuple[RowColumn, ...]:
    """Return the columns of a row type in the order of its fields."""
    return _columns(row_type)


@cache
def _columns(row_type: type) -> tuple[RowColumn, ...]:
    found: list[RowColumn] = []
    for each in fields(row_type):
        hint = _hints(row_type)[each.name]
        if hint in (Result, TestedResult):
            prefix = each.metadata["prefix"]
            found += [
                RowColumn(prefix + name, kind, meaning, (each.name, *path))
                for name, kind, meaning, path in _result_columns(is_tested=hint is TestedResult)
                if not prefix or name in WITH_PREFIX
            ]
        else:
            meaning = each.metadata["meaning"]
            found.append(RowColumn(each.name, _kind(hint), meaning, (each.name,)))
    if _results_with_prefix(row_type):
        found.append(RowColumn(METHOD, "document", METHOD_MEANING, ()))
    return tuple(found)


@cache
def _results_with_prefix(row_type: type) -> dict[str, str]:
    """Return the names of the fields of results with a prefix, by prefix without its last _."""
    return {
        prefix.removesuffix("_"): each.name
        for each in fields(row_type)
        if (prefix := each.metadata.get("prefix"))
    }


def _result_columns(*, is_tested: bool) -> Iterator[tuple[str, ColumnKind, str, tuple[str, ...]]]:
    for name, meaning in RESULT_COLUMNS.items():
        if is_tested or name not in OF_TESTS:
            kind = _RESULT_KINDS.get(name, "number")
            yield name, kind, meaning, _PATHS.get(name, (name,))


def encode(row: Any) -> Record:
    """Return a row as a flat record of plain values, numbers with twelve significant digits."""
    return {
        stored.name: _plain(_at(row, stored.path)) if stored.path else _methods(row)
        for stored in row_columns(type(row))
    }


def _methods(row: Any) -> Record:
    """Return what the columns with a prefix do not hold of the results of a row, by prefix."""
    return {
        prefix: {name: _plain(getattr(getattr(row, result), name)) for name in IN_METHOD}
        for prefix, result in _results_with_prefix(type(row)).items()  # type: ignore[arg-type]
    }


def encode_result(result: Result) -> Record:
    """Return a result that belongs to no row as a flat record, without its test."""
    parts = _result_columns(is_tested=False)
    return {name: _plain(_at(result, path)) for name, _, _, path in parts}


def decode(row_type: type[R], record: Mapping[str, Any]) -> R:
    """Return the row of a record; a column that it lacks is empty."""
    values: dict[str, Any] = {}
    for each in _stored_fields(row_type):  # type: ignore[arg-type]
        if each.is_result:
            values[each.name] = decode_result(record, each.column)
            continue
        value: Any = record.get(each.column)
        if value is None:
            value = each.empty.copy() if isinstance(each.empty, list | dict) else each.empty
        values[each.name] = float(value) if each.is_float and value is not None else value
    return row_type(**values)


def decode_result(record: Mapping[str, Any], prefix: str = "") -> Result:
    """Return the result whose columns have this prefix in a record."""
    in_method = (record.get(METHOD) or {}).get(prefix.removesuffix("_"), {}) if prefix else record

    def stored(name: str) -> Any:
        return in_method.get(name) if name in IN_METHOD else record.get(prefix + name)

    def read(name: str) -> float:
        value = stored(name)
        return nan if value is None else float(value)

    return Result(
        value=read("value"),
        ci=ConfidenceInterval(read("low"), read("high")),
        n=stored("n") or 0,
        dropped=stored("dropped") or 0,
        clusters=stored("clusters") or 0,
        df=read("df"),
        method=stored("method") or "",
        reason=stored("reason") or "",
        caution=stored("caution") or "",
        statistic=read("statistic"),
        pvalue=read("p"),
    )


@dataclass(frozen=True, slots=True)
class StoredField:
    """The position of a row's field in a record, computed once for all records of its type."""

    name: str
    column: str  # of a result: the prefix of its columns
    is_result: bool
    empty: Any  # what a missing value is read as
    is_float: bool


@cache
def _stored_fields(row_type: type) -> tuple[StoredField, ...]:
    empty: Mapping[Any, Any] = {float: nan, int: 0, bool: False, list: [], dict: {}}
    found = []
    for each in fields(row_type):
        hint = _hints(row_type)[each.name]
        bare, optional = _bare(hint)
        is_result = hint in (Result, TestedResult)
        found.append(
            StoredField(
                name=each.name,
                column=each.metadata["prefix"] if is_result else each.name,
                is_result=is_result,
                empty=None if optional else empty.get(get_origin(bare) or bare, ""),
                is_float=bare is float,
            )
        )
    return tuple(found)


@cache
def _hints(row_type: type) -> dict[str, Any]:
    return get_type_hints(row_type, include_extras=True)


def _bare(hint: Any) -> tuple[Any, bool]:
    """Return a type without its None, and whether it allows None."""
    if get_origin(hint) in (Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        return inner[0], len(inner) < len(get_args(hint))
    return hint, False


def _kind(hint: Any) -> ColumnKind:
    bare, _ = _bare(hint)
    if bare is float:
        return "number"
    if bare is bool:
        return "boolean"
    if bare is int:
        return "count"
    if get_origin(bare) is dict:
        return "document"
    return "list" if get_origin(bare) is list else "text"


def _at(row: Any, path: Sequence[str]) -> Any:
    for name in path:
        row = getattr(row, name)
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if hasattr(value, "dtype") or isinstance(value, float):
        plain = value.item() if hasattr(value, "item") else value
        return stable_number(plain) if isinstance(plain, float) else plain
    return value
