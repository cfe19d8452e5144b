"""An upload goes from the request to the storage in pieces: the web process never holds the whole
of it."""

import hashlib
import io
import tracemalloc

import pytest
from django.test import Client
from django.urls import reverse

from judging import storage
from judging.imports.actions import adding
from judging.models import StoredFile
from tests import factories


@pytest.fixture
def client() -> Client:
    """Return a browser beside which no worker works."""
    return Client()


pytestmark = pytest.mark.django_db
MEGABYTE = 1_000_000
MOST = 4 * MEGABYTE  # what a request may hold at its worst, whatever the size of the file
PIECE = b"question,system\n" + b"Why does the lock close?,Alba\n" * 2_000


class Body(io.RawIOBase):
    """The body of a form with one file, made as it is read."""

    def __init__(self, field: str, size: int, rest: dict[str, str]) -> None:
        self.start = b"".join(
            f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in rest.items()
        )
        self.start += f'--edge\r\nContent-Disposition: form-data; name="{field}"; filename="l.csv"\r\n\r\n'.encode()
        self.pieces = [self.start, *([PIECE] * (size // len(PIECE))), b"\r\n--edge--\r\n"]
        self.length = sum(map(len, self.pieces))
        self.rest = b""

    def read(self, size: int = -1) -> bytes:
        while self.pieces and len(self.rest) < size:
            self.rest += self.pieces.pop(0)
        given, self.rest = self.rest[:size], self.rest[size:]
        return given


def peak(page, url: str, body: Body) -> int:
    """Send the body and return the most memory that was held meanwhile."""
    tracemalloc.start()
    try:
        answer = page.request(
            **{
                "PATH_INFO": url,
                "REQUEST_METHOD": "POST",
                "CONTENT_TYPE": "multipart/form-data; boundary=edge",
                "CONTENT_LENGTH": str(body.length),
                "wsgi.input": body,
            }
        )
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.status_code == 302
    return held


@pytest.mark.long
@pytest.mark.parametrize(
    ("where", "size"), [("new", 50), ("files", 12), ("reproduce", 12), ("judge", 12)]
)
def test_an_upload_takes_no_more_memory_than_a_few_of_its_pieces(page, owner, where, size):
    collection = adding.start(name="Canals", by=owner)
    campaign = factories.opened(manager=owner)
    addresses = {
        "judge": (
            reverse("judging:machine_judge_add", args=[campaign.uuid]),
            "file",
            {"name": "J", "model": "m"},
        ),
        "new": (reverse("judging:collection_new"), "files", {"name": "Canals"}),
        "files": (reverse("judging:files_upload", args=[collection.pk]), "files", {}),
        "reproduce": (reverse("analysis:reproduce"), "files", {"study": "nema2018"}),
    }
    url, field, rest = addresses[where]
    page.get(url)  # what a page imports at its first call is not the upload's
    body = Body(field, size * MEGABYTE, rest)
    content = b"".join(body.pieces[1:-1])

    held = peak(page, url, body)

    kept = StoredFile.objects.defer("content").get()
    assert (kept.sha256, kept.size) == (hashlib.sha256(content).hexdigest(), len(content))
    assert hashlib.sha256(b"".join(storage.pieces_of(kept))).hexdigest() == kept.sha256
    assert held < MOST, f"{held:,} bytes"
