"""The formats by their signs, and what each does with hostile files."""

import csv
import io
import json
import zipfile
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from judging.imports.formats.long import write_long_csv
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import FORMAT, FORMATS, Format, UnknownOption, sniff
from judging.imports.readers.text import Unreadable
from tests.judging.imports.formats.studies import FULL
from tests.shared_data import path


@pytest.mark.parametrize(
    ("name", "head", "key"),
    [
        ("a.csv", b"question,system\nWho?,a\n", "csv"),
        ("a.tsv", b"question\tsystem\n", "csv"),
        ("a", b"question;system\n", "csv"),
        ("a.csv", b'\xef\xbb\xbf"HITId","WorkerId","Input.question_1"\n', "mturk"),
        ("a.txt", b"Gold Question\tModified Question\tx\r\n", "nema"),
        ("a.txt", b"\xef\xbb\xbf <?xml version='1.0'?><dataset>", "qgstec_xml"),
        ("a", b"PK\x03\x04", "xlsx"),
        ("a.json", b'{"version": "1.1", "data": [{"title": "x", "paragraphs": [', "squad"),
        (
            "a.json",
            b'{"data": [{"paragraphs": [{"context": "x", "outputs": [{"text": "Who?"}]}]}]}',
            "jsonl",
        ),
        ("a.json", b'[{"id": 1, "data": {}, "annotations": []}]', "label_studio"),
        ("a.jsonl", b'{"annotation": [], "actions": []', "pearmut"),
        ("a.jsonl", b'{"id": "1", "displayed_text": "x", "label_annotations": {}}', "potato"),
        (
            "a.jsonl",
            b'{"paragraph": "", "sentence": "", "answer": "", "question": ""}',
            "qgbench_jsonl",
        ),
        (
            "a.jsonl",
            b'{"paragraph": "", "sentence": "", "answer": "", "question": "", "prediction": ""}',
            "jsonl",
        ),
        ("a.jsonl", b'{"id": 1, "text": "Who?", "label": []}', "doccano"),
        ("a.jsonl", b'{"question": "Who?"}', "jsonl"),
        ("a.XML", b"", "qgstec_xml"),
    ],
)
def test_sniff_knows_a_format_by_its_signs(name: str, head: bytes, key: str) -> None:
    assert sniff(name, head).key == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("qgstec2010/EvaluatedSubmissions.xml", "qgstec_xml"),
        ("qgstec2010/Development.xml", "qgstec_xml"),
        ("nema2018/squad.tsv", "nema"),
        ("qgbench/sample_300.csv", "csv"),
        ("qgbench/mturk_batch_sample.csv", "mturk"),
    ],
)
def test_released_files_are_known_and_read(name: str, key: str) -> None:
    data = path(name).read_bytes()
    known = sniff(name, data)
    study = known.read(data, name=name)
    assert (known.key, study.problems, study.rows_read) == (key, (), study.rows_kept)


def test_keys_are_unique() -> None:
    assert len(FORMAT) == len(FORMATS)


def test_nema_takes_the_modality_from_the_name() -> None:
    data = b"Gold Question\tModified Question\tAnswerability Score User 1\nWho is it?\tWho?\t2\n"
    assert FORMAT["nema"].read(data, name="data/vqa.tsv").sources[0].modality == "image"
    assert FORMAT["nema"].read(data, name="mine.tsv").sources[0].modality == ""


def test_a_dataset_holds_human_questions_with_their_answers() -> None:
    lines = [
        {
            "paragraph": "猫は寝る。犬は走る。",
            "sentence": "犬は走る。",
            "answer": "犬",
            "question": "走るのは何？",
            "paragraph_answer": "猫は寝る。<hl>犬<hl>は走る。",
            "paragraph_id": "7",
        },
        {
            "paragraph": "القط ينام.",
            "sentence": "القط ينام.",
            "answer": "القط",
            "question": "من ينام؟",
            "paragraph_id": "8",
        },
    ]
    study = FORMAT["qgbench_jsonl"].read(
        "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
    )
    assert (study.systems, study.problems) == (("human",), ())
    assert [(each.answer_start, each.sentence_start) for each in study.sources] == [(5, 5), (0, 0)]
    assert study.questions[0].attributes == {"paragraph_id": "7"}


def test_declared_columns_and_options_are_used() -> None:
    study = FORMAT["csv"].read(
        b"a,b;c\nWho?,x;y\n", columns=ColumnRoles(question="a,b"), options={"delimiter": ";"}
    )
    assert study.questions[0].text == "Who?,x"
    with pytest.raises(UnknownOption, match="no option “sheet”"):
        FORMAT["csv"].read(b"a\n1\n", options={"sheet": "x"})


def mturk(cell: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(
        [("WorkerId", "Input.question_1", "Answer.a_1"), ("W", cell, "1"), ("V", "Why?", "2")]
    )
    return out.getvalue().encode()


def workbook(*cells: str) -> bytes:
    book = Workbook()
    for cell in ("question", *cells):
        book.worksheets[0].append([cell])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@cache
def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("xl/worksheets/sheet1.xml", b" " * 250_000_000)
    return out.getvalue()


LONG = "x" * 10_000_000
HOSTILE = {
    "empty": b"",
    "blank": b" \r\n\t\n",
    "mark": b"\xef\xbb\xbf",
    "nul": b"\x00" * 10_000,
    "nul in a table": b"question,system\nWh\x00o?,a\nWhy?,b\n",
    "nul in json": b'{"question": "Wh\\u0000o?"}\n{"question": "Why?"}',
    "surrogate": b'{"question": "\\ud800"}\n{"question": "Why?"}',
    "mixed encodings": "question,system\nÜber wen?,a\n".encode() + "Où?,b\n".encode("latin-1"),
    "latin": "question\nOù?\n".encode("latin-1"),
    "utf-16 without mark": "question\nWho?\n".encode("utf-16-le"),
    "utf-16 cut off": "question\nWho?\n".encode("utf-16")[:-1],
    "long line": b"question,system\n" + LONG.encode() + b",a\nWhy?,b\n",
    "long json line": b'{"question": "' + LONG.encode() + b'"}\n{"question": "Why?"}\n',
    "long word": LONG[:2_000_000].encode(),
    "open quotation": b'question,system\n"Who?,a\nWhy?,b\n',
    "ragged": b"question,system\nWho?\nWhy?,b\n1,2,3\n",
    "twice": b"question,question\nWho?,a\n",
    "header only": b"question,system\n",
    "many columns": b",".join(b"c%d" % n for n in range(5_000)) + b"\n1\n",
    "deep json": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "deep xml": b"<a>" * 200_000,
    "entity bomb": b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><dataset>&b;</dataset>',
    "external entity": b'<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><dataset>&a;</dataset>',
    "xml cut off": b"<dataset><instance id='1'><text>Owls",
    "json cut off": b'{"data": [{"paragraphs": [{"context": "Owls", "qas": [{"question": "Wh',
    "json scalars": b'1\n"a"\nnull\ntrue\n[1]\n{"question": "Who?"}\n',
    "json of another shape": json.dumps(
        {"data": {"paragraphs": 3}, "annotation": 3, "item": {}, "label": 1}
    ).encode(),
    "json lists": json.dumps([[], [[]], 3, None, {"data": [1], "annotations": {"a": 1}}]).encode(),
    "huge number": b'{"question": "Who?", "n": ' + b"9" * 100_000 + b"}",
    "formulas": b"question,system\n=1+1,a\n@x,b\n<script>,c\n",
    "zip bomb": archive,  # made when it is read: every process of tests collects this file
    "zip cut off": workbook("Who?")[:500],
    "workbook with a long cell": workbook("x" * 40_000, "Why?"),
    "gzip": b"\x1f\x8b\x08" + bytes(100),
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    "mturk with a long cell": mturk(LONG[:2_000_000]),
    "mturk with markup": mturk("<script>"),
    "our own": write_long_csv(FULL).encode(),
}


def hostile(name: str) -> bytes:
    held = HOSTILE[name]
    return held if isinstance(held, bytes) else held()


def account(study: StudyRecords) -> None:
    """Every row was kept or refused with a sentence."""
    assert all(problem.reason and problem.reason[-1] in ".?" for problem in study.problems)
    refused = len(study.problems_of("row"))
    assert study.rows_read == study.rows_kept + refused
    if not study.usable:
        assert (study.sources, study.questions, study.ratings, len(study.problems)) == (
            (),
            (),
            (),
            1,
        )


@pytest.mark.long
@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.key)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_a_sentence(known: Format, name: str) -> None:
    account(_mapped(known, hostile(name)))


@given(
    st.sampled_from(FORMATS),
    st.sampled_from(sorted(HOSTILE)),
    st.integers(0, 400),
    st.binary(max_size=6),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_spoilt_file_ends_in_a_sentence(
    known: Format, name: str, place: int, noise: bytes
) -> None:
    data = hostile(name)[:2_000]
    account(_mapped(known, data[:place] + noise + data[place:]))


def _mapped(known: Format, data: bytes) -> StudyRecords:
    """Read the file; if no column looks like questions, declare that the first contains them."""
    if known.table is None:
        return known.read(data)
    try:
        table = known.open(data)
    except Unreadable:
        return known.read(data)
    columns = known.columns(table)
    return known.read(
        data, columns=columns if columns.question else ColumnRoles(question=table.header[0])
    )
