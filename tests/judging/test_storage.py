import threading

import pytest
from django.db import connection

from judging import storage
from judging.models import StoredFile

pytestmark = pytest.mark.django_db

CONTENTS = [b"", b"x", bytes(range(256)) * 3, b"\\x41\t\\N\n\\.", b"a" * 25]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(storage, "PIECE", 10)


@pytest.mark.parametrize("content", CONTENTS)
def test_bytes_come_back_as_they_were(content):
    kept = storage.keep(content)

    assert kept.size == len(content)
    assert storage.content_of(kept) == content
    assert storage.content_of(StoredFile.objects.get()) == content


def test_equal_bytes_are_kept_once():
    assert storage.keep(b"canal") == storage.keep(b"canal")
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
        kept.append(storage.keep(b"canal" * 100).pk)
        connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(kept) == 4
    assert len(set(kept)) == 1
