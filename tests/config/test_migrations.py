"""The migrations make what the models say, and a database without tables is said."""

import os
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager

import psycopg2
import pytest
from django.core.management import call_command

from config.database import first_tables
from config.postgres import ROOT


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", "--check", "--dry-run")


@contextmanager
def empty(cluster, name):
    """Make a database, and remove it again."""
    server = psycopg2.connect(cluster.url("postgres"))
    server.autocommit = True
    with server.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    yield cluster.url(name)
    with server.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
    server.close()


@pytest.fixture
def new_database(cluster):
    """Return the address of a database that nothing was ever made in."""
    with empty(cluster, "brand_new") as address:
        yield address


def command(address, *words):
    environment = {**os.environ, "DATABASE_URL": address}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_command_on_a_new_database_makes_its_tables_and_is_carried_out(new_database):
    done = command(new_database, "install_rubrics")
    assert (done.returncode, done.stderr) == (0, "The database was new: its tables are made now.\n")
    assert "qgbench" in done.stdout


def test_command_on_a_database_of_an_older_version_says_how_to_bring_it_up_to_date(new_database):
    with psycopg2.connect(new_database) as server, server.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE django_migrations (id int, app text, name text, applied timestamptz)"
        )
    server.close()
    done = command(new_database, "install_rubrics")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "The database lacks tables of this version. Make them first: python3 run.py manage"
    )


def test_tables_made_at_once_are_written_from_the_migrations_as_they_are():
    assert first_tables.is_as_written(), "python3 run.py manage write_first_tables, then --long"


def test_a_changed_statement_or_migration_is_seen(monkeypatch, tmp_path):
    written = first_tables.FILE.read_text()
    monkeypatch.setattr(first_tables, "FILE", tmp_path / "first.sql")
    first_tables.FILE.write_text(written.replace("CREATE TRIGGER", "CREATE  TRIGGER", 1))
    assert not first_tables.is_as_written()
    first_tables.FILE.write_text(written)
    assert first_tables.is_as_written()

    for app in ("analysis", "judging"):
        shutil.copytree(ROOT / app / "migrations", tmp_path / app / "migrations")
    monkeypatch.setattr(first_tables, "ROOT", tmp_path)
    assert first_tables.is_as_written()
    (tmp_path / "judging/migrations/9999_later.py").write_text("")
    assert first_tables.is_as_written(), "a later one follows as everywhere"
    with (tmp_path / "judging/migrations/0002_triggers.py").open("a") as changed:
        changed.write("# as it never landed\n")
    assert not first_tables.is_as_written()


@pytest.mark.skipif(
    "QUAESTOR_LONG" not in os.environ, reason="the digest above says whether anything changed"
)
def test_tables_made_at_once_are_those_that_every_migration_made(new_database, cluster):
    made = command(new_database, "migrate", "--verbosity", "0")
    assert (made.returncode, made.stderr) == (0, "")
    with empty(cluster, "one_by_one") as other, empty(cluster, "dumped_again") as again:
        with closing(psycopg2.connect(again)) as server, server, server.cursor() as cursor:
            cursor.execute("SET LOCAL check_function_bodies = false")
            # PostgreSQL writes some conditions anew, once
            cursor.execute(first_tables.by_migrations(other))
        assert first_tables.dumped(new_database) == first_tables.dumped(again)


def test_tables_made_at_once_hold_what_only_the_owner_may_call(new_database):
    assert command(new_database, "migrate", "--verbosity", "0").returncode == 0
    with psycopg2.connect(new_database) as server, server.cursor() as cursor:
        cursor.execute("CREATE ROLE nobody_in_particular")
        cursor.execute(
            "SELECT proname, has_function_privilege('nobody_in_particular', oid, 'EXECUTE') FROM pg_proc "
            "WHERE prosecdef AND pronamespace = 'public'::regnamespace"
        )
        may_call = dict(cursor.fetchall())
        cursor.execute("DROP ROLE nobody_in_particular")
    server.close()
    assert may_call == {
        "judging_analyze": False,
        "judging_erase_judgments": False,
        "judging_event_seal": False,
        "judging_remove_dry_run_judgments": False,
        "judging_take_back_judgments": False,
    }


def test_an_unknown_statement_leaves_a_new_database_to_the_migrations(
    monkeypatch, tmp_path, transactional_db
):
    from django.db import connection

    file = tmp_path / "first.sql"
    file.write_text(
        "CREATE TABLE public.half (id integer); CREATE TABLE public.half_more (id no_such_type);"
    )
    monkeypatch.setattr(first_tables, "FILE", file)
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA nothing_here")
        cursor.execute("SET search_path TO nothing_here")
        try:
            assert first_tables.make() is False
            cursor.execute("SELECT to_regclass('public.half')")
            assert cursor.fetchone() == (None,)
        finally:
            cursor.execute("SET search_path TO DEFAULT")
            cursor.execute("DROP SCHEMA nothing_here")
