"""The migrations make what the models say, and a database without tables is said."""

import os
import subprocess
import sys

import psycopg2
import pytest
from django.core.management import call_command

from config.postgres import ROOT


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", "--check", "--dry-run")


@pytest.fixture
def new_database(cluster):
    """Return the address of a database that nothing was ever made in."""
    server = psycopg2.connect(cluster.url("postgres"))
    server.autocommit = True
    with server.cursor() as cursor:
        cursor.execute("CREATE DATABASE brand_new")
    yield cluster.url("brand_new")
    with server.cursor() as cursor:
        cursor.execute("DROP DATABASE brand_new WITH (FORCE)")
    server.close()


def command(address, *words):
    environment = {**os.environ, "DATABASE_URL": address}
    return subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_command_on_a_new_database_makes_its_tables_and_is_carried_out(new_database):
    done = command(new_database, "install_rubrics")
    assert (done.returncode, done.stderr) == (0, "The database was new: its tables are made now.\n")
    assert "qgbench" in done.stdout


def test_command_on_a_database_of_an_older_version_says_how_to_bring_it_up_to_date(new_database):
    with psycopg2.connect(new_database) as server, server.cursor() as cursor:
        cursor.execute("CREATE TABLE django_migrations (id int, app text, name text, applied timestamptz)")
    server.close()
    done = command(new_database, "install_rubrics")
    assert done.returncode == 1
    assert done.stderr.startswith("The database lacks tables of this version. Make them first: python3 run.py manage")
