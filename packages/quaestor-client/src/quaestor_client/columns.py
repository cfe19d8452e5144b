"""What the columns of a file are, and what they become in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from quaestor_client import types

RATED = ("ratings", "llm_judge", "ask", "value")  # roles of columns of ratings


@dataclass(frozen=True)
class Metric:
    """A column of scores of an automatic metric.

    Parameters
    ----------
    direction
        Whether a higher or a lower score is better.
    name
        The name of the metric; by default that of the column.
    """

    direction: Literal["higher", "lower"]
    name: str = ""


# A role may be a name, such as "passage"; the blank one excludes a column
Role: TypeAlias = Metric | types.Column | types.ColumnRole


def column_of(role: Role) -> types.Column:
    """Return the column of a mapping that has this role."""
    if isinstance(role, Metric):
        return {"role": "metric", "direction": role.direction, "name": role.name}
    if isinstance(role, str):
        return {"role": role}
    return role


def in_words(column: types.Column) -> str:
    """Return what a column becomes, such as “metric, higher is better”."""
    role = column.get("role", "")
    words = role.replace("_", " ") or "excluded"
    if role in RATED and column.get("name"):
        words += f" on {column['name']}"
    if column.get("rater"):
        words += f" by {column['rater']}"
    return f"{words}, {column['direction']} is better" if column.get("direction") else words


def check_protocol(columns: Mapping[str, types.Column]) -> None:
    """Refuse columns of ratings, for which no protocol was named."""
    rated = [name for name, column in columns.items() if column.get("role") in RATED]
    if rated:
        names = ", ".join(f"“{name}”" for name in rated)
        raise ValueError(
            f"The file holds ratings in {names}. Name the protocol under which they were given, "
            'such as protocol="qgeval"; or say what else the columns are, such as '
            f'columns={{"{rated[0]}": "metadata"}}.'
        )
