"""Dates and times of answers, which are texts in JSON."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints, is_typeddict

T = TypeVar("T")


def read_dates(value: Any, kind: type[T]) -> T:
    """Return a value of JSON with dates and times where its type has them."""
    read = _reader(cast(Any, kind))
    return cast(T, read(value) if read else value)


@cache
def _reader(kind: Any) -> Callable[[Any], Any] | None:
    """Return a function that reads values of a type; None if the type has no dates."""
    if kind is datetime or kind is date:
        return cast(Callable[[Any], Any], kind.fromisoformat)
    if is_typeddict(kind):
        hints = get_type_hints(kind).items()
        fields = {name: read for name, hint in hints if (read := _reader(hint))}
        return (lambda row: _read_fields(row, fields)) if fields else None
    read = next(filter(None, map(_reader, get_args(kind))), None)
    if read is None:
        return None
    if get_origin(kind) is list:
        return lambda values: [read(value) for value in values]
    if get_origin(kind) is dict:
        return lambda values: {name: read(value) for name, value in values.items()}
    return lambda value: None if value is None else read(value)


def _read_fields(row: dict[str, Any], fields: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
    dated = {name: fields[name](row[name]) for name in fields if name in row}
    return row | dated
