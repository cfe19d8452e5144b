"""A file that is mostly new to a dataset that is not empty: the page first warns and asks."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from judging import tasks
from judging.imports.actions import adding
from judging.models import AddedFile, Collection, Job, Question
from tests import factories
from tests.judging.imports.studies import BATCH, assembled, waiting
from tests.judging.imports.test_pages import at
from tests.judging.studies import NOW

pytestmark = [pytest.mark.long, pytest.mark.django_db]
HEADER = BATCH.splitlines()[0]
HERE = BATCH.splitlines()[1:]
OWLS = [
    f"Owls hunt by ear {n}.,by ear,{system},How do {system} owls hunt?"
    for n in (1, 2)
    for system in ("Corvo", "Dora", "Alba")
]
SAID = (
    "Most of this file’s questions and systems are new to the dataset: it would add 6 questions "
    "and 2 systems, and 0 of its questions match one of the 4 in the dataset."
)


@pytest.fixture
def collection() -> Collection:
    return assembled()


@pytest.fixture
def page(client: Client, collection: Collection) -> Client:
    client.force_login(collection.owner)
    return client


def file(*rows: str) -> str:
    return "\n".join([HEADER, *rows, ""])


def text_of(page: str) -> str:
    """Return the words of a page's main part, without its markup."""
    return " ".join(re.sub("<[^>]*>", " ", page.partition("<main")[2]).split())


def test_file_page_mostly_new_file_is_said_first_and_needs_a_tick(page, collection):
    added = waiting(collection, file(*OWLS))

    shown = page.get(at("file", added))
    refused = page.post(at("file_add", added), follow=True)

    assert SAID in text_of(shown.text)
    assert text_of(shown.text).index(SAID) < text_of(shown.text).index("Matched")
    assert re.search(r'<input type="checkbox" name="confirmed"[^>]* required', shown.text)
    assert SAID in text_of(refused.text)
    assert Question.objects.count() == 4

    page.post(at("file_add", added), {"confirmed": "on"})

    assert Question.objects.count() == 10


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([*HERE[::2], *OWLS[:2]], "Most of this file’s systems are new"),
        ([*HERE[:2], *OWLS[2::3], OWLS[5] + "?"], "Most of this file’s questions are new"),
        ([HERE[0], *OWLS[:1]], None),
        ([f"{line}?" for line in HERE[:1]] + HERE[1:], None),
    ],
    ids=["systems", "questions", "half", "none"],
)
def test_file_page_says_what_is_mostly_new(page, collection, rows, said):
    columns = {"choices": adding.JoiningChoices(unmatched="add")}
    added = waiting(collection, file(*rows), **columns)

    shown = page.get(at("file", added)).text

    assert ("Most of this file" in shown) == (said is not None)
    assert said is None or said in shown


def test_file_page_first_file_of_a_dataset_needs_no_tick(client):
    empty = adding.start(name="Owls", by=assembled().owner)
    client.force_login(empty.owner)
    added = waiting(empty, file(*OWLS))

    assert "Most of this file" not in client.get(at("file", added)).text
    client.post(at("file_add", added))

    assert empty.sources.count() == 2


def test_files_page_mostly_new_files_are_named_and_need_a_tick(page, collection):
    for n, rows in enumerate((OWLS[:3], OWLS[3:])):
        waiting(collection, file(*rows), name=f"f{n}.csv")
    address = reverse("judging:files_add", args=[collection.pk])

    page.post(reverse("judging:files_preview", args=[collection.pk]))
    assert "Tick that you want to add it" in page.post(address, follow=True).text
    refused = page.get(reverse("judging:files", args=[collection.pk]))

    assert Question.objects.count() == 4
    assert re.search(r"f0\.csv.*Most of this file.*f1\.csv.*Most of this", text_of(refused.text))
    assert re.search(r'<input type="checkbox" name="confirmed"[^>]* required', refused.text)

    page.post(address, {"confirmed": "on"})

    assert Question.objects.count() == 10


def test_files_page_files_for_an_empty_dataset_need_no_tick(client):
    empty = adding.start(name="Owls", by=assembled().owner)
    client.force_login(empty.owner)
    for rows in (OWLS[:3], OWLS[3:]):
        waiting(empty, file(*rows))

    client.post(reverse("judging:files_add", args=[empty.pk]))

    assert set(empty.added_files.values_list("state", flat=True)) == {"added"}


@pytest.mark.django_db(transaction=True)
def test_worker_adds_a_mostly_new_file_after_a_tick_alone(collection, monkeypatch):
    page = factories.logged_in(collection.owner)
    monkeypatch.setattr(tasks, "ring", lambda job_id: None)
    added = waiting(collection, file(*OWLS))

    def work(kind):
        job = Job.objects.filter(kind=f"judging.{kind}", state="queued").get()
        tasks.current_app.tasks[job.kind].run(str(job.pk))
        job.refresh_from_db()
        return job

    page.post(reverse("judging:files_add", args=[collection.pk]))
    error = work("add_files").error
    assert SAID in error
    assert error.endswith("Confirm on the page of the dataset’s files that you want to add them.")
    assert Question.objects.count() == 4
    page.get(at("file", added))
    work("examine_file")
    assert SAID in text_of(page.get(at("file", added)).text)

    page.post(at("file_add", added), {"confirmed": "on"})

    assert work("add_files").state == "done"
    assert Question.objects.count() == 10


def test_add_mostly_new_file_without_confirmation_is_refused(collection):
    added = waiting(collection, file(*OWLS))

    with pytest.raises(adding.MostlyNew, match="it would add 6 questions and 2 systems"):
        adding.add(added=added, by=collection.owner, now=NOW)

    assert AddedFile.objects.get(pk=added.pk).state == "waiting"
    assert adding.add(added=added, by=collection.owner, now=NOW, confirmed=True).state == "added"


def test_confirmation_ends_with_another_decision_about_the_file(page, collection):
    added = waiting(collection, file(*OWLS))
    page.get(at("file", added))
    added.refresh_from_db()
    adding.confirm_new(files=[added])
    adding.decide(added=added, choices=adding.JoiningChoices(by="texts"))

    with pytest.raises(adding.MostlyNew):
        adding.add(added=added, by=collection.owner, now=NOW)


LETTERED = [f"Owls hunt by ear 9.,by ear,{name},What hunts {name}?" for name in "xyz"]


def test_first_files_with_other_systems_need_a_tick(client):
    empty = adding.start(name="Owls", by=assembled().owner)
    client.force_login(empty.owner)
    waiting(empty, file(*OWLS[:3]), name="named.csv")
    waiting(empty, "\n".join([HEADER, *LETTERED, ""]), name="lettered.csv")
    client.post(reverse("judging:files_preview", args=[empty.pk]))

    listed = text_of(client.get(reverse("judging:files", args=[empty.pk])).text)

    assert re.search(r"lettered\.csv ?: Most of this file’s systems are new", listed)
