"""`manage.py up`: run the whole site on this machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config import serving
from config.processes import port_number


class Command(BaseCommand):
    """Serve the site until Ctrl-C."""

    help = "Start the web server and a worker on this machine, with the embedded database; Ctrl-C stops them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port",
            type=port_number,
            default=8000,
            help="the next free one is taken if it is not free",
        )

    def handle(self, *, port: int, **options: Any) -> None:
        with serving.lock_data_folder() as note:
            serving.prepare_serving(self.say)
            newcomer = serving.first_administrator(self.say)

            def greet(site: str) -> None:
                self.say(f"\nQuaestor is at {site}")
                if newcomer:
                    link = serving.password_link(newcomer, site)
                    self.say(
                        f"The administrator is {newcomer.username}. Choose the password here: {link}"
                    )
                self.say("Ctrl-C stops everything; the data are kept.")

            serving.serve(port=port, note=note, greet=greet, say=self.say)

    def say(self, text: str) -> None:
        """Print immediately, also into a pipe."""
        self.stdout.write(text)
        self.stdout.flush()
