"""`manage.py check_draws FILE`: repeat the draws of a closed campaign, and compare."""

import json
from argparse import FileType
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.campaigns.actions import draw_checks


class Command(BaseCommand):
    """Check the draws of a campaign from the file its managers published."""

    help = "Draw the orders of a closed campaign again from its file draws.json, and say whether they are the same."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=FileType("r", encoding="utf-8"), help="draws.json of a closed campaign"
        )

    def handle(self, *, file: TextIO, **options: Any) -> None:
        document = json.load(file)
        if found := draw_checks.find_draw_problems(document):
            raise CommandError("\n".join(found))
        places = sum(len(each["places"]) for each in document["rounds"])
        self.stdout.write(
            f"As drawn: {len(document['rounds'])} rounds, {places} assignments; the secret has its hash."
        )
