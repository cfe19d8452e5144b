"""`manage.py rotate_secret_key`: a new secret key; the signatures of the old one stay valid until
it is forgotten."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from config import serving
from config.settings import OLD_SECRETS
from judging.campaigns.actions import webhooks
from judging.crowd.actions import crowd_platforms
from judging.people.actions import history, two_factors
from judging.people.models.event import Event

KEPT = "Sessions and links of the old key stay valid; --forget ends them."
ENDED = "Older keys are no longer valid: their sessions and personal links have ended."


class Command(BaseCommand):
    """Change the key in the data folder, or follow a change in the environment."""

    help = "Make a new secret key and re-encrypt what the old one encrypted. Stop the site first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--forget", action="store_true", help="end what older keys signed")

    def handle(self, *, forget: bool, **options: Any) -> None:
        with serving.lock_data_folder():
            in_files = not os.environ.get("QUAESTOR_SECRET_KEY")
            old = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
            if in_files:
                settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = secrets.token_urlsafe(48), old
                # first the old keys, so that a key is missing at no moment
                write_private_file(settings.HOME / OLD_SECRETS, "\n".join(old))
                write_private_file(settings.HOME / "secret_key.txt", settings.SECRET_KEY)
            with transaction.atomic():
                count, platforms = (
                    two_factors.rotate_two_factors(),
                    crowd_platforms.rotate_platform_secrets(),
                )
                addresses = webhooks.rotate_webhook_secrets()
                history.record_event(
                    Event.Act.KEY_ROTATED,
                    after="older keys forgotten" if forget else "older keys kept",
                )
            if in_files and forget:
                (settings.HOME / OLD_SECRETS).unlink()
        self.stdout.write(f"The secret key is changed; {count} second factors are encrypted again.")
        if platforms:
            self.stdout.write(f"So are the secrets of {platforms} crowd platforms.")
        if addresses:
            self.stdout.write(f"So are the secrets of {addresses} webhooks.")
        if in_files:
            self.stdout.write(ENDED if forget else KEPT)
        elif forget:
            self.stdout.write(
                "Now remove QUAESTOR_SECRET_KEY_FALLBACKS from the environment, and start the site."
            )


def write_private_file(path: Path, text: str) -> None:
    """Replace a file by one that only its owner can read, completely or not at all."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
    new.replace(path)
