"""The list of rows that viewing a file stores is deleted with the file's import, and after a day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging import storage
from judging.actions import collections
from judging.imports.actions import adding, looks, row_list_files
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.reading_plans import Plan
from judging.models import AddedFile, Job, Score, StoredFile
from tests import factories
from tests.judging.imports.studies import BATCH, MATERIAL, assembled, waiting
from tests.judging.imports.test_adding import BLEU, BY_ID
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db
SCORES = "id,system,Bleu_4\n1,Alba,0.5\n2,Brisa,0.25\n9,Alba,1\n8,Alba,1\n"


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


def stored_lists() -> set[str]:
    """Return the stored lists of rows, which begin as gzip does."""
    every = StoredFile.objects.all()
    return {each.sha256 for each in every if bytes(each.content).startswith(b"\x1f\x8b")}


def test_list_of_an_added_file_is_deleted(looked_at: AddedFile) -> None:
    assert stored_lists() == {looked_at.examined["listed"]["sha256"]}

    added = adding.add(added=looked_at, by=looked_at.added_by, now=NOW)

    assert added.brought["scores"] == Score.objects.count() == 2
    assert added.examined["counts"]["unmatched"] == 2, "rows left out in reading are counted"
    assert stored_lists() == set()


def test_decision_deletes_the_list(looked_at: AddedFile) -> None:
    adding.decide(added=looked_at, choices=JoiningChoices())
    assert (looked_at.examined, stored_lists()) == ({}, set())


@pytest.mark.parametrize("deleted_by", ["discarding", "sweep after a day"])
def test_list_of_a_waiting_file_is_deleted(looked_at: AddedFile, deleted_by: str) -> None:
    if deleted_by == "discarding":
        adding.discard(added=looked_at)
    else:
        assert row_list_files.delete_old(now=timezone.now()) == 0
        assert row_list_files.delete_old(now=timezone.now() + timedelta(days=2)) == 1
        adding.add(added=AddedFile.objects.get(pk=looked_at.pk), by=looked_at.added_by, now=NOW)
        assert Score.objects.count() == 2
    assert stored_lists() == set()


@pytest.mark.parametrize("gone", ["the dataset", "a day"])
def test_texts_that_a_look_found_are_deleted(gone: str) -> None:
    owner = factories.researcher()
    collection = adding.start(name="Birds", by=owner)
    file = storage.keep(BATCH.encode())
    added = adding.upload(collection=collection, name="birds.csv", file=file, by=owner)
    asked = looks.of_added(added, Plan())
    Job.objects.create(
        kind=looks.COLUMNS,
        parameters=asked,
        created_by=owner,
        collection=collection,
        state=Job.State.DONE,
        result={"found": looks.read_columns(parameters=asked, by=owner)},
        finished_at=timezone.now(),
    )
    if gone == "a day":
        row_list_files.delete_old(now=timezone.now())
        assert Job.objects.exists()
        row_list_files.delete_old(now=timezone.now() + timedelta(days=2))
    else:
        collections.delete(collection=collection, by=owner)
        assert not StoredFile.objects.exists()
    assert not Job.objects.exists()
