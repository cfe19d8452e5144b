"""The migrations make what the models say, and a database without tables is said."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.data_folder import ROOT
from config.postgres import Cluster


@pytest.mark.django_db
def test_models_and_migrations_agree() -> None:
    call_command("makemigrations", "--check", "--dry-run")


@pytest.fixture
def new_database(cluster: Cluster) -> Iterator[str]:
    """Return the address of a database that nothing was ever made in."""
    with closing(psycopg2.connect(cluster.url("postgres"))) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute("CREATE DATABASE brand_new")
            yield cluster.url("brand_new")
            cursor.execute("DROP DATABASE brand_new WITH (FORCE)")


def install_protocols(address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "install_protocols"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": address},
        capture_output=True,
        text=True,
    )


def ask(address: str, statement: str) -> list[tuple]:
    with closing(psycopg2.connect(address)) as server, server, server.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_command_on_a_new_database_makes_its_tables_and_is_carried_out(new_database: str) -> None:
    done = install_protocols(new_database)
    assert done.returncode == 0, done.stderr
    assert "qgbench" in done.stdout
    open_to_all = ask(
        new_database,
        "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace "
        "AND has_function_privilege('public', oid, 'EXECUTE')",
    )
    assert open_to_all == []


def test_command_on_a_database_of_an_older_version_is_refused(new_database: str) -> None:
    ask(
        new_database,
        "CREATE TABLE django_migrations (id int, app text, name text, applied timestamptz)",
    )
    done = install_protocols(new_database)
    assert done.returncode == 1
    assert done.stderr.startswith("The database lacks tables of this version.")


@pytest.mark.django_db
@pytest.mark.parametrize("migration", ["0002_triggers", "9000_of_tomorrow"])
def test_migrate_database_of_another_version_is_refused(migration: str) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("judging", "0002_functions_and_triggers")
    recorder.record_applied("judging", migration)
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("migrate")
