"""Which waiting files are read like another: those whose parsed header and sheets are the same."""

import io
import zipfile

import pytest
from openpyxl import Workbook

from judging import storage
from judging.imports.actions import adding, proposals
from judging.models import AddedFile, Collection
from tests import factories
from tests.judging.imports.studies import BATCH

pytestmark = pytest.mark.django_db

HEADER = ("passage", "answer", "system", "question", "Bleu_4")
ROW = ("Owls hunt by ear.", "by ear", "Alba", "How do owls hunt?", 0.5)
SCORES = (*HEADER[:4], "METEOR", "ROUGE_L")


def workbook(*header: str, sheet: str = "Sheet", score: float = 0.5) -> bytes:
    """Return a workbook of one row, packed as version 1.0: its first bytes are a line of their own."""
    book = Workbook()
    book.worksheets[0].title = sheet
    for row in (header, (*ROW[:4], *(score for _ in header[4:]))):
        book.worksheets[0].append(list(row))
    written, packed = io.BytesIO(), io.BytesIO()
    book.save(written)
    with zipfile.ZipFile(written) as before, zipfile.ZipFile(packed, "w") as after:
        for part in before.infolist():
            part.extract_version = 10
            after.writestr(part, before.read(part), zipfile.ZIP_STORED)
    assert packed.getvalue().startswith(b"PK\x03\x04\n")
    return packed.getvalue()


def csv(*header: str, title: str = "", rows: int = 1, cell: str = "0.5") -> bytes:
    line = ",".join((*ROW[:4], *(cell for _ in header[4:])))
    return "\n".join([*filter(None, [title]), ",".join(header), *[line] * rows, ""]).encode()


def upload(collection: Collection, name: str, data: bytes) -> AddedFile:
    return adding.upload(
        collection=collection, name=name, file=storage.keep(data), by=collection.owner
    )


@pytest.fixture
def collection() -> Collection:
    return adding.start(name="Owls", by=factories.researcher())


def names_alike(collection: Collection, first: bytes, other: bytes, ending: str) -> list[str]:
    added = upload(collection, f"first.{ending}", first)
    upload(collection, f"other.{ending}", other)
    return [each.name for each in proposals.siblings(added)]


TITLE = "Scores of May 2026"
MULTILINE = '"0.5\n\n"'


@pytest.mark.parametrize(
    ("first", "other", "ending"),
    [
        (workbook(*HEADER), workbook(*SCORES), "xlsx"),
        (workbook(*HEADER), workbook(*HEADER, sheet="May"), "xlsx"),
        (csv(*HEADER, title=TITLE, rows=3), csv(*SCORES, title=TITLE, rows=3), "csv"),
        (b'[\n{"passage": "a", "x": 1}]', b'[\n{"passage": "a", "y": 1}]', "json"),
        (
            b'<?xml version="1.0"?>\n<dataset></dataset>',
            b'<?xml version="1.0"?>\n<dataset><a/></dataset>',
            "xml",
        ),
        (workbook(*HEADER), b"PK\x03\x04\nno workbook", "xlsx"),
        (b"1,2,3\n1,2,3\n1,2,3\n4,5,6\n", b"1,2,3\n1,2,3\n1,2,3\n7,8,9\n", "csv"),
    ],
    ids=["columns", "sheets", "title row", "JSON", "XML", "damaged", "no header"],
)
def test_siblings_files_with_equal_first_bytes_and_other_headers_are_none(
    collection: Collection, first: bytes, other: bytes, ending: str
) -> None:
    assert names_alike(collection, first, other, ending) == []


@pytest.mark.parametrize(
    ("first", "other", "ending"),
    [
        (workbook(*HEADER), workbook(*HEADER, score=0.7), "xlsx"),
        (csv(*HEADER), csv(*HEADER, rows=2), "csv"),
        (csv(*HEADER), csv(*HEADER, rows=9_000), "csv"),
        (csv(*HEADER), csv(*HEADER, rows=9, cell=MULTILINE * 10_000), "csv"),
        (b'[\n{"passage": "a", "x": 1}]', b'[{"passage": "b", "x": 2}]', "json"),
    ],
    ids=["workbooks", "small", "many rows", "long rows", "JSON"],
)
def test_siblings_files_with_equal_headers_are_found(
    collection: Collection, first: bytes, other: bytes, ending: str
) -> None:
    assert names_alike(collection, first, other, ending) == [f"other.{ending}"]


def test_siblings_table_and_workbook_with_equal_headers_are_none(collection: Collection) -> None:
    added = upload(collection, "first.csv", BATCH.encode())
    upload(collection, "other.xlsx", workbook(*BATCH.splitlines()[0].split(",")))

    assert proposals.siblings(added) == []
