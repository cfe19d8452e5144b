"""Score the rows of a plain table and return a column of scores; used only by `manage.py score`."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quaestor_metrics._contract import (
    Item,
    MetricResult,
    MetricSpec,
    Need,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
    Scorer,
)
from quaestor_metrics._scoring import score

AT_ONCE = 5000


class BadCell(ValueError):
    """A cell or column that cannot be scored; the message names it, with the row number of a
    spreadsheet."""

    def __init__(self, reason: str, *, row: int = 0, column: str = "") -> None:
        super().__init__(reason)
        self.row = row
        self.column = column


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumns:
    """The names of a table's columns by their role; blank if the table has none."""

    hypothesis: str
    reference: str = ""
    context: str = ""
    answer: str = ""
    source: str = ""
    system: str = ""
    reference_separator: str = ""

    def named(self) -> list[str]:
        """Return every column that the table must have."""
        every = (
            self.hypothesis,
            self.reference,
            self.context,
            self.answer,
            self.source,
            self.system,
        )
        return [name for name in every if name]


@dataclass(frozen=True, slots=True)
class TableLine:
    """One row of the table: its question, and the source and system it belongs to."""

    question: ScoredQuestion
    source: str
    system: str


def lines(rows: Iterable[tuple[int, Mapping[str, str]]], columns: TableColumns) -> list[TableLine]:
    """Read the rows; a blank reference is refused with its row."""
    return [_line(number, row, columns) for number, row in rows]


def references(cell: str, separator: str) -> tuple[str, ...]:
    """Return the references of a cell: parts between separators, a JSON list of texts, or the cell
    itself."""
    if separator:
        return tuple(part.strip() for part in cell.split(separator))
    if cell.lstrip().startswith("["):
        try:
            found = json.loads(cell)
        except ValueError:
            return (cell,)
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            return tuple(found)
    return (cell,)


def scored(
    metric: Scorer,
    table: Sequence[TableLine],
    *,
    params: Mapping[str, Any] | None = None,
    preparation: Preparation,
    language: str = "en",
    progress: Callable[[int], None] = lambda done: None,
) -> list[MetricResult]:
    """Return one result a row; the rows of a set or a system share theirs.

    A set is the rows of one source and one system, with every reference that they name; a metric
    that weighs by the whole study gets the table at once, any other in chunks.
    """
    groups = _groups(metric.spec, table)
    items = [_item(metric.spec.unit, [table[place] for place in places]) for places in groups]
    size = len(items) if Need.STUDY in metric.spec.needs else AT_ONCE
    results: list[MetricResult] = []
    for start in range(0, len(items), max(1, size)):
        part = items[start : start + size]
        results.extend(
            score(metric, part, params=params, preparation=preparation, language=language)
        )
        progress(len(results))
    by_row = {
        place: result for places, result in zip(groups, results, strict=True) for place in places
    }
    return [by_row[place] for place in range(len(table))]


def _line(number: int, row: Mapping[str, str], columns: TableColumns) -> TableLine:
    found = (
        references(row[columns.reference], columns.reference_separator) if columns.reference else ()
    )
    for reference in found:
        if not reference.strip():
            hint = "a reference is blank; write [] where a question has none"
            raise BadCell(hint, row=number, column=columns.reference)
    question = ScoredQuestion(
        hypothesis=row[columns.hypothesis],
        references=found,
        context=row[columns.context] if columns.context else "",
        answer=row[columns.answer] if columns.answer else "",
    )
    return TableLine(
        question,
        row[columns.source] if columns.source else "",
        row[columns.system] if columns.system else "",
    )


def _groups(spec: MetricSpec, table: Sequence[TableLine]) -> list[list[int]]:
    found: dict[object, list[int]] = {}
    for place, line in enumerate(table):
        key = {ScoredUnit.SET: (line.source, line.system), ScoredUnit.SYSTEM: line.system}.get(
            spec.unit, place
        )
        found.setdefault(key, []).append(place)
    return list(found.values())


def _item(unit: ScoredUnit, group: Sequence[TableLine]) -> Item:
    questions = tuple(line.question for line in group)
    if unit is ScoredUnit.SYSTEM:
        return ScoredSystem(questions)
    if unit is ScoredUnit.SET:
        return ScoredSet(
            hypotheses=tuple(question.hypothesis for question in questions),
            references=tuple(
                dict.fromkeys(
                    reference for question in questions for reference in question.references
                )
            ),
            answers=tuple(question.answer for question in questions),
            context=questions[0].context,
        )
    return questions[0]
