"""From the bytes of somebody's file to its text, or to the sentence that says why there is none."""

import io
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, getincrementaldecoder

LONGEST_TEXT = 1_000_000
_CHUNK = 1 << 20
_SIGNATURES = {
    b"PK\x03\x04": "a zip archive (perhaps a workbook: give it the ending .xlsx)",
    b"\x1f\x8b": "compressed by gzip; unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Office file; save it as .xlsx or as CSV in UTF-8",
    b"%PDF": "a PDF; save its table as CSV in UTF-8",
}


class Unreadable(ValueError):
    """Nothing of the file can be taken; `reason` is a sentence for the researcher."""

    def __init__(self, reason: str, *, row: int = 0) -> None:
        """Keep the reason and the row, 0 for the whole file."""
        super().__init__(reason)
        self.reason = reason
        self.row = row


def open_text(data: bytes) -> io.TextIOWrapper:
    """Return the text of a file in UTF-8, or in UTF-16 with its mark, decoded as it is read, line ends untouched.

    The whole file is checked first, in pieces: one character beyond the BMP would make a single string four times as
    large as the file.
    """
    encoding = _encoding(data)
    _refuse_undecodable(data, encoding)
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="")


def read_text(data: bytes) -> str:
    """Return the whole text at once."""
    return open_text(data).read()


def unstorable(text: str) -> str:
    """Return why this text cannot be kept, or nothing."""
    if len(text) > LONGEST_TEXT:
        return f"holds {len(text):,} characters; at most {LONGEST_TEXT:,} can be kept"
    if "\x00" in text:
        return "holds a NUL character, which no text may contain"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "holds half of a surrogate pair, which is no character"
    return ""


def _encoding(data: bytes) -> str:
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise Unreadable("The file is empty.")
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise Unreadable(f"The file is not text: it is {kind}.")
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise Unreadable("The file is in UTF-32; save it as UTF-8.")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    if data[:4096].count(0) * 5 > len(data[:4096]):
        raise Unreadable("The file is not text, or is in UTF-16 without its mark; save it as UTF-8.")
    return "utf-8-sig" if data.startswith(BOM_UTF8) else "utf-8"


def _refuse_undecodable(data: bytes, encoding: str) -> None:
    decoder = getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
    except UnicodeDecodeError:
        raise _undecodable(data, encoding) from None


def _undecodable(data: bytes, encoding: str) -> Unreadable:
    """Say where it happens: the decoder in pieces knows only its own piece."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        at = error.start + (len(BOM_UTF8) if encoding == "utf-8-sig" else 0)
        name = "UTF-16" if encoding == "utf-16" else "UTF-8"
        line = data.count(b"\n", 0, at) + 1
        return Unreadable(f"The file is not {name} at byte {at:,}, line {line:,}; save it as UTF-8.", row=line)
    raise AssertionError("the pieces of a text fail to decode where the whole does not")
