"""manage.py password_link: a log-in link for users who have lost their password, even the only
administrator."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from judging.people.actions import accounts
from judging.people.models.user import User


class Command(BaseCommand):
    """Print the one-time link that administrators also create on a page; this needs access to the
    machine."""

    help = "Print a one-time link by which a user chooses a new password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the account's user name")
        parser.add_argument(
            "--site",
            default="http://127.0.0.1:8000",
            help="the site's address; default %(default)s",
        )

    def handle(self, *, name: str, site: str, **options: Any) -> None:
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no account {name} that may log in.")
        way = reverse("password_reset_confirm", kwargs=accounts.password_link_parts(user=user))
        self.stdout.write(f"{site.rstrip('/')}{way}")
