"""A study as lines of text and back, record by record, so that a process may hand it to another as it goes."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any

from judging.imports.readers.records import (
    MarkRecord,
    NoteRecord,
    Problem,
    QuestionRecord,
    RatingRecord,
    RepeatedRow,
    ScoreColumn,
    SourceRecord,
    Study,
)

_PARTS = {
    "sources": SourceRecord,
    "questions": QuestionRecord,
    "ratings": RatingRecord,
    "notes": NoteRecord,
    "marks": MarkRecord,
    "problems": Problem,
    "repeats": RepeatedRow,
    "score_columns": ScoreColumn,
}
_TUPLES = {"sources": "references", "problems": "choices"}  # lists in JSON


def pack(study: Study) -> Iterator[str]:
    """Yield a line for each record: the part it is in, and its fields in their order."""
    for part, kind in _PARTS.items():
        values = attrgetter(*(each.name for each in fields(kind)))
        yield from (_line([part, *values(record)]) for record in getattr(study, part))
    for (source, system), count in study.expected.items():
        yield _line(["expected", source, system, count])
    yield _line(["rows", study.rows_read, study.rows_kept])


def unpack(lines: Iterable[str]) -> Study:
    """Return the study that the lines hold."""
    parts: dict[str, list[Any]] = {part: [] for part in _PARTS}
    names = {part: [each.name for each in fields(kind)] for part, kind in _PARTS.items()}
    expected: dict[tuple[str, str], int] = {}
    rows = (0, 0)
    for line in lines:
        part, *values = json.loads(line)
        if part == "expected":
            expected[values[0], values[1]] = values[2]
        elif part == "rows":
            rows = (values[0], values[1])
        else:
            found = dict(zip(names[part], values, strict=True))
            if part in _TUPLES:
                found[_TUPLES[part]] = tuple(found[_TUPLES[part]])
            parts[part].append(_PARTS[part](**found))
    records = {part: tuple(found) for part, found in parts.items()}
    return Study(**records, expected=expected, rows_read=rows[0], rows_kept=rows[1])


def _line(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
