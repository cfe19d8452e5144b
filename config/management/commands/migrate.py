"""`manage.py migrate`: Django's command, which refuses the database of another version."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from config.database import versions


class Command(migrate.Command):
    """Migrate the database."""

    def handle(self, *words: Any, **options: Any) -> None:
        try:
            versions.refuse_other_versions(versions.applied_here())
        except versions.UnknownVersion as refused:
            raise CommandError(str(refused)) from None
        super().handle(*words, **options)
