"""manage.py create_token: an API token of a user, for programs and for whoever runs the site."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.people.actions import accounts, tokens
from judging.people.models.user import ApiToken


class Command(BaseCommand):
    """Print a new API token, and nothing else; this needs access to the machine."""

    help = "Print a new API token of a user."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the account's user name")
        parser.add_argument("--scope", required=True, choices=ApiToken.Scope.values)
        parser.add_argument("--name", default="", help="such as the program that uses it")
        parser.add_argument(
            "--expires",
            type=int,
            choices=range(1, tokens.MAX_TOKEN_DAYS + 1),
            metavar="DAYS",
            help="days for which it is valid; by default until it is revoked",
        )

    def handle(
        self, *, user: str, scope: str, name: str, expires: int | None, **options: Any
    ) -> None:
        try:
            owner = accounts.find_account(user)
        except accounts.NoSuchAccount as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            tokens.make_token(user=owner, now=timezone.now(), name=name, scope=scope, days=expires)
        )
