"""The rows in an archive of pg_dump's, and nothing else of what stands there.

pg_restore would run whatever SQL an archive holds, as the owner of the database, who may start
programs where it is a superuser. Here it only writes the archive out as text. Of that text rows are
taken, and the numbers that sequences have come to: our own statements put them into our own tables.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.db import connection

from config.postgres_programs import find_programs

_TABLE = re.compile(rb'COPY public\."?(\w+)"? \(([^()]+)\) FROM stdin;\n')
_SEQUENCE = re.compile(rb"SELECT pg_catalog\.setval\('public\.(\w+)', (\d+), (true|false)\);\n")
_END = b"\\.\n"
PIECE = 64 * 1024

# Foreign keys are checked, and other indexes made, at once when all rows are there; triggers are for new rows.
_LATER = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), 2
FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
UNION ALL
SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
UNION ALL
SELECT DISTINCT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass),
       format('ALTER TABLE %s ENABLE TRIGGER USER', tgrelid::regclass), 3
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal
ORDER BY 3
"""
_COLUMNS = """
SELECT attrelid::regclass::text, array_agg(attname::text) FROM pg_attribute
JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
  AND NOT attisdropped AND attgenerated = ''
GROUP BY 1
"""
_SEQUENCES = (
    "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace"
)


class BadArchive(Exception):
    """The archive cannot be read, or its rows are not of our tables."""


class Rows:
    """The rows of one table: a file for COPY that ends where the table does."""

    def __init__(self, text: IO[bytes]) -> None:
        self.text, self.at_end = text, False

    def read(self, size: int = PIECE) -> bytes:
        lines, length = [], 0
        while not self.at_end and (size < 0 or length < size):
            line = self.text.readline()
            if line == _END or not line.endswith(b"\n"):  # without an end pg_restore has failed
                self.at_end = True
            else:
                lines.append(line)
                length += len(line)
        return b"".join(lines)


def migrations(path: Path) -> set[tuple[str, str]]:
    """Return which migrations had been applied to the database that was saved."""
    found = set()
    with _text(path, "--table=django_migrations") as text:
        for line in iter(text.readline, b""):
            if (table := _TABLE.fullmatch(line)) and table[1] == b"django_migrations":
                names = _names(table[2])
                for row in Rows(text).read(-1).decode().splitlines():
                    said = dict(zip(names, row.split("\t"), strict=False))
                    found.add((said.get("app", ""), said.get("name", "")))
    return found


def load(path: Path) -> list[str]:
    """Put the rows in place of what our tables hold, within the caller's transaction; return the
    tables that are not ours, whose rows were left out."""
    left_out = []
    with connection.cursor() as cursor, _text(path) as text:
        cursor.execute(_COLUMNS)
        ours = dict(cursor.fetchall())
        cursor.execute(_SEQUENCES)
        sequences = {name for (name,) in cursor.fetchall()}
        cursor.execute(_LATER)
        later = cursor.fetchall()
        for before, _after, _order in later:
            cursor.execute(before)
        cursor.execute(f"TRUNCATE {', '.join(ours)}")
        for line in iter(text.readline, b""):
            if table := _TABLE.fullmatch(line):
                name, columns = table[1].decode(), _names(table[2])
                rows = Rows(text)
                if name not in ours:
                    left_out.append(name)
                    while rows.read():
                        pass
                elif strange := set(columns) - set(ours[name]):
                    raise BadArchive(
                        f"The table {name} in it has columns that no version of ours had: "
                        f"{', '.join(sorted(strange))}."
                    )
                else:
                    named = ", ".join(map(connection.ops.quote_name, columns))
                    cursor.copy_expert(f"COPY {name} ({named}) FROM STDIN", rows, PIECE)
            elif (said := _SEQUENCE.fullmatch(line)) and said[1].decode() in sequences:
                cursor.execute(
                    "SELECT setval(%s::regclass, %s, %s)",
                    [said[1].decode(), int(said[2]), said[3] == b"true"],
                )
        for _before, after, _order in later:
            cursor.execute(after)
    return left_out


@contextmanager
def _text(path: Path, *options: str) -> Iterator[IO[bytes]]:
    program = str(find_programs() / "pg_restore")
    command = [program, "--data-only", "--file=-", *options, str(path)]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process,
    ):
        assert process.stdout is not None  # noqa: S101  # it is a pipe
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        if process.wait():
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip()
            raise BadArchive(f"pg_restore failed: {said[-1500:]}")


def _names(columns: bytes) -> list[str]:
    return [name.strip().strip('"') for name in columns.decode().split(",")]
