"""The tables of a new database, created at once: the result of the first migrations, and much
faster than these.

``first_tables.sql`` is PostgreSQL's dump after these migrations. Later ones are applied as usual.
Its last line is a digest of the migrations and of the statements, so that a test detects at once
when either changed; a slower test compares a database created from it with one that every migration
was applied to.
"""

import hashlib
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg2
from django.db import DatabaseError, connection, transaction

from config.postgres import ROOT
from config.postgres_programs import find_programs

FILE = Path(__file__).with_name("first_tables.sql")
# Settings of the dumping session, which another version of PostgreSQL may not know, and the schema,
# which is there.
_LEFT_OUT = re.compile(
    r"^(SET |SELECT pg_catalog\.set_config|\\(un)?restrict|CREATE SCHEMA public|COMMENT ON SCHEMA|--)"
)
_OF = "-- made by the command write_first_tables; migrations and statements: "
_APPLIED = (
    "INSERT INTO public.django_migrations (app, name, applied) VALUES ('{app}', '{name}', now());"
)
_MIGRATION = re.compile(
    r"^INSERT INTO public\.django_migrations .* VALUES \('(\w+)', '(\w+)', now\(\)\);$",
    re.MULTILINE,
)


def migrations() -> set[tuple[str, str]]:
    """Return the migrations whose result the file contains."""
    return set(_MIGRATION.findall(FILE.read_text()))


def write(address: str) -> None:
    """Write the file again from an empty database."""
    statements = by_migrations(address)
    FILE.write_text(f"{statements}{_OF}{_digest(statements)}\n")


def is_as_written() -> bool:
    """Return whether the file is as the command wrote it, and its migrations as they were then."""
    statements, _of, digest = FILE.read_text().partition(_OF)
    return digest.strip() == _digest(statements)


def _digest(statements: str) -> str:
    found = hashlib.sha256(statements.encode())
    for app, name in sorted(_MIGRATION.findall(statements)):
        if (path := ROOT / app / "migrations" / f"{name}.py").exists():  # not Django's own
            found.update(f"{app} {name} ".encode() + path.read_bytes())
    return found.hexdigest()


def make() -> bool:
    """Create the tables if there are none yet; if the server refuses, leave it all to the
    migrations."""
    if connection.introspection.table_names():
        return False
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL check_function_bodies = false")
            cursor.execute(FILE.read_text())
    except DatabaseError:
        return False
    return True


def by_migrations(address: str) -> str:
    """Apply every migration to an empty database, one by one, and return its dump."""
    command = [sys.executable, "manage.py", "migrate", "--one-by-one", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": address}, check=True)
    return dumped(address)


def dumped(address: str) -> str:
    """Return a database's tables, functions, triggers, rights and applied migrations as SQL."""
    command = [
        str(find_programs() / "pg_dump"),
        "--no-owner",
        "--schema-only",
        f"--dbname={address}",
    ]
    dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with closing(psycopg2.connect(address)) as database, database.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        applied = [_APPLIED.format(app=app, name=name) for app, name in cursor.fetchall()]
    return cleaned(dump) + "\n" + "\n".join(applied) + "\n"


def cleaned(dump: str) -> str:
    """Return a dump without the parts that depend on its session or server."""
    lines = [line.rstrip() for line in dump.splitlines() if not _LEFT_OUT.match(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
