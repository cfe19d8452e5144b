"""The first step of an import: a file is unpacked, decoded, and divided into sheets of cells or read
as a tree.

Every row has the width of the header, under the dialect that suits most rows, or goes to quarantine
with a reason. Rows have the numbers that a spreadsheet gives them. No cell is changed.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from itertools import chain, islice, product, zip_longest
from typing import IO, Any, TextIO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder  # what parses is defusedxml

import charset_normalizer
import pandas as pd
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum

from judging.base import limits
from judging.base.texts import number_in
from judging.formats.frames import FileSheet, Opened, Problem, Unreadable, shorten_line
from judging.formats.mapping import ENCODINGS, Mapping

REPORT_ROWS = 5_000  # between two reports of progress
HEAD_BYTES = 4_096
SAMPLE_CHARACTERS = 1 << 17  # under which dialects are compared
LAYOUT_ROWS = 200  # in which the header is looked for
MAX_TITLE_ROWS = 10
MIN_TEXT_CHARACTERS = 40  # names of columns are shorter
EXACT_INTEGER = 1e15  # larger floats may not hold every digit

_ITEMS = "data/items.csv"  # by which the bundle of a run is recognised
_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # XLS and other old files
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_WORKBOOK_PARTS = ("[Content_Types].xml", "mimetype", "Index/Document.iwa")
_DAMAGED = (
    *(zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, zlib.error),
    *(lzma.LZMAError, CalamineError, ValueError, KeyError),
)
_PACKED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}
_EXPORT, _SAVE = "Export it as CSV or Parquet.", "Save its table as CSV."
_UNPACK = "Unpack it and upload the file inside."
# Formats that are not read, by their first bytes and the names of their parts, with the remedy
_OTHER_FORMATS = (
    (rb"\$FL[23]|.{0,500}SPSS PORT FILE", "an SPSS file", _EXPORT),
    (rb"<stata_dta>|[\x69\x6c-\x73][\x01\x02]\x01", "a Stata file", _EXPORT),
    (rb"RDX[23]\n|X\n\x00\x00\x00", "an R file", _EXPORT),
    (rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*", "a SAS file", _EXPORT),
    (rb"SQLite format 3", "an SQLite database", _EXPORT),
    (rb"ARROW1|FEA1|\xff{4}", "an Arrow or Feather file", "Save it as Parquet or CSV."),
    (rb"%PDF-", "a PDF", _SAVE),
    (rb"\{\\rtf|PK.*(word/document\.xml|opendocument\.text)", "a text document", _SAVE),
    (rb"PK.*(ppt/presentation\.xml|Index/Document\.iwa)", "no table", _SAVE),
    (rb"\xd0\xcf.*(W\0o\0r\0d\0D\0o\0c|P\0o\0w\0e\0r\0P)", "an Office document", _SAVE),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\x00", "an image", "Upload its table as CSV."),
    (rb"7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd|.{257}ustar", "an archive", _UNPACK),
    (rb"\x1f\x8b|BZh[0-9]1AY|\xfd7zXZ", "a file that was compressed twice", _UNPACK),
    (
        rb"(?i)MIME-Version:|(\xef\xbb\xbf)?\s*(<\?xml.*)?<(!doctype html|html|head|body|table)\b",
        "a web page (HTML), even if its name ends in .xls",
        "Save it as XLSX or CSV.",
    ),
)
_IS_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*([\[{"\]0-9-]|null|NaN|true|false))')
_IS_XML = re.compile(r"\s*<[?!A-Za-z_]")
_SUSPECT = re.compile(r"\\u(?:d[89a-f]|0000)", re.I)  # escapes of surrogates and NUL in JSON
_DIVIDER = re.compile(r"[\s,]*")
# quoted, escape character, blank after the delimiter; of equally good ones the first is taken
_QUOTING = ((True, None, False), (True, None, True), (True, "\\", False), (False, None, False))

Parsed = tuple[int, list[str] | str]  # the number of a row, and its cells or why it has none
Dialect = tuple[str, tuple[bool, str | None, bool]]

csv.field_size_limit(2**31 - 1)  # cells are measured after reading, with a sentence
report: Callable[[int], None] = lambda _rows: None  # noqa: E731  # the reading process sets it


class JsonItems(list[Any]):
    """The items of a JSON file; `rows` has the line or number of each."""

    rows: list[int]


class LineElement(Element):
    """An XML element, with the line at which it begins."""

    line: int = 0


@dataclass(frozen=True, slots=True)
class _Layout:
    """The number of rows above the data, the names of columns, and the width of most rows."""

    above: int
    names: list[str]
    usual: int


def open_file(name: str, data: bytes, mapping: Mapping) -> Opened:
    """Return the contents of a file as sheets or as a tree.

    Raises
    ------
    Unreadable
        If the format is not supported, or the file is damaged, empty, encrypted or too large.
    """
    if data.startswith(_ZIP) and (bundle := _bundle(data)):
        return bundle
    name, data = _unpacked(name, data)
    if data.startswith(b"PAR1"):
        return _parquet(data, mapping)
    if data.startswith((_ZIP, _COMPOUND)):
        return _workbook(data, mapping)
    _refuse_others(data[:HEAD_BYTES])
    encoding, notes = _encoding(data, mapping.encoding)
    text = _decoded(data, encoding)
    if _IS_XML.match(text):
        root = _xml(text.encode() if mapping.encoding else data)
        return Opened(kind="xml", tree=root)
    if _IS_JSON.match(text) or name.lower().endswith((".json", ".jsonl", ".ndjson")):
        return _json(text, notes)
    del text  # it is decoded once more while it is read, in pieces
    lines = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="")
    return _delimited(lines, mapping, notes)


def is_question(text: str) -> bool:
    """Return whether a text ends with a question mark."""
    return text.rstrip("\"'” ").endswith(("?", "？", "؟"))


def unstorable(text: str) -> str:
    """Return why a text cannot be stored, or ""."""
    if len(text) > limits.MAX_TEXT_CHARACTERS:
        return f"holds {len(text):,} characters; at most {limits.MAX_TEXT_CHARACTERS:,} can be kept"
    if "\x00" in text:
        return "holds a NUL character, which no text may contain"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, which is no character"
    return ""


def cell_text(value: object) -> str:
    """Return a value as the text of a cell: 3 rather than 3.0, dates in ISO form, lists and objects
    as JSON, a missing value as a blank."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGER:
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def unique_names(names: Iterable[str]) -> list[str]:
    """Return names of columns, a repeated one with the suffix " (2)"."""
    found: dict[str, None] = {}
    for name in names:
        number, free = 1, name
        while free in found:
            number += 1
            free = f"{name} ({number})"
        found[free] = None
    most = limits.MAX_TABLE_COLUMNS
    if len(found) > most:
        raise Unreadable(
            f"The file has {len(found):,} columns; at most {most:,} can be read.", row=1
        )
    if reason := next(filter(None, map(unstorable, found)), ""):
        raise Unreadable(f"The name of a column {reason}.", row=1)
    return list(found)


def sheet_of(name: str, rows: Iterable[Parsed], names: Sequence[str], usual: int = 0) -> FileSheet:
    """Return rows as a sheet; a row of another width than the names or `usual` goes to quarantine.
    Unreadable is raised if no row can be kept, or there are too many."""
    numbers: list[int] = []
    kept: list[list[str]] = []
    problems: list[Problem] = []
    pool: dict[str, str] = {}  # equal texts are stored once
    for number, cells in rows:
        row = [] if isinstance(cells, str) else _fitted(cells, len(names), usual)
        if problem := _row_problem(number, cells, row, names):
            problems.append(problem)
            continue
        numbers.append(number)
        kept.append(list(map(pool.setdefault, row, row)))
        if len(kept) % REPORT_ROWS == 0:
            report(len(kept))
        if len(kept) > limits.MAX_TABLE_ROWS:
            break
    _check_number_of_rows(len(kept), problems)
    frame = pd.DataFrame(kept, columns=list(names), index=numbers, dtype=object)
    return FileSheet(name=name, frame=frame, problems=problems)


def _check_number_of_rows(count: int, problems: Sequence[Problem]) -> None:
    if count > limits.MAX_TABLE_ROWS:
        raise Unreadable(f"The file has more than {limits.MAX_TABLE_ROWS:,} rows; split it.")
    if not count:
        reason = f"No row can be read. The first: {problems[0].reason}" if problems else ""
        raise Unreadable(reason or "The file has a header but no rows.", row=1)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; numbers stay text, so that no digit is lost. A ValueError has
    the reason as a clause of a sentence."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}" if error.lineno > 1 else f"character {error.colno:,}"
        raise ValueError(f"{error.msg} at {place}") from None
    except RecursionError:
        raise ValueError("its lists or objects are nested too deeply") from None


def _refuse_others(head: bytes) -> None:
    for sign, what, remedy in _OTHER_FORMATS:
        if re.match(sign, head, re.S):
            raise Unreadable(f"This is {what}. {remedy}")


def _unpacked(name: str, data: bytes) -> tuple[str, bytes]:
    """Return the one file in a compressed file or an archive; any other file as it is."""
    if opener := next((_PACKED[sign] for sign in _PACKED if data.startswith(sign)), None):
        with _damage_named("compressed file"), opener(io.BytesIO(data)) as file:
            return name.rpartition(".")[0], _limited(file)
    if not data.startswith(_ZIP):
        return name, data
    with _damage_named("workbook or ZIP archive"), zipfile.ZipFile(io.BytesIO(data)) as archive:
        if any(part in archive.namelist() for part in _WORKBOOK_PARTS):
            if sum(part.file_size for part in archive.infolist()) > limits.MAX_UNPACKED_BYTES:
                raise Unreadable("The workbook is too large when it is unpacked. Save it as CSV.")
            return name, data
        inside = _only_file(archive)
        with archive.open(inside) as file:
            return inside, _limited(file)


def _bundle(data: bytes) -> Opened | None:
    """Return the tables in the bundle of a run, with its protocol; None for any other archive."""
    opened, as_written = Opened(kind="bundle", tree=""), Mapping(delimiter=",", header=True, skip=0)
    with _damage_named("workbook or ZIP archive"), zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        folders = [name.removesuffix(_ITEMS) for name in names if name.endswith(_ITEMS)]
        if not folders:
            return None
        for table in ("items", "judgments", "scores"):
            with archive.open(f"{folders[0]}data/{table}.csv") as file:
                lines = io.StringIO(_limited(file).decode(), newline="")
            header = next(csv.reader(lines))
            if lines.read(1):
                opened.sheets += _delimited(lines, as_written, []).sheets
            else:
                opened.sheets.append(FileSheet(name=table, frame=pd.DataFrame(columns=header)))
        if (protocol := f"{folders[0]}protocol.yaml") in names:
            with archive.open(protocol) as file:
                opened.tree = _limited(file).decode()
    return opened


def _only_file(archive: zipfile.ZipFile) -> str:
    """Return the name of the one file in an archive that is not hidden."""
    files = [each for each in archive.namelist() if not re.search(r"(^|/)[._]|/$", each)]
    if len(files) != 1:
        listed = ", ".join(f"“{file[:80]}”" for file in files[:20])
        holds = f"{len(files)} files: {listed}" if files else "no file"
        raise Unreadable(f"The ZIP archive holds {holds}. Upload its files one by one.")
    return files[0]


def _limited(file: IO[bytes]) -> bytes:
    data, most = file.read(limits.MAX_UNPACKED_BYTES + 1), limits.MAX_UNPACKED_BYTES
    if len(data) > most:
        raise Unreadable(f"The file unpacks to more than {most:,} bytes, the limit. Split it.")
    return data


@contextmanager
def _damage_named(kind: str) -> Iterator[None]:
    """Turn the errors of libraries into sentences."""
    try:
        yield
    except Unreadable:
        raise
    except PasswordError as error:
        raise Unreadable("The workbook is encrypted. Save it without a password.") from error
    except _DAMAGED as error:
        why = "encrypted" if "encrypted" in str(error) else "damaged or cut off"
        raise Unreadable(f"The {kind} is {why}. Save it and upload it again.") from error


def _encoding(data: bytes, given: str) -> tuple[str, list[str]]:
    """Return the encoding of a text, and a note if it is uncertain."""
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise Unreadable("The file is empty.")
    if found := given or _utf16(data[: min(HEAD_BYTES, len(data) // 2 * 2)]):
        return found, []
    try:
        data.decode()
    except UnicodeDecodeError:
        encoding = _likeliest_encoding(data)
        how = "If letters look wrong, choose another encoding."
        return encoding, [f"The file is not in UTF-8 and is read as {encoding}. {how}"]
    return "utf-8", []


def _utf16(head: bytes) -> str:
    """Return which UTF-16 the first bytes of a file are in, or ""."""
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and head[2:4] != b"\x00\x00":
        return "utf-16"
    if head.count(0) * 5 <= len(head):
        return ""
    first, second = head[::2].count(0), head[1::2].count(0)
    if max(first, second) <= 9 * min(first, second):
        raise Unreadable("The file is not text, or is in UTF-32: too many bytes are zero.")
    return "utf-16-le" if second > first else "utf-16-be"


def _likeliest_encoding(data: bytes) -> str:
    lines = (line for line in data.splitlines() if not line.isascii())
    sample = b"\n".join(islice(lines, 500))[: 1 << 16]
    found = charset_normalizer.from_bytes(sample, cp_isolation=list(ENCODINGS)).best()
    return found.encoding if found else "cp1252"


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise Unreadable(f"No encoding is called “{encoding}”.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"The file is not {encoding} at byte {error.start:,}, line {line:,}."
        raise Unreadable(f"{reason} Choose its encoding, or save it as UTF-8.", row=line) from None


def _delimited(text: TextIO, mapping: Mapping, notes: list[str]) -> Opened:
    """Return a CSV file, or one with another delimiter, under the dialect that suits most rows."""
    delimiter, (quoted, escape, _) = dialect = _dialect(text, mapping)
    sheet = _table("", _parsed(text, dialect), mapping)
    if len(sheet.frame.columns) > 1:
        divider = "tabs" if delimiter == "\t" else f"“{delimiter}”"
        how = "" if quoted else " Quotation marks are ordinary characters."
        how += f" “{escape}” protects the character after it." if escape else ""
        notes = [*notes, f"Cells are divided by {divider}.{how}"]
    return Opened(kind="text", sheets=[sheet], notes=notes)


def _dialect(text: TextIO, mapping: Mapping) -> Dialect:
    """Return the dialect that suits most rows of a sample, or of the text if a later row does not
    fit."""
    sample = io.StringIO(text.read(SAMPLE_CHARACTERS) + text.readline(), newline="")
    is_whole = not text.read(1)
    quoting = [each for each in _QUOTING if mapping.quoted in (None, each[0])]
    dialects = list(product(mapping.delimiter or ",;\t|^", quoting))
    best = max(dialects, key=lambda dialect: _fit(sample, dialect, mapping))
    if is_whole or _fit(text, best, mapping)[0] == 1:
        return best
    dialects = [dialect for dialect in dialects if dialect[0] == best[0]]
    return max(dialects, key=lambda dialect: _fit(text, dialect, mapping))


def _parsed(text: TextIO, dialect: Dialect) -> Iterator[Parsed]:
    """Yield each row with its number; blank lines have numbers but are no rows."""
    text.seek(0)
    if text.read(1) != "\ufeff":
        text.seek(0)
    delimiter, (quoted, escape, blank) = dialect
    reader = csv.reader(
        text,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        escapechar=escape,
        skipinitialspace=blank,
        strict=True,
    )
    number = 0
    while True:
        number += 1
        try:
            yield number, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            never = "unexpected end of data" in str(error)
            reason = "A quotation mark is never closed" if never else "A quoted cell goes on"
            how = "Double the quotation marks inside cells, or read without quoting."
            yield number, f"{reason}. {how}"


def _fit(text: TextIO, dialect: Dialect, mapping: Mapping) -> tuple[float, int, int]:
    """Return how well a dialect suits a text: the share of rows that fit the header, which counts
    little in a single column; the cells that begin with a quotation mark (negative); the width."""
    fitting, filled, quotes = 0.0, 0, 0
    rows = _parsed(text, dialect)
    ahead = list(islice(rows, LAYOUT_ROWS))
    layout = _layout(ahead, mapping)
    width = len(layout.names)
    for _, cells in chain(ahead, rows):
        fitted = [] if isinstance(cells, str) else _fitted(cells, width, layout.usual)
        fitting += (1 if len(cells) == width else 0.5) if fitted else 0
        filled += bool(cells)
        quotes += sum(cell.lstrip()[:1] == '"' for cell in fitted)
    share = fitting / max(1, filled)
    return (share if width > 1 else share / 100), -quotes, width


def _layout(ahead: Sequence[Parsed], mapping: Mapping) -> _Layout:
    """Return how a table is laid out, by its first rows that are not blank."""
    rows = [cells for _, cells in ahead if isinstance(cells, list) and any(map(str.strip, cells))]
    above = _title_rows(rows) if mapping.skip is None else min(mapping.skip, max(0, len(rows) - 1))
    first = rows[above] if rows else []
    headed = not _is_data(rows[above:]) if mapping.header is None else mapping.header
    usual = _usual_width(rows[above + headed :], len(first))
    names = [cell.strip() for cell in first] if headed else [""] * max(len(first), usual)
    names = unique_names(name or f"column {place}" for place, name in enumerate(names, 1))
    return _Layout(above + headed, names, usual)


def _usual_width(rows: Sequence[Sequence[str]], header: int) -> int:
    """Return the width of most rows, if it is more than half of the header's; else the header's."""
    widths = Counter(map(len, rows)).most_common(1)
    common = [width for width, count in widths if 2 * count > len(rows) and 2 * width > header]
    return common[0] if common else header


def _is_number(cell: str) -> bool:
    return number_in(cell.strip().replace(",", ".", 1)) is not None


def _title_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows with one cell above a table of several columns."""
    filled = [sum(map(bool, map(str.strip, row))) for row in rows]
    above = next((place for place, count in enumerate(filled) if count > 1), 0)
    wide = sum(count > 1 for count in filled[above:])
    return above if above <= MAX_TITLE_ROWS and wide > max(1, 0.9 * len(filled[above:])) else 0


def _is_data(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is certainly no header: like all rows in at least one column, and
    unlike them in none. Columns named 1, 2, ... are possible."""
    alike = set()
    for first, *below in zip_longest(*rows, fillvalue=""):
        filled = [cell for cell in below if cell.strip()]
        for test in (_is_number, is_question, lambda cell: len(cell) > MIN_TEXT_CHARACTERS):
            if len(filled) > 1 and first and sum(map(test, filled)) > 0.8 * len(filled):
                alike.add(test(first))
                break
    return alike == {True} and not re.search(r"\b1\t2\b", "\t".join(rows[0]))


def _fitted(cells: list[str], width: int, usual: int) -> list[str]:
    """Return the cells of a row under the header; an empty list if they do not fit."""
    if len(cells) > width and not any(map(str.strip, cells[width:])):
        return cells[:width]
    if len(cells) == usual < width:
        return cells + [""] * (width - usual)
    return cells if len(cells) == width else []


def _table(name: str, parsed: Iterator[Parsed], mapping: Mapping) -> FileSheet:
    """Return rows of cells as a sheet under their header, without columns that have neither a name
    nor a cell."""
    filled = (each for each in parsed if any(map(str.strip, each[1])))
    ahead = list(islice(filled, LAYOUT_ROWS + (mapping.skip or 0)))
    layout = _layout(ahead, mapping)
    sheet = sheet_of(name, chain(ahead[layout.above :], filled), layout.names, layout.usual)
    unnamed = [name for name in layout.names if re.fullmatch(r"column \d+", name)]
    blank = [name for name in unnamed if not any(sheet.frame[name])]
    sheet.frame = sheet.frame.drop(columns=blank)
    return sheet


def _row_problem(
    number: int, cells: list[str] | str, row: Sequence[str], names: Sequence[str]
) -> Problem | None:
    """Return why a row goes to quarantine, if it does."""
    column, value, reason = "", "", ""
    if isinstance(cells, str):
        reason = cells
    elif not row:
        reason = f"The row has {len(cells):,} cells where the header has {len(names):,}."
        value = shorten_line(" | ".join(cells))
    elif unstorable("".join(row)):  # checking the cells together is faster than one by one
        faults = zip(names, row, map(unstorable, row), strict=True)
        column, value, reason = next((fault for fault in faults if fault[2]), ("", "", ""))
        reason, value = reason and f"The cell {reason}.", shorten_line(value)
    return Problem(row=number, column=column, value=value, reason=reason) if reason else None


def _workbook(data: bytes, mapping: Mapping) -> Opened:
    """Return the sheets of a workbook that hold tables."""
    _refuse_other_archives(data)
    sheets, fault = [], Unreadable("The workbook is empty.")
    with _damage_named("workbook"):
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        known = [each.name for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
        if unknown := [name for name in mapping.sheets if name not in known]:
            has = ", ".join(known)
            raise Unreadable(f"The workbook has no sheet “{unknown[0]}”; it has {has}.")
        for sheet in map(book.get_sheet_by_name, mapping.sheets or known):
            rows = enumerate(sheet.iter_rows() if sheet.start else (), 1)
            cells = ((number, list(map(cell_text, row))) for number, row in rows)
            try:
                sheets.append(_table(sheet.name, cells, mapping))
            except Unreadable as error:
                fault = error if sheet.start else fault
    if not sheets:
        raise fault
    return Opened(kind="workbook", sheets=sheets, sheet_names=known)


def _refuse_other_archives(data: bytes) -> None:
    """Raise Unreadable if a file that begins like a workbook is something else."""
    head = data if data.startswith(_COMPOUND) else data[:HEAD_BYTES]
    if data.startswith(_ZIP):
        with _damage_named("workbook"), zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.namelist()
        if not any(part in parts for part in _WORKBOOK_PARTS):
            raise Unreadable(f"The ZIP archive holds another archive. {_UNPACK}")
        head += "\n".join(parts).encode()
    elif _ENCRYPTED in data:
        raise Unreadable("The workbook is encrypted. Save it without a password.")
    _refuse_others(head)


def _parquet(data: bytes, mapping: Mapping) -> Opened:
    """Return a Parquet file; lists and objects are JSON texts."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        how = "Install the extra `parquet` (python3 run.py extras parquet), or save it as CSV."
        raise Unreadable(f"This is a Parquet file. {how}") from None
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # other pools reserve too much
    with _damage_named("Parquet file"):
        table = parquet.read_table(io.BytesIO(data), use_threads=False, pre_buffer=False)
    columns = (map(cell_text, column.to_pylist()) for column in table.columns)
    rows = enumerate(map(list, zip(*columns, strict=True)), 2)
    return Opened(kind="columnar", sheets=[sheet_of("", rows, unique_names(table.column_names))])


def _json(text: str, notes: list[str]) -> Opened:
    """Return a JSON object; a list, JSON Lines and consecutive values as items with their rows."""
    found, values = _json_values(text)
    items, problems = JsonItems(), list[Problem]()
    items.rows = []
    is_suspect = len(text) > limits.MAX_TEXT_CHARACTERS or _SUSPECT.search(text)
    for row, item in values:
        if isinstance(item, Problem):
            problems.append(item)
        elif is_suspect and (fault := next(filter(None, map(unstorable, _texts(item))), "")):
            problems.append(Problem(row=row, column="", value="", reason=f"A text {fault}."))
        else:
            items.append(item)
            items.rows.append(row)
    if not items:
        reason = problems[0].reason if problems else "The list is empty."
        raise Unreadable(f"No row can be read. {reason}")
    sheet = FileSheet(name="", frame=pd.DataFrame(), problems=problems)
    tree = found if isinstance(found, dict) else items
    return Opened(kind="json", sheets=[sheet], tree=tree, notes=notes)


def _json_values(text: str) -> tuple[Any, Iterable[tuple[int, Any]]]:
    """Return the value of a JSON text, if it is one, and its items with their numbers; those of
    consecutive values with their lines."""
    try:
        found = parse_json(text)
    except ValueError as error:
        if str(error).startswith("Extra data"):
            return None, _consecutive(text)
        raise Unreadable(f"The file is not JSON: {error}.") from None
    return found, enumerate(found if isinstance(found, list) else [found], 1)


def _consecutive(text: str) -> Iterator[tuple[int, Any]]:
    """Yield consecutive JSON values with their lines; a problem in place of a line that is none."""
    place, line = 0, 1
    while divider := _DIVIDER.match(text, place):
        line += text.count("\n", place, divider.end())
        start = place = divider.end()
        if start == len(text):
            return
        try:
            item, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = (text.find("\n", start) + 1 or len(text) + 1) - 1
            reason = f"The line is not JSON: {shorten_line(text[start:place])}"
            item = Problem(row=line, column="", value="", reason=reason)
        yield line, item
        line += text.count("\n", start, place)


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, and the keys of its objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inside in chain(value, value.values() if isinstance(value, dict) else ()):
            yield from _texts(inside)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key “{shorten_line(twice)}” occurs twice in one object")
    return found


_DECODER = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=lambda _name: None, object_pairs_hook=_once
)


def _xml(data: bytes) -> LineElement:
    """Return the root element; declarations of types and entities are refused."""

    def make(tag: str, attributes: dict[str, str]) -> LineElement:
        element = LineElement(tag, attributes)
        element.line = parser.parser.CurrentLineNumber
        return element

    builder: Any = TreeBuilder(element_factory=make)
    parser: Any = DefusedXMLParser(target=builder, forbid_dtd=True)
    try:
        parser.feed(data)
        root: LineElement = parser.close()
    except DefusedXmlException:
        raise Unreadable("The XML declares a document type or entities; remove that.") from None
    except ParseError as error:
        line = error.position[0]
        reason = f"The XML cannot be read at line {line:,}: {error.msg}."
        raise Unreadable(reason, row=line) from None
    except (LookupError, UnicodeError, ValueError) as error:
        raise Unreadable(f"The XML cannot be read: {error}.") from None
    for element in root.iter():
        if reason := unstorable(element.text or ""):
            raise Unreadable(f"A text {reason}.")
    return root
