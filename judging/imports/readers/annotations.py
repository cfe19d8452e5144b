"""Exports of annotation tools as rows: a task's data and one answer of one annotator.

The reader of a tool yields a row for each answer, under the names of columns given here, and a row
of its own for a task without answers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.guessing import guess
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import AnyTable

SAID = ("rater", "criterion", "value", "note", "mark", "mark_start", "mark_end", "mark_text")
RATER, CRITERION, VALUE, NOTE, MARK, MARK_START, MARK_END, MARK_TEXT = _OURS = tuple(
    f"annotation:{name}" for name in SAID
)
TASK = "task:id"


@dataclass(slots=True)
class Remarks:
    """Remarks on ignored parts, one for each reason, and on each refused value."""

    problems: list[Problem] = field(default_factory=list)
    _said: set[str] = field(default_factory=set)

    def say(self, number: int, reason: str, column: str = "") -> None:
        if reason not in self._said:
            self._said.add(reason)
            self.problems.append(
                Problem(row=number, column=column, value="", reason=reason, kind="warning")
            )

    def refuse(self, number: int, column: str, value: str, reason: str) -> None:
        self.problems.append(
            Problem(row=number, column=column, value=value, reason=reason, kind="value")
        )


def rating(
    number: int, rater: str, criterion: str, values: Iterable[object], remarks: Remarks
) -> dict[str, object] | None:
    """Return an annotator's rating on one criterion; None if there is not exactly one value."""
    texts = [each for each in values if isinstance(each, str) and each.strip()]
    if len(texts) > 1:
        reason = f"{len(texts)} choices are no rating."
        remarks.refuse(number, criterion, ", ".join(texts), reason)
    return {RATER: rater, CRITERION: criterion, VALUE: texts[0]} if len(texts) == 1 else None


def annotated_columns(table: AnyTable, question: str = "") -> ColumnRoles:
    """Return the columns of such a table: proposals from the names of the data, and annotations.

    `question` holds the questions if no name says which column does.
    """
    shown = [(place, name) for place, name in enumerate(table.header) if name not in (*_OURS, TASK)]
    sample = [[row.cells[place] for place, _ in shown] for row in table.sample()]
    columns = guess([name for _, name in shown], sample)
    if not columns.question and not columns.by_system and question in table.header:
        columns = _with_question(columns, question)
    if RATER not in table.header:
        return columns
    present = {role: name for role, name in zip(SAID, _OURS, strict=True) if name in table.header}
    key = columns.key or (TASK if TASK in table.header else "")
    return replace(columns, **_metadata(columns), key=key, **present)  # type: ignore[arg-type]  # names only


def _with_question(columns: ColumnRoles, question: str) -> ColumnRoles:
    """Return the columns with this one as that of the questions, and in no other role."""
    other = {role: "" for role in ("passage", "sentence") if getattr(columns, role) == question}
    metadata = tuple(name for name in columns.metadata if name != question)
    return replace(columns, **other, question=question, metadata=metadata)  # type: ignore[arg-type]  # names only


def _metadata(columns: ColumnRoles) -> dict[str, object]:
    """Return the columns of numbers among the data as metadata, because no annotator of the tool
    gave them."""
    named = [each.column for each in columns.ratings]
    return {"ratings": (), "metadata": (*columns.metadata, *named)}
