"""Files inside a gzip file or a ZIP archive.

A workbook is a ZIP archive too; it is left to its reader.
"""

import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import IO

from judging.imports.readers.text import Unreadable
from judging.limits import MAX_UNPACKED_BYTES

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
_DAMAGED = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, zlib.error, lzma.LZMAError)
# Parts that show that an archive is the file of a program
_PROGRAM_PARTS = ("[Content_Types].xml", "mimetype", "Index/Document.iwa")
_TEXTS = (".txt", ".md", ".pdf", ".html", ".docx", "")  # files that explain a table


def unpack_file(name: str, data: bytes) -> tuple[str, bytes]:
    """Return the name and the content of the file that a gzip file or a ZIP archive holds; any other
    file as it is.

    Raises
    ------
    Unreadable
        If it is damaged, encrypted or too large, or if an archive holds no table or several.
    """
    if data.startswith(ZIP):
        name, data = _from_archive(name, data)
    if data.startswith(GZIP):
        name, data = name.removesuffix(".gz"), _decompressed(data)
    return name, data


def unpacked_size(archive: zipfile.ZipFile) -> int:
    """Return the number of bytes of an archive's parts when unpacked."""
    return sum(part.file_size for part in archive.infolist())


def _from_archive(name: str, data: bytes) -> tuple[str, bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (*_DAMAGED, ValueError) as error:
        raise _damaged("workbook or ZIP archive") from error
    names = archive.namelist()
    if any(part in names for part in _PROGRAM_PARTS):
        return name, data
    part = _only_table(names)
    if archive.getinfo(part).flag_bits & 1:
        raise Unreadable("The ZIP archive is encrypted. Save it without a password.")
    try:
        with archive.open(part) as file:
            return part, _read(file)
    except _DAMAGED as error:
        raise _damaged("workbook or ZIP archive") from error


def _only_table(names: Sequence[str]) -> str:
    """Return the only data file of an archive, without folders, hidden files and explanations."""
    files = [
        each
        for each in names
        if not each.endswith("/") and not any(part[0] in "._" for part in PurePosixPath(each).parts)
    ]
    tables = [each for each in files if PurePosixPath(each).suffix.lower() not in _TEXTS] or files
    if not tables:
        raise Unreadable("The ZIP archive holds no file.")
    if len(tables) > 1:
        listed = ", ".join(f"“{each[:80]}”" for each in tables[:20])
        raise Unreadable(
            f"The ZIP archive holds {len(tables)} files: {listed}. Unpack it and upload the files one by one."
        )
    return tables[0]


def _decompressed(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return _read(file)
    except _DAMAGED as error:
        raise _damaged("gzip file") from error


def _read(file: IO[bytes] | gzip.GzipFile) -> bytes:
    data = file.read(MAX_UNPACKED_BYTES + 1)
    if len(data) > MAX_UNPACKED_BYTES:
        raise Unreadable(
            f"The file unpacks to more than {MAX_UNPACKED_BYTES:,} bytes, which is the limit. Split it."
        )
    return data


def _damaged(kind: str) -> Unreadable:
    return Unreadable(f"The {kind} is damaged or cut off. Save it and upload it again.")
