"""Plain SQL where it must be one statement, or where a page that many use at once waits for it."""

from collections.abc import Mapping
from typing import Any

from django.db import connection


def rows(statement: str, names: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return what the database says."""
    with connection.cursor() as cursor:
        cursor.execute(statement, dict(names))
        return list(cursor.fetchall())


def run(statement: str, names: Mapping[str, Any]) -> int:
    """Change rows; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(statement, dict(names))
        return int(cursor.rowcount)
