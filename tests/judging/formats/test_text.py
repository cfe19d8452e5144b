"""From bytes to text."""

import pytest

from judging.formats.text import Unreadable, read_text, unstorable


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_read_text_accepts_utf8_and_marked_utf16(encoding: str) -> None:
    text = "عربي, 漢字, e\u0301, 🦉\r\n"
    assert read_text(text.encode(encoding)) == text


def test_read_text_names_byte_and_line_of_what_is_not_utf8() -> None:
    with pytest.raises(Unreadable) as caught:
        read_text(b"question\nWho?\n" + "Où?\n".encode("latin-1"))
    assert caught.value.reason == "The file is not UTF-8 at byte 15, line 3; save it as UTF-8."
    assert caught.value.row == 3


def test_read_text_names_the_byte_in_a_later_piece_of_a_marked_file() -> None:
    data = b"\xef\xbb\xbf" + b"a" * (3 << 20) + b"\xff"
    with pytest.raises(Unreadable, match=r"byte 3,145,731, line 1;"):
        read_text(data)


def test_read_text_refuses_a_character_cut_off_at_the_end() -> None:
    with pytest.raises(Unreadable, match="not UTF-8 at byte 3"):
        read_text("who🦉".encode()[:-1])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf \r\n\t", "The file is empty."),
        (b"PK\x03\x04rest", "zip archive"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"%PDF-1.7", "PDF"),
        (b"\xd0\xcf\x11\xe0", "old Office file"),
        ("question\n".encode("utf-16-le"), "UTF-16 without its mark"),
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
