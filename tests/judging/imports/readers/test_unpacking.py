"""Files inside a gzip file or a ZIP archive."""

import gzip
import io
import zipfile

import pytest

from judging.imports.actions import reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers import unpacking
from judging.imports.readers.text import Unreadable
from judging.imports.readers.unpacking import unpack_file
from tests.judging.imports.formats.test_workbook import as_ods, saved

CSV = b"system,question,fluency@Ann\nA,Who hunts?,3\nB,What hunts?,1\n"
JSON_LINES = b'{"system": "A", "question": "Who hunts?"}\n{"system": "B", "question": "Why?"}\n'


def zipped(**files: bytes) -> bytes:
    """Return a ZIP archive; `__` in a name is a full stop."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return out.getvalue()


def named(value: object) -> str:
    """Return the id of a parameter; archives hold the time at which they were made."""
    return value if isinstance(value, str) else "file"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("owls.csv.gz", gzip.compress(CSV, mtime=0), "csv"),
        ("owls.tsv.gz", gzip.compress(CSV.replace(b",", b"\t"), mtime=0), "csv"),
        ("owls.jsonl.gz", gzip.compress(JSON_LINES, mtime=0), "jsonl"),
        ("owls.zip", zipped(owls__csv=CSV), "csv"),
        ("owls.zip", zipped(README__txt=b"Made in May.", owls__jsonl=JSON_LINES), "jsonl"),
        ("owls.zip", zipped(owls__csv__gz=gzip.compress(CSV, mtime=0)), "csv"),
        ("owls.zip", zipped(owls__xlsx=saved(("system", "question"), ("A", "Who?"))), "xlsx"),
    ],
    ids=named,
)
def test_read_head_of_a_packed_table_reads_the_table(name: str, data: bytes, expected: str) -> None:
    head = reading_plans.read_head(name=name, data=data, plan=Plan())
    assert (head.format, head.header[:2]) == (expected, ("system", "question"))
    study = reading_plans.read_study(
        name=name, data=data, plan=Plan(format=head.format, columns=head.proposed)
    )
    assert study.systems[0] == "A"
    assert study.problems == ()


@pytest.mark.parametrize("data", [as_ods(("q",), ("a",)), saved(("q",), ("a",)), CSV], ids=named)
def test_unpack_file_leaves_workbooks_and_texts_as_they_are(data: bytes) -> None:
    assert unpack_file("a", data) == ("a", data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped(may__csv=CSV, june__csv=CSV), "holds 2 files: “may.csv”, “june.csv”. Unpack it"),
        (zipped(__DS_Store=b"x"), "The ZIP archive holds no file"),
        (zipped(may__csv=CSV)[:60], "The workbook or ZIP archive is damaged or cut off"),
        (gzip.compress(CSV, mtime=0)[:-9], "The gzip file is damaged or cut off"),
        (b"\x1f\x8b" + b"x" * 50, "The gzip file is damaged or cut off"),
    ],
    ids=named,
)
def test_read_head_of_an_archive_without_one_table_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        reading_plans.read_head(name="a.zip", data=data, plan=Plan())


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(may__csv=content)])
def test_unpack_file_beyond_the_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch, pack: "type[bytes]"
) -> None:
    data = pack(CSV)
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", len(CSV))
    assert unpack_file("a", data)[1] == CSV
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", len(CSV) - 1)
    with pytest.raises(Unreadable, match="unpacks to more than"):
        unpack_file("a", data)


def test_unpack_file_that_needs_a_password_is_refused() -> None:
    data = bytearray(zipped(may__csv=CSV))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="encrypted"):
        unpack_file("a.zip", bytes(data))
