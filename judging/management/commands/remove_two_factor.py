"""manage.py remove_two_factor: help the only administrator after the loss of device and
codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.people.actions import two_factors
from judging.people.models.user import User


class Command(BaseCommand):
    """Turn off an account's second factor; this needs access to the machine."""

    help = "Take away the second factor of an account whose owner has lost it; every session of theirs ends."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the account's user name")

    def handle(self, *, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None or not two_factors.is_on(user):
            raise CommandError(f"There is no account {name} with a second factor.")
        two_factors.turn_off(user=user)
        self.stdout.write(f"{name} logs in by the password alone.")
