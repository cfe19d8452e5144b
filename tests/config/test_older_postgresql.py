"""Backup and restore of a site whose PostgreSQL server is older than the programs here."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from config.data_folder import ROOT
from config.postgres import Cluster

pytestmark = pytest.mark.jobs

USERS = "SELECT username FROM judging_user ORDER BY username"


def manage(cluster: Cluster, *words: str) -> str:
    """Run a management command of this version on the older server; return its output."""
    variables = {
        **os.environ,
        "DATABASE_URL": cluster.url(),
        "DJANGO_SUPERUSER_PASSWORD": "a long password of a test",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(cluster: Cluster, statement: str) -> list[tuple]:
    with closing(psycopg2.connect(cluster.url())) as server, server, server.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.mark.long
def test_restore_server_before_17_brings_the_backup_back(
    older_cluster: Cluster, tmp_path: Path
) -> None:
    path = tmp_path / "site.dump"
    manage(older_cluster, "migrate", "--verbosity", "0")
    manage(older_cluster, "createsuperuser", "--noinput", "--username", "ada", "--email", "")
    manage(older_cluster, "backup", str(path))
    ask(older_cluster, "UPDATE judging_user SET username = 'eva'")

    restored = manage(older_cluster, "restore", str(path), "--replace")

    assert ask(older_cluster, USERS) == [("ada",)]
    assert restored.startswith("Restored.")
