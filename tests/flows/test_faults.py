"""A site with annotators at work, of which everything is killed once: what it acknowledged, it has,
and once."""

import os
import random
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg2
import pytest

from bench.soak import Soak
from bench.soak_people import at_work
from bench.soak_site import Site, descendants, has_ended, kill, named, served, until
from config.postgres import Cluster
from tests.flows.ledger import (
    HELD,
    assert_acknowledged_is_there,
    assert_import_is_whole,
    assert_places_are_right,
    assert_submitted_once,
    goes_on,
)

pytestmark = [pytest.mark.long, pytest.mark.jobs, pytest.mark.threads]


# ---- what is killed

KILLED = (
    "a web process",
    "the web server's master",
    "beat",
    "a backend of the database",
    "the database's master",
    "the whole database",
)


@contextmanager
def import_held(site: Site) -> Iterator[None]:
    """Hold every import before its last table while the block runs, so that it cannot end before it
    is looked at.

    The import writes scores; annotators and the study made here do not, so nobody else waits for
    this lock.
    """
    with (
        closing(psycopg2.connect(Cluster(site.home).url())) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("LOCK TABLE judging_score IN SHARE MODE")
        yield


def kill_worker_at_work(site: Site, up: int, job: str) -> None:
    """Kill the worker, and the one that stands by, while its import is held.

    Between the two deaths their keeper might call the one that stands by, which would be a second
    worker that died. So it is held still until both are over: a signal is sent long before a
    process with much memory has ended.
    """
    until(lambda: site.rows(HELD), "the import did not begin")
    assert site.rows(f"SELECT state, attempts FROM judging_job WHERE id = '{job}'") == [
        ("running", 1)
    ]
    os.kill(up, signal.SIGSTOP)
    try:
        kill(workers := [pid for pid in descendants(up) if named(pid, "celery")])
        until(lambda: all(map(has_ended, workers)), "a worker outlived SIGKILL")
    finally:
        os.kill(up, signal.SIGCONT)


def leave_behind(site: Site) -> None:
    """Wait until the database dropped the dead worker's transaction: nothing of it is left."""
    until(
        lambda: (
            site.rows("SELECT attempts FROM judging_job WHERE kind = 'judging.add_files'") == [(2,)]
        )
    )
    brought = """SELECT count(*) FROM judging_source
        WHERE dataset_id = (SELECT id FROM judging_dataset WHERE name = 'Large')"""
    assert site.rows(brought) == [(0,)]


def test_what_was_acknowledged_survives_the_death_of_everything():
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-") as folder,
        served(Path(folder)) as (site, process),
    ):
        with ExitStack() as hold:
            hold.enter_context(import_held(site))
            made = site.make()
            with at_work(site.address, made["links"]) as people:
                kill_worker_at_work(site, process.pid, made["job"])
                # by itself, and while the second attempt is held as the first was
                leave_behind(site)
                hold.close()
                goes_on(people)
                assert_import_is_whole(site, made["job"])
                soak = Soak(site, process.pid, random.Random(1))
                for name in soak.victims():
                    if "worker" not in name:  # whose death is above
                        soak.strike(name, people)
                goes_on(people)

        assert {name: len(seconds) for name, seconds in soak.answered.items()} == dict.fromkeys(
            KILLED, 1
        )
        assert (soak.lost, soak.doubled) == (0, 0)
        assert [problem for person in people for problem in person.problems] == []
        assert_acknowledged_is_there(site, people)
        assert_submitted_once(site, people)
        assert_places_are_right(site)
        for program in ("web server", "worker"):
            assert (
                site.said.count(f"The {program} ended (killed by SIGKILL); starting it again.") == 1
            )
