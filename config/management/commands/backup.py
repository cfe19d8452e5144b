"""`manage.py backup FILE`: back up the whole site except its keys in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import backups
from judging.people.actions import history


class Command(BaseCommand):
    """Back up the database; the site may keep running."""

    help = "Save the whole database, files included, in one file. The secret keys are not in it: keep them apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file that is not there yet")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            digest = backups.save_backup(file)
        except FileExistsError:
            raise CommandError(
                f"{file} is there already; a backup is never written over another file."
            ) from None
        except (OSError, backups.CannotRestore) as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(
            f"Saved in {file}\nSHA-256 {digest}\nThe history's last hash: {history.last_hash()}"
        )
