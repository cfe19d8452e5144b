"""The migrations make what the models say, and a database without tables is said."""

import os
import subprocess
import sys

import pytest
from django.core.management import call_command

from config.postgres import ROOT


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", "--check", "--dry-run")


def test_command_on_a_database_without_tables_says_how_to_make_them(cluster):
    environment = {**os.environ, "DATABASE_URL": cluster.url()}
    command = [sys.executable, "manage.py", "install_rubrics"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("The database has no tables yet. Make them first: python3 run.py manage migrate")
