"""The migrations make what the models say, and a database without tables is said."""

import os
import subprocess
import sys
from contextlib import closing, contextmanager

import psycopg2
import pytest
from django.core.management import call_command

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


@pytest.mark.parametrize(
    ("migration", "said"),
    [("0002_triggers", "from before 29 November 2026"), ("9000_of_tomorrow", "by a newer version")],
)
def test_migrate_database_of_another_version_is_refused(new_database, migration, said):
    assert command(new_database, "migrate", "--verbosity", "0").returncode == 0
    with closing(psycopg2.connect(new_database)) as server, server, server.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('judging', %s, now());"
            "DELETE FROM django_migrations WHERE name = '0002_functions_and_triggers'",
            [migration],
        )

    done = command(new_database, "migrate")

    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_migrate_new_database_lets_only_the_owner_call_its_functions(new_database):
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
