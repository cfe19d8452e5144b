"""Batch results of Amazon Mechanical Turk and similar tools: one assignment to a row, its questions
and answers side by side.

Inputs are called `Input.…` or `INPUT:…`, answers `Answer.…` or `OUTPUT:…`. The columns
`Input.question_1a` and `Answer.fluency_1a` belong together by the rest of their names: the stem
says what a column holds, the index which question it belongs to. Inputs whose index begins the
question's (`Input.passage_1`) are shared. A passage may be one column, or three: the part before
the sentence, the sentence, and the part after.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

from judging.imports.readers.columns import ColumnRoles, RatingColumn
from judging.imports.readers.contract import Format, first_line
from judging.imports.readers.json_files import object_at
from judging.imports.readers.records import Problem
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    Row,
    RowOrProblem,
    RowTable,
    open_objects,
    parse_json,
    read_delimited,
    shorten,
)
from judging.imports.readers.text import Unreadable

SlotsAre = Literal["systems", "positions"]
Index = tuple[str, ...]
Cells = Mapping[str, str]

_STEMS = {
    "question": "question generated_question prediction system_question q",
    "passage": "passage paragraph context text document article",
    "before": "passage_before paragraph_before context_before before",
    "after": "passage_after paragraph_after context_after after",
    "sentence": "sentence",
    "answer": "answer",
    "target_type": "target_type",
    "reference": "reference gold_question",
    "system": "system model",
    "source_id": "source_id",
}
_ROLES = {stem: role for role, stems in _STEMS.items() for stem in stems.split()}
_GIVEN = ("source_id", "passage", "sentence", "answer", "target_type", "reference")
_TASK_ANSWERS = "Answer.taskAnswers"
_STRAY = "judgment:Answer."
_SIDES = {"input": "Input", "answer": "Answer", "output": "Answer"}
_WORKER = ("workerid", "worker")
_STATUS = ("assignmentstatus", "status")
_ABOUT = ("AcceptTime", "SubmitTime", "WorkTimeInSeconds")
INDEX_PARTS = 8  # numbers and letters in the name of an input; each beginning of it is looked up


def open_mturk(
    data: bytes, *, slots_are: SlotsAre = "systems", systems: Mapping[str, str] | None = None
) -> OpenTable:
    """Return the judged questions of a batch-results file as rows, one for each question of each
    assignment.

    `slots_are` says what the last letter or number of `question_1a` counts: the systems, one
    question each, if no input column names them, or the positions in one system's set. `systems`
    maps each letter to the column that gives its system in each row: `{"a": "Input.order_a", …}`.
    Rejected assignments are refused.

    Raises
    ------
    Unreadable
        If the file is no table, names no worker, or has no input column of questions.
    """
    table = read_delimited(data, header=True)
    worker, status = (_column_of(table.header, words) for words in (_WORKER, _STATUS))
    assignments = [(row.number, _cells(row, table.header)) for row in table.rows]
    packed = (name for _, cells in assignments for name in cells)
    layout = _Layout.of(chain(table.header, packed), systems or {})
    _check(table, layout, worker, systems or {})
    refused = [problem for problem in table.problems if problem.kind == "row"]
    # rows are yielded as they are made: the caller stops at the limits of a table
    rows: Iterable[RowOrProblem] = (
        (number, each)
        for number, cells in assignments
        for each in _rows(number, {**cells, "WorkerId": cells[worker]}, layout, slots_are, status)
    )
    remarks = [problem for problem in table.problems if problem.kind != "row"]
    return open_objects(
        chain(((problem.row, problem) for problem in refused), rows),
        remarks=[*remarks, *_unplaced(assignments, layout)],
    )


def _column_of(header: Iterable[str], words: Collection[str]) -> str:
    """Return the column whose name, without prefix and punctuation, is one of the words, or ""."""
    plain = {
        name: "".join(filter(str.isalnum, name.rpartition(":")[2])).casefold() for name in header
    }
    return next((name for name, word in plain.items() if word in words), "")


def _check(table: RowTable, layout: "_Layout", worker: str, systems: Mapping[str, str]) -> None:
    """Refuse a file with the true cause: columns that exist are not called missing only because no
    row could be read."""
    inputs = [name for name in table.header if _side(name)[0] == "Input"]
    if not worker:
        raise Unreadable(
            "Batch results name the worker of each row, in a column such as WorkerId; none does.",
            row=1,
        )
    if not layout.questions:
        listed = shorten(", ".join(inputs), most=300) or "there are none"
        raise Unreadable(
            f"No input column is of questions, such as Input.question_1a; inputs: {listed}.", row=1
        )
    if unknown := [column for column in systems.values() if column not in table.header]:
        raise Unreadable(
            f"A system is to be read from “{shorten(unknown[0])}”, which is no column of the file.",
            row=1,
        )
    if not table.rows:
        problem = table.problems[0]
        raise Unreadable(
            f"No row can be read. Row {problem.row:,}: {problem.reason}", row=problem.row
        )


def _side(name: str) -> tuple[str, str]:
    """Return whether a column is an input or an answer, and its name without that prefix; ""
    for other columns."""
    place = min((at for at in (name.find("."), name.find(":")) if at >= 0), default=-1)
    return _SIDES.get(name[:place].casefold(), "") if place > 0 else "", name[place + 1 :]


def mturk_columns(table: AnyTable) -> ColumnRoles:
    """Return the columns of such a table."""
    present = {name: name for name in (*_GIVEN[:-1], "position", "system") if name in table.header}
    answers = [name for name in table.header if name.startswith("Answer.")]
    return ColumnRoles(
        **present,  # type: ignore[arg-type]  # only names of columns
        question="question",
        rater="WorkerId",
        references=("reference",) if "reference" in table.header else (),
        ratings=tuple(
            RatingColumn(column=name, criterion=name.removeprefix("Answer.")) for name in answers
        ),
        rating_metadata=tuple(
            name for name in table.header if name in _ABOUT or name.startswith(_STRAY)
        ),
    )


def split(name: str) -> tuple[str, Index]:
    """Return the stem and the index of a name. The index holds numbers, and single letters that are
    separate or follow a number.

    >>> split("passage_01_before"), split("question_1a")
    (('passage_before', ('1',)), ('question', ('1', 'a')))
    """
    stem: list[str] = []
    index: list[str] = []
    for token in re.findall(r"[^\W\d_]+|[0-9]+", name):
        if token.isdecimal():
            index.append(token.lstrip("0") or "0")
        elif stem and len(token) == 1:
            index.append(token.lower())
        else:
            stem.append(token)
    return "_".join(stem), tuple(index)


@dataclass(frozen=True)
class _Layout:
    """The columns by their content and by the question they belong to."""

    questions: Mapping[Index, str]
    inputs: Mapping[tuple[str, Index], str]
    answers: Mapping[str, tuple[str, Index]]
    systems: Mapping[Index, str] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str], systems: Mapping[str, str]) -> "_Layout":
        inputs: dict[tuple[str, Index], str] = {}
        answers: dict[str, tuple[str, Index]] = {}
        for name in dict.fromkeys(names):
            kind, rest = _side(name)
            stem, index = split(rest)
            if kind == "Input" and stem.lower() in _ROLES and len(index) <= INDEX_PARTS:
                inputs.setdefault((_ROLES[stem.lower()], index), name)
            elif kind == "Answer" and name != _TASK_ANSWERS:
                answers[name] = stem, index
        questions = {index: name for (role, index), name in inputs.items() if role == "question"}
        return cls(
            questions,
            inputs,
            answers,
            {split(f"x_{letter}")[1]: name for letter, name in systems.items()},
        )

    @cached_property
    def answers_to(self) -> Mapping[Index, list[str]]:
        """Return the columns of answers to the question of each index: those of that index, and
        those with one more part, which are options. A batch may have a thousand of both."""
        found: defaultdict[Index, list[str]] = defaultdict(list)
        for name, (_, own) in self.answers.items():
            for index in {own, own[:-1]}:
                found[index].append(name)
        return found

    def given(self, role: str, index: Index) -> tuple[str, Index]:
        """Return the column of this role that the question of this index shares, and the column's
        own index."""
        for length in range(len(index), -1, -1):
            if name := self.inputs.get((role, index[:length])):
                return name, index[:length]
        return "", ()

    def system(self, index: Index) -> str:
        """Return the column that names the system of the question of this index, row by row: the
        declared one, else that of the same index, or of its last part alone if letters are shuffled
        by row."""
        for length in range(len(index), 0, -1):
            if name := self.systems.get(index[-length:]):
                return name
        name, _ = self.given("system", index)
        return name or self.inputs.get(("system", index[-1:]), "")

    @cached_property
    def stray(self) -> tuple[str, ...]:
        """Return the columns of answers that belong to no question."""
        known = self.questions
        return tuple(
            name
            for name, (_, own) in self.answers.items()
            if own not in known and own[:-1] not in known
        )

    def slot(self, index: Index) -> Index:
        """Return the part of a question's index beyond that of its inputs; empty if it has no
        inputs."""
        shared = [
            own
            for role in ("passage", "before", "sentence", "answer")
            for name, own in [self.given(role, index)]
            if name
        ]
        return index[max(map(len, shared)) :] if shared else ()

    def position(self, index: Index) -> int:
        """Return the place of a question among those that share its inputs."""
        group = index[: len(index) - len(self.slot(index))]
        return self._places[group][index]

    @cached_property
    def _places(self) -> Mapping[Index, Mapping[Index, int]]:
        """Return the questions with the same beginning of their index, each with its place."""
        found: defaultdict[Index, dict[Index, int]] = defaultdict(dict)
        for index in self.questions:
            for length in range(len(index) + 1):
                group = found[index[:length]]
                group[index] = len(group) + 1
        return found


def _cells(row: Row, header: tuple[str, ...]) -> Cells:
    """Return the row by column name, with the answers unpacked that newer templates pack into one
    JSON cell."""
    cells = dict(zip(header, row.cells, strict=True))
    try:
        packed = parse_json(cells.get(_TASK_ANSWERS, "") or "[]")
    except ValueError:
        return cells
    for answers in packed if isinstance(packed, list) else ():
        cells |= {f"Answer.{name}": _packed(value) for name, value in object_at(answers).items()}
    return cells


def _packed(value: object) -> str:
    """Return the value of one packed answer; a group of radio buttons is stored as its options with
    true or false."""
    if isinstance(value, dict):
        return next((option for option, chosen in value.items() if chosen is True), "")
    return value if isinstance(value, str) else ""


def _rows(
    number: int,
    cells: Cells,
    layout: _Layout,
    slots_are: SlotsAre,
    status: str,
) -> Iterator[Mapping[str, object] | Problem]:
    worker = cells["WorkerId"]
    rejected = cells.get(status, "").strip().casefold() == "rejected"
    if said := cells[status] if rejected else cells.get("Reject", "").strip():
        reason = "The requester rejected this assignment."
        yield Problem(
            row=number, column=status if rejected else "Reject", value=shorten(said), reason=reason
        )
        return
    about = _about(cells, layout)
    for index, column in layout.questions.items():
        ratings = dict(_ratings(cells, layout, index))
        if cells.get(column, "").strip() or any(ratings.values()):
            given, slot = _given(cells, layout, index), _slot(cells, layout, index, slots_are)
            asked = {"question": cells.get(column, ""), "WorkerId": worker}
            yield given | slot | asked | ratings | about


def _about(cells: Cells, layout: _Layout) -> dict[str, object]:
    """Return the row's values about the assignment as a whole: its times, and answers that belong
    to no question."""
    stray = {
        f"judgment:{name}": cells[name] for name in layout.stray if cells.get(name, "").strip()
    }
    return {**{name: cells[name] for name in _ABOUT if cells.get(name)}, **stray}


def _given(cells: Cells, layout: _Layout, index: Index) -> dict[str, object]:
    found = {
        role: cells.get(name, "")
        for role in _STEMS
        for name, _ in [layout.given(role, index)]
        if name
    }
    if "passage" not in found and ("before" in found or "after" in found):
        found["passage"] = (
            found.get("before", "") + found.get("sentence", "") + found.get("after", "")
        )
    return {role: found[role] for role in _GIVEN if role in found}


def _slot(cells: Cells, layout: _Layout, index: Index, slots_are: SlotsAre) -> dict[str, object]:
    if name := layout.system(index):
        return {"system": cells.get(name, "")}
    slot = layout.slot(index)
    if not slot:
        return {}
    return (
        {"system": "".join(slot)}
        if slots_are == "systems"
        else {"position": str(layout.position(index))}
    )


def _ratings(cells: Cells, layout: _Layout, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the answers to one question; an index with one more part than the question's, with
    `true`, is a chosen option."""
    for name in layout.answers_to.get(index, ()):
        stem, own = layout.answers[name]
        cell = cells.get(name, "").strip()
        if own == index and cell:
            yield f"Answer.{stem}", cell
        elif own != index and cell.casefold() == "true":
            yield f"Answer.{stem}", own[-1]


def _unplaced(assignments: Iterable[tuple[int, Cells]], layout: _Layout) -> Iterator[Problem]:
    """Report once each answer column that belongs to no question and is not empty."""
    strange = set(layout.stray)
    for number, cells in assignments:
        for name in sorted(strange & {name for name, cell in cells.items() if cell.strip()}):
            strange.discard(name)
            reason = "These answers belong to no question; they are kept as metadata of the worker’s ratings."
            yield Problem(
                row=number,
                column=shorten(name),
                value=shorten(cells[name]),
                reason=reason,
                kind="warning",
            )


def _is_like(head: bytes) -> bool:
    line = first_line(head).lower()
    return b"worker" in line and (b"input." in line or b"input:" in line)


READS = (
    Format(
        key="mturk",
        title="MTurk batch results",
        endings=(".csv",),
        is_like=_is_like,
        rank=110,
        table=open_mturk,
        propose=lambda table, _name: mturk_columns(table),
        options=("slots_are", "systems"),
        carries=("questions", "references", "answers", "ratings", "metadata"),
        page="mturk",
    ),
)
