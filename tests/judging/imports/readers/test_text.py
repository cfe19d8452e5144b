"""From bytes to text."""

import pytest

from judging.imports.readers.registry import FORMAT, sniff
from judging.imports.readers.text import Unreadable, as_utf8, decodings, read_text, unstorable


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_read_text_accepts_utf8_and_marked_utf16(encoding: str) -> None:
    text = "عربي, 漢字, e\u0301, 🦉\r\n"
    assert read_text(text.encode(encoding)) == text


def test_read_text_names_byte_and_line_of_what_is_not_utf8() -> None:
    with pytest.raises(Unreadable) as caught:
        read_text(b"question\nWho?\n" + "Où?\n".encode("latin-1"))
    assert caught.value.reason == (
        "The file is not UTF-8 at byte 15, line 3, but may be Windows, Western Europe (1252): choose its encoding, or "
        "save it as UTF-8."
    )
    assert caught.value.row == 3


def test_read_text_names_the_byte_in_a_later_piece_of_a_marked_file() -> None:
    data = b"\xef\xbb\xbf" + b"a" * (3 << 20) + b"\xff"
    with pytest.raises(Unreadable, match=r"byte 3,145,731, line 1,"):
        read_text(data)


def test_read_text_refuses_a_character_cut_off_at_the_end() -> None:
    with pytest.raises(Unreadable, match="not UTF-8 at byte 3"):
        read_text("who🦉".encode()[:-1])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf \r\n\t", "The file is empty."),
        (b"PK\x03\x04rest", "This is a workbook, an archive or"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"%PDF-1.7", "This is a PDF"),
        (b"\xd0\xcf\x11\xe0", "This is a workbook, an archive or"),
        (b"\x00" * 100, "too many of its bytes are zero"),
        ("question\n".encode("utf-32"), "UTF-32"),
        (b"\xff\xfeq", "not UTF-16 at byte 2"),
    ],
)
def test_read_text_refuses_with_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_text(data)


def test_unstorable_names_nul_surrogate_and_length() -> None:
    assert "NUL" in unstorable("a\x00b")
    assert "surrogate" in unstorable("a\ud800b")
    assert "1,000,001 characters" in unstorable("a" * 1_000_001)
    assert unstorable("=1+1 <b>🦉</b>\t\n") == ""


TEXTS = {
    "cp1252": "question\nOù est la forêt? „Déjà vu“\n",
    "cp1250": "question\nKiedy poluje sowa? Żółw śpi, źdźbło\n",
    "cp1251": "question\nГде сова спит днём?\n",
    "cp1253": "question\nΠότε κυνηγά η κουκουβάγια;\n",
    "cp1256": "question\nمتى يصطاد البوم؟\n",
    "gb18030": "问题\n猫头鹰什么时候打猎？\n",
    "cp932": "質問\n梟はいつ狩りをするか？\n",
    "cp949": "질문\n올빼미는 언제 사냥하나요?\n",
    "utf-16-le": "question\nWho hunts?\n",
    "utf-16-be": "question\nWho hunts?\n",
}


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items(), ids=TEXTS)
def test_decodings_show_the_text_in_every_plausible_encoding(encoding: str, text: str) -> None:
    found = {each.encoding: each.sample for each in decodings(text.encode(encoding))}
    assert found[encoding] == " ".join(text.split())
    if encoding.startswith("cp12"):
        assert next(iter(found)) == encoding
    assert as_utf8(text.encode(encoding), encoding).decode() == text


def test_decodings_show_where_characters_are_beyond_ascii() -> None:
    far = ("plain words\n" * 200_000 + "Où est-elle?\n").encode("cp1252")
    assert "Où est-elle?" in decodings(far)[0].sample


def test_decodings_of_no_text_are_none() -> None:
    assert decodings(bytes(range(256)) * 10) == ()


def test_utf16_without_its_mark_is_known_by_its_zeros() -> None:
    assert read_text("question\nWho?\n".encode("utf-16-le")) == "question\nWho?\n"
    assert read_text("question\nWho?\n".encode("utf-16-be")) == "question\nWho?\n"


def test_a_named_encoding_that_does_not_fit_is_refused_with_byte_and_line() -> None:
    with pytest.raises(
        Unreadable, match=r"not Windows, Western Europe \(1252\) at byte 14, line 3"
    ):
        as_utf8(b"question\nWho?\n\x81\n", "cp1252")
    with pytest.raises(Unreadable, match="No encoding is called “klingon”"):
        as_utf8(b"a\n", "klingon")


def test_every_format_of_text_takes_an_encoding() -> None:
    study = FORMAT["csv"].read(
        "question,system\nOù?,a\n".encode("cp1252"), options={"encoding": "cp1252"}
    )
    assert study.questions[0].text == "Où?"
    jsonl = '{"question": "Où?"}\n'.encode("utf-16-le")
    assert sniff("a.jsonl", jsonl).read(jsonl).questions[0].text == "Où?"
