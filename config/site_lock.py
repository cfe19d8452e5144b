"""The locks that tell a restore or an upgrade whether the site is running, and a beat whether
another one is.

Each process of the site (web, worker, beat) holds a shared advisory lock in the database on a
connection of its own. A restore or an upgrade takes the same lock exclusively, and refuses if it is
held. Every role may read the holders in ``pg_locks``, whereas ``pg_stat_activity`` hides the
sessions of other roles. Beat holds a second lock, exclusively.
"""

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

RETRY_SECONDS = 0.5
HOLDERS_SQL = """
SELECT count(*), coalesce(bool_or(mode = 'ExclusiveLock'), false) FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
POOLED = (
    "The database is reached through a connection pooler, which cannot keep a lock for the site. "
    "Set QUAESTOR_DIRECT_DATABASE_URL to the address of the PostgreSQL server itself."
)
UNDER_MAINTENANCE = (
    "The database is being restored or upgraded. Start the site when that is finished."
)

ANOTHER_BEAT = "Another beat of this site is running; one is enough."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lock:
    """An advisory lock that processes hold as long as they live."""

    numbers: tuple[int, int]
    function: str
    refusal: str  # what a process reads that does not get it


SITE = Lock((0x5155, 0x4153), "pg_try_advisory_lock_shared", UNDER_MAINTENANCE)  # "QU", "AS"
BEAT = Lock((0x5155, 0x4245), "pg_try_advisory_lock", ANOTHER_BEAT)  # "QU", "BE"


class SiteLockRefused(Exception):
    """The lock is not available; the message says why and what to do."""


class LockHolder(threading.Thread):
    """Holds a lock while this process lives, and takes it again after an interruption.

    If the database cannot be reached, the thread keeps trying. If the lock is taken during an
    interruption, by a restore, an upgrade or another beat, the process ends, so that it accepts no
    work that would be lost.
    """

    def __init__(self, lock: Lock) -> None:
        super().__init__(name="site lock", daemon=True)
        self.lock, self.database = lock, direct_connection()

    def acquire(self) -> None:
        """Take the lock; raise SiteLockRefused if it is not available."""
        if not _try_lock(self.database, self.lock.function, self.lock.numbers):
            self.database.close()
            raise SiteLockRefused(self.lock.refusal)

    def run(self) -> None:
        while True:
            try:
                if self.database.connection is None:
                    self.acquire()
                self._wait_for_interruption()
                self.database.close()
            except (DatabaseError, InterfaceError):
                self.database.close()
                time.sleep(RETRY_SECONDS)
            except SiteLockRefused as refused:
                log.critical("%s", refused)
                os.kill(os.getpid(), signal.SIGTERM)
                return

    def _wait_for_interruption(self) -> None:
        """Return when the server ends the connection: it sends nothing else on it."""
        assert self.database.connection is not None  # noqa: S101  # the lock was taken on it
        select.select([self.database.connection.fileno()], [], [])


def hold(lock: Lock = SITE) -> None:
    """Hold a lock from now to the end of this process; raise SiteLockRefused if it is not
    available."""
    holder = LockHolder(lock)
    with suppress(DatabaseError, InterfaceError):  # the thread keeps trying
        holder.acquire()
    holder.start()


@contextmanager
def exclusive() -> Iterator[None]:
    """Hold the lock alone while the block runs; raise SiteLockRefused if any process holds it."""
    database = direct_connection()
    try:
        if not _try_lock(database, "pg_try_advisory_lock", SITE.numbers):
            raise SiteLockRefused(_holders(database))
        try:
            yield
        finally:
            _unlock(database)
    finally:
        database.close()


def direct_connection() -> BaseDatabaseWrapper:
    """Return a new connection to the site's database that bypasses any pooler."""
    database = connection.copy()
    database.settings_dict |= settings.DIRECT_DATABASE
    database.inc_thread_sharing()  # opened by one thread and watched by another
    return database


def _try_lock(database: BaseDatabaseWrapper, function: str, numbers: tuple[int, int]) -> bool:
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        if cursor.fetchone()[0] != database.connection.info.backend_pid:
            raise SiteLockRefused(POOLED)  # a pooler announces another process
        cursor.execute(f"SELECT {function}(%s, %s)", numbers)
        return bool(cursor.fetchone()[0])


def _unlock(database: BaseDatabaseWrapper) -> None:
    """Release the lock now: the server notices a closed connection only a moment later."""
    with suppress(DatabaseError, InterfaceError), database.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", SITE.numbers)


def _holders(database: BaseDatabaseWrapper) -> str:
    with database.cursor() as cursor:
        cursor.execute(HOLDERS_SQL, SITE.numbers)
        count, is_exclusive = cursor.fetchone()
    if is_exclusive:
        return "Another restore or upgrade of this database is running."
    processes = "1 process" if count == 1 else f"{count} processes"
    return (
        f"The site is running: {processes} (web server, worker or beat) use this database. "
        "Stop the site first."
    )
