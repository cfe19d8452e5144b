import hashlib
import itertools
import threading

import pytest
from django.db import connection

from judging.campaigns.actions import dataset_uses
from judging.imports.actions import files
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile, StoredPart
from tests import factories

pytestmark = pytest.mark.django_db

CONTENTS = [b"", b"x", bytes(range(256)) * 3, b"\\x41\t\\N\n\\.", b"a" * 25]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(storage, "PIECE", 20)
    monkeypatch.setattr(storage, "PART", 10)


@pytest.mark.parametrize("content", CONTENTS)
def test_bytes_come_back_as_they_were(content):
    kept = storage.store_bytes(content)

    assert kept.size == len(content)
    assert storage.content_of(kept) == content
    assert storage.content_of(StoredFile.objects.get()) == content


def test_no_row_holds_more_than_a_part_and_what_one_row_held_once_is_read_as_before():
    kept = storage.store_bytes(b"canals and locks, and keepers")
    assert kept.size == 29
    sizes = [kept.content, *kept.parts.order_by("number").values_list("content", flat=True)]
    assert [len(each) for each in sizes] == [10, 10, 9]
    assert storage.content_of(kept) == b"canals and locks, and keepers"
    old = StoredFile.objects.create(sha256="a" * 64, size=25, content=b"a" * 25)
    assert b"".join(storage.file_pieces(old)) == storage.content_of(old) == b"a" * 25
    storage.release_file(kept)
    assert StoredFile.objects.get() == old and not StoredPart.objects.exists()


def test_file_that_goes_while_it_is_read_is_no_shorter_file():
    kept = storage.store_bytes(bytes(range(100)))
    reading = storage.file_pieces(kept)
    assert next(reading) == bytes(range(10))
    storage.release_file(kept)
    with pytest.raises(StoredFile.DoesNotExist):
        list(reading)
    with pytest.raises(StoredFile.DoesNotExist):
        storage.content_of(StoredFile(pk=kept.pk, size=100, content=b""))


@pytest.mark.parametrize("sizes", [[25], [3, 3, 3, 3, 13], [10, 10], [0, 11, 0], [30, 1]])
def test_bytes_come_in_whatever_pieces(sizes):
    content = bytes(range(sum(sizes)))
    ends = list(itertools.accumulate(sizes))
    pieces = [content[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    kept = storage.keep_pieces(iter(pieces))
    assert (storage.content_of(kept), kept.size) == (content, len(content))
    assert kept.sha256 == hashlib.sha256(content).hexdigest()


def test_equal_bytes_are_kept_once():
    assert storage.store_bytes(b"canal") == storage.store_bytes(b"canal")
    assert StoredFile.objects.count() == 1


def test_a_file_in_djangos_storage_is_named_by_its_hash():
    kept = storage.DatabaseStorage()
    name = kept.save("any.txt", storage.File(storage.BytesIO(b"canal")))

    assert kept.open(name).read() == b"canal"
    assert (kept.exists(name), kept.size(name)) == (True, 5)


@pytest.mark.django_db(transaction=True)
@pytest.mark.threads
def test_equal_bytes_kept_at_one_moment_are_kept_once():
    gate, kept = threading.Barrier(4), []

    def attempt() -> None:
        gate.wait()
        kept.append(storage.store_bytes(b"canal" * 100).pk)
        connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(kept) == 4
    assert len(set(kept)) == 1


def test_bytes_that_a_waiting_job_of_another_account_names_stay_when_they_are_thrown_away() -> None:
    """Another user who uploaded and discarded the same bytes must not delete the job's file."""
    campaign, other = factories.campaign(), factories.dataset()
    table, released = storage.store_bytes(b"question,value"), storage.store_bytes(b"<released/>")
    judge, study = (
        jobs.enqueue(kind=kind, parameters=named, by=campaign.created_by, campaign=campaign)
        for kind, named in (
            ("judging.add_judge", {"file": table.sha256, "file_name": "t.csv", "about": {}}),
            ("analysis.reproduce", {"study": "x", "files": [["r.xml", released.sha256]]}),
        )
    )
    for file in (table, released):
        added = files.upload_file(dataset=other, name="t.csv", file=file, by=other.owner)
        files.discard_file(added=added)
    assert StoredFile.objects.count() == 2
    storage.release_file(table, of_job=judge)
    for job in (judge, study):
        jobs.cancel_job(job=job)
    storage.release_file(released)
    assert not StoredFile.objects.exists()


def test_drawing_that_matchings_of_two_datasets_share_stays_with_the_other() -> None:
    drawn = storage.store_bytes(b"<svg/>")
    one, other = factories.dataset(), factories.dataset()
    for each in (one, other):
        job = jobs.enqueue(kind="analysis.matching", parameters={}, by=each.owner, dataset=each)
        jobs.claim_job(job_id=job.pk)
        job.refresh_from_db()
        jobs.finish_job(job=job, result={"figures": {"0-light": drawn.sha256}})
    dataset_uses.delete_dataset(dataset=one)
    assert StoredFile.objects.filter(pk=drawn.pk).exists()
    dataset_uses.delete_dataset(dataset=other)
    assert not StoredFile.objects.exists()
