"""`backup` and `restore`: what comes back is what was saved, to the last row, and a bad file
changes nothing."""

import os
import random
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.data_folder import ROOT
from config.database import roles
from config.postgres import Cluster
from config.postgres_programs import find_programs
from judging.jobs.models.file import StoredFile
from judging.jobs.storage import store_bytes
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.work.actions import drafts, judgments, sheets
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db(transaction=True)

# lines of a dump that depend on its session, and the right that a new schema lacks
OF_THE_SESSION = re.compile(r"^\\(un)?restrict|SCHEMA public")


@pytest.fixture(autouse=True)
def site() -> None:
    """Have a site with a study that is judged, and a stored file."""
    campaign = studies.opened(annotators_per_task=1)
    held = studies.held(factories.enrollment(campaign))
    drafts.save_draft(
        assignment=held,
        page=drafts.SentPage(
            [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()], sequence=1
        ),
    )
    judgments.submit_task(assignment=held, token=held.submit_token)
    store_bytes("ß and 漢字\n".encode())


def rows() -> dict[str, tuple[int, str]]:
    """Return of every table how many rows it has, and a hash of all they say; but for the events of
    the copying."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            only = {
                "judging_event": "WHERE act NOT LIKE 'site.%'",
                "judging_eventseal": "WHERE event_id IN (SELECT id FROM judging_event WHERE act NOT LIKE 'site.%')",
            }.get(table, "")
            cursor.execute(
                f"SELECT count(*), coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t {only}"
            )
            found[table] = cursor.fetchone()
    return found


def test_restored_site_is_the_one_that_was_saved(tmp_path: Path, capsys) -> None:
    saved, path = rows(), tmp_path / "quaestor.dump"
    assert (Judgment.objects.count(), StoredFile.objects.count()) == (4, 1)
    call_command("backup", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    noted = history.last_hash()
    factories.opened()
    User.objects.filter(is_superuser=False).update(first_name="Changed")
    StoredFile.objects.all().delete()
    assert rows() != saved

    call_command("restore", path, replace=True)

    assert rows() == saved
    assert history.verify_history(noted=noted).problems == ()
    assert (
        Event.objects.filter(act__startswith="site.")
        .values_list("act", flat=True)
        .order_by("pk")[1]
        == "site.restored"
    )
    factories.opened()  # and it works: numbers go on, triggers are there
    with pytest.raises(Exception, match="judgments are never deleted"):
        connection.cursor().execute("DELETE FROM judging_judgment")


def test_restore_into_a_new_database_makes_the_same_site(tmp_path: Path, cluster) -> None:
    saved, path, here = rows(), tmp_path / "quaestor.dump", connection.settings_dict["NAME"]
    call_command("backup", path)
    connection.close()
    server = psycopg2.connect(cluster.url("postgres"))
    server.autocommit = True
    server.cursor().execute("CREATE DATABASE restored_here")
    connection.settings_dict["NAME"] = "restored_here"
    try:
        call_command("restore", path)
        assert rows() == saved
    finally:
        connection.close()
        connection.settings_dict["NAME"] = here
        server.cursor().execute("DROP DATABASE restored_here")
        server.close()


def test_tables_indexes_and_triggers_are_the_same_after_a_restore(tmp_path: Path, cluster) -> None:
    def tables() -> list[str]:
        address = cluster.url(str(connection.settings_dict["NAME"]))
        program = str(find_programs() / "pg_dump")
        dumped = subprocess.run(
            [program, "--no-owner", "--schema-only", f"--dbname={address}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return [line for line in dumped.splitlines() if not OF_THE_SESSION.search(line)]

    roles.grant()
    before, path = tables(), tmp_path / "quaestor.dump"
    numbers = (
        "SELECT sequencename, last_value FROM pg_sequences "
        "WHERE sequencename <> 'judging_event_id_seq' ORDER BY 1"
    )
    reached = ask(numbers)
    call_command("backup", path)
    call_command("restore", path, replace=True)
    connection.close()
    assert tables() == before
    assert ask(numbers) == reached


def ask(query: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall() if cursor.description else []


def test_backup_of_a_newer_version_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "newer.dump"
    of_tomorrow = "judging", "9000_of_tomorrow"
    recorder = MigrationRecorder(connection)
    recorder.record_applied(*of_tomorrow)
    call_command("backup", path)
    recorder.record_unapplied(*of_tomorrow)
    before = rows()
    with pytest.raises(CommandError, match=r"judging\.9000_of_tomorrow is not known here"):
        call_command("restore", path, replace=True)
    assert rows() == before


def test_nothing_is_changed_where_a_restore_is_refused(tmp_path: Path) -> None:
    path, bad, half, nearly_whole = (
        tmp_path / f"{name}.dump" for name in ("quaestor", "bad", "half", "nearly_whole")
    )
    call_command("backup", path)
    bad.write_text("no backup")
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    nearly_whole.write_bytes(path.read_bytes()[:-1_000])
    before = rows()
    with pytest.raises(CommandError, match="holds accounts already"):
        call_command("restore", path)
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", tmp_path / "none")
    with pytest.raises(CommandError, match="pg_restore failed"):
        call_command("restore", bad, replace=True)
    for truncated in (half, nearly_whole):
        with pytest.raises(CommandError, match="nothing was changed"):
            call_command("restore", truncated, replace=True)
    with pytest.raises(CommandError, match="never written over another file"):
        call_command("backup", path)
    assert rows() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "bad.dump",
        "half.dump",
        "nearly_whole.dump",
        "quaestor.dump",
    ]


# A row whose check waits for a lock stops a restore in the middle; the stored file behind it is larger than all pipes.
MIDDLE = """
CREATE FUNCTION waits() RETURNS boolean LANGUAGE sql AS
    $$ SELECT pg_advisory_xact_lock_shared(77) IS NOT NULL $$;
CREATE TABLE a_first (number int CHECK (waits()));
INSERT INTO a_first VALUES (1);
"""
WAITING = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted"


@contextmanager
def lock_held(cluster: Cluster) -> Iterator[None]:
    """Hold the lock for which a restore waits in its middle."""
    with closing(psycopg2.connect(cluster.url(str(connection.settings_dict["NAME"])))) as other:
        other.cursor().execute("SELECT pg_advisory_lock(77)")
        yield


@pytest.mark.jobs
@pytest.mark.parametrize("killed", ["manage.py", "pg_restore", "psql"])
def test_restore_killed_in_its_middle_changes_nothing(
    tmp_path: Path, cluster: Cluster, killed: str
) -> None:
    path = tmp_path / "quaestor.dump"
    store_bytes(random.Random(1).randbytes(5_000_000))
    ask(MIDDLE)
    call_command("backup", path)
    ask("DROP TABLE a_first; DROP FUNCTION waits")
    before = rows()
    connection.close()
    command = [sys.executable, "manage.py", "restore", str(path), "--replace"]
    environment = {
        **os.environ,
        "DATABASE_URL": cluster.url(str(connection.settings_dict["NAME"])),
    }
    with lock_held(cluster):
        restoring = subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
        )
        wait_until(lambda: bool(ask(WAITING)))
        os.kill(process_named(killed, restoring.pid), signal.SIGKILL)
    _, said = restoring.communicate(timeout=60)

    assert restoring.returncode != 0
    assert killed == "manage.py" or "nothing was changed" in said
    wait_until(lambda: not ask("SELECT 1 FROM pg_stat_activity WHERE application_name = 'psql'"))
    assert rows() == before


def process_named(name: str, parent: int) -> int:
    """Return the id of a process: the parent itself, or its child of this name."""
    if name == "manage.py":
        return parent
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    [found] = [pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == name]
    return int(found)


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
