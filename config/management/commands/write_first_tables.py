"""manage.py write_first_tables: write the file that a new database starts from again, after new
migrations."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand

from config.database import first_tables
from config.postgres import Cluster


class Command(BaseCommand):
    """Apply every migration to an empty database of its own, and write its dump into the file."""

    help = "For developers: write what all migrations make of an empty database into config/database/first_tables.sql."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        with (
            TemporaryDirectory() as folder,
            Cluster(Path(folder), durable=False).serving() as cluster,
        ):
            first_tables.write(cluster.url())
        self.stdout.write(f"Written: {first_tables.FILE}")
