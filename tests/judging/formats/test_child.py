"""Reading in a process of its own, under limits, with files that are made to break it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from judging.formats import child
from judging.formats.child import Limits, ReaderFailed, _unfinished
from judging.formats.frames import Unreadable
from judging.formats.mapping import Mapping

ROOT = Path(__file__).resolve().parents[3]
KEY = b"0123456789abcdef"
TIGHT = Limits(memory=600_000_000, seconds=60)
CSV = b"""passage,question,system,WorkerId,fluency
Owls sleep.,Who?,a,A1B2C3D4E5F6G7,3
Owls sleep.,Who?,a,A7B2C3D4E5F6G8,2
Owls sleep.,Why?,b,A1B2C3D4E5F6G7,1
Owls sleep.,Why?,b,A7B2C3D4E5F6G8,1
Owls sleep.
"""


def preview(data: bytes, name: str = "a.csv", **given: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"mapping": None, "key": b"", "limits": TIGHT, **given}
    return child.preview_in_child(name=name, data=data, **asked)


def reason(data: bytes, name: str = "a.csv", **given: Any) -> str:
    with pytest.raises(Unreadable) as refusal:
        preview(data, name, **given)
    return refusal.value.reason


@cache
def small_rows() -> bytes:
    return b"question,system\n" + b"".join(b"Who is %d?,a\n" % n for n in range(600_000))


def test_preview_is_plain_data_with_labels_of_people() -> None:
    found = preview(CSV, key=KEY)
    assert found["header"] == ["passage", "question", "system", "WorkerId", "fluency"]
    assert "A1B2C3D4E5F6G7" not in json.dumps(found)
    found = child.keys(name="a.csv", data=CSV, mapping=Mapping(), key=KEY)
    assert sorted(found.values()) == ["A1B2C3D4E5F6G7", "A7B2C3D4E5F6G8"]


def test_study_comes_back_as_frames() -> None:
    plain = child.read_study_in_child(
        name="a.csv", data=CSV, mapping=Mapping(rater="x"), key=KEY, limits=TIGHT
    )
    found = child.study_from(plain)
    assert found.questions["text"].tolist() == ["Who?", "Why?"]
    assert found.ratings["value"].tolist() == ["3", "2", "1", "1"]
    assert set(found.ratings["rater"]) == set(plain["keys"])
    assert [(each.row, each.choices) for each in found.problems if each.kind == "row"] == [(6, ())]
    assert set(found.expected.values()) == {1} and found.rows_read == 5


def test_pieces_of_long_columns_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MAX_LINE_VALUES", 2)
    from judging.formats.pipeline import read_study

    found = read_study("a.csv", CSV, Mapping(), None)
    lines = list(child._lines_of(found))
    monkeypatch.setattr(child, "_answers", lambda *_: iter(json.loads(json.dumps(lines))))
    plain = child.read_study_in_child(name="", data=b"", mapping=None, key=b"")
    assert len(plain["frames"]["scores"]) == len(found.scores.columns)
    assert child.study_from(plain).ratings["value"].tolist() == found.ratings["value"].tolist()


def test_table_is_streamed_as_written() -> None:
    header, rows = child.read_table_in_child(
        name="a.csv", data=b"a,b\n 1.0,\xc3\xa9\n\n,2\n", mapping=None
    )
    assert (header, list(rows)) == (["a", "b"], [(2, [" 1.0", "é"]), (4, ["", "2"])])
    header, rows = child.read_table_in_child(name="a.csv", data=small_rows(), mapping=None)
    assert sum(1 for _ in rows) == 600_000
    with pytest.raises(Unreadable, match=r"The file is empty\."):
        child.read_table_in_child(name="a.csv", data=b"", mapping=None)


def test_parent_imports_no_numerics() -> None:
    code = (
        "import sys; import judging.formats.child; assert not {'pandas', 'numpy'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_progress_is_reported_and_may_end_the_reading() -> None:
    told: list[int] = []
    data = b"question,n\n" + b"".join(b"Who is %d?,a\n" % n for n in range(11_000))
    child.read_study_in_child(name="a.csv", data=data, mapping=None, key=b"", progress=told.append)
    assert told == [5_000, 10_000]

    def stop(_rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        preview(data, progress=stop)


def hostile(part: str, content: bytes) -> bytes:
    """Return a small workbook with another content of one part."""
    book, out, made = Workbook(), io.BytesIO(), io.BytesIO()
    book.worksheets[0].append(["question"])
    book.worksheets[0].append(["Who?"])
    book.save(made)
    with zipfile.ZipFile(made) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for info in before.infolist():
            if info.filename != part:
                after.writestr(info.filename, before.read(info))
        after.writestr(part, content)
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
FAR = b"<worksheet><sheetData>%s</sheetData></worksheet>" % (
    b'<row><c r="XFD1"><v>1</v></c></row>' * 50_000
)
HOSTILE = {
    "bomb": (hostile("docProps/app.xml", b" " * 210_000_000), "too large when it is unpacked"),
    "texts": (hostile("xl/sharedStrings.xml", b"<sst><si><t>" + b"x" * 9**8), "damaged|memory"),
    "far cells": (hostile(SHEET, FAR), "no rows|memory|columns"),
    "depth": (hostile(SHEET, b"<a>" * 5_000_000), "empty|damaged"),
    "entities": (b'<!DOCTYPE a [<!ENTITY b "%s">]><a>&b;</a>' % (b"x" * 99), "document type"),
    "endless": (b"<a>" * 500_000, "cannot be read|memory"),
    "deep": (b"<a>" * 200_000 + b"</a>" * 200_000, "not of a kind|nested|memory"),
    "deep JSON": (b'[{"a":' * 60_000 + b"1" + b"}]" * 60_000, "nested too deeply"),
    "blank lines": (b"question\n" + b"\n" * 500_000, "a header but no rows"),
}


@pytest.mark.parametrize(("data", "said"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_file_ends_with_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        preview(data, "a")


def test_hostile_names_are_only_text() -> None:
    for name in ("../../etc/passwd", "a\nb\x00.csv", "x" * 5_000, "'; DROP TABLE x"):
        assert preview(CSV, name)["header"]


def test_texts_that_all_rows_of_a_workbook_share_count_for_each_row() -> None:
    book, made = Workbook(), io.BytesIO()
    book.worksheets[0].append(["system", "question"])
    for number in range(400):
        book.worksheets[0].append([f"s{number}", "x" * 30_000])
    book.save(made)
    asked: dict[str, Any] = {"name": "a.xlsx", "data": made.getvalue(), "mapping": None, "key": b""}
    with pytest.raises(Unreadable, match="more than 1 million characters"):
        child.read_study_in_child(**asked, limits=Limits(texts=1_000_000))


def test_memory_used_up_is_a_sentence() -> None:
    said = reason(small_rows(), limits=Limits(memory=330_000_000))
    assert said == "Reading the file takes more than 330 MB of memory; split it."


def test_time_used_up_is_a_sentence() -> None:
    assert "takes more than 1 seconds" in reason(small_rows(), limits=Limits(seconds=1))


def test_patience_used_up_is_a_sentence() -> None:
    assert "takes more than 1 seconds" in reason(small_rows(), limits=Limits(patience=1))


@pytest.mark.parametrize(
    ("code", "spent", "said"),
    [
        (-9, 1, "was killed, perhaps"),
        (-9, 400, "takes more than"),
        (-24, 1, "takes more than"),
        (-11, 1, "MB of memory"),
        (-6, 1, "MB of memory"),
    ],
)
def test_end_without_an_answer_is_explained_by_how_it_ended(
    code: int, spent: float, said: str
) -> None:
    found = _unfinished(code, False, spent, TIGHT)
    assert isinstance(found, Unreadable) and said in found.reason
    assert type(_unfinished(1, False, 1, TIGHT)) is ReaderFailed


def test_half_a_line_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; sys.stdin.buffer.read(); print('{\"progress\": 1', end='')"

    def start() -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)

    monkeypatch.setattr(child, "_start", start)
    with pytest.raises(ReaderFailed):
        preview(CSV)


ASK = """
from judging.formats.child import preview_in_child
data = b"question,n\\n" + b"Who is it then?,1\\n" * 900_000
preview_in_child(name="a.csv", data=data, mapping=None, key=b"", progress=lambda rows: print(rows, flush=True))
"""


def test_reading_process_does_not_outlive_the_one_that_asked() -> None:
    asking = subprocess.Popen([sys.executable, "-c", ASK], cwd=ROOT, stdout=subprocess.PIPE)
    assert asking.stdout is not None
    asking.stdout.readline()
    children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
    if not children.exists():
        asking.kill()
        pytest.skip("this system does not tell a process's children")
    [reading] = map(int, children.read_text().split())
    os.kill(asking.pid, signal.SIGKILL)
    asking.wait()
    asking.stdout.close()
    status = Path(f"/proc/{reading}/status")
    for _ in range(600):
        if not status.exists() or "(zombie)" in status.read_text():
            break
        time.sleep(0.1)
    else:
        os.kill(reading, signal.SIGKILL)
        pytest.fail("the reading process goes on")


def test_reading_process_knows_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_SECRET_KEY", "x")
    monkeypatch.setenv("DATABASE_URL", "y")
    assert {"QUAESTOR_SECRET_KEY", "DATABASE_URL"}.isdisjoint(child._environment())


def test_modules_beside_a_file_are_not_run_by_its_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("resource", "json", "csv", "judging", "pandas"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    assert preview(CSV)["header"]
    assert not (tmp_path / "ran").exists()
