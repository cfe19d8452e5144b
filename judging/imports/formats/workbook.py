"""Workbooks (.xlsx): the sheet that holds a table, with those under the same names of columns, or
those that somebody names, as a table.

A workbook is a zip of XML, so a small file can unpack to any size. What it will unpack to is read
from its directory and refused before anything is parsed; what is left is parsed as it is unpacked,
one row after the other. Parts, cells and attributes are those of ECMA-376, part 1.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from posixpath import normpath
from xml.sax import SAXException  # errors only: what parses is defusedxml
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.expatreader import DefusedExpatParser

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import ALL, Format, proposed
from judging.imports.readers.guessing import guess
from judging.imports.readers.records import WHOLE_FILE, Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    Parsed,
    Row,
    RowTable,
    shape_rows,
)
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_JSON_DEPTH, MAX_TABLE_COLUMNS, MAX_UNPACKED_BYTES

PACKED = b"PK\x03\x04"  # what such a file begins with
DAMAGED = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, zlib.error, lzma.LZMAError)
LAST_ROW = 1_048_576
LAST_COLUMN = 16_384
SHEET = "sheet"  # the column that names the sheet
_CHUNK = 1 << 16
_LOOKS = 20  # rows of a sheet, to see whether it holds a table
_MERGED = re.compile(rb'mergeCell ref="([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})"')
_OVERLAP = 60  # bytes, more than such an element has, which may stand in two chunks
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_THREADED = "[Threaded comment]"
_WORKBOOK = "xl/workbook.xml"
# built-in formats of dates and times
_DAY_FORMATS = {
    *range(14, 23),
    *range(27, 37),
    *range(45, 48),
    *range(50, 59),
}


@dataclass(frozen=True, slots=True)
class WorkbookSheet:
    """One sheet of a workbook: its name, the first row that holds anything, and how many cells the
    fullest of its first rows holds."""

    name: str
    first: tuple[str, ...]
    fullest: int = field(default=0, compare=False)


def read_workbook(
    data: bytes,
    *,
    sheet: str | Sequence[str] = "",
    header: bool | None = None,
    above: int | None = None,
) -> RowTable:
    """Return the rows of a sheet, by default of the first that has several columns with those under
    the same header, else of the first that is not empty; its first row with cells is the header.

    Numbers are written as short as they can be without losing a digit, dates in ISO form. A cell
    with a formula holds the value that the spreadsheet stored with it, or the formula's text where
    it stored none.

    Raises
    ------
    Unreadable
        Where the file is no workbook, unpacks to too much, or has no such sheet.
    """
    return open_workbook(data, sheet=sheet, header=header, above=above).table()


def open_workbook(
    data: bytes,
    *,
    sheet: str | Sequence[str] = "",
    header: bool | None = None,
    above: int | None = None,
) -> OpenTable:
    """Return the rows of one sheet, or of several under the columns of all of them and one that
    names the sheet."""
    book = _Book(data)
    names = [sheet] if isinstance(sheet, str) else list(sheet)
    if not any(names):
        return _likely(book, header, above)
    if unknown := next((name for name in names if name not in book.parts), None):
        raise Unreadable(f"The workbook has no sheet “{unknown}”; it has {_listed(book.parts)}.")
    tables = {name: _table(book, name, header, above) for name in names}
    return next(iter(tables.values())) if len(tables) == 1 else _together(tables)


def _likely(book: _Book, header: bool | None, above: int | None) -> OpenTable:
    """Return the rows of the sheets that are probably meant: instructions stand in one column, a
    table in several, and sheets under the same names of columns are one table, cut by system or
    annotator."""
    given = [each for each in book.sheets() if each.first]
    if not given:
        raise Unreadable("The workbook is empty.")
    tables = [each for each in given if each.fullest > 1] or given[:1]
    alike: dict[tuple[str, ...], dict[str, OpenTable]] = {}
    for each in tables:
        try:
            table = _table(book, each.name, header, above)
        except Unreadable:
            if len(tables) == 1:
                raise
            continue
        alike.setdefault(table.header, {})[each.name] = table
    if not alike:
        raise Unreadable("No sheet of the workbook holds a header with rows under it.")
    read = max(alike.values(), key=len)
    table = next(iter(read.values())) if len(read) == 1 else _together(read)
    if len(given) > len(read) or len(read) > 1:
        whole = _listed(each.name for each in given)
        what = (
            f"The sheet {_listed(read)} is read, one of {whole}."
            if len(read) == 1
            else f"The sheets {_listed(read)} are read as one table, of {whole}."
        )
        table.problems.append(
            Problem(row=WHOLE_FILE, column="", value="", reason=what, kind="warning")
        )
    return table


def _table(book: _Book, name: str, header: bool | None, above: int | None) -> OpenTable:
    table = shape_rows(book.rows(name), header=header, above=above)
    if comments := book.comments(name):
        table.comment(comments)
    return table


def sheets(data: bytes) -> tuple[WorkbookSheet, ...]:
    """Return the sheets in the order of the workbook, so that somebody may choose among them."""
    return tuple(_Book(data).sheets())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name[:80]}”" for name in list(names)[:20])


def _together(tables: Mapping[str, OpenTable]) -> OpenTable:
    header = tuple(dict.fromkeys(name for table in tables.values() for name in table.header))
    if len(header) >= MAX_TABLE_COLUMNS:
        raise Unreadable(
            f"The sheets have {len(header):,} different columns; with the sheet’s name at most "
            f"{MAX_TABLE_COLUMNS:,} can be read. Choose fewer of them."
        )
    label = SHEET if SHEET not in header else "name of the sheet"
    remarks = [
        _in_sheet(problem, name) for name, table in tables.items() for problem in table.problems
    ]
    return OpenTable((label, *header), _all_rows(tables, header), remarks=remarks)


def _all_rows(tables: Mapping[str, OpenTable], header: tuple[str, ...]) -> Iterator[Row | Problem]:
    for name, table in tables.items():
        remarks = len(table.problems)
        places = [
            table.header.index(column) if column in table.header else None for column in header
        ]
        for row in table.rows:
            cells = ("" if place is None else row.cells[place] for place in places)
            yield Row(row.number, (name, *cells), row.comments)
        yield from (_in_sheet(problem, name) for problem in table.problems[remarks:])


def _in_sheet(problem: Problem, name: str) -> Problem:
    return replace(problem, reason=f"Sheet “{name[:80]}”: {problem.reason}")


def _damaged(error: Exception) -> Unreadable:
    return Unreadable(
        f"The workbook is damaged: {type(error).__name__}. Save it again, or save it as CSV."
    )


class _Merged:
    """Cells that are merged with those below them; of one merged to the side, only the first holds
    its value."""

    def __init__(self) -> None:
        self.begins: dict[int, dict[int, int]] = {}  # row: column: the last row
        self.open: dict[int, tuple[int, str]] = {}  # column: the last row, and the value

    def take(self, xml: bytes) -> None:
        """Take the references that stand in a piece of a sheet."""
        for column, first, last in _MERGED.findall(xml):
            if int(first) < int(last) <= LAST_ROW:
                columns = self.begins.setdefault(int(first), {})
                columns[_column(column.decode())] = int(last)

    def fill(self, number: int, cells: list[str]) -> None:
        """Write the value of each merged cell into this row, as it is one of those it covers."""
        for column, (last, value) in list(self.open.items()):
            if last < number:
                del self.open[column]
            elif column <= len(cells):
                cells[column - 1] = cells[column - 1] or value
        for column, last in self.begins.get(number, {}).items():
            if column <= len(cells) and cells[column - 1]:
                self.open[column] = last, cells[column - 1]


class _Book:
    """A workbook's parts, each unpacked as it is parsed."""

    def __init__(self, data: bytes) -> None:
        self.archive = _archive(data)
        index = _Index()
        self._parse(_WORKBOOK, index)
        relations = _Relations("/worksheet")
        self._parse("xl/_rels/workbook.xml.rels", relations)
        known = {name: relations.targets.get(key, "") for name, key in index.sheets.items()}
        self.parts = {name: _path(target, "xl") for name, target in known.items() if target}
        self.since_1904 = index.since_1904
        self._texts: list[str] | None = None
        self._days: frozenset[int] = frozenset()

    def sheets(self) -> Iterator[WorkbookSheet]:
        for name in self.parts:
            with closing(self._read(name)) as rows:
                held = [cells for _, cells in islice(rows, _LOOKS)]
            fullest = max((sum(map(bool, cells)) for cells in held), default=0)
            yield WorkbookSheet(name, tuple(held[0] if held else ()), fullest)

    def rows(self, name: str) -> Generator[Parsed, None, None]:
        """Yield each row that is not blank, by its number in the sheet, at least as wide as those
        before it. A cell that is merged with those below it stands in each of their rows."""
        merged = self._merged(self.parts[name])
        width = 0
        for number, cells in self._read(name):
            width = max(width, len(cells))
            cells += [""] * (width - len(cells))
            merged.fill(number, cells)
            yield number, cells

    def comments(self, name: str) -> Mapping[int, Mapping[int, str]]:
        """Return the comments on the cells of a sheet, by row and place."""
        folder, _, part = self.parts[name].rpartition("/")
        relations, found = _Relations("/comments"), _Comments()
        if f"{folder}/_rels/{part}.rels" in self.archive.namelist():
            self._parse(f"{folder}/_rels/{part}.rels", relations)
        parts = {_path(target, folder) for target in relations.targets.values()}
        for each in sorted(parts.intersection(self.archive.namelist())):
            self._parse(each, found)
        return found.of_row

    def _read(self, name: str) -> Generator[tuple[int, list[str]], None, None]:
        self._know_texts()
        handler = _Cells(self._value)
        for _ in self._parsed(self.parts[name], handler):
            yield from handler.taken()

    def _merged(self, part: str) -> _Merged:
        """Return the cells of a sheet that are merged with those below them, which stand behind its
        rows."""
        found = _Merged()
        rest = b""
        try:
            for chunk in self._chunks(part):
                found.take(rest + chunk)
                rest = chunk[-_OVERLAP:]
        except DAMAGED as error:
            raise _damaged(error) from error
        return found

    def _know_texts(self) -> None:
        if self._texts is None:
            texts, styles = _Texts(), _Styles()
            for part, handler in (("xl/sharedStrings.xml", texts), ("xl/styles.xml", styles)):
                if part in self.archive.namelist():
                    self._parse(part, handler)
            self._texts = texts.found
            self._days = frozenset(
                place for place, key in enumerate(styles.formats) if key in styles.days
            )

    def _value(self, kind: str, style: str, value: str, formula: str | None) -> str:
        """Return what a cell shows, from its `t` and `s` attributes and what stands in it."""
        if formula is not None and not value:
            return f"={formula}"
        if kind == "s":
            return (self._texts or [])[_index(value)] if value else ""
        if kind == "b":
            return "true" if value == "1" else "false" if value else ""
        if kind in ("str", "inlineStr", "e", "d") or not value:
            return value
        if style and int(style) in self._days:
            return _moment(float(value), self.since_1904)
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(number)

    def _chunks(self, part: str) -> Iterator[bytes]:
        """Unpack a part."""
        with self.archive.open(part) as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def _parse(self, part: str, handler: _Part) -> None:
        for _ in self._parsed(part, handler):
            pass

    def _parsed(self, part: str, handler: _Part) -> Iterator[None]:
        """Parse a part, and pause behind each piece of it."""
        parser = DefusedExpatParser(forbid_dtd=True)
        parser.setContentHandler(handler)
        try:
            for chunk in self._chunks(part):
                parser.feed(chunk)
                yield
            parser.close()
            yield
        except Unreadable:
            raise
        except SAXException as error:
            if "out of memory" in str(error):
                raise MemoryError from error
            raise _damaged(error) from error
        except (*DAMAGED, ValueError, LookupError, OverflowError) as error:
            raise _damaged(error) from error


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        if not data.startswith(PACKED):  # an archive may stand behind anything
            raise zipfile.BadZipFile
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable("The file is no workbook of the kind .xlsx, or is cut off.") from error
    parts = archive.infolist()
    if (size := unpacked_size(archive)) > MAX_UNPACKED_BYTES:
        raise Unreadable(
            f"The workbook unpacks to {size:,} bytes; at most {MAX_UNPACKED_BYTES:,} are read. Save it as CSV."
        )
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("The workbook is encrypted; save it without a password.")
    if _WORKBOOK not in archive.namelist():
        raise Unreadable("The file is a zip archive, but no workbook of the kind .xlsx.")
    return archive


def unpacked_size(archive: zipfile.ZipFile) -> int:
    """Return how many bytes the parts of an archive are when they are unpacked."""
    return sum(part.file_size for part in archive.infolist())


def _path(target: str, folder: str) -> str:
    return target[1:] if target.startswith("/") else normpath(f"{folder}/{target}")


class _Part(ContentHandler):
    """What is told of each element, by its tag without the prefix of its namespace."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self._depth += 1
        if self._depth > MAX_JSON_DEPTH:
            raise Unreadable(
                f"The parts of the workbook are nested more than {MAX_JSON_DEPTH} deep."
            )
        self.begin(name.rpartition(":")[2], attrs)

    def endElement(self, name: str) -> None:
        self._depth -= 1
        self.end(name.rpartition(":")[2])

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        """Take the beginning of an element."""

    def end(self, tag: str) -> None:
        """Take its end."""


class _Index(_Part):
    """The sheets of a workbook by name, and from which year it counts days."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: dict[str, str] = {}
        self.since_1904 = False

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "sheet":
            key = next(
                (value for label, value in attrs.items() if label.rpartition(":")[2] == "id"), ""
            )
            self.sheets[attrs.get("name", "")] = key
        elif tag == "workbookPr":
            self.since_1904 = attrs.get("date1904", "") in ("1", "true")


class _Relations(_Part):
    """Which part of one kind a key stands for; charts and macros are none of rows."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.targets: dict[str, str] = {}

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "Relationship" and attrs.get("Type", "").endswith(self.kind):
            self.targets[attrs.get("Id", "")] = attrs.get("Target", "")


class _Styles(_Part):
    """The number format of each style, and which formats are dates or times."""

    def __init__(self) -> None:
        super().__init__()
        self.formats: list[int] = []
        self.days = set(_DAY_FORMATS)
        self._inside = False

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "cellXfs":
            self._inside = True
        elif tag == "xf" and self._inside:
            self.formats.append(int(attrs.get("numFmtId", "0")))
        elif tag == "numFmt" and _is_day(attrs.get("formatCode", "")):
            self.days.add(int(attrs.get("numFmtId", "0")))

    def end(self, tag: str) -> None:
        self._inside = self._inside and tag != "cellXfs"


def _is_day(code: str) -> bool:
    """Say whether a format shows a date or a time: one of their letters stands outside quotes and
    brackets."""
    closing_sign = ""
    previous = ""
    for sign in code.partition(";")[0].lower():
        if closing_sign:
            closing_sign = "" if sign == closing_sign else closing_sign
        elif previous == "\\":
            sign = ""
        elif sign in ('"', "["):
            closing_sign = '"' if sign == '"' else "]"
        elif sign in "dmhysg" and previous not in ("_", "*"):
            return True
        previous = sign
    return False


def _index(value: str) -> int:
    if not value.isdecimal():
        raise ValueError("a shared text is called by a whole number from 0")
    return int(value)


def _moment(days: float, since_1904: bool) -> str:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

    found = from_excel(days, epoch=CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900)
    return found.isoformat() if hasattr(found, "isoformat") else str(found)


class _Texts(_Part):
    """The texts that cells share; how they are to be pronounced is no part of them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._pieces: list[str] | None = None
        self._spoken = False

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "t" and not self._spoken:
            self._pieces = self._pieces or []
        elif tag == "rPh":
            self._spoken = True
        self._open = tag == "t" and not self._spoken

    def characters(self, content: str) -> None:
        if self._pieces is not None and self._open:
            self._pieces.append(content)

    def end(self, tag: str) -> None:
        self._open = False
        if tag == "rPh":
            self._spoken = False
        elif tag == "si":
            text = "".join(self._pieces or [])
            self._pieces = None
            self.found.append(text)

    _open = False


class _Comments(_Part):
    """The comments on cells. Who wrote one stands in front of it in many, and is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.of_row: dict[int, dict[int, str]] = {}
        self._authors: list[str] = []
        self._cell: tuple[int, int] | None = None
        self._pieces: list[str] = []
        self._inside = False

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "comment":
            named = _CELL.fullmatch(attrs.get("ref", ""))
            self._cell = (int(named[2]), _column(named[1])) if named else None
        if tag in ("comment", "author"):
            self._pieces = []
        self._inside = tag in ("t", "author")

    def characters(self, content: str) -> None:
        if self._inside:
            self._pieces.append(content)

    def end(self, tag: str) -> None:
        self._inside = False
        if tag == "author":
            self._authors.append("".join(self._pieces))
        elif tag == "comment" and self._cell:
            text = self._said("".join(self._pieces))
            row, column = self._cell
            if text:
                self.of_row.setdefault(row, {})[column - 1] = text

    def _said(self, text: str) -> str:
        """Return a comment without its author, and of a thread what follows the notice for older
        programs."""
        if text.startswith(_THREADED):
            text = text.partition("Comment:")[2]
        for author in filter(None, self._authors):
            text = text.removeprefix(f"{author}:")
        return text.strip()


class _Cells(_Part):
    """The rows of one sheet; those that are complete wait until they are taken."""

    def __init__(self, value: Callable[[str, str, str, str | None], str]) -> None:
        super().__init__()
        self._of = value
        self._rows: list[tuple[int, list[str]]] = []
        self._row: list[str] = []
        self._number = 0
        self._column = 0
        self._kind = self._style = ""
        self._value: list[str] = []
        self._formula: list[str] | None = None
        self._into: list[str] | None = None
        self._spoken = False

    def taken(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the complete rows that are not blank."""
        rows, self._rows = self._rows, []
        yield from rows

    def begin(self, tag: str, attrs: AttributesImpl) -> None:
        if tag == "c":
            reference = attrs.get("r", "")
            self._column = _column(reference) if reference else self._column + 1
            if self._column > LAST_COLUMN:
                raise Unreadable(f"The sheet claims more than {LAST_COLUMN:,} columns.")
            self._kind, self._style = attrs.get("t", "n"), attrs.get("s", "")
            self._value, self._formula, self._into = [], None, None
        elif tag == "v" or (tag == "t" and not self._spoken):
            self._into = self._value
        elif tag == "f":
            self._into = self._formula = []
        elif tag == "rPh":
            self._spoken = True
        elif tag == "row":
            self._number = int(attrs.get("r", "") or self._number + 1)
            self._row, self._column = [], 0
            if not 0 < self._number <= LAST_ROW:
                raise Unreadable(f"The sheet claims more than {LAST_ROW:,} rows.")

    def characters(self, content: str) -> None:
        if self._into is not None:
            self._into.append(content)

    def end(self, tag: str) -> None:
        if tag in ("v", "t", "f"):
            self._into = None
        elif tag == "rPh":
            self._spoken = False
        elif tag == "c":
            formula = None if self._formula is None else "".join(self._formula)
            text = self._of(self._kind, self._style, "".join(self._value), formula)
            if text:
                # of a row too wide, one cell too many is enough
                place = min(self._column, MAX_TABLE_COLUMNS + 1)
                self._row += [""] * (place - len(self._row))
                self._row[place - 1] = text
        elif tag == "row" and self._row:
            self._rows.append((self._number, self._row))
            self._row = []


def _column(reference: str) -> int:
    """Return the number of the column that a reference names.

    >>> _column("B2"), _column("AA10")
    (2, 27)
    """
    number = 0
    for letter in reference[:4]:
        if "A" <= letter <= "Z":
            number = 26 * number + ord(letter) - 64
    return max(1, number)


def _columns(table: AnyTable, name: str) -> ColumnRoles:
    """Return the columns that names and first cells suggest. Where several sheets are one table and
    no column names the systems, the sheets do, else the annotators."""
    found = proposed(table, name)
    if SHEET not in found.metadata:
        return found
    is_known = bool(found.system or found.by_system)
    if is_known and (found.rater or found.ratings):
        return found
    told = "rater" if is_known else "system"
    header = [told if column == SHEET else column for column in table.header]
    guessed = guess(header, [row.cells for row in table.sample()])
    if is_known:
        return replace(guessed, rater=SHEET) if guessed.rater == told else found
    return replace(guessed, system=SHEET) if guessed.system == told else found


READS = (
    Format(
        key="xlsx",
        title="Workbook (.xlsx)",
        endings=(".xlsx",),
        is_like=lambda head: head.startswith(PACKED),
        rank=30,
        table=open_workbook,
        propose=_columns,
        sheets=lambda data: tuple(each.name for each in sheets(data)),
        options=("sheet", "header", "above"),
        is_text=False,
        carries=ALL,
        page="xlsx",
    ),
)
