"""What a look read of a file is kept for adding it, and thrown away then."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from judging import storage
from judging.actions import collections, jobs
from judging.imports.actions import adding, kept_readings, looks, reading_plans, uploads
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.reading_plans import Plan
from judging.imports.actions.uploads import WantedImport
from judging.imports.readers.columns import columns_from
from judging.imports.readers.sameness import Sameness
from judging.models import AddedFile, Job, Question, Score, StoredFile, Upload
from tests import factories
from tests.judging.imports.studies import BATCH, MATERIAL, assembled, waiting
from tests.judging.imports.test_adding import BLEU, BY_ID
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db
SCORES = "id,system,Bleu_4\n1,Alba,0.5\n2,Brisa,0.25\n9,Alba,1\n8,Alba,1\n"


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_readings, "LARGE", 10)
    monkeypatch.setattr(reading_plans, "NEAR", 10)


@pytest.fixture
def looked_at() -> AddedFile:
    """A file of scores that names its questions by ids; two of its rows are about nothing."""
    collection = assembled(
        "id," + BATCH.replace("\nThe", "\n2,The").replace("\nHer", "\n1,Her"),
        source_id="id",
        **MATERIAL,
    )
    added = waiting(collection, SCORES, **BY_ID, **BLEU)
    adding.examine(added=added)
    return added


def make_unreadable(file: StoredFile) -> None:
    """Have whoever reads the file again find something else."""
    StoredFile.objects.filter(pk=file.pk).update(content=b"something else", size=14)
    file.refresh_from_db()


def kept_files() -> set[str]:
    """Return the kept readings and lists of rows, which begin as gzip does."""
    every = StoredFile.objects.all()
    return {each.sha256 for each in every if bytes(each.content).startswith(b"\x1f\x8b")}


def test_a_file_that_was_looked_at_is_not_read_again(looked_at: AddedFile) -> None:
    kept = {looked_at.examined[name]["sha256"] for name in ("reading", "listed")}
    assert kept_files() == kept
    make_unreadable(looked_at.file)

    added = adding.add(added=looked_at, by=looked_at.added_by, now=NOW)

    assert added.brought["scores"] == Score.objects.count() == 2
    assert added.examined["counts"]["unmatched"] == 2, "rows left out in reading are told again"
    assert kept_files() == set()


def test_other_choices_keep_the_reading_and_another_plan_does_not(looked_at: AddedFile) -> None:
    make_unreadable(looked_at.file)
    adding.decide(added=looked_at, choices=JoiningChoices(same=Sameness()))
    assert not looked_at.is_examined
    adding.examine(added=looked_at)
    assert looked_at.examined["counts"]["scores"] == 2

    adding.decide(added=looked_at, plan=adding.plan_of(looked_at))
    assert (looked_at.examined, kept_files()) == ({}, set())


def test_a_reading_under_what_the_collection_was_before_does_not_count(
    looked_at: AddedFile,
) -> None:
    """Rows about nothing were left out of it: a question that came since may be theirs."""
    collection = looked_at.collection
    more = waiting(
        collection,
        "id," + BATCH.splitlines()[0] + "\n9,A,B,Alba,Why?\n",
        name="m.csv",
        source_id="id",
        **MATERIAL,
        choices=JoiningChoices(unmatched="add"),
    )
    adding.add(added=more, by=collection.owner, now=NOW, confirmed=True)

    with pytest.raises(adding.Changed):
        adding.add(added=looked_at, by=collection.owner, now=NOW)


@pytest.mark.parametrize("thrown_away", ["discarded", "a day old"])
def test_a_reading_that_nobody_needs_goes(looked_at: AddedFile, thrown_away: str) -> None:
    if thrown_away == "discarded":
        adding.discard(added=looked_at)
    else:
        assert kept_readings.forget_old(now=timezone.now()) == 0
        assert kept_readings.forget_old(now=timezone.now() + timedelta(days=2)) == 2
        adding.add(added=AddedFile.objects.get(pk=looked_at.pk), by=looked_at.added_by, now=NOW)
        assert Score.objects.count() == 2
    assert kept_files() == set()


@pytest.fixture
def previewed() -> tuple[Upload, Plan]:
    """An upload that a job has looked at, and how it was read."""
    owner = factories.researcher()
    upload = uploads.keep(owner=owner, name="birds.csv", file=storage.keep(BATCH.encode()))
    plan = Plan(format="csv", columns=columns_from(MATERIAL))
    asked: dict[str, Any] = looks.of_upload(upload, plan, rubric=None)
    found = looks.look(kind=looks.PREVIEW, parameters=asked, by=owner)
    Job.objects.create(
        kind=looks.PREVIEW,
        parameters=asked,
        created_by=owner,
        state=Job.State.DONE,
        result={"found": found},
        finished_at=timezone.now(),
    )
    return upload, plan


@pytest.mark.parametrize("gone", ["the collection", "a day"])
def test_what_a_look_found_of_the_texts_goes(previewed: tuple[Upload, Plan], gone: str) -> None:
    upload, plan = previewed
    if gone == "a day":
        assert kept_readings.forget_old(now=timezone.now()) == 0
        # the reading, and the list
        assert kept_readings.forget_old(now=timezone.now() + timedelta(days=2)) == 2
    else:
        wanted = WantedImport(upload=upload, plan=plan, name="Birds")
        made = uploads.import_upload(wanted=wanted, by=upload.owner, now=NOW).collection
        jobs.enqueue(kind="analysis.matching", parameters={}, by=upload.owner, collection=made)
        drawn = {"figures": {"0-light": storage.keep(b"<svg/>").sha256}}
        Job.objects.filter(collection=made).update(
            state="done", finished_at=timezone.now(), result=drawn
        )
        collections.delete(collection=made, by=upload.owner)
        assert not StoredFile.objects.exists()
    assert not Job.objects.exists()


def test_an_import_takes_what_its_preview_read(previewed: tuple[Upload, Plan]) -> None:
    upload, plan = previewed
    owner = upload.owner
    make_unreadable(upload.file)

    more = looks.look(
        kind=looks.HANDFUL, parameters=looks.of_upload(upload, plan, seed=2), by=owner
    )
    made = uploads.import_upload(
        wanted=WantedImport(upload=upload, plan=plan, name="Birds"), by=owner, now=NOW
    )

    assert more["source_count"] == made.collection.sources.count() == 2
    assert Question.objects.count() == 4
    assert kept_files() == set()
