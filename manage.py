#!/usr/bin/env python3
"""Django's door. Commands find a running database; the embedded one is stopped when nobody uses it
any more."""

import os
import sys
from contextlib import nullcontext

from config import postgres
from config.postgres_programs import PostgresProblem

WITHOUT_DATABASE = {
    "help",
    "version",
    "--help",
    "--version",
    "check",
    "collectstatic",
    "agreement",
    "correlate",
    "score",
    "judge-test",
    "judge_test",
}

NO_TABLES = (
    "The database lacks tables of this version. Make them first: python3 run.py manage migrate."
)
MADE = "The database was new: its tables are made now."


def main(arguments: list[str]) -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    from django.db import ProgrammingError
    from psycopg2.errors import UndefinedTable

    command = arguments[1] if len(arguments) > 1 else "help"
    asked_for_help = {"-h", "--help"} & set(arguments)
    with nullcontext() if command in WITHOUT_DATABASE or asked_for_help else postgres.serving():
        if command == "judge-test":  # a module's name has no hyphen
            arguments = [arguments[0], "judge_test", *arguments[2:]]
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
    """Say whether nothing was ever migrated; the tables of an older version are only changed by who
    asks for it."""
    from django.db import connection

    return "django_migrations" not in connection.introspection.table_names()


if __name__ == "__main__":
    try:
        main(sys.argv)
    except PostgresProblem as problem:
        sys.exit(str(problem))
    except OSError as problem:
        if not (said := postgres.refusal(problem)):
            raise
        sys.exit(said)
    except KeyboardInterrupt:
        sys.exit(130)
