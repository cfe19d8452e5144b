"""manage.py campaign_agreement UUID: how far a campaign's annotators agree, from value counts made in the database."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.actions import agreement
from analysis.actions.resampling import Resampling
from analysis.management.plain_tables import as_json, as_text
from judging.models import Campaign, Round

SHOWN = ("criterion", "coefficient", "level", "value", "low", "high", "bootstrap_low", "bootstrap_high", "n", "reason")


class Command(BaseCommand):
    help = "Agreement of a campaign's annotators, for any number of judgments: seconds for millions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID, help="the key in the address of its pages")
        parser.add_argument("--round", choices=Round.Kind.values, default=Round.Kind.MAIN)
        parser.add_argument("--resamples", type=int, default=1000, help="of the bootstrap interval (1000)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="a list of records at full precision")

    def handle(self, *, campaign: UUID, round: str, resamples: int, seed: int, json: bool, **options: Any) -> None:
        found = Campaign.objects.select_related("rubric").filter(uuid=campaign).first()
        if found is None:
            raise CommandError(f"No campaign has the key {campaign}.")
        by = Resampling(np.random.default_rng(seed), resamples, lambda message: None)
        rows = agreement.counted(found, round=round, by=by)
        self.stdout.write(as_json(rows) if json else as_text(rows, SHOWN))
