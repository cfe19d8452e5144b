"""manage.py ask_judge CAMPAIGN: ask a language model at a given address to judge a campaign's
questions."""

import os
from argparse import ArgumentParser
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.campaigns.models.campaign import Campaign
from judging.llm_judges.actions import asking
from judging.llm_judges.actions.asking import Prices, QuestionsPart
from judging.llm_judges.actions.chats import CannotAsk, Chat
from judging.protocols.documents import protocol_from_document
from judging.protocols.llm_prompts import asked_criteria


class Command(BaseCommand):
    help = (
        "Ask a model at an OpenAI-compatible address about every question of a campaign, in the protocol's own words. "
        "Without --yes it only says what that would take. Called again it goes on with what has no answer."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="id of the campaign, as in its address")
        parser.add_argument("--address", required=True, help="such as http://localhost:8000/v1")
        parser.add_argument("--model", required=True, help="the model's id")
        parser.add_argument("--name", default="", help="name in reports; by default the model's id")
        parser.add_argument(
            "--key-from", default="", help="environment variable that holds the key; never stored"
        )
        parser.add_argument("--temperature", type=float, default=0.0)
        parser.add_argument("--seconds", type=float, default=60.0, help="to wait for an answer")
        parser.add_argument(
            "--price-in", type=Decimal, default=Decimal(0), help="of a million tokens asked"
        )
        parser.add_argument(
            "--price-out", type=Decimal, default=Decimal(0), help="of a million tokens answered"
        )
        parser.add_argument(
            "--budget", type=Decimal, help="stop when this much is spent; needs the prices"
        )
        parser.add_argument(
            "--criteria", default="", help="keys with commas between; all unless given"
        )
        parser.add_argument("--repeats", type=int, default=1, help="times each question is asked")
        parser.add_argument(
            "--at-once", type=int, default=4, help="questions that wait for their answers together"
        )
        parser.add_argument(
            "--first", type=int, help="a random part of so many questions; more go on from there"
        )
        parser.add_argument("--most", type=int, help="ask about so many questions at most")
        parser.add_argument(
            "--yes", action="store_true", help="ask; otherwise only print the estimate"
        )
        parser.add_argument("--show", action="store_true", help="print the instruction and stop")

    def handle(self, **asked: Any) -> None:
        try:
            campaign = Campaign.objects.select_related("protocol", "dataset", "created_by").get(
                uuid=asked["campaign"]
            )
        except (Campaign.DoesNotExist, ValidationError):
            raise CommandError(f"there is no campaign {asked['campaign']}") from None
        part = _part(campaign, asked)
        if asked["show"]:
            self.stdout.write(asking.prompt_of(campaign, part.criteria))
            return
        if asked["budget"] is not None and not (asked["price_in"] or asked["price_out"]):
            raise CommandError("--budget needs --price-in and --price-out")
        name = asked["name"] or asked["model"][:100]
        prices = Prices(asked["price_in"], asked["price_out"], asked["budget"])
        told = asking.estimate_asking(campaign=campaign, name=name, prices=prices, part=part)
        self.stdout.write(
            f"{told.questions} questions without an answer: about {told.tokens_in:,} tokens asked and "
            f"{told.tokens_out:,} answered, {told.cost:.4f} at these prices."
        )
        if not asked["yes"]:
            self.stdout.write(
                "Nothing was asked: add --yes. The texts of the campaign then go to this address."
            )
            return
        try:
            chat = Chat(
                asked["address"],
                asked["model"],
                asked["temperature"],
                key=_key(asked["key_from"]),
                seconds=asked["seconds"],
                at_once=asked["at_once"],
            )
            done = asking.ask_llm_judge(
                campaign=campaign,
                by=campaign.created_by,
                name=name,
                chat=chat,
                prices=prices,
                today=timezone.localdate(),
                part=part,
                most=asked["most"],
            )
        except CannotAsk as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"{done.answered} answered, {done.unanswered} without a usable answer, {done.left} left; "
            f"{done.cost:.4f} spent."
        )
        if done.stopped:
            raise CommandError(f"stopped: {done.stopped}")


def _part(campaign: Campaign, asked: Mapping[str, Any]) -> QuestionsPart:
    known = [
        each.key for each in asked_criteria(protocol_from_document(campaign.protocol.document))
    ]
    criteria = tuple(filter(None, asked["criteria"].split(",")))
    for key in criteria:
        if key not in known:
            raise CommandError(f"--criteria: {key} is none of {', '.join(known)}")
    if asked["at_once"] < 1:
        raise CommandError("--at-once is 1 or more")
    if asked["repeats"] < 1 or (asked["first"] is not None and asked["first"] < 1):
        raise CommandError("--repeats and --first count from 1")
    return QuestionsPart(criteria=criteria, repeats=asked["repeats"], first=asked["first"])


def _key(variable: str) -> str:
    if variable and not os.environ.get(variable):
        raise CommandError(f"--key-from: the environment has no {variable}")
    return os.environ.get(variable, "") if variable else ""
