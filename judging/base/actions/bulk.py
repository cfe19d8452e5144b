"""Many rows at once: ids taken in advance, rows stored by COPY. The database checks them like any
other row."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from io import BytesIO
from typing import Any

from django.db import connection, models, transaction

BATCH = 10_000  # rows
BATCH_CHARACTERS = 8_000_000  # without the last row; memory holds a batch a few times over
# a batch in one piece: before each further piece the sending thread would wait for Python's lock
CHUNK = 1 << 24
TAKE = "SELECT nextval(%s::regclass) AS id FROM generate_series(1, %s)"
CopiedRow = Sequence[object]


def take_ids(model: type[models.Model], count: int) -> Sequence[int]:
    """Return ids that no other row gets, so that rows can refer to each other before storage."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [f'"{model._meta.db_table}"'])
        names = (cursor.fetchone()[0], count)
        cursor.execute(f"SELECT min(id), max(id) FROM ({TAKE}) AS taken", names)  # noqa: S608
        first, last = cursor.fetchone()
        if not count or last - first == count - 1:
            return range(first, last + 1) if count else ()
        cursor.execute(TAKE, names)  # another session took some in between: fetch each id
        return [row[0] for row in cursor.fetchall()]


def check_at_once() -> None:
    """Have foreign keys checked with each statement, not all at the end: progress is then accurate,
    a cancellation takes effect soon, and the history is not locked while millions are checked.

    The history's seal stays deferred, so all other constraints are named one by one: setting ALL
    would seal the events noted so far, and every writer of history would wait from then on.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(DISTINCT quote_ident(conname), ', ') FROM pg_constraint "
            "WHERE condeferrable AND conname <> 'event_seal' "
            "AND connamespace = current_schema()::regnamespace"
        )
        [names] = cursor.fetchone()
        cursor.execute(f"SET CONSTRAINTS {names} IMMEDIATE")


def delete_rows(
    *parts: models.QuerySet[Any],
    progress: Callable[[int, int, str], None] = lambda done, total, says: None,
) -> int:
    """Delete rows of tables, one table after the other, and return how many; the database refuses
    to delete rows that others refer to.

    They are deleted in batches and not held in memory, where Django's own deletion holds all of
    them. `progress` may stop it by raising.
    """
    done, total = 0, sum(rows.count() for rows in parts)
    for rows in parts:
        found: Any = rows.order_by().values_list("pk", flat=True).iterator(chunk_size=BATCH)
        with closing(found) as keys:
            while batch := list(itertools.islice(keys, BATCH)):
                progress(done, total, f"Removing {rows.model._meta.verbose_name_plural}")
                of_batch = rows.model._base_manager.filter(pk__in=batch)
                of_batch._raw_delete(of_batch.db)
                done += len(batch)
    return done


def let_planner_know(*changed: type[models.Model]) -> None:
    """Update the planner's statistics of tables after commit: a plan from old ones can cost minutes.

    One statement per table: one for all would keep the locks of the first while it waits for the
    last, and two imports that end at one moment could deadlock. A failure is only logged, because
    the rows are committed already.
    """

    def analyze() -> None:
        with (
            connection.cursor() as cursor
        ):  # by a function of the tables' owner: the web server's role owns no table
            for model in changed:
                cursor.execute(
                    "SELECT judging_analyze(ARRAY[%s]::regclass[])", [model._meta.db_table]
                )

    transaction.on_commit(analyze, robust=True)


def copy_rows(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Iterable[CopiedRow],
    *,
    stored: Callable[[int], None] = lambda count: None,
) -> None:
    """Store rows; `columns` are the database's. `stored` is called with the size of each batch, and
    may stop by raising.

    Omitted columns take the database's default, so every column without one must be named. The next
    batch is made while the database stores one, so making rows must not query the database.
    """
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    statement = f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN"
    with connection.cursor() as cursor, ThreadPoolExecutor(1) as beside:
        count, text = _batch(remaining := iter(rows))
        while count:
            sent = beside.submit(cursor.copy_expert, statement, BytesIO(text), CHUNK)
            following = _batch(remaining)
            with connection.wrap_database_errors:
                sent.result()
            stored(count)
            count, text = following


def _batch(rows: Iterator[CopiedRow]) -> tuple[int, bytes]:
    """Return how many rows the next batch has, and its text for COPY."""
    lines: list[str] = []
    length = 0
    for row in itertools.islice(rows, BATCH):
        lines.append(_line(row))
        length += len(lines[-1])
        if length > BATCH_CHARACTERS:
            break
    return len(lines), "".join(lines).encode()


ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
CELLS: Mapping[type, Callable[[Any], str]] = {
    int: str,
    str: lambda text: text.translate(ESCAPED),
    type(None): lambda _nothing: r"\N",
}


def _line(row: CopiedRow) -> str:
    return "\t".join([CELLS.get(type(value), _cell)(value) for value in row]) + "\n"


def _cell(value: object) -> str:
    """Write a value of a type that few columns have, such as a member of an enumeration."""
    return str(value).translate(ESCAPED)


def random_uuids() -> Iterator[str]:
    """Yield random UUIDs (version 4) as the database reads them, drawn many at a time: a call of
    uuid4 for each takes twenty times as long."""
    while True:
        drawn = os.urandom(16 * BATCH).hex()
        for at in range(0, len(drawn), 32):
            variant = "89ab"[int(drawn[at + 16], 16) % 4]
            yield f"{drawn[at : at + 12]}4{drawn[at + 13 : at + 16]}{variant}{drawn[at + 17 : at + 32]}"
