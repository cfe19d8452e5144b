"""Formats that are not supported, recognised by their first bytes, each with the remedy."""

import zipfile
from io import BytesIO

_EXPORT = "Export it as CSV or Parquet."
_SAVE = "Save its table as CSV."
_UNPACK = "Unpack it and upload the file inside."

_SIGNATURES = {
    b"$FL2": ("an SPSS file", _EXPORT),
    b"$FL3": ("an SPSS file", _EXPORT),
    b"<stata_dta>": ("a Stata file", _EXPORT),
    b"RDX2\n": ("an R file", _EXPORT),
    b"RDX3\n": ("an R file", _EXPORT),
    b"X\n\x00\x00\x00": ("an R file", _EXPORT),
    bytes(12) + b"\xc2\xea\x81\x60": ("a SAS file", _EXPORT),
    b"HEADER RECORD*******": ("a SAS file", _EXPORT),
    b"SQLite format 3\x00": ("an SQLite database", "Export its table as CSV."),
    b"FEA1\x00": ("a Feather file of version 1", "Save it as Parquet."),
    b"\x89HDF": ("an HDF5 file", _EXPORT),
    b"Obj\x01": ("an Avro file", _EXPORT),
    b"\x93NUMPY": ("a NumPy file", _EXPORT),
    b"%PDF-": ("a PDF", _SAVE),
    b"{\\rtf": ("a text document (RTF)", _SAVE),
    b"MIME-Version:": ("a web page (MHTML)", _SAVE),
    b"\x89PNG": ("an image", "Upload the table as CSV."),
    b"\xff\xd8\xff": ("an image", "Upload the table as CSV."),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"Rar!\x1a": ("a RAR archive", _UNPACK),
    b"\xfd7zXZ": ("a file compressed by xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a file compressed by Zstandard", _UNPACK),
    b"\x1f\x8b": ("a file compressed by gzip", _UNPACK),
}
# Old Stata files: version, byte order, and file type 1
_STATA_VERSIONS = (105, 108, 110, 111, 112, 113, 114, 115)
_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<meta")
_SPREADSHEET_XML = b"urn:schemas-microsoft-com:office:spreadsheet"
_HEAD = 4_096
# Parts of archives, and names of streams in old Office files
_PARTS = {
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a PowerPoint file",
    "Index/Document.iwa": "an Apple Numbers or Pages file",
}
_STREAMS = {"WordDocument": "a Word document", "PowerPoint Document": "a PowerPoint file"}
_OPEN_DOCUMENT_TEXT = b"application/vnd.oasis.opendocument.text"


def other_format(data: bytes) -> str:
    """Return two sentences that name the file's format and the remedy; blank if it is not known.

    >>> other_format(b"$FL2@(#) SPSS DATA FILE")
    'This is an SPSS file. Export it as CSV or Parquet.'
    """
    found = next((each for sign, each in _SIGNATURES.items() if data.startswith(sign)), None)
    what, remedy = found or _by_content(data[:_HEAD])
    return what and f"This is {what}. {remedy}"


def other_document(data: bytes) -> str:
    """Return the sentences of `other_format` for a ZIP archive or an old Office file that is no
    workbook."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
        what = next((what for part, what in _PARTS.items() if part in names), "")
        if _OPEN_DOCUMENT_TEXT in data[:_HEAD]:
            what = "an OpenDocument text"
    else:
        streams = _STREAMS.items()
        what = next((what for name, what in streams if name.encode("utf-16-le") in data), "")
    return what and f"This is {what}. {_SAVE}"


def _by_content(head: bytes) -> tuple[str, str]:
    if b"SPSS PORT FILE" in head[:500]:
        return "an SPSS file", _EXPORT
    if head[:1] and head[0] in _STATA_VERSIONS and head[1:3] in (b"\x01\x01", b"\x02\x01"):
        return "a Stata file", _EXPORT
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a Python pickle", _EXPORT
    if head[:3] == b"BZh" and head[4:10] == b"1AY&SY":
        return "a file compressed by bzip2", _UNPACK
    if head[257:262] == b"ustar":
        return "a tar archive", _UNPACK
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<") and _SPREADSHEET_XML in text:
        return "an Excel 2003 XML file", "Save it as XLSX or CSV."
    is_table = text.startswith(b"<table") and b"<tr" in text
    is_xhtml = text.startswith(b"<?xml") and b"<html" in text
    if text.startswith(_HTML) or is_table or is_xhtml:
        return "a web page (HTML), even if its name ends in .xls", "Save it as XLSX or CSV."
    return "", ""
