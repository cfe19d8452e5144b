"""Packing a study or a table as lines of text, record by record, so that one process can send it to
another while it reads."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from typing import Any

from judging.imports.readers.records import (
    ColumnSummary,
    LostRatings,
    MarkRecord,
    NoteRecord,
    Problem,
    QuestionRecord,
    RatingRecord,
    RepeatedRow,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.tables import AnyTable, OpenTable, Row

_PARTS = {
    "sources": SourceRecord,
    "questions": QuestionRecord,
    "ratings": RatingRecord,
    "judge_ratings": RatingRecord,
    "lost_ratings": LostRatings,
    "notes": NoteRecord,
    "marks": MarkRecord,
    "problems": Problem,
    "repeats": RepeatedRow,
    "score_columns": ScoreColumn,
    "column_summaries": ColumnSummary,
}
_PROBLEM = [each.name for each in fields(Problem)]
_TUPLES = {"sources": "references", "problems": "choices"}  # lists in JSON
_NAMES = ("source_key", "system", "rater", "criterion", "column")
_NOTHING: Mapping[str, str] = {}
_PASSAGE = [each.name for each in fields(SourceRecord)].index("passage")
_ABOUT = [each.name for each in fields(RatingRecord)].index("attributes")
_SAME = "same"  # in place of attributes that equal those of the preceding rating
_TOGETHER = 200
_LONG = 1_000_000  # characters of a line above which it is cut if it holds more than one record
# parts whose records do not share texts
_HELD = (
    "sources",
    "questions",
    "notes",
    "marks",
    "problems",
)
SPOOLED = 1 << 20  # bytes of lines that wait in memory before a temporary file is on the disk
FORM = {part: [each.name for each in fields(kind)] for part, kind in _PARTS.items()}


class TextsTooLong(Exception):
    """The texts that were read have more characters than the caller allows."""


def pack(study: StudyRecords) -> Iterator[str]:
    """Yield lines of records: the name of their part, and each record's fields in order."""
    for part, kind in _PARTS.items():
        values = attrgetter(*(each.name for each in fields(kind)))
        records: Iterable[tuple[Any, ...]] = map(values, getattr(study, part))
        if part == "sources":
            records = _passages_once(records)
        elif part == "ratings":
            records = _attributes_once(records)
        yield from _lines(part, records)
    yield from _lines("expected", ((*pair, count) for pair, count in study.expected.items()))
    yield _line(["rows", study.rows_read, study.rows_kept])


def unpack(lines: Iterable[str], *, most: int | None = None) -> StudyRecords:
    """Return the study in the lines; raise TextsTooLong if its texts have more than `most`
    characters, where a text that records share counts once for each of them."""
    parts: dict[str, list[Any]] = {part: [] for part in _PARTS}
    expected: dict[tuple[str, str], int] = {}
    rows = (0, 0)
    texts: dict[str, str] = {}
    passages: list[str] = []
    length = 0
    for line in lines:
        part, *records = json.loads(line)
        if part in _HELD:
            length += len(line)
            if most is not None and length > most:
                raise TextsTooLong
        if part == "expected":
            for source, system, count in records:
                expected[texts.setdefault(source, source), texts.setdefault(system, system)] = count
        elif part == "rows":
            rows = (records[0], records[1])
        else:
            kept, kind = parts[part], _PARTS[part]
            for values in records:
                if part == "sources":
                    _restore_passage(values, passages)
                named = dict(zip(FORM[part], values, strict=True))
                kept.append(kind(**_shared(named, part, texts, kept)))
    found = {part: tuple(kept) for part, kept in parts.items()}
    return StudyRecords(**found, expected=expected, rows_read=rows[0], rows_kept=rows[1])


def pack_table(table: AnyTable) -> Iterator[str]:
    """Yield lines of a table: its header, its rows, and finally its problems."""
    yield _line(["header", *table.header])
    yield from _lines("row", ((row.number, row.cells) for row in table.rows))
    values = attrgetter(*_PROBLEM)
    yield from _lines("problem", map(values, table.problems))


def unpack_table(lines: Iterator[str]) -> OpenTable:
    """Return the table in the lines, whose rows are read as the lines arrive."""
    _, *header = json.loads(next(lines))
    return OpenTable(tuple(header), _results(lines))


def _results(lines: Iterator[str]) -> Iterator[Row | Problem]:
    for line in lines:
        part, *records = json.loads(line)
        for values in records:
            if part == "row":
                yield Row(values[0], tuple(values[1]))
            else:
                found = dict(zip(_PROBLEM, values, strict=True))
                yield Problem(**found | {"choices": tuple(found["choices"])})


def _shared(
    found: dict[str, Any], part: str, texts: dict[str, str], before: list[Any]
) -> dict[str, Any]:
    """Have records share equal texts, so that half a million equal names are stored once."""
    for name in _NAMES:
        if text := found.get(name):
            found[name] = texts.setdefault(text, text)
    for name in ("scores", "attributes"):
        if name in found and not found[name]:
            found[name] = _NOTHING
    if part == "ratings":  # all ratings of a row carry the row's further values
        found["value"] = texts.setdefault(found["value"], found["value"])
        own = found["attributes"]
        if own == _SAME:
            found["attributes"] = before[-1].attributes
        elif own:
            found["attributes"] = {name: texts.setdefault(said, said) for name, said in own.items()}
    if part in _TUPLES:
        found[_TUPLES[part]] = tuple(found[_TUPLES[part]])
    return found


def _passages_once(records: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Replace a passage that occurred before by its number: thousands of sources may share one long
    text."""
    seen: dict[str, int] = {}
    for values in records:
        passage = values[_PASSAGE]
        number = None if passage is None else seen.get(passage)
        if number is not None:
            yield (*values[:_PASSAGE], number, *values[_PASSAGE + 1 :])
        else:
            if passage is not None:
                seen[passage] = len(seen)
            yield values


def _attributes_once(records: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Replace a rating's attributes by a sign if they equal those of the preceding one, as in all
    ratings of a row."""
    before: object = None
    for values in records:
        if values[_ABOUT] and values[_ABOUT] is before:
            yield (*values[:_ABOUT], _SAME, *values[_ABOUT + 1 :])
        else:
            before = values[_ABOUT]
            yield values


def _restore_passage(values: list[Any], passages: list[str]) -> None:
    """Replace the number of a passage by the passage."""
    passage = values[_PASSAGE]
    if isinstance(passage, int):
        values[_PASSAGE] = passages[passage]
    elif passage is not None:
        passages.append(passage)


def _lines(part: str, records: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield some hundred records in a line: one line for each would take as long as the rest of the
    reading."""
    left = iter(records)
    while together := list(islice(left, _TOGETHER)):
        yield from _cut(part, together)


def _cut(part: str, records: list[tuple[Any, ...]]) -> Iterator[str]:
    """Yield records in one line, or in several if it would be long: records may repeat a text that
    they share in memory."""
    line = _line([part, *records])
    if len(line) <= _LONG or len(records) == 1:
        yield line
    else:
        half = len(records) // 2
        yield from _cut(part, records[:half])
        yield from _cut(part, records[half:])


def _line(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
