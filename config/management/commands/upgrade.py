"""`manage.py upgrade`: bring a site to this version of the program."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config import running_site, serving, site_lock, upgrading


class Command(BaseCommand):
    """Stop the site, back up its database, and prepare it for this version."""

    help = (
        "After getting a new version: stop the site if it runs here, save the database in a file, "
        "migrate it, install the shipped protocols, and collect the static files. "
        "Then start the site again."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--backup", type=Path, help="where to save; else a file in the data folder's backups"
        )

    def handle(self, *, backup: Path | None, **options: Any) -> None:
        running_site.stop_site(settings.HOME, self.stdout.write)
        try:
            with serving.lock_data_folder(), site_lock.exclusive():
                done, saved = upgrading.upgrade(backup=backup, now=timezone.now())
        except (upgrading.CannotUpgrade, site_lock.SiteLockRefused) as refused:
            raise CommandError(str(refused)) from None
        if saved:
            self.stdout.write(f"Saved before: {saved}")
        steps = (
            f"{len(done.missing)} steps, the last: {done.missing[-1]}."
            if done.missing
            else "Nothing was missing."
        )
        self.stdout.write(f"The database is up to date. {steps}")
