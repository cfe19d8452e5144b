"""`manage.py grant_server`: create the database role of web server and workers, after each
migration."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.database import roles


class Command(BaseCommand):
    """Give the server's role exactly the rights it needs; run by the owner of the database."""

    help = (
        "Make the database role that QUAESTOR_SERVER_ROLE names, which may only add and supersede judgments, with the "
        "password in QUAESTOR_SERVER_PASSWORD. Run it as the owner after each migrate."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--set-password",
            action="store_true",
            help="change the password of an existing role to QUAESTOR_SERVER_PASSWORD",
        )

    def handle(self, *, set_password: bool, **options: Any) -> None:
        password = os.environ.get("QUAESTOR_SERVER_PASSWORD", "")
        if set_password and not password:
            raise CommandError(
                "QUAESTOR_SERVER_PASSWORD is not set: --set-password takes it from there."
            )
        existed = roles.grant(password=password, set_password=set_password)
        self.stdout.write(f"{settings.SERVER_ROLE} may serve.")
        if existed and password and not set_password:
            self.stdout.write(
                "Its password is unchanged. To set it to QUAESTOR_SERVER_PASSWORD, add --set-password."
            )
