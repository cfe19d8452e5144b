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
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

ARGUMENT = re.compile(r"%\((\w+)\)s")
# the names of the statements that were prepared on each of the driver's connections
PREPARED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def rows(statement: str, names: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(_prepared(cursor, statement), names)
        return list(cursor.fetchall())


def run(statement: str, names: Mapping[str, Any]) -> int:
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
    given = f"({', '.join(f'%({each})s' for each in arguments)})" if arguments else ""
    return name, f"PREPARE {name} AS {numbered}", f"EXECUTE {name}{given}"
