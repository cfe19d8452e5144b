"""Many rows at once: ids taken in advance, rows by COPY. The database checks them as it checks any other row."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from io import StringIO

from django.db import connection, models, transaction

BATCH = 20_000
CHUNK = 1 << 16
Row = Sequence[object]


def take_ids(model: type[models.Model], count: int) -> list[int]:
    """Return ids nobody else will get, so that rows can name each other before they are stored."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [f'"{model._meta.db_table}"'])
        (sequence,) = cursor.fetchone()
        cursor.execute("SELECT nextval(%s::regclass) FROM generate_series(1, %s)", [sequence, count])
        return [row[0] for row in cursor.fetchall()]


def check_at_once() -> None:
    """Have foreign keys checked batch by batch, not all at the end: so progress is honest, and a cancel soon heard."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def let_planner_know(*changed: type[models.Model]) -> None:
    """Have the planner count tables anew once the transaction is through: a guess from before can cost minutes."""
    tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in changed)

    def analyze() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {tables}")

    transaction.on_commit(analyze)


def copy(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    stored: Callable[[int], None] = lambda count: None,
) -> None:
    """Store rows; `columns` are the database's. `stored` learns the size of each batch, and may stop by raising.

    Columns that are left out take the database's default, so every column without one must be named.
    """
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    statement = f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN"
    remaining = iter(rows)
    with connection.cursor() as cursor:
        while batch := list(itertools.islice(remaining, BATCH)):
            with connection.wrap_database_errors:
                cursor.copy_expert(statement, StringIO("".join(map(_line, batch))), CHUNK)
            stored(len(batch))


def _line(row: Row) -> str:
    return "\t".join(map(_cell, row)) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return r"\N"
    if isinstance(value, str):
        return value.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
    return str(value)
