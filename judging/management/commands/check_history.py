"""`manage.py check_history`: check that the history was not changed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.people.actions import history


class Command(BaseCommand):
    """Compute the chain of hashes again."""

    help = "Check that no event of the history was changed or taken out, and print its last hash."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--noted",
            default="",
            metavar="HASH",
            help="a last hash from before; it must still be there",
        )

    def handle(self, *, noted: str, **options: Any) -> None:
        chain = history.verify_history(noted=noted)
        if chain.problems:
            raise CommandError("\n".join(chain.problems))
        if not chain.length:
            self.stdout.write("This site has no events, so there is nothing to check.")
            return
        self.stdout.write(
            f"{chain.length} events, as they were written. The last hash: {chain.last}"
        )
