"""Reading a file with every proposal accepted, as a user in a hurry does."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from judging.imports.readers.columns import BadColumns
from judging.imports.readers.outline import Outline, outline
from judging.imports.readers.records import StudyRecords, unreadable
from judging.imports.readers.registry import sniff
from tests import shared_data


def read(
    data: str | bytes, name: str = "a.csv", options: Mapping[str, Any] | None = None
) -> tuple[Outline, StudyRecords]:
    """Return what the pages say of a file, and the study under the proposed columns."""
    raw = data.encode() if isinstance(data, str) else data
    known = sniff(name, raw)
    found = outline(data=raw, known=known, name=name, options=options)
    try:
        return found, known.read(raw, name=name, columns=found.proposed, options=options)
    except BadColumns as error:
        return found, unreadable(str(error))


def case(folder: str, name: str) -> tuple[Outline, StudyRecords]:
    """Read one of the shared cases, or skip the test."""
    path: Path = shared_data.path(f"cases/{folder}/{name}")
    return read(path.read_bytes(), name)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV."""
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue()


def as_workbook(**sheets: Iterable[Sequence[object]]) -> bytes:
    """Return sheets as a workbook."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def remarks(found: Outline) -> list[str]:
    """Return what the page says of the file as a whole."""
    return [each.reason for each in found.problems if not each.row and each.kind == "warning"]


def texts(study: StudyRecords) -> list[str | None]:
    """Return the questions in the order of the file."""
    return [question.text for question in study.questions]


def values(study: StudyRecords) -> dict[str, list[str]]:
    """Return the ratings of each annotator in the order of the file."""
    found: dict[str, list[str]] = {}
    for rating in study.ratings:
        found.setdefault(rating.rater, []).append(rating.value)
    return found
