"""Files of a dataset that a worker looks at, adds and takes back, as its pages ask for it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judging import tasks
from judging.imports.actions import taking_back
from judging.models import Collection, Job, Score
from tests import factories
from tests.judging.imports.studies import assembled, waiting
from tests.judging.imports.test_adding import BLEU, MATERIAL, SCORES
from tests.judging.imports.test_pages import at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection() -> Collection:
    return assembled()


@pytest.fixture
def page(collection: Collection) -> Client:
    return factories.logged_in(collection.owner)


def run(kind: str, job_id: Any) -> None:
    """Do a job as a worker does."""
    tasks.current_app.tasks[f"judging.{kind}"].run(str(job_id))


def test_large_files_are_looked_at_and_added_by_a_worker(page, collection, monkeypatch):
    monkeypatch.setattr(taking_back, "LARGE", 10)  # taking back
    monkeypatch.setattr(tasks, "ring", lambda job_id: None)
    added = waiting(collection, SCORES, **MATERIAL, **BLEU)

    looked = page.get(at("file", added))
    job = Job.objects.get(kind="judging.examine_file")
    assert looked.url == reverse("judging:job", args=[job.pk])
    run("examine_file", job.pk)
    assert "3" in page.get(at("file", added)).text
    page.post(at("file_add", added))
    page.post(at("file_add", added))
    job = Job.objects.get(kind="judging.add_files")
    run("add_files", job.pk)
    assert Score.objects.count() == 3
    shown = page.get(reverse("judging:job", args=[job.pk]))
    assert shown.url == reverse("judging:collection", args=[collection.pk])
    page.post(at("file_take_back", added))
    run("take_back_file", Job.objects.get(kind="judging.take_back_file").pk)
    assert not Score.objects.exists()


def test_worker_says_why_files_cannot_be_added(page, collection):
    added = waiting(
        collection,
        SCORES.replace("Bleu_4", "x"),
        **MATERIAL,
        scores=[{"column": "x", "name": "x", "direction": "unknown"}],
    )
    job = Job.objects.create(
        kind="judging.add_files",
        parameters={"files": [added.pk]},
        created_by=collection.owner,
        collection=collection,
    )

    run("add_files", job.pk)

    job.refresh_from_db()
    assert job.error == "more.csv: Say whether higher or lower is better in “x”."
