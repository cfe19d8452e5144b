"""manage.py migrate: Django's command, with the tables of a new database created at once."""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate

from config.database import first_tables


class Command(migrate.Command):
    """Migrate the database."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--one-by-one",
            action="store_true",
            help="apply every migration, also where the database is new",
        )

    def handle(self, *words: Any, one_by_one: bool = False, **options: Any) -> None:
        others = (
            "app_label",
            "migration_name",
            "fake",
            "fake_initial",
            "plan",
            "check_unapplied",
            "prune",
        )
        if not one_by_one and not any(options.get(name) for name in others):
            first_tables.make()
        super().handle(*words, **options)
