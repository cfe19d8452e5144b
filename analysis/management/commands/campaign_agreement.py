"""manage.py campaign_agreement UUID: how far a campaign's annotators agree, from value counts made
in the database."""

import json as standard_json
from argparse import ArgumentParser
from math import nan
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from analysis import frames
from analysis.reports.rows import encode
from analysis.sections.agreement.agreement import of_counts
from judging.campaigns.models.campaign import Campaign, Round
from quaestor_stats import ResultTable

SHOWN = (
    "criterion",
    "coefficient",
    "level",
    "value",
    "low",
    "high",
    "n",
    "clusters",
    "reason",
    "caution",
)


class Command(BaseCommand):
    help = (
        "Agreement of a campaign's annotators, for any number of judgments: seconds for millions."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID, help="the key in the address of its pages")
        parser.add_argument("--round", choices=Round.Kind.values, default=Round.Kind.MAIN)
        parser.add_argument("--number", type=int, default=1, help="which round of its kind (1)")
        parser.add_argument(
            "--over",
            choices=("sources", "units"),
            default="sources",
            help="the unit that intervals leave out or draw as a whole; over units they are too narrow if "
            "several systems share a source, or several sources a passage (sources)",
        )
        parser.add_argument(
            "--json", action="store_true", help="a list of records at full precision"
        )

    def handle(
        self,
        *,
        campaign: UUID,
        round: str,
        number: int,
        over: str,
        json: bool,
        **options: Any,
    ) -> None:
        found = Campaign.objects.select_related("protocol").filter(uuid=campaign).first()
        if found is None:
            raise CommandError(f"No campaign has the key {campaign}.")
        patterns = frames.count_values(
            found, round=round, number=number, by_source=over == "sources"
        )
        unit = frames.clusters_of_passages(found).unit
        rows = [
            encode(row)
            for criterion in frames.protocol_of(found).criteria
            for row in of_counts(patterns[criterion.key], criterion, unit=unit)
        ]
        if json:
            self.stdout.write(standard_json.dumps(rows, ensure_ascii=False, indent=1))
            return
        shown = [{name: nan if row[name] is None else row[name] for name in SHOWN} for row in rows]
        self.stdout.write(str(ResultTable(SHOWN, tuple(shown))))
