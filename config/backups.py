"""Saving the whole database in one file, and making it again from one: files, judgments, accounts
and history."""

import hashlib
import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.core.management import call_command
from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from psycopg2.extensions import make_dsn

from config.database import archive, first_tables, roles
from config.postgres_programs import find_programs
from judging.actions import history
from judging.models import Event, User

ASIDE = "before_restore"  # the schema in which the old data wait until the new ones are whole


class CannotRestore(Exception):
    """Nothing was changed; the message says why."""


def save(path: Path) -> str:
    """Write the database into a new file that only its owner can read; return the file's SHA-256.

    The secret keys are not in it.
    """
    with transaction.atomic():
        history.note(Event.Act.BACKED_UP, about=path.name[:100])
    return dump(path)


def dump(path: Path) -> str:
    """Write the database into a new file, and nothing into the database; return the file's
    SHA-256."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _run("pg_dump", "--format=custom", f"--exclude-schema={ASIDE}", f"--file={new}")
        os.link(new, path)  # never over another file, and never half a backup under its name
    finally:
        new.unlink(missing_ok=True)
    return sha256(path)


def sha256(path: Path) -> str:
    """Return a file's hash."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Restored:
    """What checking the history of a restored database found, which tables of the backup are not
    ours, and what was removed besides the data."""

    history: history.Chain
    left_out: tuple[str, ...]
    removed: tuple[str, ...]


def restore(path: Path, *, replace: bool) -> Restored:
    """Make the database what the file holds, brought up to date.

    The tables are made as our own migrations up to the version of the backup make them, and of the
    file only rows are taken: SQL in it is not run. The old data stay until the new ones are whole,
    so a file that is no backup changes nothing.
    """
    applied, known = _version_of(path)
    _take_back_half_a_restore()
    strange = _strangers()
    if _has_people() and not replace:
        besides = f" That removes what is not ours, too: {', '.join(strange)}." if strange else ""
        raise CannotRestore(
            "This database holds accounts already. Say --replace to put the backup in their place."
            + besides
        )
    if strange and not replace:
        raise CannotRestore(
            f"This database holds what is not ours: {', '.join(strange)}. Say --replace to remove it."
        )
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                for each in strange:  # an event trigger would run at what follows
                    cursor.execute(f"DROP {each} CASCADE")
                cursor.execute(f"ALTER SCHEMA public RENAME TO {ASIDE}")
                cursor.execute("CREATE SCHEMA public")
            _make_tables(known)
            left_out = archive.load(path)
            if set(MigrationRecorder(connection).applied_migrations()) != applied:
                raise CannotRestore("This backup says two things of its version.")
            with connection.cursor() as cursor:
                cursor.execute(f"DROP SCHEMA {ASIDE} CASCADE")
    except archive.BadArchive as bad:
        raise CannotRestore(str(bad)) from None
    except DatabaseError as problem:
        raise CannotRestore(
            f"The backup does not fit the tables of its version, so nothing was changed: {problem}"
        ) from problem
    connection.close()  # what it knew of the old tables is no longer so
    call_command("migrate", verbosity=0, interactive=False)
    roles.grant()
    found = history.check()
    with transaction.atomic():
        history.note(Event.Act.RESTORED, about=path.name[:100], after=f"SHA-256 {sha256(path)}")
    return Restored(found, tuple(left_out), tuple(strange))


def _version_of(path: Path) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the migrations that a backup says were applied, and those of them that are known here;
    refuse a backup of a newer version, and what is no backup of ours."""
    _run("pg_restore", "--list", str(path))
    try:
        applied = archive.migrations(path)
    except archive.BadArchive as bad:
        raise CannotRestore(str(bad)) from None
    loader = MigrationExecutor(connection).loader
    ours = {app for app, _name in loader.disk_migrations}
    known = applied & loader.disk_migrations.keys()
    if newer := sorted(name for name in applied - known if name[0] in ours):
        raise CannotRestore(
            f"This backup was made by a newer version: {'.'.join(newer[-1])} is not known here. "
            "Get that version of the program, or a newer one."
        )
    if not known or any(set(loader.graph.forwards_plan(each)) - known for each in known):
        raise CannotRestore("This file holds no database of this program.")
    return applied, known


def _make_tables(applied: set[tuple[str, str]]) -> None:
    """Make the tables as these migrations leave them, in an empty schema."""
    if first_tables.migrations() <= applied:
        first_tables.make()
    executor = MigrationExecutor(connection)
    whole = executor.migration_plan(executor.loader.graph.leaf_nodes())
    plan = [step for step in whole if (step[0].app_label, step[0].name) in applied]
    executor.migrate(None, plan=plan)


def _strangers() -> list[str]:
    """Return the event triggers and schemas beside ours that belong to the owner of the database:
    what a restore of an earlier version may have brought here out of somebody else's file."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('EVENT TRIGGER %%I', evtname) FROM pg_event_trigger "
            "WHERE pg_get_userbyid(evtowner) = current_user "
            "UNION ALL SELECT format('SCHEMA %%I', nspname) FROM pg_namespace n "
            "WHERE pg_get_userbyid(nspowner) = current_user "
            "AND nspname NOT IN ('public', 'information_schema', %s) AND NOT starts_with(nspname, 'pg_') "
            "AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = n.oid AND deptype = 'e') ORDER BY 1",
            [ASIDE],
        )
        return [name for (name,) in cursor.fetchall()]


def _has_people() -> bool:
    with suppress(ProgrammingError):  # a database without tables
        return User.objects.exists()
    return False


def _take_back_half_a_restore() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [ASIDE])
        if cursor.fetchone():
            cursor.execute("DROP SCHEMA IF EXISTS public CASCADE")
            cursor.execute(f"ALTER SCHEMA {ASIDE} RENAME TO public")


def _address() -> str:
    """Return how PostgreSQL's programs reach the database; the password is no word of a command."""
    known = connection.settings_dict
    asked = {
        "dbname": known["NAME"],
        "user": known["USER"],
        "host": known["HOST"],
        "port": known["PORT"],
    }
    return str(
        make_dsn(**{name: value for name, value in asked.items() if value}, **known["OPTIONS"])
    )


def _run(program: str, *arguments: str) -> None:
    words = [*arguments, f"--dbname={_address()}"] if program == "pg_dump" else arguments
    environment = {**os.environ, "PGPASSWORD": str(connection.settings_dict["PASSWORD"])}
    done = subprocess.run(
        [find_programs() / program, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CannotRestore(f"{program} failed: {done.stderr.strip()[-1500:]}")
