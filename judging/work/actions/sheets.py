"""What one annotator is asked about one task: questions in their shown order, and which answers are
wanted, forced or missing. Names on a page come from here and contain only the shown order and the
criterion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from django.utils.translation import gettext as _

from judging.base.models.statements import query_rows
from judging.base.refusals import Refused
from judging.campaigns import design
from judging.campaigns.actions import draws
from judging.campaigns.design import KeyedDraws
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Task
from judging.protocols.actions.protocols import document_of
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from judging.protocols.rules import Forced, apply_slot_rules, forced_values
from judging.protocols.spans import Marked

PlacedItem = TypeVar("PlacedItem")
ControlPlace = tuple[int, int]  # unit, criterion: where an answer belongs
EnteredAnswers = Mapping[ControlPlace, int]


@dataclass(frozen=True, slots=True)
class AskedControl:
    """One control of the page. `name` is its only identifier on the page, `where` the letter or
    letters of its questions."""

    name: str
    where: str
    unit: int
    criterion_id: int
    stage: int
    criterion: ProtocolCriterion

    @property
    def place(self) -> ControlPlace:
        return self.unit, self.criterion_id

    @property
    def title(self) -> str:
        return f"{self.where} {self.criterion.name}".strip()


@dataclass(frozen=True, slots=True)
class AskedMark:
    """The mark in the passage that is asked for one question."""

    name: str
    where: str
    unit: int
    stage: int
    optional: bool

    @property
    def title(self) -> str:
        return f"{self.where} " + _("Answer in the passage")


@dataclass(frozen=True, slots=True)
class AskedReport:
    """The field in which an annotator may report that a question is broken, and how."""

    name: str
    where: str
    unit: int

    @property
    def title(self) -> str:
        return f"{self.where} " + _("Broken item")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it is shown, and what is asked about it."""

    number: int
    letter: str
    unit: int
    source: int
    text: str
    submitted_answer: str
    question_type: str
    asked: tuple[AskedControl, ...]
    mark: AskedMark | None = None
    report: AskedReport | None = None


@dataclass(frozen=True, slots=True)
class EmptySlot:
    """A slot of a question set without a question to judge: none was returned, or it repeats an
    earlier one."""

    number: int
    letter: str


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that are shown together, what is asked about them as a set, and the empty slots
    between them."""

    number: int
    questions: tuple[AskedQuestion, ...]
    asked: tuple[AskedControl, ...]
    empty: tuple[EmptySlot, ...] = ()

    def slots(self) -> list[AskedQuestion | EmptySlot]:
        """Return questions and empty slots in their shown order."""
        return sorted((*self.questions, *self.empty), key=lambda slot: slot.number)


class NotAsked(Refused):
    """The page has no such control."""

    code = "unknown_field"
    status = 422


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that is asked on one screen."""

    protocol: ProtocolDocument
    groups: tuple[Group, ...]

    def questions(self) -> Iterator[AskedQuestion]:
        return (question for group in self.groups for question in group.questions)

    def asked(self) -> Iterator[AskedControl]:
        for group in self.groups:
            yield from (asked for question in group.questions for asked in question.asked)
            yield from group.asked

    def marks(self) -> Iterator[AskedMark]:
        return (question.mark for question in self.questions() if question.mark)

    def reports(self) -> Iterator[AskedReport]:
        return (question.report for question in self.questions() if question.report)

    def find_report(self, name: str) -> AskedReport:
        """Return the report of that name, or raise NotAsked."""
        for report in self.reports():
            if report.name == name:
                return report
        raise NotAsked(_("This task has no field called %(name)s.") % {"name": name})

    def find_mark(self, name: str) -> AskedMark:
        """Return the mark of that name, or raise NotAsked."""
        for mark in self.marks():
            if mark.name == name:
                return mark
        raise NotAsked(_("This task has no field called %(name)s.") % {"name": name})

    def unmarked(
        self, marked: Mapping[int, Marked], *, stage: int | None = None
    ) -> tuple[AskedMark, ...]:
        """Return what must still be marked, in one stage or in all."""
        wanted = (
            mark for mark in self.marks() if not mark.optional and stage in (None, mark.stage)
        )
        return tuple(mark for mark in wanted if not marked.get(mark.unit))

    def find(self, name: str) -> AskedControl:
        """Return the control of that name, or raise NotAsked."""
        for asked in self.asked():
            if asked.name == name:
                return asked
        raise NotAsked(_("This task has no field called %(name)s.") % {"name": name})

    def settled(self, answers: EnteredAnswers) -> dict[ControlPlace, Forced]:
        """Return the values that the protocol's rules force, given the answers so far."""
        units = [question.asked for question in self.questions()]
        for group in self.groups:
            for kind in ("question", "set"):
                units.append(tuple(a for a in group.asked if a.criterion.unit == kind))
        found: dict[ControlPlace, Forced] = {}
        for controls in units:
            places = {control.criterion.key: control.place for control in controls}
            given = {key: answers[place] for key, place in places.items() if place in answers}
            for key, value in forced_values(self.protocol.rules, given).items():
                if key in places:
                    found[places[key]] = value
        return found

    def stored_at(self, asked: AskedControl) -> ControlPlace:
        """Return where a control's value is stored; a value that is asked once for a set is stored
        at each of its questions, and the first is returned."""
        if asked.criterion.asked != "once_per_set":
            return asked.place
        own = next(group for group in self.groups if asked in group.asked)
        return own.questions[0].unit, asked.criterion_id

    def missing(
        self, answers: EnteredAnswers, *, stage: int | None = None
    ) -> tuple[AskedControl, ...]:
        """Return what must still be answered, in one stage or in all."""
        there = {**answers, **self.settled(answers)}
        wanted = (asked for asked in self.asked() if not asked.criterion.optional)
        return tuple(a for a in wanted if stage in (None, a.stage) and a.place not in there)

    def values(self, answers: EnteredAnswers) -> dict[ControlPlace, tuple[int, str]]:
        """Return each value to be stored with its cause, "" if the annotator gave it: a value that
        is asked once for a set goes to each of its questions, and a value that a rule forces
        replaces the annotator's own."""
        settled = self.settled(answers)
        values: dict[ControlPlace, tuple[int, str]] = {}
        for stored, place in self.entered_at().items():
            if place in settled:
                values[stored] = settled[place].value, settled[place].cause
            elif place in answers:
                values[stored] = answers[place], ""
        return values

    def entered_at(self) -> dict[ControlPlace, ControlPlace]:
        """Return, for each place where a value is stored, the place of the control that gives it."""
        found: dict[ControlPlace, ControlPlace] = {}
        for group in self.groups:
            members = [question.unit for question in group.questions]
            for asked in (*(a for q in group.questions for a in q.asked), *group.asked):
                units = members if asked.criterion.asked == "once_per_set" else [asked.unit]
                found |= {(unit, asked.criterion_id): asked.place for unit in units}
        return found


@dataclass(frozen=True)
class Known:
    """A protocol's document and its criteria's ids; protocols never change, so they are read once."""

    document: ProtocolDocument
    ids: Mapping[str, int]

    @cached_property
    def stages(self) -> dict[str, int]:
        """Return the number of each stage, from 0."""
        return {stage.key: number for number, stage in enumerate(self.document.stages)}

    @cached_property
    def of_questions(self) -> list[ProtocolCriterion]:
        """Return the criteria about single questions."""
        return [criterion for criterion in self.document.criteria if criterion not in self.of_sets]

    @cached_property
    def of_sets(self) -> list[ProtocolCriterion]:
        """Return the criteria about a set as a whole."""
        return [
            criterion
            for criterion in self.document.criteria
            if criterion.unit == "set" or criterion.asked == "once_per_set"
        ]

    @cached_property
    def takes_reports(self) -> bool:
        """Whether a question may be reported as broken: the protocol allows it, and single
        questions are rated."""
        return self.document.broken_items == "reported" and any(
            question.unit == "question" for question in self.of_questions
        )

    def controls(
        self, criteria: Iterable[ProtocolCriterion], line: SheetLine, name: str, where: str
    ) -> tuple[AskedControl, ...]:
        """Return the controls for a question or a set."""
        return tuple(
            AskedControl(
                f"{name}.{criterion.key}",
                where,
                line.unit,
                self.ids[criterion.key],
                self.stages[criterion.stage],
                criterion,
            )
            for criterion in criteria
        )


def cached_protocol(protocol: Protocol) -> Known:
    """Return a protocol's document and its criteria's ids, from a cache if they were read before."""
    return _known(protocol.pk, protocol.digest)


@lru_cache(maxsize=50)
def _known(pk: int, digest: str) -> Known:
    protocol = Protocol.objects.get(pk=pk)
    return Known(document_of(protocol), dict(protocol.criteria.values_list("key", "pk")))


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A unit of a task, as one row."""

    unit: int
    slot: int | None
    question_set: int
    expected: int
    source: int
    text: str | None
    submitted_answer: str | None
    question_type: str | None


LINES = """
SELECT shown.task_id, unit.id, unit.position, held.id, held.expected, held.source_id,
    question.text, question.submitted_answer, question.question_type
FROM judging_taskunit shown
JOIN judging_unit unit ON unit.id = shown.unit_id
JOIN judging_questionset held ON held.id = unit.question_set_id
LEFT JOIN judging_question question ON question.unit_id = unit.id
WHERE shown.task_id {which} ORDER BY shown.task_id, shown.position
"""
OF_ONE, OF_SEVERAL = LINES.format(which="= %(task)s"), LINES.format(which="= ANY(%(tasks)s)")


def sheet_of_assignment(assignment: Assignment) -> Sheet:
    """Return the sheet of an assignment, in its annotator's own order."""
    return _of(assignment, _lines(assignment.task_id))


def sheets_of_assignments(assignments: Sequence[Assignment]) -> list[Sheet]:
    """Return the sheets of several assignments, with a single query for their units."""
    found: dict[int, list[SheetLine]] = {assignment.task_id: [] for assignment in assignments}
    for task, *row in query_rows(OF_SEVERAL, {"tasks": list(found)}):
        found[task].append(SheetLine(*row))
    return [_of(assignment, found[assignment.task_id]) for assignment in assignments]


def task_lines(task: Task) -> tuple[SheetLine, ...]:
    """Return a task's units as rows, in the order of the file."""
    return _lines(task.pk)


@lru_cache(maxsize=1_000)
def _lines(task: int) -> tuple[SheetLine, ...]:
    """Read a task once: it never changes, and every click of its annotators needs it again."""
    return tuple(SheetLine(*row) for _task, *row in query_rows(OF_ONE, {"task": task}))


def _of(assignment: Assignment, lines: Iterable[SheetLine]) -> Sheet:
    round, enrollment = assignment.round, assignment.enrollment
    order = TaskOrder(
        draws=draws.of_campaign(round.campaign),
        annotator=str(enrollment.draw_id) if enrollment else "",
        task=f"{draws.round_name(round)}/{assignment.task.number}",
    )
    return arrange(cached_protocol(round.campaign.protocol), lines, order=order)


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """The order in which one annotator sees the items of one task."""

    draws: KeyedDraws
    annotator: str
    task: str

    def of(self, items: Sequence[PlacedItem]) -> list[PlacedItem]:
        drawn = design.shown_order(
            len(items), draws=self.draws, enrollment_key=self.annotator, task_key=self.task
        )
        return [items[index] for index in drawn]


# need not blind: only researchers see it
PREVIEW = TaskOrder(KeyedDraws(b"preview"), "preview", "preview")


def order_units(protocol: Protocol, lines: Iterable[SheetLine], *, order: TaskOrder) -> Sheet:
    """Put a task's units in their shown order: single questions and sets are shuffled, a set keeps
    its own order."""
    return arrange(cached_protocol(protocol), lines, order=order)


def arrange(asks: Known, lines: Iterable[SheetLine], *, order: TaskOrder) -> Sheet:
    """Put units in their shown order, as `lay_out` does, for a protocol that need not be stored."""
    sets: dict[int, list[SheetLine]] = {}
    for line in lines:
        sets.setdefault(line.question_set, []).append(line)
    if asks.document.task == "question_set" or any(
        line.slot is None for held in sets.values() for line in held
    ):
        bundles = order.of(list(sets.values()))
    else:
        bundles = [order.of([line for held in sets.values() for line in held])]
    return Sheet(asks.document, tuple(_groups(asks, bundles)))


def _groups(asks: Known, bundles: Sequence[Sequence[SheetLine]]) -> Iterator[Group]:
    shown = 0
    for number, bundle in enumerate(bundles, start=1):
        lines = [line for line in bundle if line.slot is not None and line.text]
        numbers, empty = _numbers(asks, lines, shown)
        questions = tuple(
            _question(asks, line, place) for place, line in zip(numbers, lines, strict=True)
        )
        where = "" if len(bundles) == 1 else f"{questions[0].letter}–{questions[-1].letter}"
        set_lines = [line for line in bundle if line.slot is None]
        never_asked = _never_asked(asks, lines) if set_lines else set()
        asked = tuple(
            control
            for line in set_lines
            for control in asks.controls(asks.of_sets, line, f"s{number}", where)
            if control.criterion.key not in never_asked
        )
        slots = tuple(EmptySlot(place, design.letter(place - 1)) for place in empty)
        yield Group(number, questions, asked, slots)
        shown += len(lines) + len(empty)


def _numbers(asks: Known, lines: Sequence[SheetLine], shown: int) -> tuple[list[int], list[int]]:
    """Return the numbers of the questions, and those of the empty slots.

    If a task is one set in its own order, the position in the set is part of what is judged: a
    question keeps its slot's number. In other tasks questions are numbered as they are shown.
    """
    if asks.document.task != "question_set":
        return list(range(shown + 1, shown + len(lines) + 1)), []
    slots = [line.slot or 0 for line in lines]
    expected = max((max(line.expected, line.slot or 0) for line in lines), default=0)
    return [shown + slot for slot in slots], [
        shown + n for n in range(1, expected + 1) if n not in slots
    ]


def _never_asked(asks: Known, lines: Sequence[SheetLine]) -> set[str]:
    """Return the criteria whose values the protocol's rules set beforehand for a set from which
    questions are missing: a lone question has no variety."""
    texts = [line.text for line in lines]
    slots = texts + [None] * (max((line.expected for line in lines), default=0) - len(texts))
    marks = apply_slot_rules(slots, asks.document.rules, asks.document.worst())[: len(texts)]
    return set.intersection(*(set(mark.values) for mark in marks)) if marks else set()


def _question(asks: Known, line: SheetLine, number: int) -> AskedQuestion:
    """Return a question with what is asked about it; names contain only the shown order."""
    letter = design.letter(number - 1)
    span_mark = asks.document.span_mark
    mark = None
    if span_mark:
        stage = asks.stages[span_mark.stage]
        mark = AskedMark(f"m{number}", letter, line.unit, stage, span_mark.optional)
    return AskedQuestion(
        number=number,
        letter=letter,
        unit=line.unit,
        source=line.source,
        text=line.text or "",
        submitted_answer=line.submitted_answer or "",
        question_type=line.question_type or "",
        asked=asks.controls(asks.of_questions, line, f"q{number}", letter),
        mark=mark,
        report=AskedReport(f"b{number}", letter, line.unit) if asks.takes_reports else None,
    )
