"""Jobs of a real worker that are watched, held and killed."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from judging.jobs.models.job import Job
from tests.conftest import KeptWorker


@contextmanager
def imports_held() -> Iterator[None]:
    """Let no import write its scores, its last table, while the block runs: what is to be seen of
    it stays."""
    holding = connection.copy()
    try:
        with holding.cursor() as cursor:
            holding.set_autocommit(False)
            cursor.execute("LOCK TABLE judging_score IN SHARE MODE")
            yield
    finally:
        holding.close()


def wait_for(job: Job, condition: Callable[[Job], bool], seconds: float = 300) -> Job:
    """Wait longer than a worker takes to find out that it hangs and to begin again, on a busy
    machine."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        job.refresh_from_db()
        if condition(job):
            return job
        time.sleep(0.05)
    log = KeptWorker.LOG.read_text()[-6000:]
    raise AssertionError(f"{job} after {seconds} seconds: {job.error}\n{log}")


def over(job: Job) -> bool:
    return job.state not in ("queued", "running")


def asked(statement: str) -> list[tuple[object, ...]]:
    """Return what the database answers."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
