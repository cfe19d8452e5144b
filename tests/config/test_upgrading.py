"""`upgrade`: saved first, brought up to date, and refused where it would lose something."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg2
import pytest

from config.data_folder import ROOT
from judging.protocols.documents import SHIPPED

BEFORE = "0001_initial"  # an older version: the newest migration is missing


@pytest.fixture(scope="module")
def left_behind(cluster) -> Iterator[str]:
    """Make a database as an older version left it, with somebody in it, and return its name."""
    with database(cluster, "left_behind") as address:
        done = manage(address, "migrate", "judging", BEFORE, "--verbosity", "0")
        assert done.returncode == 0, done.stderr
        ask(
            address,
            "INSERT INTO judging_user (username, password, email, first_name, last_name, is_superuser, "
            "is_staff, is_active, date_joined, may_create_campaigns, link_nonce, version) "
            "VALUES ('ada', '!', '', '', '', true, false, true, now(), true, 'n', 0)",
        )
        yield "left_behind"


@pytest.fixture
def older(cluster, left_behind: str) -> Iterator[str]:
    """Return the address of a copy of it."""
    with database(cluster, "older", f"TEMPLATE {left_behind}") as address:
        yield address


@contextmanager
def database(cluster, name: str, how: str = "") -> Iterator[str]:
    with closing(psycopg2.connect(cluster.url("postgres"))) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} {how}")
            try:
                yield cluster.url(name)
            finally:
                cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def manage(address: str, *words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run(address, "manage.py", *words, home=home)


def run(address: str, *words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "DATABASE_URL": address,
        **({"QUAESTOR_HOME": str(home)} if home else {}),
    }
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def ask(address: str, query: str) -> list[tuple]:
    with closing(psycopg2.connect(address)) as server, server, server.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall() if cursor.description else []


FUNCTIONS = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"


def test_an_older_site_is_saved_and_brought_up_to_date(older: str, tmp_path: Path) -> None:
    before = ask(older, FUNCTIONS)
    done = manage(older, "upgrade", home=tmp_path)
    assert done.returncode == 0, done.stderr
    (saved,) = (tmp_path / "backups").iterdir()
    assert f"Saved before: {saved}" in done.stdout
    assert "The database is up to date. " in done.stdout
    assert ask(older, FUNCTIONS) > before
    assert ask(older, "SELECT username FROM judging_user") == [("ada",)]
    assert ask(older, "SELECT about FROM judging_event WHERE act = 'site.backup'") == [
        (saved.name,)
    ]

    again = manage(older, "upgrade", home=tmp_path)
    assert again.stdout == "The database is up to date. Nothing was missing.\n"
    assert len(list((tmp_path / "backups").iterdir())) == 1


def test_upgrade_collects_static_files_and_installs_protocols(older: str, tmp_path: Path) -> None:
    manifest = tmp_path / "static" / "staticfiles.json"
    manifest.parent.mkdir()
    manifest.write_text('{"paths": {}, "version": "1.1"}')  # that of an older version
    assert ask(older, "SELECT count(*) FROM judging_protocol") == [(0,)]

    done = manage(older, "upgrade", home=tmp_path)

    assert done.returncode == 0, done.stderr
    named = json.loads(manifest.read_text())["paths"]["css/judging.css"]
    assert (manifest.parent / named).is_file()
    shipped = {(path.stem,) for path in SHIPPED.glob("*.yaml")}
    assert set(ask(older, "SELECT key FROM judging_protocol")) == shipped


@pytest.mark.long
def test_an_older_site_is_had_back_from_what_was_saved(older: str, tmp_path: Path) -> None:
    before = ask(older, FUNCTIONS)
    done = manage(older, "upgrade", home=tmp_path)
    assert done.returncode == 0, done.stderr
    (saved,) = (tmp_path / "backups").iterdir()

    ask(older, "UPDATE judging_user SET username = 'eva'")
    back = manage(older, "restore", str(saved), "--replace", home=tmp_path)
    assert back.returncode == 0, back.stderr
    assert ask(older, "SELECT username FROM judging_user") == [("ada",)]
    assert ask(older, FUNCTIONS) > before


@pytest.mark.long
def test_what_would_lose_something_is_refused_and_changes_nothing(
    older: str, tmp_path: Path
) -> None:
    before = ask(older, FUNCTIONS)
    taken = tmp_path / "taken.dump"
    taken.write_text("something else")
    assert (
        "is there already" in manage(older, "upgrade", "--backup", str(taken), home=tmp_path).stderr
    )
    assert taken.read_text() == "something else"
    ask(
        older,
        "INSERT INTO django_migrations (app, name, applied) VALUES ('judging', '9000_of_tomorrow', now())",
    )
    assert (
        "made by a newer version: judging.9000_of_tomorrow"
        in manage(older, "upgrade", home=tmp_path).stderr
    )
    assert ask(older, FUNCTIONS) == before


def test_a_failing_step_names_the_way_back(older: str, tmp_path: Path) -> None:
    # what the next step wants to add
    ask(older, "CREATE FUNCTION judging_event_time() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    done = manage(older, "upgrade", home=tmp_path)
    (saved,) = (tmp_path / "backups").iterdir()
    assert done.returncode == 1
    assert "The upgrade stopped" in done.stderr
    assert f"restore {saved} --replace" in done.stderr


@pytest.mark.long
def test_the_site_of_the_same_folder_is_stopped_first(older: str, tmp_path: Path) -> None:
    holds = (
        "import os, django, signal, sys; django.setup()\n"
        "from config import serving\n"
        "with serving.lock_data_folder() as note:\n"
        "    note.write_text('http://127.0.0.1:8000')\n"
        "    print('held', flush=True)\n"
        "    signal.pause()\n"
    )
    environment = {**os.environ, "DATABASE_URL": older, "QUAESTOR_HOME": str(tmp_path)}
    site = subprocess.Popen(
        [sys.executable, "-c", holds], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert site.stdout is not None
        assert site.stdout.readline() == "held\n"
        done = manage(older, "upgrade", home=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Stopping the site at http://127.0.0.1:8000" in done.stdout
        assert site.wait(timeout=60) == -signal.SIGTERM
    finally:
        site.kill()
        site.stdout.close()
