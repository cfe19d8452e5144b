"""Reading in a process of its own, under limits, with files that are made to break it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from openpyxl import Workbook

from judging.imports.formats.qgstec_xml import read_qgstec
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.limited import (
    Limits,
    ReaderFailed,
    Request,
    _lines,
    _unfinished,
    outline_of,
    study_of,
    table_of,
)
from judging.imports.readers.outline import outline, outline_from
from judging.imports.readers.packing import pack, unpack
from judging.imports.readers.pseudonyms import Pseudonyms
from judging.imports.readers.records import RatingRecord, SourceRecord, StudyRecords
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.text import Unreadable
from tests.judging.imports.formats.studies import FULL

started = pytest.mark.usefixtures("started_reader")
ROOT = Path(__file__).resolve().parents[4]
TIGHT = Limits(memory=200_000_000, seconds=60)
KEY = b"0123456789abcdef"
CSV = b"question,system,WorkerId,fluency\nWho?,a,W1,3\nWho?,a,W1,3\nWhy?,NaN,W2,x\nWhen?\n"


@started
def test_a_study_comes_back_as_it_was_read() -> None:
    rows: list[int] = []
    found, keys = study_of(Request(data=CSV, name="a.csv"), limits=TIGHT, progress=rows.append)
    assert found == FORMAT["csv"].read(CSV)
    assert (rows, keys) == ([], {})


def test_every_part_of_a_study_survives_the_way() -> None:
    assert unpack(pack(FULL)) == FULL
    repeated = FORMAT["csv"].read(CSV)
    assert repeated.repeats and unpack(pack(repeated)) == repeated


def test_a_passage_of_many_sources_goes_over_once() -> None:
    text = "The owl sits on the old oak. " * 100
    study = StudyRecords(
        sources=tuple(
            SourceRecord(key=str(number), passage=passage)
            for number, passage in enumerate((text, None, "Another", text, "Another", ""))
        )
    )

    lines = list(pack(study))
    back = unpack(lines)

    assert back == study
    assert sum(line.count(text) for line in lines) == 1
    assert back.sources[3].passage is back.sources[0].passage


@started
def test_a_table_comes_back_row_by_row_with_its_problems() -> None:
    plain = FORMAT["csv"].open(CSV)
    table = table_of(Request(data=CSV, name="a.csv"), limits=TIGHT)
    rows = tuple(table.rows)
    assert (table.header, rows, table.rows_read) == (plain.header, plain.rows, plain.rows_read)
    assert tuple(table.problems) == plain.problems
    with pytest.raises(Unreadable, match=r"The file is empty\."):
        table_of(Request(data=b"", name="a.csv"), limits=TIGHT)
    with pytest.raises(Unreadable, match="has no <instance>"):
        table_of(Request(data=b"<dataset></dataset>", name="a.xml"), limits=TIGHT)


@started
def test_columns_options_and_the_key_go_with_the_request() -> None:
    request = Request(
        data="q;j;f\nWho;ann@example.org;3,5\n".encode("utf-16-le"),
        format="csv",
        key=KEY,
        options={"encoding": "utf-16-le", "delimiter": ";", "sheet": "of another format"},
        columns=ColumnRoles(
            question="q", rater="j", criterion="", decimal="comma", rating_metadata=("f",)
        ),
    )
    found, keys = study_of(replace(request, columns=None, data=request.data), limits=TIGHT)
    assert not found.usable or found.questions == ()
    found, keys = study_of(request, limits=TIGHT)
    assert found.questions[0].text == "Who"
    assert keys == {Pseudonyms(KEY).label("ann@example.org"): "ann@example.org"}


def test_a_file_that_cannot_be_read_comes_back_as_its_sentence() -> None:
    found, _ = study_of(Request(data=b"", name="a.csv"), limits=TIGHT)
    assert [problem.reason for problem in found.problems] == ["The file is empty."]
    with pytest.raises(Unreadable, match=r"The file is empty\."):
        outline_of(Request(data=b"", name="a.csv"), limits=TIGHT)


def test_columns_that_the_file_lacks_come_back_as_a_sentence() -> None:
    found, _ = study_of(
        Request(data=CSV, name="a.csv", columns=ColumnRoles(question="q")), limits=TIGHT
    )
    assert [problem.reason for problem in found.problems] == ["The file has no column “q”."]


@started
def test_an_outline_tells_columns_counts_and_what_to_ask() -> None:
    found, _ = outline_of(Request(data=CSV, name="a.csv"), limits=TIGHT)
    assert found == outline(data=CSV, known=FORMAT["csv"], name="a.csv")
    assert (found.format, found.header, found.headed) == (
        "csv",
        ("question", "system", "WorkerId", "fluency"),
        True,
    )
    assert (found.rows_read, found.refused, found.repeated_count, found.repeated) == (
        4,
        1,
        1,
        ((3, 2),),
    )
    assert (found.missing, found.criteria) == ({"system": {"NaN": 1}}, ("fluency",))
    assert found.values[0] == ("Who?", "Why?")
    assert found.proposed is not None and found.proposed.rater == "WorkerId"
    assert [problem.row for problem in found.problems] == [5]


@pytest.mark.parametrize(
    ("header", "row", "words"),
    [
        ("passage,system,question", "P,NaN,None", ("None",)),
        ("passage,system,question", "-,A,N/A\nP,B,n/a", ("N/A",)),
        ("passage,Alba,Brisa", "P,nan,Who is it?\nP,Who?,-\nP,Why?,How?", ("nan", "-")),
        ("question,rater,fluency", "Q?,Ann,NaN\nQ?,Bo,2", ("NaN",)),
        ("question,topic,bleu", "Q1?,none,N/A\nQ2?,?,0.5", ("N/A",)),
        ("question,rater,criterion,value", "Q?,Ann,fluency,N/A", ("N/A",)),
        ("question,reference,topic", "Q?,None,unknown", ("None",)),
    ],
    ids=["question", "spelling", "a column a system", "ratings", "scores", "value", "reference"],
)
def test_outline_words_for_missing_in_columns_of_questions_and_values_are_proposed(
    header: str, row: str, words: tuple[str, ...]
) -> None:
    found = outline(data=f"{header}\n{row}\n".encode(), known=FORMAT["csv"])
    assert found.proposed is not None
    assert found.proposed.missing_words == words


def test_an_outline_of_a_study_that_is_read_whole_counts_it() -> None:
    data = (
        b"<dataset><instance id='1'><text>Owls.</text><targetQuestionType>who</targetQuestionType><submission id='a'>"
        b"<question type='who'>Who?<rating rater='h' fluency='1'/></question></submission></instance></dataset>"
    )
    found = outline(data=data, known=FORMAT["qgstec_xml"])
    assert (found.rows_read, found.criteria, found.proposed) == (
        1,
        read_qgstec(data).criteria,
        None,
    )
    assert outline_from(found.as_json()) == found


@started
def test_progress_is_told_and_may_end_it_all() -> None:
    data = b"question\n" + b"".join(b"Who is %d?\n" % n for n in range(20_000))
    rows: list[int] = []
    study_of(Request(data=data, name="a.csv"), limits=TIGHT, progress=rows.append)
    assert rows == [5_000, 10_000, 15_000, 20_000]

    def cancelled(_rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outline_of(Request(data=data, name="a.csv"), limits=TIGHT, progress=cancelled)


SHEET = "xl/worksheets/sheet1.xml"
TEXTS = "xl/sharedStrings.xml"
ROWS = b"<worksheet><sheetData>", b"</sheetData></worksheet>"


def hostile(part: str, head: bytes, unit: bytes, tail: bytes, *, size: int) -> bytes:
    """Return a small workbook one of whose parts unpacks to so many bytes."""
    book, out, made = Workbook(), io.BytesIO(), io.BytesIO()
    book.worksheets[0].append(["question"])
    book.worksheets[0].append(["Who?"])
    book.save(made)
    with zipfile.ZipFile(made) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for info in before.infolist():
            if info.filename != part:
                after.writestr(info.filename, before.read(info))
        after.writestr(part, head + unit * (size // len(unit)) + tail)
    return out.getvalue()


EMOJI = b"\xf0\x9f\xa6\x89" * 1_000
FAR = b'<row><c r="XFD1"><v>1</v></c></row>'
BEYOND = b'<row><c r="ZZZZ1"><v>1</v></c></row>'
LAST = b'<row r="9999999"><c><v>1</v></c></row>'
CLAIM = b'<worksheet><dimension ref="A1:XFD1048576"/><sheetData>'
HOSTILE: dict[str, tuple[tuple[str, bytes, bytes, bytes], int, str]] = {
    "a bomb": (("docProps/app.xml", b"", b" ", b""), 210_000_000, "unpacks to"),
    "one long text": (
        (TEXTS, b"<sst><si><t>", EMOJI, b"</t></si></sst>"),
        120_000_000,
        "more than",
    ),
    "one long row": (
        (SHEET, ROWS[0] + b"<row>", b"<c><v>1</v></c>", b"</row>"),
        20_000_000,
        "damaged",
    ),
    "a far cell in each row": ((SHEET, ROWS[0], FAR, ROWS[1]), 2_000_000, "no rows"),
    "a cell beyond the last column": ((SHEET, ROWS[0], BEYOND, ROWS[1]), 2_000, "no rows"),
    "rows beyond the last": ((SHEET, ROWS[0], LAST, ROWS[1]), 2_000, "no rows"),
    "a claim of great size": (
        (SHEET, CLAIM, b"<row></row>", ROWS[1]),
        2_000,
        "The workbook is empty",
    ),
    "depth": ((SHEET, b"", b"<a>", b""), 20_000_000, "The workbook is empty"),
    "entities": (
        (SHEET, b'<!DOCTYPE w [<!ENTITY a "aa">]>', b"<a>", b""),
        10,
        "The workbook is empty",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(("parts", "size", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_workbook_ends_in_a_sentence_within_two_hundred_megabytes(
    parts: tuple[str, bytes, bytes, bytes], size: int, reason: str
) -> None:
    data = hostile(*parts, size=size)
    assert len(data) < size // 100 + 50_000
    with pytest.raises(Unreadable, match=reason):
        outline_of(Request(data=data, name="a.xlsx"), limits=TIGHT)


def shared(text: str, rows: int) -> bytes:
    """Return a workbook all of whose questions are one shared text."""
    book, made = Workbook(), io.BytesIO()
    book.worksheets[0].append(["system", "question"])
    for number in range(rows):
        book.worksheets[0].append([f"s{number}", text])
    book.save(made)
    return made.getvalue()


def test_a_text_that_all_rows_of_a_workbook_share_is_not_held_for_each_of_them() -> None:
    data = shared("x" * 30_000, 400)
    assert len(data) < 30_000
    request, few = Request(data=data, name="a.xlsx"), Limits(texts=1_000_000)

    found, _keys = study_of(request, limits=few)

    assert (found.questions, [each.reason for each in found.problems]) == (
        (),
        ["The texts in the file have more than 1 million characters; split it."],
    )
    assert len(study_of(request)[0].questions) == 400


def test_what_stands_beside_all_ratings_of_a_row_is_held_once() -> None:
    row = {"source_key": "s", "system": "a", "position": 1, "rater": "r", "value": "good", "row": 2}
    said = {"attributes": {"note": "x" * 50}}
    ratings = (RatingRecord(criterion=each, column=each, **row, **said) for each in "fg")
    found = unpack(pack(StudyRecords(ratings=tuple(ratings))))
    first, second = found.ratings
    assert first.attributes == second.attributes == {"note": "x" * 50}
    assert first.attributes["note"] is second.attributes["note"]
    assert first.value is second.value


def test_a_file_may_hold_as_much_text_as_it_is_long() -> None:
    rows = b"".join(b"Who is number %06d of all?,a\n" % n for n in range(2_000))
    request = Request(data=b"question,system\n" + rows, name="a.csv")
    found, _keys = study_of(request, limits=Limits(texts=1_000))
    assert len(found.questions) == 2_000


def test_long_records_are_handed_over_in_short_lines() -> None:
    study = FORMAT["csv"].read(b"question,system\n" + b"".join(b"%d,a\n" % n for n in range(40)))
    long = tuple(replace(each, text=each.text + "x" * 300_000) for each in study.questions)
    study = replace(study, questions=long)

    lines = list(pack(study))

    assert max(map(len, lines)) < 1_100_000
    assert unpack(lines) == study


def test_a_line_in_which_the_reading_was_stopped_is_none() -> None:
    half = "print('[\"rows\", 1, 1]'); print('[\"questions\", [', end='')"
    with subprocess.Popen([sys.executable, "-c", half], stdout=subprocess.PIPE) as process:
        assert list(_lines(process)) == ['["rows", 1, 1]\n']


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
        (b'[{"a":' * 60 + b"1" + b"}]" * 60, "nested too deeply"),
        (b"question\n" + b"\n" * 500_000, "a header but no rows"),
        (b'question\n"' + b"a" * 5_000_000, "never closed"),
    ],
)
def test_other_hostile_files_end_in_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        outline_of(Request(data=data), limits=TIGHT)


@cache
def small_rows() -> bytes:
    return b"question,system\n" + b"".join(b"Who is %d?,a\n" % n for n in range(600_000))


@started
@pytest.mark.long
def test_ten_megabytes_are_outlined_within_a_hundred_and_fifty() -> None:
    assert len(small_rows()) > 10_000_000
    found, _ = outline_of(
        Request(data=small_rows(), name="a.csv"), limits=Limits(memory=150_000_000, seconds=60)
    )
    assert (found.rows_read, found.repeated_count) == (600_000, 0)


@started
def test_memory_used_up_is_a_sentence() -> None:
    limits = Limits(memory=100_000_000, seconds=60)
    found, _ = study_of(Request(data=small_rows(), name="a.csv"), limits=limits)
    assert [problem.reason for problem in found.problems] == [
        "Reading the file takes more than 100 MB of memory; split it."
    ]


@started
def test_time_used_up_is_a_sentence() -> None:
    with pytest.raises(Unreadable, match="takes more than 1 seconds"):
        outline_of(Request(data=small_rows(), name="a.csv"), limits=Limits(seconds=1))


@started
def test_patience_used_up_is_a_sentence() -> None:
    with pytest.raises(Unreadable, match="takes more than 0 seconds"):
        outline_of(Request(data=CSV, name="a.csv"), limits=Limits(patience=0))


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
def test_an_end_without_an_answer_is_explained_by_how_it_ended(
    code: int, spent: float, said: str
) -> None:
    found = _unfinished(code, False, spent, TIGHT)
    assert isinstance(found, Unreadable)
    assert said in found.reason


def test_an_end_by_itself_without_an_answer_is_a_fault_of_ours() -> None:
    assert type(_unfinished(1, False, 1, TIGHT)) is ReaderFailed


ASK = """
import sys
from judging.imports.readers.limited import Limits, Request, outline_of
data = b"question\\n" + b"Who is it then?\\n" * 900_000
outline_of(Request(data=data, name="a.csv"), progress=lambda rows: print(rows, flush=True))
"""


def test_the_reading_process_does_not_outlive_the_one_that_asked() -> None:
    asking = subprocess.Popen([sys.executable, "-c", ASK], cwd=ROOT, stdout=subprocess.PIPE)
    assert asking.stdout is not None
    asking.stdout.readline()
    children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
    if not children.exists():
        asking.kill()
        pytest.skip("this system does not tell a process's children")
    (child,) = map(int, children.read_text().split())
    os.kill(asking.pid, signal.SIGKILL)
    asking.wait()
    asking.stdout.close()
    for _ in range(600):
        if (
            not Path(f"/proc/{child}").exists()
            or "(zombie)" in Path(f"/proc/{child}/status").read_text()
        ):
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the reading process goes on")


def test_the_reading_process_knows_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from judging.imports.readers.limited import _environment

    monkeypatch.setenv("QUAESTOR_SECRET_KEY", "x")
    monkeypatch.setenv("DATABASE_URL", "y")
    assert {"QUAESTOR_SECRET_KEY", "DATABASE_URL"}.isdisjoint(_environment())
    assert json.dumps(_environment())


@started
def test_modules_beside_a_file_are_not_run_by_its_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("resource", "json", "csv", "judging"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    assert study_of(Request(data=CSV, name="a.csv"), limits=TIGHT)[0].usable
    assert not (tmp_path / "ran").exists()
