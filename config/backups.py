"""Backups of the whole database in one file, by PostgreSQL's own programs."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.core.management import call_command
from django.db import ProgrammingError, connection, transaction
from psycopg2.extensions import make_dsn

from config.database import roles, versions
from config.postgres_programs import find_programs
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

MIGRATIONS_HEADER = re.compile(r"COPY public\.django_migrations \((.+)\) FROM stdin;")
# Owner and rights are those of this site; roles.grant() gives the server its own
RESTORED_PARTS = ("--schema=public", "--no-owner", "--no-privileges")
PSQL_OPTIONS = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--output={os.devnull}")
# pg_restore 17 and newer write this setting into every script; older servers refuse it
SETTING_SINCE_17 = b"SET transaction_timeout = 0;\n"
NEXT_SETTING = b"SET client_encoding = "


class CannotRestore(Exception):
    """Nothing was changed; the message says why."""


def save_backup(path: Path) -> str:
    """Write the database into a new file that only its owner can read; return the file's SHA-256.

    The secret keys are not in it.
    """
    with transaction.atomic():
        history.record_event(Event.Act.BACKED_UP, about=path.name[:100])
    return dump(path)


def dump(path: Path) -> str:
    """Write the database into a new file without changing the database; return the file's
    SHA-256."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _run("pg_dump", "--format=custom", f"--file={new}", f"--dbname={_address()}")
        os.link(new, path)  # never overwrites a file, never leaves half a backup under its name
    finally:
        new.unlink(missing_ok=True)
    return sha256(path)


def sha256(path: Path) -> str:
    """Return a file's hash."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def restore(path: Path, *, replace: bool) -> history.Chain:
    """Replace the database by a backup, migrate it and check its history.

    The old tables are dropped and the new ones made in one transaction, so a file that is no whole
    backup changes nothing. The SQL in the file is run: it must be the operator's own.
    """
    applied = _migrations_in(path)
    try:
        versions.refuse_other_versions(applied)
    except versions.UnknownVersion as refused:
        raise CannotRestore(str(refused)) from None
    if ("judging", "0001_initial") not in applied:
        raise CannotRestore("This file holds no database of this program.")
    if _has_people() and not replace:
        raise CannotRestore(
            "This database holds accounts already. Say --replace to put the backup in their place."
        )
    connection.close()  # its locks would block psql, and its knowledge of the old tables would be wrong afterwards
    _load(path)
    call_command("migrate", verbosity=0, interactive=False)
    roles.grant()
    found = history.verify_history()
    with transaction.atomic():
        history.record_event(
            Event.Act.RESTORED, about=path.name[:100], after=f"SHA-256 {sha256(path)}"
        )
    return found


def _migrations_in(path: Path) -> set[versions.Migration]:
    """Return the migrations that had been applied to the database in a backup."""
    text = _run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(path))
    columns: list[str] | None = None
    found = set()
    for line in text.splitlines():
        if header := MIGRATIONS_HEADER.fullmatch(line):
            columns = header[1].split(", ")
        elif line == "\\.":
            columns = None
        elif columns:
            row = dict(zip(columns, line.split("\t"), strict=True))
            found.add((row["app"], row["name"]))
    return found


def _load(path: Path) -> None:
    """Replace the schema `public` by the one in a backup, in one transaction.

    psql receives COMMIT only after pg_restore has read the whole file. If this process or either
    program dies before, psql's input ends without a COMMIT and PostgreSQL rolls back.
    """
    read = [str(find_programs() / "pg_restore"), *RESTORED_PARTS, "--file=-", str(path)]
    write = [str(find_programs() / "psql"), *PSQL_OPTIONS, f"--dbname={_address()}"]
    with (
        tempfile.TemporaryFile() as read_errors,
        tempfile.TemporaryFile() as write_errors,
        subprocess.Popen(
            write, stdin=subprocess.PIPE, stderr=write_errors, env=_environment()
        ) as psql,
        subprocess.Popen(read, stdout=subprocess.PIPE, stderr=read_errors) as pg_restore,
    ):
        assert psql.stdin and pg_restore.stdout  # noqa: S101  # they are pipes
        with suppress(BrokenPipeError):  # psql stopped after an error
            psql.stdin.write(b"BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n")
            _copy_script(pg_restore.stdout, psql.stdin)
            if pg_restore.wait() == 0:
                psql.stdin.write(b"COMMIT;\n")
        with suppress(BrokenPipeError):
            psql.stdin.close()
        pg_restore.stdout.close()
        for program, errors in ((psql, write_errors), (pg_restore, read_errors)):
            if program.wait():
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                raise CannotRestore(
                    f"The backup cannot be restored, so nothing was changed: {said[-1500:]}"
                )


def _copy_script(script: IO[bytes], target: IO[bytes]) -> None:
    """Copy pg_restore's script without the setting that servers before 17 refuse.

    Only the settings at its beginning are read line by line: the rest is data.
    """
    for line in script:
        if line != SETTING_SINCE_17:
            target.write(line)
        if line.startswith(NEXT_SETTING):
            break
    shutil.copyfileobj(script, target)


def _has_people() -> bool:
    with suppress(ProgrammingError):  # a database without tables
        return User.objects.exists()
    return False


def _address() -> str:
    """Return the database's address for PostgreSQL's programs; the password is not in a command."""
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


def _environment() -> dict[str, str]:
    return {**os.environ, "PGPASSWORD": str(connection.settings_dict["PASSWORD"])}


def _run(program: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs; return its output."""
    done = subprocess.run(
        [find_programs() / program, *arguments],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CannotRestore(
            f"{program} failed, so nothing was changed: {done.stderr.strip()[-1500:]}"
        )
    return done.stdout
