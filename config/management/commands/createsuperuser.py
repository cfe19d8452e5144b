"""`manage.py createsuperuser`: Django's command, which also writes an event about the account."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management import CommandError

from judging.people.actions import accounts
from judging.people.models.user import User


class Command(createsuperuser.Command):
    """Create an administrator, and write an event about the account."""

    def handle(self, *args: Any, **options: Any) -> None:
        administrators = User.objects.filter(is_superuser=True)
        before = list(administrators.values_list("pk", flat=True))
        try:
            super().handle(*args, **options)
        except EOFError:  # Ctrl-D at a prompt
            raise CommandError("No administrator was created.") from None
        for made in administrators.exclude(pk__in=before):
            accounts.register_administrator(user=made)
