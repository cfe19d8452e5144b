"""CSV, TSV and JSON Lines: bytes in, a header and rows of text out, every row accounted for.

`rows_read` is always the number of rows kept plus the number of rows refused, each with its reason. A row is numbered
as a spreadsheet numbers it: the header is row 1, a cell with line breaks is still one row, a blank line takes a number
and is no row. JSON Lines have no header: there a row is its line.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TextIO

from judging.formats.records import Problem
from judging.formats.text import Unreadable, open_text, unstorable

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 2_000
_SAMPLE = 50

Parsed = tuple[int, list[str] | Problem]
Found = tuple[int, Mapping[str, object] | Problem]

# The module's own limit counts silently against long passages; cells are measured after reading, with a sentence.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One row that could be read; it has as many cells as the header."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A file of rows under a header; of its problems, those of the kind `row` are rows that are missing."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    rows_read: int
    delimiter: str = ""
    quoted: bool = True


def read_delimited(data: bytes, *, delimiter: str | None = None, quoted: bool | None = None) -> Table:
    """Return the rows of a CSV or TSV file. What is not declared is found out.

    Raises
    ------
    Unreadable
        Where no row can be had: not text, empty, no rows, two columns of one name, a quotation mark never closed.
    """
    if delimiter and (len(delimiter) > 1 or delimiter in '"\r\n'):
        raise Unreadable("A delimiter is one character, and neither a quotation mark nor a line break.")
    text = open_text(data)
    delimiter = delimiter or _find_delimiter(text)
    quoted = _find_quoting(text, delimiter) if quoted is None else quoted
    return shape_rows(_parse(text, delimiter=delimiter, quoted=quoted), delimiter=delimiter, quoted=quoted)


def shape_rows(parsed: Iterator[Parsed], *, delimiter: str = "", quoted: bool = True) -> Table:
    """Return rows of cells as a table; the first is the header.

    Raises
    ------
    Unreadable
        Where there is no header or nothing under it.
    """
    header = _header(next(parsed, None))
    pool: dict[str, str] = {}
    results = [(number, _shape(number, row, header, pool)) for number, row in parsed]
    return _table(header, results, delimiter=delimiter, quoted=quoted)


def read_jsonl(data: bytes) -> Table:
    """Return the objects of a JSON Lines file as rows; the header is every key, in the order of its first appearance.

    Numbers keep their digits, lists and objects stay JSON, null is blank.
    """
    lines = enumerate(open_text(data), 1)
    return table_of([(number, _object(number, line)) for number, line in lines if line.strip()])


def table_of(objects: Sequence[Found], *, remarks: Sequence[Problem] = ()) -> Table:
    """Return objects that a reader took from another format as rows; several may come from one row of the file.

    A problem in place of an object refuses a row; `remarks` are the problems that refuse none.
    """
    header = tuple(dict.fromkeys(key for _, found in objects if not isinstance(found, Problem) for key in found))
    if len(header) > MOST_COLUMNS:
        raise Unreadable(f"The objects have {len(header):,} different keys; at most {MOST_COLUMNS:,} can be read.")
    if not header:
        raise Unreadable(_nothing(objects))
    pool: dict[str, str] = {}
    results = [(number, _lay_out(number, found, header, pool)) for number, found in objects]
    return _table(header, results, remarks=remarks)


def _nothing(objects: Sequence[Found]) -> str:
    first = next((found for _, found in objects if isinstance(found, Problem)), None)
    return "The file holds no questions." if first is None else f"No row can be read. The first: {first.reason}"


def _table(
    header: tuple[str, ...],
    results: Sequence[tuple[int, Row | Problem]],
    *,
    remarks: Sequence[Problem] = (),
    delimiter: str = "",
    quoted: bool = True,
) -> Table:
    if not results:
        raise Unreadable("The file has a header but no rows.", row=1)
    return Table(
        header=header,
        rows=tuple(row for _, row in results if isinstance(row, Row)),
        problems=(*(row for _, row in results if isinstance(row, Problem)), *remarks),
        rows_read=len(results),
        delimiter=delimiter,
        quoted=quoted,
    )


def _parse(text: TextIO, *, delimiter: str, quoted: bool) -> Iterator[Parsed]:
    """Yield each record that is not blank with its number; one that breaks the quoting is a problem."""
    text.seek(0)
    reader = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=True)
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


def _header(first: Parsed | None) -> tuple[str, ...]:
    cells = first[1] if first else []
    if isinstance(cells, Problem):
        raise Unreadable(f"The header cannot be read. {cells.reason}", row=cells.row)
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))
    if len(names) > MOST_COLUMNS:
        raise Unreadable(f"The header has {len(names):,} columns; at most {MOST_COLUMNS:,} can be read.", row=1)
    for name, count in Counter(names).items():
        if count > 1:
            raise Unreadable(f"The header names the column “{shorten(name)}” {count} times.", row=1)
        if reason := unstorable(name):
            raise Unreadable(f"The name of a column {reason}.", row=1)
    return names


def _shape(number: int, row: list[str] | Problem, header: Sequence[str], pool: dict[str, str]) -> Row | Problem:
    """Return the row under the header. Cells beyond it are dropped where blank: spreadsheets export such."""
    if isinstance(row, Problem):
        return row
    if len(row) > len(header) and not any(cell.strip() for cell in row[len(header) :]):
        row = row[: len(header)]
    if len(row) != len(header):
        reason = f"The row has {len(row)} cells where the header has {len(header)}."
        return Problem(row=number, column="", value=shorten(" | ".join(row)), reason=reason)
    return _row(number, row, header, pool)


def _row(number: int, cells: Sequence[str], header: Sequence[str], pool: dict[str, str]) -> Row | Problem:
    """Keep equal cells once: a passage comes with every question about it."""
    if unstorable("".join(cells)):  # looking at the whole row once is cheaper than at each cell
        for name, cell in zip(header, cells, strict=True):
            if reason := unstorable(cell):
                return Problem(row=number, column=name, value=shorten(cell), reason=f"The cell {reason}.")
    return Row(number, tuple(map(pool.setdefault, cells, cells)))


def _object(number: int, line: str) -> dict[str, object] | Problem:
    try:
        found = parse_json(line)
    except ValueError as error:
        return Problem(row=number, column="", value=shorten(line), reason=f"The line is not JSON: {error}.")
    if not isinstance(found, dict):
        return Problem(row=number, column="", value=shorten(line), reason="The line is JSON but not an object.")
    if any(unstorable(key) for key in found):
        return Problem(row=number, column="", value="", reason="The name of a key cannot be stored.")
    return found


def _lay_out(
    number: int, found: Mapping[str, object] | Problem, header: Sequence[str], pool: dict[str, str]
) -> Row | Problem:
    if isinstance(found, Problem):
        return found
    return _row(number, [json_text(found.get(name)) for name in header], header, pool)


def parse_json(text: str) -> object:
    """Return the value of a JSON text. Numbers stay text, so no digit is lost; a key that comes twice is refused.

    Raises
    ------
    ValueError
        With the reason as a clause.
    """
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}" if error.lineno > 1 else f"character {error.colno:,}"
        raise ValueError(f"{error.msg} at {place}") from None
    except RecursionError:
        raise ValueError("its lists or objects are nested too deeply") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key “{shorten(twice)}” stands twice in one object")
    return found


def json_text(value: object) -> str:
    """Return a JSON value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def shorten(text: str, *, most: int = 80) -> str:
    """Return the beginning of a text, fit to be shown in a list of problems."""
    printable = "".join(character if character.isprintable() else " " for character in text[: most + 1])
    return printable if len(printable) <= most else printable[: most - 1] + "…"


def _find_delimiter(text: TextIO) -> str:
    """Return the delimiter under which most of the first rows are as wide as the header, of those that divide it."""
    widths = {delimiter: _widths(text, delimiter, most=_SAMPLE) for delimiter in DELIMITERS}
    dividing = [delimiter for delimiter, found in widths.items() if found and found[0] > 1]
    fitting = {delimiter: found.count(found[0]) if found else 0 for delimiter, found in widths.items()}
    return max(dividing or DELIMITERS, key=lambda each: (fitting[each], widths[each][:1]))


def _find_quoting(text: TextIO, delimiter: str) -> bool:
    """Only with tabs is a file found without quoting: take the reading in which more rows fit the header."""
    if delimiter != "\t":
        return True
    readings = {quoted: _widths(text, delimiter, quoted=quoted) for quoted in (True, False)}
    fitting = {quoted: widths.count(widths[0]) if widths else 0 for quoted, widths in readings.items()}
    return fitting[True] >= fitting[False]


def _widths(text: TextIO, delimiter: str, *, quoted: bool = True, most: int | None = None) -> list[int]:
    """Return the widths of the rows that can be parsed, up to a quotation mark that is never closed."""
    found: list[int] = []
    with suppress(Unreadable):
        for _, cells in islice(_parse(text, delimiter=delimiter, quoted=quoted), most):
            if not isinstance(cells, Problem):
                found.append(len(cells))
    return found
