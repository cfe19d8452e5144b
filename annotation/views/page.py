"""The judging page as plain objects, which templates/annotation/judge.html turns into HTML.

Nothing here holds a key of a unit, a question, a set or a system, nor a system's name: fields are
named by shown order.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.views import source_texts
from annotation.views.source_texts import SourceTexts
from judging.base.limits import MAX_PAGE_ROWS
from judging.campaigns.actions.discussions import Decided
from judging.protocols import documents
from judging.protocols.guideline import Block, blocks
from judging.protocols.protocol_schema import (
    BUTTONS_SHOWN,
    CANNOT_JUDGE,
    ProtocolCriterion,
    ProtocolDocument,
)
from judging.protocols.rules import Force, Forced, Identical
from judging.protocols.spans import Marked, Range, Searched
from judging.work.actions.sheets import (
    AskedControl,
    AskedMark,
    AskedQuestion,
    ControlPlace,
    EmptySlot,
    EnteredAnswers,
    Group,
    Sheet,
)

AROUND = 40  # code points shown on either side of a choice
END_OF_MARK = 120  # code points shown of a long mark at its beginning, and at its end


@dataclass(frozen=True, slots=True)
class ShownPoint:
    value: int
    label: str
    description: str
    examples: tuple[str, ...]
    key: str
    missing: bool = False  # an answer that is no value: "cannot say"
    checked: bool = False
    disabled: bool = False

    @property
    def shown_value(self) -> str:
        """Return the value as the page writes it; "" for “cannot judge”."""
        return "–" if self.value == CANNOT_JUDGE.value else str(self.value)


@dataclass(frozen=True, slots=True)
class ShownCriterion:
    name: str
    where: str
    key: str
    legend: str
    note: str
    prompt: str
    definition: str
    required: bool
    control: str
    points: tuple[ShownPoint, ...]
    value: int | None = None
    error: str = ""
    forced: str = ""
    own: str = ""
    # The submitted value of a submitted task; None before the submission
    handed: str | None = None
    forces: str = ""
    low: int = 0
    high: int = 0
    low_label: str = ""
    high_label: str = ""

    @property
    def counted(self) -> int:
        """Return the number of points, without those that are no value."""
        return sum(not point.missing for point in self.points)

    @property
    def described(self) -> list[ShownPoint]:
        """Return the points that have more than a label."""
        return [point for point in self.points if point.description or point.examples]

    @property
    def apart(self) -> bool:
        """Whether some answers are separate from the scale."""
        return self.counted < len(self.points)


@dataclass(frozen=True, slots=True)
class ShownMark:
    """The control for marking the passage for one question; `choices` if a pasted piece occurs more
    than once."""

    name: str
    value: str
    prompt: str
    required: bool
    disabled: bool
    nothing: bool
    pieces: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str, str, str], ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    letter: str
    anchor: str
    text: str | None
    about: tuple[tuple[str, str], ...]
    done: bool
    criteria: tuple[ShownCriterion, ...]
    mark: ShownMark | None = None
    lang: str = ""
    dir: str = "auto"
    # The control for reporting a problem with the question, and its text
    report: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ShownGroup:
    title: str
    questions: tuple[ShownQuestion, ...]
    set_criteria: tuple[ShownCriterion, ...]

    @property
    def apart(self) -> bool:
        """Whether any criterion is about its questions one by one."""
        return any(question.criteria or question.mark for question in self.questions)


@dataclass(frozen=True, slots=True)
class ShownStage:
    key: str
    title: str
    index: int
    count: int

    @property
    def is_last(self) -> bool:
        return self.index == self.count


@dataclass(frozen=True, slots=True)
class DockButton:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class ExerciseDock:
    """The text and the buttons of the bar at the bottom during training and qualification."""

    said: str
    primary: DockButton
    other: DockButton | None = None


@dataclass(frozen=True, slots=True)
class Dock:
    """The conditions for the bar at the bottom of the page."""

    preview: bool
    reenter_url: str
    source: bool
    back_url: bool
    continues: bool
    submitted: bool
    exercise: ExerciseDock | None


@dataclass(frozen=True, slots=True, eq=False)
class Guideline:
    version: str
    sections: tuple[tuple[str, tuple[Block, ...]], ...]
    criteria: tuple[ShownCriterion, ...]


@dataclass(frozen=True, slots=True)
class ShownProtocol:
    """The protocol's part of this page: groups of questions with their controls, the dataset, the
    stage."""

    lang: str
    dir: str
    stage: ShownStage | None
    source: SourceTexts | None
    groups: tuple[ShownGroup, ...]
    guideline: Guideline
    errors: tuple[tuple[str, str], ...]
    view: str  # "focus": one question in view; "list": all, if the task is to compare them
    is_view_fixed: bool  # by the campaign
    empty: str  # the text for a slot of a set without a question
    marking: bool = False
    exercise: Any = None  # an item of training or qualification: exercise_pages.ShownExercise

    def names(self, around: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parts by name together with the page's other values, for its template."""
        exercise, stage = self.exercise, self.stage
        continues = stage is not None and not stage.is_last
        label, action = around["label"], "continue" if continues else "submit"
        dock = Dock(
            preview=around["preview"],
            reenter_url=around["reenter_url"],
            source=self.source is not None,
            back_url=bool(around["back_url"]),
            continues=continues,
            submitted=bool(around.get("submitted")),
            exercise=exercise.dock if exercise else None,
        )
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        texts = {
            "dock": dock,
            "action": exercise.dock.primary.value if exercise else action,
            "introduction": exercise.introduction if exercise else "",
            "feedback": exercise.feedback if exercise else (),
            "submitted": None,
            "whose": _("you are %(label)s") % {"label": label} if label else "",
        }
        progress = progress_texts(around["progress"], exercise.title if exercise else "")
        return {**parts, **texts, **progress, **around}


def progress_texts(progress: Mapping[str, Any], exercise_title: str = "") -> dict[str, str]:
    """Return what the page says about the annotator's progress: the number of the task, or the
    title of an exercise, what is left, and what was earned."""
    number = {"number": progress["current"], "total": progress["total"]}
    minutes, earned = progress.get("minutes_left"), progress.get("earned")
    remaining = ""
    if minutes:
        remaining += ", " + _("about %(minutes)s min left") % {"minutes": minutes}
    if earned:
        remaining += ", " + _("%(amount)s so far") % {"amount": earned}
    if not progress["total"]:
        title = exercise_title or _("Task %(number)s") % number
        return {"number": title, "remaining": remaining}
    done = {"done": progress["done"], "total": progress["total"]}
    return {
        "number": exercise_title or _("Task %(number)s of %(total)s") % number,
        "brief": f"{progress['current']}/{progress['total']}",
        "progress_label": exercise_title or _("%(done)s of %(total)s tasks done") % done,
        "remaining": remaining,
    }


@dataclass(frozen=True, slots=True)
class State:
    """An annotator's state on the page: the answers, the open stage, and whether missing answers
    are named."""

    answers: EnteredAnswers = field(default_factory=dict)
    stage: int = 0
    name_missing: bool = False
    marked: Mapping[int, Marked] = field(default_factory=dict)
    handed: EnteredAnswers | None = None  # the submitted values of a submitted task
    reports: Mapping[int, str] = field(default_factory=dict)  # reported problems by unit
    # the control, and the piece that occurs in the passage more than once
    choosing: tuple[str, str] = (
        "",
        "",
    )


class Writer:
    """Writes one page for one state; holds the values that every control needs."""

    def __init__(self, sheet: Sheet, state: State, *, fixed_view: str = "") -> None:
        self.sheet, self.state, self.fixed_view = sheet, state, fixed_view
        self.protocol = documents.localized(
            sheet.protocol, get_language() or sheet.protocol.language
        )
        self.settled: dict[ControlPlace, Forced] = sheet.settled(state.answers)
        missing, unmarked = (
            sheet.missing(state.answers, stage=state.stage),
            sheet.unmarked(state.marked, stage=state.stage),
        )
        self.missing = {asked.place for asked in missing if asked.unit not in state.reports}
        self.unmarked = {mark.name for mark in unmarked if mark.unit not in state.reports}
        self.named = self.missing if state.name_missing else set()
        self.language = ""
        self.shows = source_texts.shown_parts(sheet, state.stage)
        self.materials = source_texts.sources_by_key(sheet, self.shows)

    def page(self, language: str, decisions: Decided | None = None) -> ShownProtocol:
        """Return the page. `language`: of the dataset; `decisions`: of the study, on the
        guideline."""
        self.language = language
        materials, stages = list(self.materials.values()), self.protocol.stages
        source = materials[0] if len(materials) == 1 and materials[0] else None
        lang, direction = source_texts.direction((source and source.language) or language)
        is_comparison = any("siblings" in stage.shows for stage in stages)
        empty = _("No question was returned")
        if any(isinstance(rule, Identical) for rule in self.protocol.rules):
            empty = _("No question was returned, or an earlier one again")
        return ShownProtocol(
            lang=lang,
            dir=direction,
            stage=self._stage() if len(stages) > 1 else None,
            source=source,
            groups=tuple(self._group(group) for group in self.sheet.groups),
            guideline=guideline_sections(self.protocol, decisions),
            errors=self._errors() if self.state.name_missing else (),
            view=self.fixed_view or ("list" if is_comparison else "focus"),
            is_view_fixed=bool(self.fixed_view),
            empty=empty,
            marking=any(mark.stage == self.state.stage for mark in self.sheet.marks()),
        )

    def _stage(self) -> ShownStage:
        stages, number = self.protocol.stages, self.state.stage
        return ShownStage(stages[number].key, stages[number].title, number + 1, len(stages))

    def _errors(self) -> tuple[tuple[str, str], ...]:
        """Return the anchor and the title of everything that is missing."""
        named = (asked for asked in self.sheet.asked() if asked.place in self.named)
        found = [
            (a.name, f"{a.where} {self.protocol.criterion(a.criterion.key).name}".strip())
            for a in named
        ]
        found += [
            (mark.name, mark.title) for mark in self.sheet.marks() if mark.name in self.unmarked
        ]
        return tuple(found)

    def _group(self, group: Group) -> ShownGroup:
        several = len(self.sheet.groups) > 1
        title = f"{group.questions[0].letter}–{group.questions[-1].letter}" if several else ""
        return ShownGroup(
            title=title,
            questions=tuple(
                self._empty(slot) if isinstance(slot, EmptySlot) else self._question(slot)
                for slot in group.slots()
            ),
            set_criteria=self._criteria(group.asked),
        )

    def _empty(self, slot: EmptySlot) -> ShownQuestion:
        return ShownQuestion(slot.letter, f"q{slot.number}", None, (), done=False, criteria=())

    def _question(self, question: AskedQuestion) -> ShownQuestion:
        own = self.materials.get(question.source) if len(self.materials) > 1 else None
        there = self.materials.get(question.source)
        lang, direction = source_texts.direction((there and there.language) or self.language)
        here = [asked.place for asked in question.asked if asked.stage == self.state.stage]
        is_marked = question.mark is None or question.mark.name not in self.unmarked
        return ShownQuestion(
            letter=question.letter,
            anchor=f"q{question.number}",
            text=question.text,
            about=source_texts.shown_question_lines(question, self.shows, own),
            done=bool(here) and not self.missing.intersection(here) and is_marked,
            criteria=self._criteria(question.asked),
            mark=self._mark(question) if question.mark else None,
            lang=lang,
            dir=direction,
            report=(question.report.name, self.state.reports.get(question.unit, ""))
            if question.report
            else None,
        )

    def _mark(self, question: AskedQuestion) -> ShownMark | None:
        asked = question.mark
        if asked is None or asked.stage > self.state.stage or self.protocol.span_mark is None:
            return None
        text, marked = self._passage(question), self.state.marked.get(question.unit, Marked())
        return ShownMark(
            name=asked.name,
            value=str(marked),
            prompt=self.protocol.span_mark.prompt,
            required=not asked.optional,
            disabled=asked.stage < self.state.stage,
            nothing=marked.nothing,
            pieces=tuple(
                (f"{start}-{end}", _ends(text, start, end)) for start, end in marked.ranges
            ),
            choices=self._choices(asked, text),
            error=_("Still to answer.")
            if self.state.name_missing and asked.name in self.unmarked
            else "",
        )

    def _choices(self, asked: AskedMark, text: str) -> tuple[tuple[str, str, str, str], ...]:
        name, piece = self.state.choosing
        if name != asked.name:
            return ()
        found = islice(Searched(text).places(piece), MAX_PAGE_ROWS)
        return tuple(_in_context(text, each) for each in found)

    def _passage(self, question: AskedQuestion) -> str:
        own = self.materials.get(question.source)
        return "".join(text for text, _kind in own.passage) if own else ""

    def _criteria(self, asked: tuple[AskedControl, ...]) -> tuple[ShownCriterion, ...]:
        """Return the controls of the stages up to the open one."""
        return tuple(self._control(each, asked) for each in asked if each.stage <= self.state.stage)

    def _control(self, asked: AskedControl, beside: tuple[AskedControl, ...]) -> ShownCriterion:
        own, settled = self.state.answers.get(asked.place), self.settled.get(asked.place)
        value = settled.value if settled else own
        frozen = asked.stage < self.state.stage
        shown = criterion(
            self.protocol.criterion(asked.criterion.key),
            value,
            disabled=frozen or settled is not None,
        )
        return replace(
            shown,
            name=asked.name,
            where=asked.where,
            error=_("Still to answer.") if asked.place in self.named else "",
            forced=self._because(settled) if settled else "",
            own="" if own is None else str(own),
            handed=None
            if self.state.handed is None
            else str(self.state.handed.get(asked.place, "")),
            forces=self._forces(asked, beside),
        )

    def _because(self, settled: Forced) -> str:
        """Return the reason in the annotator's language, as worded by the localized protocol's
        rule."""
        rules = zip(self.sheet.protocol.rules, self.protocol.rules, strict=True)
        said = {plain.explanation: local.explanation for plain, local in rules}
        return said.get(settled.explanation, settled.explanation)

    def _forces(self, asked: AskedControl, beside: tuple[AskedControl, ...]) -> str:
        names = {each.criterion.key: each.name for each in beside if each.stage <= self.state.stage}
        rules: list[dict[str, Any]] = [
            {
                "when": [str(rule.value)],
                "set": names[key],
                "to": str(to),
                "because": rule.explanation,
            }
            for rule in self.protocol.rules
            if isinstance(rule, Force) and rule.criterion == asked.criterion.key
            for key, to in rule.sets.items()
            if key in names
        ]
        return json.dumps(rules, ensure_ascii=False) if rules else ""


def _ends(text: str, start: int, end: int) -> str:
    """Return a marked piece; the middle of a long one is omitted."""
    if end - start <= 2 * END_OF_MARK:
        return text[start:end]
    return f"{text[start : start + END_OF_MARK]} … {text[end - END_OF_MARK : end]}"


def _in_context(text: str, place: Range) -> tuple[str, str, str, str]:
    """Return a place, and its text with some text before and after it."""
    start, end = place
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    opening, closing = "…" if start > AROUND else "", "…" if end + AROUND < len(text) else ""
    return f"{start}-{end}", opening + before, text[start:end], after + closing


def criterion(
    words: ProtocolCriterion, value: int | None = None, *, disabled: bool = False
) -> ShownCriterion:
    """Return a criterion's control: labelled buttons, a number if the scale is long, else a
    list."""
    keys = _keys([point.value for point in words.points])
    points = tuple(
        ShownPoint(
            point.value,
            point.label,
            point.description,
            point.examples,
            key,
            missing=point.missing,
            checked=point.value == value,
            disabled=disabled,
        )
        for point, key in zip(words.points, keys, strict=True)
    )
    low, high = words.points[0], words.points[-1]
    control = "radio"
    if len(words.points) > BUTTONS_SHOWN:
        control = "number" if words.is_typed else "select"
    return ShownCriterion(
        name="",
        where="",
        key=words.key,
        legend=words.name,
        note=words.visibility_note,
        prompt=words.prompt,
        definition=words.definition,
        required=not words.optional,
        control=control,
        points=points,
        value=value,
        low=low.value,
        high=high.value,
        low_label=low.label,
        high_label=high.label,
    )


def _keys(values: list[int]) -> list[str]:
    """Return the key that presses each value: its own digit, or a free one if the value is not a
    digit."""
    free = [digit for digit in "1234567890" if int(digit) not in values]
    return [str(value) if 0 <= value <= 9 else (free.pop() if free else "") for value in values]


def guideline_sections(protocol: ProtocolDocument, decisions: Decided | None = None) -> Guideline:
    """Return the protocol's guideline in sections, with the study's further decisions, and its
    criteria in full."""
    if decisions is None:
        return _guideline(protocol.version, protocol.guideline, protocol.criteria)
    said = {"version": protocol.version, "number": decisions.number}
    version = _("%(version)s, decisions %(number)s") % said
    heading = _("Decisions of this study")
    return _guideline(
        version, f"{protocol.guideline}\n\n## {heading}\n\n{decisions.text}", protocol.criteria
    )


@lru_cache(maxsize=50)
def _guideline(version: str, text: str, criteria: tuple[ProtocolCriterion, ...]) -> Guideline:
    """Parse a guideline once: equal texts give one object, by which the page's fragments are
    cached."""
    sections: list[tuple[str, list[Block]]] = []
    for block in blocks(text):
        if block.kind == "heading" or not sections:
            sections.append((block.lines[0] if block.kind == "heading" else "", []))
        if block.kind != "heading":
            sections[-1][1].append(block)
    read = tuple((heading, tuple(below)) for heading, below in sections)
    return Guideline(version, read, tuple(criterion(each) for each in criteria))
