"""Hostile and broken files end in a sentence, and their text renders as text."""

import gzip
import re

import pytest

from judging.models import AddedFile
from tests.judging.studies import QUESTIONS
from tests.judging.views.importing import at, mapped, send, sent

pytestmark = pytest.mark.django_db
BOMB = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><dataset>&b;</dataset>'


def lone_lines() -> bytes:
    return b"question,system\nWhy?,Alba\n" + b"x" * 3_000_000 + b",Brisa\n"


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"\xef\xbb\xbf", "a.csv", "The file is empty"),
        (b"question,system\n", "a.csv", "has a header but no rows"),
        (b'question,system\n"Why?,Alba\n', "a.csv", "never closed"),
        (b"\x00" * 100, "a.csv", "too many of its bytes are zero"),
        (bytes(range(256)) * 20, "a.csv", "not"),
        (gzip.compress(b"question\n", mtime=0), "a.csv", "has a header but no rows"),
        (
            "question,system\nWarum heißt es so?,Alba\n".encode("latin-1"),
            "a.csv",
            "not UTF-8 at byte",
        ),
        (b"question,question\nWhy?,Who?\n", "a.csv", "names the column “question” 2 times"),
        (BOMB, "a.xml", "declares a document type or entities"),
        (b"<dataset><instance>", "a.xml", "cannot be read at line"),
        (b'{"question": ', "a.jsonl", "The file is not JSON: Expecting value at character 14"),
        (b"PK\x03\x04 no workbook", "a.xlsx", "workbook"),
    ],
)
def test_hostile_files_end_in_a_sentence(page, content, name, sentence):
    answer = page.get(at("columns", sent(page, content, name)))

    assert answer.status_code == 200
    assert "The file cannot be read" in answer.text
    assert sentence in answer.text


def test_a_file_of_no_bytes_is_refused(page):
    answer = send(page, b"")

    assert answer.status_code == 422
    assert "file is empty" in answer.text
    assert AddedFile.objects.count() == 0


def test_a_file_beyond_the_limit_is_refused(page, settings):
    settings.UPLOAD_LIMIT = 10

    assert "larger than" in send(page, QUESTIONS).text


def test_a_line_of_three_megabytes_is_told_and_the_rest_kept(page):
    upload = sent(page, lone_lines())
    mapped(page, upload)

    answer = page.get(at("preview", upload))

    assert "holds 3,000,000 characters" in answer.text
    assert answer.context["found"]["kept"] == 1
    assert len(answer.content) < 100_000


def test_html_and_formula_cells_render_as_text(page):
    text = 'question,system,note\n"<script>alert(1)</script>",Alba,=HYPERLINK(1)\n"<img src=x onerror=a>",<b>B</b>,@x\n'
    upload = sent(page, text)
    answers = [page.get(at("columns", upload))]
    mapped(page, upload)
    answers.append(page.get(at("preview", upload)))

    for answer in answers:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
        assert not re.search(r"<script>alert|<img src=x|<b>B</b>", answer.text)
