"""From the bytes of a user's file to its text, or to a sentence that says why there is none.

UTF-8 and UTF-16 are detected, with or without a byte order mark. Bytes in any other encoding are
valid in several, so a user chooses one, and is shown what the text would be in each
(`decodings`).
"""

import io
import re
from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
)
from collections.abc import Iterator
from dataclasses import dataclass

from judging.imports.readers.other_formats import other_format
from judging.limits import MAX_TEXT_CHARACTERS

_CHUNK = 1 << 20
_HEAD = 4_096
_LOOKED_AT = 4 << 20  # bytes examined
_BEYOND_BYTES = re.compile(rb"[\x80-\xff]")
_BEYOND = re.compile("[^\x00-\x7f]")
_PLACES_SHOWN = 5  # of a file in one encoding
_AROUND = 40  # characters shown on each side of what differs between encodings
# The encodings a user may choose, the likelier first if two fit equally well.
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16, little end first",
    "utf-16-be": "UTF-16, big end first",
    "cp1252": "Windows, Western Europe (1252)",
    "cp1250": "Windows, Central Europe (1250)",
    "cp1251": "Windows, Cyrillic (1251)",
    "cp1253": "Windows, Greek (1253)",
    "cp1254": "Windows, Turkish (1254)",
    "cp1256": "Windows, Arabic (1256)",
    "mac_roman": "Mac OS, Western Europe",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "cp932": "Japanese (Shift JIS)",
    "euc_jp": "Japanese (EUC)",
    "cp949": "Korean (949)",
}
_MANY_BYTES = ("gb18030", "big5", "cp932", "euc_jp", "cp949")
# The first bytes of workbooks, Parquet and Arrow files
_TYPED_TABLES = (
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"PAR1\x15",
    b"ARROW1\x00",
    b"\xff\xff\xff\xff",
)


class Unreadable(ValueError):
    """The file cannot be read at all; `reason` is a sentence for the researcher."""

    def __init__(self, reason: str, *, row: int = 0) -> None:
        """Keep the reason and the row, 0 for the whole file."""
        super().__init__(reason)
        self.reason = reason
        self.row = row


@dataclass(frozen=True, slots=True)
class Decoding:
    """A sample of the file's text in one encoding: the first pieces with characters outside
    ASCII."""

    encoding: str
    label: str
    sample: str


def decodings(data: bytes) -> tuple[Decoding, ...]:
    """Return every plausible encoding of the file with a sample of its text, the likeliest first.

    An encoding is plausible if the file is text in it: each byte means a character, and none is a
    control character. Of a large file, only what follows the first byte beyond ASCII is examined.
    """
    beyond = _BEYOND_BYTES.search(data)
    start = max(0, beyond.start() - 2 * _AROUND) // 2 * 2 if beyond else 0
    data = data[start : start + _LOOKED_AT] if len(data) > _LOOKED_AT else data
    found = []
    for order, encoding in enumerate(ENCODINGS):
        if sample := _sampled(data, encoding):
            found.append(
                (
                    _strangeness(sample, encoding),
                    order,
                    Decoding(encoding, ENCODINGS[encoding], sample),
                )
            )
    return tuple(decoding for _, _, decoding in sorted(found, key=lambda each: each[:2]))


def as_utf8(data: bytes, encoding: str) -> bytes:
    """Return the file in UTF-8, converted from the encoding that a user named.

    Raises
    ------
    Unreadable
        If the encoding is not one of those offered, or the file is not in it.
    """
    if encoding not in ENCODINGS:
        raise Unreadable(
            f"No encoding is called “{encoding[:40]}”; there are {', '.join(ENCODINGS)}."
        )
    if encoding.startswith("utf-16") and data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encoding = "utf-16"
    _refuse_undecodable(data, encoding)
    return data if encoding == "utf-8" else data.decode(encoding).encode()


def in_utf8(head: bytes) -> bytes:
    """Return the beginning of a file in UTF-8, converted from UTF-16 if it is in that, so that its
    format is recognised."""
    try:
        encoding = _encoding(head)
    except Unreadable:
        return head
    if not encoding.startswith("utf-16"):
        return head
    return head[: len(head) // 2 * 2].decode(encoding, "ignore").encode("utf-8", "ignore")


def open_text(data: bytes) -> io.TextIOWrapper:
    """Return the text of a file in UTF-8 or UTF-16, decoded as it is read, line ends untouched.

    The whole file is checked first, in pieces: one character beyond the BMP would make a single
    string four times as large as the file.
    """
    encoding = _encoding(data)
    _refuse_undecodable(data, encoding)
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="")


def read_text(data: bytes) -> str:
    """Return the whole text at once."""
    return open_text(data).read()


def unstorable(text: str) -> str:
    """Return why this text cannot be stored, or ""."""
    if len(text) > MAX_TEXT_CHARACTERS:
        return f"holds {len(text):,} characters; at most {MAX_TEXT_CHARACTERS:,} can be kept"
    if "\x00" in text:
        return "holds a NUL character, which no text may contain"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, which is no character"
    return ""


def _encoding(data: bytes) -> str:
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise Unreadable("The file is empty.")
    if data.startswith(_TYPED_TABLES):
        raise Unreadable(
            "This is a workbook, an archive or a Parquet file, not text. Choose another format."
        )
    if other := other_format(data):
        raise Unreadable(other)
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise Unreadable("The file is in UTF-32; save it as UTF-8.")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    head = data[: min(_HEAD, len(data) // 2 * 2)]
    if head.count(0) * 5 > len(head):
        return _unmarked(head)
    return "utf-8-sig" if data.startswith(BOM_UTF8) else "utf-8"


def _unmarked(head: bytes) -> str:
    """Return the encoding of a file without a mark: text of mostly Latin letters has a NUL at every
    second byte in UTF-16, and nowhere in other encodings."""
    first, second = head[::2].count(0), head[1::2].count(0)
    if second > 9 * first:
        return "utf-16-le"
    if first > 9 * second:
        return "utf-16-be"
    raise Unreadable("The file is not text: too many of its bytes are zero.")


def _sampled(data: bytes, encoding: str) -> str:
    """Return the text around the first characters outside ASCII; "" if the file is not in this
    encoding.

    In UTF-16 most bytes would be characters of some script, so only a mark or its zeros make it
    plausible.
    """
    marked = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    if encoding.startswith("utf-16") and (
        marked != (encoding == "utf-16") or not (marked or 0 in data[:_HEAD])
    ):
        return ""
    try:
        pieces = list(_around(data, "utf-8-sig" if encoding == "utf-8" else encoding))
    except UnicodeDecodeError:
        return ""
    text = " … ".join(pieces)
    return "" if any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in text) else text


def _around(data: bytes, encoding: str) -> Iterator[str]:
    """Yield a few places of the text as they are read, after all of it was decoded; if there are
    none, its beginning."""
    decoder = getincrementaldecoder(encoding)()
    pieces: list[str] = []
    beginning = ""
    for start in range(0, len(data), _CHUNK):
        text = decoder.decode(
            data[start : start + _CHUNK],
            final=start + _CHUNK >= len(data) and len(data) < _LOOKED_AT,
        )
        if control := next((sign for sign in "\x00\x81\x8d\x8f\x90\x9d" if sign in text), ""):
            raise UnicodeDecodeError(encoding, b"", 0, 1, f"holds {control!r}")
        beginning = beginning or text[: 2 * _AROUND]
        at = 0
        while len(pieces) < _PLACES_SHOWN and (at := _beyond_ascii(text, at)) >= 0:
            pieces.append(" ".join(text[max(0, at - _AROUND) : at + _AROUND].split()))
            at += _AROUND
    yield from pieces or [" ".join(beginning.split())]


def _beyond_ascii(text: str, start: int) -> int:
    found = _BEYOND.search(text, start)
    return found.start() if found else -1


def _strangeness(sample: str, encoding: str) -> float:
    """Return how unlike writing the sample's characters outside ASCII are: in real text few are
    symbols, and a text in Latin letters has few letters of other scripts."""
    if encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be"):
        return -1.0
    beyond = [sign for sign in sample if sign > "\x7f" and sign != "…"]
    if not beyond:
        return 0.0
    signs = sum(not sign.isalpha() and sign not in "‘’“”–—«»" for sign in beyond) / len(beyond)
    inside = sum(
        sample[place].islower() and sample[place + 1].isupper() for place in range(len(sample) - 1)
    ) / len(beyond)
    letters = [sign for sign in sample if sign.isalpha()]
    crowded = encoding in ("cp1252", "cp1250", "cp1254", "mac_roman") and len(beyond) > 0.5 * len(
        letters
    )
    scripts = _mixed(letters) if encoding not in _MANY_BYTES else 0.0
    return signs + inside + crowded + scripts


def _mixed(letters: list[str]) -> float:
    """Return the share of letters of another script whose neighbour in the text is a Latin one."""
    foreign = [place for place, letter in enumerate(letters) if letter > "\u024f"]
    beside = sum(place > 0 and letters[place - 1].isascii() for place in foreign)
    return beside / len(foreign) if foreign else 0.0


def _refuse_undecodable(data: bytes, encoding: str) -> None:
    decoder = getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
    except UnicodeDecodeError:
        raise _undecodable(data, encoding) from None


def _undecodable(data: bytes, encoding: str) -> Unreadable:
    """Return the error with the place in the file: the decoder knows only its own piece."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        at = error.start + (len(BOM_UTF8) if encoding == "utf-8-sig" else 0)
        line = data.count(b"\n", 0, at) + 1
        return Unreadable(
            f"The file is not {_name(encoding)} at byte {at:,}, line {line:,}{_advice(data)}.",
            row=line,
        )
    raise AssertionError("the pieces of a text fail to decode where the whole does not")


def _name(encoding: str) -> str:
    return "UTF-8" if encoding == "utf-8-sig" else ENCODINGS[encoding]


def _advice(data: bytes) -> str:
    """Propose the encoding that the file may be in instead, else what a user can do."""
    found = [each for each in decodings(data) if not each.encoding.startswith("utf-")]
    if not found:
        return "; save it as UTF-8"
    return f", but may be {found[0].label}: choose its encoding, or save it as UTF-8"
