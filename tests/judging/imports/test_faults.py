"""Two people at one moment, and work that ends in the middle: all of a file or nothing of it."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from judging.actions import campaigns
from judging.imports.actions import adding, taking_back
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.refusals import CannotImport
from judging.models import Campaign, Question, Score
from tests import factories
from tests.judging.imports.studies import add, assembled, waiting
from tests.judging.imports.test_adding import (
    BLEU,
    MATERIAL,
    SCORES,
    SECOND,
    everything,
    of_one,
    ratings,
)
from tests.judging.studies import NOW


class Killed(Exception):
    """The worker is gone."""


def dying_after(steps: int) -> Callable[[int, int, str], None]:
    """Return a progress that ends the work at its n-th sign of life."""
    left = iter(range(steps))

    def progress(done: int, total: int, message: str) -> None:
        if next(left, None) is None:
            raise Killed

    return progress


def at_once(*works: Callable[[], object]) -> list[object]:
    """Do works in threads of their own that begin at one moment; return what each gave or
    raised."""
    ready, found = threading.Barrier(len(works)), list[object](works)

    def do(place: int) -> None:
        try:
            ready.wait()
            found[place] = works[place]()
        except Exception as error:
            found[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=[place]) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    return found


def few_of(most: int) -> list[object]:
    """Return the steps after which work may die; those between the first, the middle and the last
    are long tests."""
    few = {1, most // 2, most}
    return [
        steps if steps in few else pytest.param(steps, marks=pytest.mark.long)
        for steps in range(1, most + 1)
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("steps", few_of(9))
def test_add_that_dies_in_the_middle_leaves_nothing(steps):
    collection, rubric = assembled(), factories.rubric()
    text = ratings("", 1, 2, 3, 1) + SECOND.split("\n", 1)[1].replace("?\n", "?,2\n")
    before = everything(collection)
    added = waiting(
        collection, text, rubric=rubric, choices=JoiningChoices(unmatched="add"), **of_one("Ana")
    )

    with pytest.raises(Killed):
        adding.add(added=added, by=collection.owner, now=NOW, progress=dying_after(steps))

    assert everything(collection) == before
    added.refresh_from_db()
    assert added.state == "waiting"
    adding.add(added=added, by=collection.owner, now=NOW)
    assert Question.objects.count() == 6


@pytest.mark.django_db
@pytest.mark.parametrize("steps", few_of(11))
def test_take_back_that_dies_in_the_middle_takes_nothing(steps):
    collection = assembled()
    added = add(collection, ratings("", 1, 2, 3, 1), rubric=factories.rubric(), **of_one("Ana"))
    before = everything(collection)

    with pytest.raises(Killed):
        taking_back.take_back(
            added=added, by=collection.owner, now=NOW, progress=dying_after(steps)
        )

    assert everything(collection) == before


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_one_file_that_two_add_at_one_moment_is_added_once():
    collection = assembled()
    added = waiting(collection, SCORES, **MATERIAL, **BLEU)

    found = at_once(*[lambda: adding.add(added=added, by=collection.owner, now=NOW)] * 2)

    assert sorted(type(each).__name__ for each in found) == ["AddedFile", "CannotImport"]
    assert Score.objects.count() == 3


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_files_that_two_add_at_one_moment_both_come():
    collection = assembled()
    scores = waiting(collection, SCORES, **MATERIAL, **BLEU)
    batch = waiting(collection, SECOND, name="batch.csv")

    at_once(
        *[
            lambda file=file: adding.add(added=file, by=collection.owner, now=NOW, confirmed=True)
            for file in (scores, batch)
        ]
    )

    assert {each.state for each in collection.added_files.all()} == {"added"}
    assert (Score.objects.count(), Question.objects.count()) == (3, 6)


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_what_is_judged_comes_before_the_lock_or_not_at_all():
    collection = assembled()
    campaign = factories.campaign(collection=collection, manager=collection.owner)
    added = waiting(collection, SECOND)

    found = at_once(
        lambda: adding.add(added=added, by=collection.owner, now=NOW),
        lambda: campaigns.lock(campaign=campaign, now=NOW),
    )

    assert Campaign.objects.get().state == "locked"
    assert Question.objects.count() == (4 if isinstance(found[0], CannotImport) else 6)
    campaign.refresh_from_db()
    judged = campaign.protocol["collection"].get("files", [collection.file_sha256])
    assert judged == [
        each.file.sha256 for each in collection.added_files.standing().order_by("number")
    ]
