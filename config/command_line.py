"""The program `quaestor` of an installed wheel, and manage.py, by which run.py starts the same
commands."""

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from config import data_folder, postgres
from config.postgres_programs import PostgresProblem

HELP = """Quaestor: human evaluation of automatically generated questions.

quaestor COMMAND, where COMMAND is

  demo [--exit] [--port N] [--home DIR]   a demo study, ready to rate and already analysed
  up [--port N] [--home DIR]              the same without demo data, for studies of your own
  report FILE [--to DIR]                  the report on a file of ratings; "report --help" says more
  manage COMMAND ... [--home DIR]         one management command; "manage help" lists them

Data are kept in --home, or in $QUAESTOR_HOME, or in ~/.local/share/quaestor."""
WITHOUT_DATABASE = {"help", "version", "--help", "--version", "check", "collectstatic"}
NO_TABLES = f"The database lacks tables of this version. Make them first: {data_folder.PROGRAM} manage migrate."
MADE = "The database was new: its tables are made now."


def main() -> None:
    """Run the program `quaestor`."""
    word, *words = sys.argv[1:] or ["help"]
    if word not in ("demo", "up", "report", "manage"):
        print(HELP)  # noqa: T201
        sys.exit(0 if word in ("help", "-h", "--help") else 2)
    if word != "report":
        words = data_folder.take_home(words)
    run_command(["quaestor manage", *([] if word == "manage" else [word]), *words])


def run_command(arguments: list[str]) -> None:
    """Run a management command. Commands find a running database; the embedded one is stopped when
    nobody uses it any more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = arguments[1] if len(arguments) > 1 else "help"
    try:
        with ExitStack() as surroundings:
            if command in WITHOUT_DATABASE or {"-h", "--help"} & set(arguments):
                _use_passing_keys()
            else:
                if command == "report":
                    surroundings.enter_context(_temporary_home())
                surroundings.enter_context(postgres.serving())
            _execute(arguments)
    except PostgresProblem as problem:
        sys.exit(str(problem))
    except OSError as problem:
        if not (reason := postgres.refusal(problem)):
            raise
        sys.exit(reason)
    except KeyboardInterrupt:
        sys.exit(130)


def _use_passing_keys() -> None:
    """Let the settings take keys that nothing is signed with, so that they store none."""
    for name in ("QUAESTOR_SECRET_KEY", "QUAESTOR_PSEUDONYM_KEY"):
        os.environ.setdefault(name, secrets.token_urlsafe(48))


@contextmanager
def _temporary_home() -> Iterator[None]:
    """Use a data folder with an embedded database that are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="quaestor-") as folder:
        Path(folder).chmod(0o711)  # root hands the database to an account that must pass
        os.environ["QUAESTOR_HOME"] = folder
        os.environ.pop("DATABASE_URL", None)
        yield


def _execute(arguments: list[str]) -> None:
    """Run Django's command; make the tables of a database that has none."""
    from django.core.management import execute_from_command_line
    from django.db import ProgrammingError
    from psycopg2.errors import UndefinedTable

    try:
        execute_from_command_line(arguments)
    except ProgrammingError as problem:
        if not isinstance(problem.__cause__, UndefinedTable):
            raise
        if not _is_new():
            sys.exit(NO_TABLES)
        execute_from_command_line([arguments[0], "migrate", "--verbosity", "0"])
        sys.stderr.write(f"{MADE}\n")
        execute_from_command_line(arguments)


def _is_new() -> bool:
    """Return whether nothing was ever migrated; the tables of an older version are changed only on
    request."""
    from django.db import connection

    return "django_migrations" not in connection.introspection.table_names()
