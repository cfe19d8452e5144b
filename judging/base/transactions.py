"""Transactions that see one moment of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything in the block from one snapshot of the database, that of the first query."""
    has_begun = connection.in_atomic_block  # then the isolation level can no longer be set
    with transaction.atomic(), connection.cursor() as cursor:
        if not has_begun:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
