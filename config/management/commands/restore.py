"""`manage.py restore FILE`: replace the database by a backup."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import backups, serving, site_lock


class Command(BaseCommand):
    """Restore the database from a backup; the site must be stopped."""

    help = "Make the database what a backup holds. Stop the site first. With --replace, what is there now is lost."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="put it in the place of what is there now"
        )

    def handle(self, *, file: Path, replace: bool, **options: Any) -> None:
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        try:
            with serving.lock_data_folder(), site_lock.exclusive():
                found = backups.restore(file, replace=replace)
        except (backups.CannotRestore, site_lock.SiteLockRefused) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"Restored. {found.length} events in its history, the last hash: {found.last}"
        )
        if found.problems:
            raise CommandError(
                "It is restored, but its history was changed:\n" + "\n".join(found.problems)
            )
