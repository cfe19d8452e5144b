"""Restore and upgrade refuse while a process of the site uses the database, whatever its role."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg2
import pytest

from config.data_folder import ROOT
from config.postgres import Cluster
from config.processes import free_port

pytestmark = pytest.mark.jobs

OWNER, SERVER_ROLE, DATABASE = "plain_owner", "quaestor_server", "locked_site"
PATIENCE_SECONDS = 120
HOLDERS_SQL = """
SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND mode = 'ShareLock'
  AND classid = 20821 AND objid = 16723 AND datname = 'locked_site'
"""
PROGRAMS = {
    "web": ("gunicorn", "-c", "deploy/gunicorn.conf.py"),
    "worker": ("celery", "-A", "config", "worker", "-c", "1", "-l", "WARNING"),
    "beat": ("celery", "-A", "config", "beat", "-l", "WARNING"),
}
HOLD = "import django, time; django.setup(); from config import site_lock; site_lock.hold(); time.sleep(600)"


@pytest.fixture(scope="module")
def server(cluster: Cluster) -> Iterator[psycopg2.extensions.connection]:
    """Make a database of a plain owner, as on a server that others manage; return the
    superuser's connection."""
    with closing(psycopg2.connect(cluster.url("postgres"))) as server:
        server.autocommit = True
        made = [role for role in (OWNER, SERVER_ROLE) if not has_role(server, role)]
        for role in made:
            execute(server, f"CREATE ROLE {role} LOGIN")
        execute(server, f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        try:
            for command in ("migrate", "grant_server"):
                done = manage(cluster, command)
                assert done.returncode == 0, done.stderr
            yield server
        finally:
            execute(server, f"DROP DATABASE {DATABASE} WITH (FORCE)")
            for role in made:
                execute(server, f"DROP ROLE {role}")


def execute(server: psycopg2.extensions.connection, statement: str) -> list[tuple]:
    with server.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="module")
def backup(cluster: Cluster, server, tmp_path_factory) -> Path:
    """Return a backup of the site."""
    path = tmp_path_factory.mktemp("backup") / "site.dump"
    done = manage(cluster, "backup", str(path))
    assert done.returncode == 0, done.stderr
    return path


def has_role(server: psycopg2.extensions.connection, role: str) -> bool:
    return bool(execute(server, f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"))


def environment(cluster: Cluster, role: str = OWNER) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": cluster.url(DATABASE, role=role)}


def manage(cluster: Cluster, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a management command as the plain owner of the database."""
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment(cluster), capture_output=True, text=True
    )


@contextmanager
def running(
    command: tuple[str, ...], variables: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=variables, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_SECONDS)


def wait_until(condition: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("program", "role"),
    [
        pytest.param("web", SERVER_ROLE, marks=pytest.mark.long),
        pytest.param("web", OWNER, marks=pytest.mark.long),
        ("worker", SERVER_ROLE),
        pytest.param("beat", SERVER_ROLE, marks=pytest.mark.long),
    ],
)
def test_restore_process_of_the_site_connected_is_refused(
    program: str, role: str, cluster: Cluster, server, backup: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    variables = {
        **environment(cluster, role),
        "QUAESTOR_BIND": f"127.0.0.1:{free_port(8200)}",
        "QUAESTOR_WEB_PROCESSES": "1",
    }
    schedule = ("-s", str(tmp_path / "schedule")) if program == "beat" else ()
    with running(("-m", *PROGRAMS[program], *schedule), variables, log):
        wait_until(lambda: len(execute(server, HOLDERS_SQL)) == 1, log)
        done = manage(cluster, "restore", str(backup), "--replace")
        assert done.returncode == 1
        assert "The site is running: 1 process " in done.stderr, done.stderr


@pytest.mark.long
def test_restore_and_upgrade_no_process_connected_succeed(
    cluster: Cluster, server, backup: Path
) -> None:
    for command in (("restore", str(backup), "--replace"), ("upgrade",)):
        done = manage(cluster, *command)
        assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_web_server_while_the_database_is_restored_does_not_start(
    cluster: Cluster, server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with closing(psycopg2.connect(cluster.url(DATABASE))) as restoring:
        execute(restoring, "SELECT pg_advisory_lock(20821, 16723)")
        with running(("-m", *PROGRAMS["web"]), environment(cluster), log) as web:
            assert web.wait(timeout=PATIENCE_SECONDS) != 0
        assert "The database is being restored or upgraded." in log.read_text()
        # and an upgrade refuses beside it
        done = manage(cluster, "upgrade")
    assert "Another restore or upgrade of this database is running." in done.stderr


@pytest.mark.long
def test_site_lock_connection_ended_is_taken_again(
    cluster: Cluster, server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with running(("-c", HOLD), environment(cluster), log):
        wait_until(lambda: len(execute(server, HOLDERS_SQL)) == 1, log)
        refused = manage(cluster, "upgrade")
        assert "The site is running: 1 process " in refused.stderr, refused.stderr
        before = execute(server, HOLDERS_SQL)
        execute(server, f"SELECT pg_terminate_backend({before[0][0]})")
        wait_until(lambda: execute(server, HOLDERS_SQL) not in ([], before), log)


@pytest.mark.long
def test_site_lock_taken_by_a_restore_during_an_interruption_ends_the_process(
    cluster: Cluster, server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with running(("-c", HOLD), environment(cluster), log) as site:
        wait_until(lambda: len(execute(server, HOLDERS_SQL)) == 1, log)
        ((holder,),) = execute(server, HOLDERS_SQL)
        waits = f"SELECT pg_terminate_backend({holder}) IS NOT NULL, pg_advisory_lock(20821, 16723)"
        with closing(psycopg2.connect(cluster.url(DATABASE))) as restoring:
            execute(restoring, waits)
            assert site.wait(timeout=PATIENCE_SECONDS) == -signal.SIGTERM
    assert "The database is being restored or upgraded." in log.read_text()
