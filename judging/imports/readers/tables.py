"""CSV, TSV and JSON Lines: from bytes to a header and rows of text, with every row accounted for.

`rows_read` is always the number of rows kept plus the number of rows refused, each with its reason.
A row is numbered as a spreadsheet numbers it: the header is row 1, a cell with line breaks is still
one row, a blank line has a number but is no row. JSON Lines have no header: there a row is its
line.

A file is read once: `OpenTable` yields the rows as they are read, and `RowTable` holds all of
them.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, time
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, TextIO

from judging.imports.readers.header import Layout, lay_out
from judging.imports.readers.nesting import Opening, json_text
from judging.imports.readers.records import Problem
from judging.imports.readers.text import Unreadable, open_text, unstorable
from judging.imports.readers.title_rows import column_names
from judging.limits import MAX_JSON_DEPTH, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS

DELIMITERS = (",", ";", "\t")
SAMPLE_ROWS = 50  # from which the roles of columns are proposed
_POOLED_TEXTS = 65_536  # texts of which equal ones are stored once
_SAMPLE = 50
_UNDER_TITLE = 0.6  # share of the first rows that decides the delimiter against the first row
_TOO_DEEP = "its lists or objects are nested too deeply"
_EXACT_INTEGER = 1e15  # larger floats may not hold every digit
_LONG = 1_000  # characters of a cell from which caching its results pays
_LAYOUT_ROWS = 200  # from which the header and the width of the rows are detected

Parsed = tuple[int, list[str] | Problem]
RowOrProblem = tuple[int, Mapping[str, object] | Problem]
LaidCells = tuple[str, ...] | dict[int, str]  # a dict for an object with few of the columns

# The module's own limit counts long passages without a message; cells are measured after reading,
# with a sentence.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One row that could be read; it has as many cells as the header."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """A table of rows under a header; a problem of the kind `row` is a row that is missing.

    `headed` says whether the file contains the names of the columns; otherwise they are named by
    their places. `percentages` are columns whose numbers were written with a percent sign.
    """

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    rows_read: int
    delimiter: str = ""
    quoted: bool = True
    headed: bool = True
    evidence: Any = field(default=None, compare=False)  # of `guessing`, which reads tables' headers
    percentages: frozenset[str] = frozenset()

    def sample(self, most: int = SAMPLE_ROWS) -> Sequence[Row]:
        """Return the first rows."""
        return self.rows[:most]


class OpenTable:
    """A table whose rows are yielded as they are read, once. After the last row, `problems` and
    `rows_read` are complete."""

    def __init__(
        self,
        header: tuple[str, ...],
        results: Iterator[Row | Problem],
        *,
        remarks: Iterable[Problem] = (),
        delimiter: str = "",
        quoted: bool = True,
        headed: bool = True,
        percentages: Iterable[str] = (),
    ) -> None:
        """Take the rows to be yielded; a problem in place of a row refuses it."""
        self.header = header
        self.delimiter = delimiter
        self.quoted = quoted
        self.headed = headed
        self.percentages = frozenset(percentages)
        self.problems: list[Problem] = list(remarks)
        self.rows_read = 0
        self._results = results
        self._first: list[Row] = []

    @property
    def rows(self) -> Iterator[Row]:
        """Yield the rows, beginning with those of the sample."""
        while self._first:
            yield self._first.pop(0)
        yield from self._coming()

    def sample(self, most: int = SAMPLE_ROWS) -> Sequence[Row]:
        """Return the first rows, which `rows` will still yield."""
        self._first.extend(islice(self._coming(), max(0, most - len(self._first))))
        return self._first[:most]

    def all_or_none(self) -> Iterator[Row]:
        """Yield the rows; raise Unreadable at the first refused one, and read no further."""
        yield from self._first
        for result in self._results:
            if isinstance(result, Row):
                yield result
            elif result.kind == "row":
                raise Unreadable(result.reason, row=result.row)

    def tell(self, progress: Callable[[int], None], *, every: int) -> None:
        """Have `progress` called with the number of rows at intervals."""
        self._results = _told(self._results, progress, every, self.rows_read)

    def table(self) -> RowTable:
        """Return the whole table.

        Raises
        ------
        Unreadable
            If there is no row at all.
        """
        rows = tuple(self.rows)
        return RowTable(
            header=self.header,
            rows=rows,
            problems=tuple(sorted(self.problems, key=lambda problem: problem.kind != "row")),
            rows_read=self.rows_read,
            delimiter=self.delimiter,
            quoted=self.quoted,
            headed=self.headed,
            percentages=self.percentages,
        )

    def _coming(self) -> Iterator[Row]:
        for result in self._results:
            if isinstance(result, Row):
                self.rows_read += 1
                if self.rows_read > MAX_TABLE_ROWS:
                    raise _too_many(result.number)
                yield result
            else:
                self.rows_read += result.kind == "row"
                self.problems.append(result)


def _told(
    results: Iterator[Row | Problem], progress: Callable[[int], None], every: int, before: int
) -> Iterator[Row | Problem]:
    for count, result in enumerate(results, before + 1):
        yield result
        if count % every == 0:
            progress(count)


AnyTable = RowTable | OpenTable


def read_delimited(
    data: bytes,
    *,
    delimiter: str | None = None,
    quoted: bool | None = None,
    header: bool | None = None,
    above: int | None = None,
) -> RowTable:
    """Return the rows of a CSV or TSV file. Settings that are not declared are detected.

    Raises
    ------
    Unreadable
        If there is no row: not text, empty, no rows, two columns of one name, a quotation mark never closed.
    """
    return open_delimited(
        data, delimiter=delimiter, quoted=quoted, header=header, above=above
    ).table()


def open_delimited(
    data: bytes,
    *,
    delimiter: str | None = None,
    quoted: bool | None = None,
    header: bool | None = None,
    above: int | None = None,
) -> OpenTable:
    """Return a CSV or TSV file as rows that are read lazily; Unreadable may be raised until the
    last of them."""
    if delimiter and (len(delimiter) > 1 or delimiter in '"\r\n'):
        raise Unreadable(
            "A delimiter is one character, and neither a quotation mark nor a line break."
        )
    text = open_text(data)
    delimiter = delimiter or _find_delimiter(text)
    quoted = _find_quoting(text, delimiter) if quoted is None else quoted
    parsed = _parse(text, delimiter=delimiter, quoted=quoted)
    return shape_rows(parsed, delimiter=delimiter, quoted=quoted, header=header, above=above)


def shape_rows(
    parsed: Iterator[Parsed],
    *,
    delimiter: str = "",
    quoted: bool = True,
    header: bool | None = None,
    above: int | None = None,
) -> OpenTable:
    """Return rows of cells as a table; the first is the header, unless it looks like one of the
    rows, or like a title above the header. `above` is the number of rows above the header.

    Raises
    ------
    Unreadable
        If there is no header or no row below it.
    """
    ahead = list(islice(parsed, _LAYOUT_ROWS + 1))
    if ahead and isinstance(ahead[0][1], Problem):
        raise Unreadable(
            f"The header cannot be read. {ahead[0][1].reason}",
            row=ahead[0][0],
        )
    remarks: list[Problem] = []
    if header is None or above:
        ahead, remarks = _without_titles(ahead, above)
    layout = lay_out([cells for _, cells in ahead if isinstance(cells, list)], header)
    _check_names(layout.names)
    rows = chain(islice(ahead, 1, None) if layout.headed else ahead, parsed)
    first = list(islice(rows, 1))
    if not first:
        raise Unreadable("The file has a header but no rows.", row=1)
    pool: dict[str, str] = {}
    results = (_shape(number, row, layout, pool) for number, row in chain(first, rows))
    remarks += [
        Problem(row=1, column="", value="", reason=remark, kind="warning")
        for remark in layout.remarks
    ]
    return OpenTable(
        layout.names,
        results,
        remarks=remarks,
        delimiter=delimiter,
        quoted=quoted,
        headed=layout.headed,
    )


def _without_titles(
    ahead: Sequence[Parsed], above: int | None
) -> tuple[list[Parsed], list[Problem]]:
    """Return the first rows without those above the names of the columns, with the names in one
    row, and a remark about it."""
    read: list[tuple[int, list[str]]] = []
    for number, cells in ahead:
        if isinstance(cells, Problem):
            break
        read.append((number, cells))
    found = column_names([cells for _, cells in read], above)
    if found.rows < 2:
        return list(ahead), []
    number = read[found.rows - 1][0]
    names = f"row {number:,}"
    if found.rows - found.above == 2:
        names = f"rows {read[found.above][0]:,} and {number:,}, which are read as one"
    reason = f"The names of the columns are in {names}."
    if found.above:
        told = " | ".join(filter(None, map(str.strip, read[0][1])))
        reason += f" The text above them is skipped: “{shorten(told)}”."
    remark = Problem(row=read[0][0], column="", value="", reason=reason, kind="warning")
    return [(number, list(found.cells)), *ahead[found.rows :]], [remark]


def read_jsonl(data: bytes) -> RowTable:
    """Return the objects of a JSON Lines file as rows; the header is every key, in the order of its
    first appearance.

    Numbers keep their digits, null is blank. Objects inside objects are opened into columns, and a
    list of objects into rows (see `nesting`); lists of anything else stay JSON.
    """
    return open_jsonl(data).table()


def open_jsonl(data: bytes) -> OpenTable:
    """Return a JSON Lines file as rows."""
    lines = enumerate(open_text(data), 1)
    opening = Opening()
    found = (
        (number, each)
        for number, line in lines
        if line.strip()
        for each in opening.rows(_object(number, line), number)
    )
    return open_objects(found, remarks=opening.remarks)


def open_objects(objects: Iterable[RowOrProblem], *, remarks: Sequence[Problem] = ()) -> OpenTable:
    """Return objects that a reader extracted from its format as rows; several may be from one row
    of the file. The columns are known only after the last object, so all objects are read, and laid
    out as cells, before the first row is yielded.

    A problem in place of an object refuses a row; `remarks` are the problems that refuse none. They
    are read after the last object, so a reader may still add to them.
    """
    places: dict[str, int] = {}
    pool: dict[str, str] = {}
    laid: list[tuple[int, LaidCells] | Problem] = []
    for number, found in objects:
        if len(laid) > MAX_TABLE_ROWS:
            raise _too_many(number)
        laid.append(found if isinstance(found, Problem) else (number, _cells(found, places, pool)))
    header = tuple(places)
    if not header:
        raise Unreadable(_nothing(laid))
    return OpenTable(header, (_filled(each, header) for each in laid), remarks=remarks)


def _cells(found: Mapping[str, object], places: dict[str, int], pool: dict[str, str]) -> LaidCells:
    """Return the values by the places of their names, adding new names; equal texts are stored
    once."""
    cells: dict[int, str] = {}
    for name, value in found.items():
        place = places.setdefault(name, len(places))
        if place >= MAX_TABLE_COLUMNS:
            raise Unreadable(
                f"The objects have more than {MAX_TABLE_COLUMNS:,} different keys, which is the most read."
            )
        text = json_text(value)
        cells[place] = pool.setdefault(text, text)
    # a dict entry takes as much memory as a dozen places in a tuple
    return cells if len(cells) * 12 < len(places) else _in_places(cells, len(places))


def _in_places(cells: Mapping[int, str], width: int) -> tuple[str, ...]:
    row = [""] * width
    for place, text in cells.items():
        row[place] = text
    return tuple(row)


def _filled(laid: tuple[int, LaidCells] | Problem, header: tuple[str, ...]) -> Row | Problem:
    if isinstance(laid, Problem):
        return laid
    number, cells = laid
    if isinstance(cells, dict):
        cells = _in_places(cells, len(header))
    cells += ("",) * (len(header) - len(cells))
    return _refused_cell(number, cells, header) or Row(number, cells)


def _too_many(number: int) -> Unreadable:
    return Unreadable(f"The file has more than {MAX_TABLE_ROWS:,} rows; split it.", row=number)


def _nothing(laid: Sequence[object]) -> str:
    first = next((found for found in laid if isinstance(found, Problem)), None)
    return (
        "The file holds no questions."
        if first is None
        else f"No row can be read. The first: {first.reason}"
    )


def _parse(text: TextIO, *, delimiter: str, quoted: bool) -> Iterator[Parsed]:
    """Yield each record that is not blank with its number; yield a problem for one with broken
    quoting."""
    text.seek(0)
    reader = csv.reader(
        text,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, _broken(number, str(error))
            continue
        if cells:
            yield number, cells


def _broken(number: int, error: str) -> Problem:
    if "unexpected end of data" in error:
        raise Unreadable(
            f"Row {number:,} opens a quotation mark that is never closed. If quotation marks are ordinary characters "
            "in this file, read it without quoting.",
            row=number,
        )
    reason = "A quoted cell goes on after its closing quotation mark; double the quotation marks inside it."
    return Problem(row=number, column="", value="", reason=reason)


def _check_names(names: Sequence[str]) -> None:
    if len(names) > MAX_TABLE_COLUMNS:
        raise Unreadable(
            f"The header has {len(names):,} columns; at most {MAX_TABLE_COLUMNS:,} can be read.",
            row=1,
        )
    for name, count in Counter(names).items():
        if count > 1:
            raise Unreadable(f"The header names the column “{shorten(name)}” {count} times.", row=1)
        if reason := unstorable(name):
            raise Unreadable(f"The name of a column {reason}.", row=1)


def _shape(
    number: int, row: list[str] | Problem, layout: Layout, pool: dict[str, str]
) -> Row | Problem:
    """Return the row under the header. Blank cells beyond it are dropped, because spreadsheets
    export them."""
    if isinstance(row, Problem):
        return row
    names, width = layout.names, len(row)
    if width > len(names) and not any(cell.strip() for cell in row[len(names) :]):
        row = row[: len(names)]
    elif layout.least <= width < len(names):
        row = row + [""] * (len(names) - width)
    if len(row) != len(names):
        reason = f"The row has {len(row)} cells where the header has {len(names)}."
        return Problem(row=number, column="", value=shorten(" | ".join(row)), reason=reason)
    if len(pool) > _POOLED_TEXTS:
        pool.clear()
    return _refused_cell(number, row, names) or Row(number, tuple(map(pool.setdefault, row, row)))


def _refused_cell(number: int, cells: Sequence[str], header: Sequence[str]) -> Problem | None:
    # checking the short cells of a row together is faster than one by one
    short = "".join([cell for cell in cells if len(cell) <= _LONG])
    if unstorable(short) or any(_long_unstorable(cell) for cell in cells if len(cell) > _LONG):
        for name, cell in zip(header, cells, strict=True):
            if reason := unstorable(cell):
                return Problem(
                    row=number, column=name, value=shorten(cell), reason=f"The cell {reason}."
                )
    return None


@lru_cache(maxsize=16)
def _long_unstorable(cell: str) -> str:
    """Check a long cell once: thousands of rows may share a passage."""
    return unstorable(cell)


def _object(number: int, line: str) -> dict[str, object] | Problem:
    try:
        found = parse_json(line)
    except ValueError as error:
        return Problem(
            row=number, column="", value=shorten(line), reason=f"The line is not JSON: {error}."
        )
    if not isinstance(found, dict):
        return Problem(
            row=number, column="", value=shorten(line), reason="The line is JSON but not an object."
        )
    if any(unstorable(key) for key in found):
        return Problem(
            row=number, column="", value="", reason="The name of a key cannot be stored."
        )
    return found


def cell_text(value: object) -> str:
    """Return a value of a typed table as text for people: 3 rather than 3.0, dates in ISO form,
    lists and objects as JSON, a missing value as a blank."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_INTEGER:
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def parse_json(text: str) -> object:
    """Return the value of a JSON text. Numbers stay text, so no digit is lost; NaN and Infinity are
    blank; a repeated key is refused.

    Raises
    ------
    ValueError
        With the reason as a clause of a sentence.
    """
    try:
        found = _JSON.decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(_json_reason(error)) from None
    if text.count("[") + text.count("{") > MAX_JSON_DEPTH and _depth(found) > MAX_JSON_DEPTH:
        raise ValueError(_TOO_DEEP)
    return found


def parse_jsons(text: str) -> Iterator[tuple[int, object]]:
    """Yield the values of consecutive JSON texts, each with its line; they may be separated by
    blanks and commas. ValueError as in `parse_json`."""
    place, line = 0, 1
    while divider := _JSON_DIVIDER.match(text, place):
        line += divider[0].count("\n")
        start = divider.end()
        if start == len(text):
            return
        try:
            found, place = _JSON.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(_json_reason(error)) from None
        if _depth(found) > MAX_JSON_DEPTH:
            raise ValueError(_TOO_DEEP)
        yield line, found
        line += text.count("\n", start, place)


def _json_reason(error: json.JSONDecodeError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    place = f"line {error.lineno:,}" if error.lineno > 1 else f"character {error.colno:,}"
    return f"{error.msg} at {place}"


def _depth(value: object) -> int:
    """Return how deeply lists and objects are nested, checking level by level."""
    level, depth = [value], 0
    while level:
        inside = (
            each.values() if isinstance(each, dict) else each
            for each in level
            if isinstance(each, dict | list)
        )
        level = [each for values in inside for each in values]
        depth += 1
    return depth


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key “{shorten(twice)}” occurs twice in one object")
    return found


_JSON = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=lambda _name: None, object_pairs_hook=_once
)
_JSON_DIVIDER = re.compile(r"[\s,]*")


def row_digest(cells: tuple[str, ...]) -> bytes:
    """Return 16 bytes that distinguish rows, in less memory than their cells. No cell holds a
    NUL."""
    parts = (_long_digest(cell) if len(cell) > _LONG else cell.encode() for cell in cells)
    return blake2b(b"\x00".join(parts), digest_size=16).digest()


@lru_cache(maxsize=16)
def _long_digest(cell: str) -> bytes:
    """Return the digest of a long cell; consecutive rows often have the same passage."""
    return blake2b(cell.encode(), digest_size=16).digest()


def shorten(text: str, *, most: int = 80) -> str:
    """Return the beginning of a text, to be shown in a list of problems."""
    if len(text) <= most and text.isprintable():
        return text
    printable = "".join(
        character if character.isprintable() else " " for character in text[: most + 1]
    )
    return printable if len(printable) <= most else printable[: most - 1] + "…"


def _find_delimiter(text: TextIO) -> str:
    """Return the delimiter under which most of the first rows are as wide as the header, of those
    that divide it; if hardly any is, as under a title, the one under which most rows have one
    width."""
    widths = {delimiter: _widths(text, delimiter, most=_SAMPLE) for delimiter in DELIMITERS}
    dividing = [delimiter for delimiter, (first, _) in widths.items() if first > 1]
    fitting = {delimiter: found[first] for delimiter, (first, found) in widths.items()}
    best = max(dividing or DELIMITERS, key=lambda each: (fitting[each], widths[each][0]))
    first, found = widths[best]
    if first > 1 and 2 * fitting[best] > found.total():
        return best
    under_title = {
        delimiter: max((found[width] for width in found if width > 2), default=0)
        for delimiter, (_, found) in widths.items()
    }
    likely = max(DELIMITERS, key=lambda each: under_title[each])
    return likely if under_title[likely] > _UNDER_TITLE * found.total() else best


def _find_quoting(text: TextIO, delimiter: str) -> bool:
    """Return whether cells are quoted. Only files with tabs may be unquoted: choose the reading in
    which more rows fit the header or, if hardly any does in either, more rows have one width."""
    if delimiter != "\t":
        return True
    widths = {quoted: _widths(text, delimiter, quoted=quoted) for quoted in (True, False)}
    fitting = {quoted: found[first] for quoted, (first, found) in widths.items()}
    if max(fitting.values()) <= 1:
        alike = {
            quoted: max((found[width] for width in found if width > 1), default=0)
            for quoted, (_, found) in widths.items()
        }
        return alike[True] >= alike[False]
    return fitting[True] >= fitting[False]


def _widths(
    text: TextIO, delimiter: str, *, quoted: bool = True, most: int | None = None
) -> tuple[int, Counter[int]]:
    """Return the width of the first row, and the number of rows of each width, up to a quotation
    mark that is never closed."""
    first, found = 0, Counter[int]()
    with suppress(Unreadable):
        for _, cells in islice(_parse(text, delimiter=delimiter, quoted=quoted), most):
            if not isinstance(cells, Problem):
                first = first or len(cells)
                found[len(cells)] += 1
    return first, found
