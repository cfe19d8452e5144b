"""Plain SQL for work that must be one statement, or for which pages with many simultaneous users
wait.

Each statement is prepared once per connection and executed by its name from then on: planning small
statements again each time costs PostgreSQL more than answering them. If an argument's type does not
follow from its place, the statement states it (`%(assignment)s::uuid`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection
from django.db.models import Model

ARGUMENT = re.compile(r"%\((\w+)\)s")
NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
M = TypeVar("M", bound=Model)
# the names of the statements that were prepared on each of the driver's connections
PREPARED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def named_statements(file: Path) -> dict[str, str]:
    """Return the statements of a file, each under the name in the line `-- name: ...` before it."""
    _head, *parts = NAME.split(file.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def instances(model: type[M], statement: str, names: Mapping[str, Any]) -> list[M]:
    """Return the rows of a query as instances of a model; their columns are fields of it."""
    with connection.cursor() as cursor:
        cursor.execute(_prepared(cursor, statement), names)
        columns = [column.name for column in cursor.description]
        return [model.from_db("default", columns, row) for row in cursor.fetchall()]


def query_rows(statement: str, names: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(_prepared(cursor, statement), names)
        return list(cursor.fetchall())


def run_statement(statement: str, names: Mapping[str, Any]) -> int:
    """Change rows; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(_prepared(cursor, statement), names)
        return int(cursor.rowcount)


def _prepared(cursor: Any, statement: str) -> str:
    """Return the command that executes a statement; prepare it first if the connection has not."""
    name, prepare, execute = _texts(statement)
    known = PREPARED.setdefault(connection.connection, set())
    if name not in known:
        with connection.wrap_database_errors:
            cursor.cursor.execute(prepare)
        known.add(name)
    return execute


@lru_cache(maxsize=256)
def _texts(statement: str) -> tuple[str, str, str]:
    """Return a statement's name, the command that prepares it and the one that executes it."""
    arguments = list(dict.fromkeys(ARGUMENT.findall(statement)))
    name = f"quaestor_{sha256(statement.encode()).hexdigest()[:16]}"
    numbered = ARGUMENT.sub(lambda found: f"${arguments.index(found[1]) + 1}", statement).replace(
        "%%", "%"
    )
    given = f"({', '.join(f'%({argument})s' for argument in arguments)})" if arguments else ""
    return name, f"PREPARE {name} AS {numbered}", f"EXECUTE {name}{given}"
