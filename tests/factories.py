"""Small worlds for tests: each function makes one thing with sensible defaults, in the real
database."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment, Membership
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import (
    Dataset,
    Passage,
    Question,
    QuestionSet,
    Source,
    System,
    Unit,
)
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Criterion, Protocol, ScalePoint

PASSWORD = "a long enough phrase"
_number = itertools.count(1)


def user(name: str | None = None, **fields: Any) -> User:
    return User.objects.create_user(name or f"user{next(_number)}", password=PASSWORD, **fields)


def researcher(name: str | None = None) -> User:
    return user(name, may_create_campaigns=True)


def dataset(
    *,
    sources: int = 2,
    systems: Sequence[str] = ("Alba", "Brisa"),
    expected: int = 1,
    owner: User | None = None,
    **fields: Any,
) -> Dataset:
    """Return a dataset with one passage a source and `expected` questions of each system for
    it."""
    made = Dataset.objects.create(name="Canals", owner=owner or researcher(), **fields)
    by = System.objects.bulk_create(System(dataset=made, name=name) for name in systems)
    numbers = range(1, sources + 1)
    texts = [f"Lock {number} was built by Agnes Tolliver. It has iron gates." for number in numbers]
    passages = Passage.objects.bulk_create(
        Passage(dataset=made, text=text, digest=f"{number:064d}")
        for number, text in enumerate(texts, 1)
    )
    given = Source.objects.bulk_create(
        Source(
            dataset=made,
            passage=passage,
            key=f"s{number}",
            position=number,
            answer="Agnes Tolliver",
            answer_start=text.index("Agnes"),
            sentence=text.split(". ")[0] + ".",
            sentence_start=0,
        )
        for number, text, passage in zip(numbers, texts, passages, strict=True)
    )
    sets = QuestionSet.objects.bulk_create(
        QuestionSet(source=source, system=system, expected=expected)
        for source in given
        for system in by
    )
    units = Unit.objects.bulk_create(
        Unit(question_set=held, position=position)
        for held in sets
        for position in (None, *range(1, expected + 1))
    )
    Question.objects.bulk_create(
        Question(
            unit=unit,
            text=f"Who built lock {unit.question_set.source.position}, asks "
            f"{unit.question_set.system.name} ({unit.position})?",
        )
        for unit in units
        if unit.position
    )
    return made


SMALL = """
key: small
version: "1"
title: Small
summary: Two criteria for tests.
citation: none
task: source
annotators: 3
estimated_seconds: 60
stages:
  - {key: all, title: Judge, shows: [passage, answer, sentence]}
criteria:
  - {key: grammaticality, name: Grammaticality, prompt: "Is it grammatical?",
     definition: Form alone.,
     level: ordinal, best: highest, stage: all,
     points: [{value: 1, label: "no"}, {value: 2, label: nearly}, {value: 3, label: "yes"}]}
  - {key: correctness, name: Correctness, prompt: "Does it ask for the answer?",
     definition: Content alone.,
     level: ordinal, best: highest, stage: all,
     points: [{value: 1, label: "no"}, {value: 2, label: maybe}, {value: 3, label: "yes"}]}
aggregate: {kind: mean}
guideline: Read the question first.
"""


def protocol(key: str | None = None, **changes: str) -> Protocol:
    """Return a shipped protocol by its key, or a small protocol of two criteria from 1 to 3."""
    if key:
        return protocols.install(document=documents.shipped(key))
    return protocols.install(document=replace(small(), **changes))


@cache
def small() -> documents.ProtocolDocument:
    """Return the small protocol as a document."""
    return documents.parse(SMALL, "small.yaml")


def criterion(
    made: Protocol,
    key: str,
    *,
    position: int,
    values: Sequence[int] = (1, 2, 3),
    best: str = "highest",
) -> Criterion:
    """Add a criterion's rows to a protocol, for tests of what the database refuses."""
    row = Criterion.objects.create(
        protocol=made,
        key=key,
        name=key.title(),
        position=position,
        unit="question",
        asked="per_unit",
        level="ordinal",
        best=best,
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(criterion=row, value=value, label=f"label {value}") for value in values
    )
    return row


def campaign(*, manager: User | None = None, **fields: Any) -> Campaign:
    """Return a draft campaign with its manager."""
    manager = manager or researcher()
    # Most tests of the judging page are about other things than the review before Submit.
    defaults: dict[str, Any] = {
        "title": "Canal towns",
        "created_by": manager,
        "review_before_submit": False,
    }
    if "dataset" not in fields:
        defaults["dataset"] = dataset(owner=manager)
    if "protocol" not in fields:
        defaults["protocol"] = protocol()
    made = Campaign.objects.create(**(defaults | fields))
    if made.dataset.owner != made.created_by:
        datasets.share_dataset(dataset=made.dataset, user=made.created_by)
    Membership.objects.create(user=manager, campaign=made, role="manager")
    Round.objects.create(campaign=made)
    return made


def opened(*, now: datetime | None = None, **fields: Any) -> Campaign:
    """Return a campaign that was locked and opened, with its tasks and places."""
    made = campaign(**fields)
    campaigns.lock_plan(campaign=made, now=now or timezone.now())
    campaigns.open_campaign(campaign=made, now=now or timezone.now())
    return made


def member(made: Campaign, account: User, role: str) -> Membership:
    """Write a role into the database, past the action that gives roles."""
    return Membership.objects.create(campaign=made, user=account, role=role)


def enrollment(
    made: Campaign, *, label: str | None = None, account: User | None = None
) -> Enrollment:
    """Return an annotator's place in a campaign, with account and membership."""
    account = account or user()
    Membership.objects.get_or_create(user=account, campaign=made, role="annotator")
    return Enrollment.objects.create(
        campaign=made, user=account, label=label or f"A{next(_number):02d}"
    )


def logged_in(user: User) -> Client:
    """Return a browser in which somebody is logged in."""
    client = Client()
    client.force_login(user)
    return client
