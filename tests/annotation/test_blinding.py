"""Whoever has read the source and opens a link twice still cannot name the system that made a
question."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from judging.campaigns.actions import campaigns
from judging.campaigns.design import KeyedDraws, shown_order
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question
from tests.annotation import studies

pytestmark = pytest.mark.django_db
SYSTEMS = ("Alba", "Brisa", "Corvo", "Dorso", "Erizo", "Faro", "Gamba", "Halcon")
SOURCES = 7
QUESTION = re.compile(r"What does the \d+th question want to know\?")


def window(token: str) -> list[tuple[str, ...]]:
    """Join by the link, submit every task, and return the questions of each as they are shown."""
    client, seen = Client(), []
    joined = client.post(f"/join/{token}/")
    while (
        answer := client.get(f"{joined.url}?begin")
    ).status_code == 302 and "/tasks/" in answer.url:
        seen.append(tuple(dict.fromkeys(QUESTION.findall(client.get(answer.url).text))))
        own = Assignment.objects.select_related(
            "task", "enrollment", "round__campaign__protocol"
        ).get(pk=answer.url.split("/")[2])
        client.post(f"{answer.url}submit/?step=0", studies.filled(own))
        assert Assignment.objects.get(pk=own.pk).submitted_at
    return seen


Orders = list[tuple[tuple[int, ...], tuple[int, ...]]]


def guesses(campaign: Campaign) -> Iterator[Orders]:
    """Yield for each key that an attacker may try the orders in both windows, by the
    number of the task."""
    keys = [bytes(32), b"", b"preview", campaign.uuid.bytes, str(campaign.uuid).encode()]
    keys += [bytes.fromhex(campaign.locked_digest)]
    people, n, numbers = ("A01", "A02"), len(SYSTEMS), range(1, SOURCES + 1)
    for draws in map(KeyedDraws, keys):
        orders: Orders = []
        for number in numbers:
            first, second = (
                shown_order(n, draws=draws, enrollment_key=who, task_key=f"main/1/{number}")
                for who in people
            )
            orders.append((first, second))
        yield orders


def named(campaign: Campaign, windows: list[list[tuple[str, ...]]]) -> dict[str, str]:
    """Attack: name the systems where one guess explains every task in both windows, the systems
    being in the alphabet.

    A guess that explains a single task says nothing: of all that are tried, one in forty attacks on
    drawn orders has such a guess by luck.
    """
    tasks = {frozenset(seen): seen for seen in windows[1]}
    for orders in guesses(campaign):
        told: dict[str, str] = {}
        for seen in windows[0]:
            other = tasks[frozenset(seen)]
            for first, second in orders:
                one = {text: SYSTEMS[index] for text, index in zip(seen, first, strict=True)}
                if one == {text: SYSTEMS[index] for text, index in zip(other, second, strict=True)}:
                    told |= one
        if len(told) == SOURCES * len(SYSTEMS):
            return told
    return {}


def test_two_windows_of_one_open_link_name_no_system() -> None:
    campaign = studies.opened(sources=SOURCES, systems=SYSTEMS)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=2)
    windows = [window(link.token), window(link.token)]
    assert [len(seen) for seen in windows] == [SOURCES, SOURCES]
    made_by = dict(Question.objects.values_list("text", "unit__question_set__system__name"))
    told = named(campaign, windows)
    assert [text for text, system in told.items() if made_by[text] == system] == []
