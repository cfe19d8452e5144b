"""An LLM judge's answers as a table: wide, with a column for each criterion, or long, with a row
for each answer.

An item is named by its id in the campaign's own list, by source and system (and position), or by
its text. No value is interpreted freely: it must be a point of the scale or that point's label;
every other value is reported with its row and skipped.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judging.base.limits import MAX_QUESTIONS_PER_SET
from judging.base.texts import whole_number
from judging.formats.frames import WHOLE_FILE, Problem, Unreadable
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument

NAMES: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "id", "unit"),
    "source": ("source", "source_id", "source_key"),
    "system": ("system", "model_name", "system_name"),
    "position": ("position", "slot", "number"),
    "question": ("question", "prediction", "text", "generated_question"),
    "repeat": ("repeat", "repetition", "run"),
    "place": ("place", "shown_at", "order_shown"),
    "criterion": ("criterion", "dimension", "aspect"),
    "value": ("value", "score", "rating", "judgment", "answer_value"),
    "rationale": ("rationale", "explanation", "reason", "reasoning"),
    "raw": ("raw", "response", "completion", "raw_answer"),
}
Header = Sequence[str]
RAW_KEPT = 20_000  # characters stored of a judge's reason, and of its raw answer


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One question of the campaign, and the set it belongs to."""

    unit: int
    set_unit: int | None
    token: str
    source: str
    system: str
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """One value that the judge gave."""

    unit: int
    criterion: str
    value: int
    repeat: int
    rationale: str = ""
    raw: str = ""
    place: int | None = None  # the question's place among those shown together


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswers:
    """The contents of a table: answers, the number of blank cells, and the problems."""

    answers: tuple[JudgeAnswer, ...]
    blank: int
    problems: tuple[Problem, ...]
    columns: Mapping[str, str] = field(default_factory=dict)  # which column was read as what


class _AnswerRefused(ValueError):
    """A row or cell cannot be used; the message says why."""

    def __init__(self, reason: str, column: str = "", cell: str = "") -> None:
        super().__init__(reason)
        self.column, self.cell = column, cell

    def problem(self, row: int, column: str, cell: str) -> Problem:
        return Problem(row=row, column=column, value=cell[:200], reason=str(self), kind="value")


def read_answers(
    header: Header,
    rows: Iterable[tuple[int, Sequence[str]]],
    items: Sequence[JudgedItem],
    protocol: ProtocolDocument,
) -> JudgeAnswers:
    """Read a judge's answers from a table, of which each row has a number and a cell per column.

    Raises
    ------
    Unreadable
        If no column names the items, or none holds judgments on a criterion of the protocol.
    """
    reader = _AnswerReader(header, items, protocol)
    for number, cells in rows:
        reader.take(number, cells)
    if unread := [f"“{name}”" for name in header if name not in reader.columns.values()]:
        reason = (
            f"No criterion and no part of an answer has the name of {', '.join(unread)}: not read."
        )
        reader.problems.append(
            Problem(row=WHOLE_FILE, column="", value="", reason=reason, kind="warning")
        )
    for what, count in reader.cut.items():
        texts = f"{count:,} texts are" if count > 1 else "1 text is"
        reason = f"{texts} longer than {RAW_KEPT:,} characters, of which the first are kept."
        column = reader.columns[what]
        warning = Problem(row=WHOLE_FILE, column=column, value="", reason=reason, kind="warning")
        reader.problems.append(warning)
    return JudgeAnswers(
        answers=tuple(reader.answers),
        blank=reader.blank,
        problems=tuple(sorted(reader.problems, key=lambda problem: problem.row)),
        columns=reader.columns,
    )


@dataclass
class _AnswerReader:
    """Reads the rows of a table, and keeps which repetitions were read."""

    header: Header
    items: Sequence[JudgedItem]
    protocol: ProtocolDocument
    answers: list[JudgeAnswer] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    blank: int = 0
    cut: Counter[str] = field(default_factory=Counter)
    taken: dict[tuple[int, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    last: dict[tuple[int, str], int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        self.places, self.named = _places(self.header), _named(self.protocol)
        self.is_long = {"criterion", "value"} <= self.places.keys()
        self.wide = {} if self.is_long else _wide(self.header, self.named)
        self._check()
        places = self.places | {key: place for place, key in self.wide.items()}
        self.columns = {what: self.header[place] for what, place in places.items()}
        self.find = _Finder(self.items)
        self.criteria = {criterion.key: criterion for criterion in self.protocol.criteria}
        self.scales = {
            criterion.key: _scale(criterion, self.protocol) for criterion in self.protocol.criteria
        }

    def _check(self) -> None:
        if not self.is_long and not self.wide:
            named = ", ".join(criterion.key for criterion in self.protocol.criteria)
            raise Unreadable(
                f"no column is named as a criterion ({named}), and none is called criterion beside one value"
            )
        has_id = {"item", "question"} & self.places.keys()
        if not has_id and not {"source", "system"} <= self.places.keys():
            raise Unreadable("no column names the items: item, question, or source and system")

    def take(self, number: int, cells: Sequence[str]) -> None:
        """Read one row; blank cells are counted, and what is no answer is reported."""
        row = {what: cells[place].strip() for what, place in self.places.items()}
        self.cut.update(what for what in ("rationale", "raw") if len(row.get(what, "")) > RAW_KEPT)
        try:
            item, given = self.find.item(row), self._given(row, cells)
        except _AnswerRefused as refusal:
            self.problems.append(refusal.problem(number, refusal.column, refusal.cell))
            return
        for column, criterion, value in given:
            if not value.strip():
                self.blank += 1
                continue
            try:
                self.answers.append(self._answer(item, criterion, value, row))
            except _AnswerRefused as refusal:
                self.problems.append(refusal.problem(number, column, value))

    def _given(self, row: Mapping[str, str], cells: Sequence[str]) -> list[tuple[str, str, str]]:
        if not self.is_long:
            return [(criterion, criterion, cells[at]) for at, criterion in self.wide.items()]
        if _folded(row["criterion"]) not in self.named:
            reason = "is no criterion of the protocol"
            raise _AnswerRefused(reason, "criterion", row["criterion"])
        return [("value", self.named[_folded(row["criterion"])], row["value"])]

    def _answer(self, item: JudgedItem, key: str, cell: str, row: Mapping[str, str]) -> JudgeAnswer:
        """Return a judgment of an item; repetitions without a column are counted in order."""
        value = self._value(key, cell)
        unit = item.set_unit if self.criteria[key].unit == "set" else item.unit
        if unit is None:
            raise _AnswerRefused("the question set has no unit")
        repeat, place = self._repeat((unit, key), row), _counted(row.get("place", ""), "places")
        self.taken[unit, key].add(repeat)
        self.last[unit, key] = max(self.last[unit, key], repeat)
        rationale, raw = (row.get(what, "")[:RAW_KEPT] for what in ("rationale", "raw"))
        return JudgeAnswer(unit, key, value, repeat, rationale, raw, place)

    def _value(self, key: str, cell: str) -> int:
        criterion, value = self.criteria[key], self.scales[key].get(_folded(cell))
        if value is None:
            points = ", ".join(str(point.value) for point in criterion.points[:12])
            points += ", …" if len(criterion.points) > 12 else ""
            raise _AnswerRefused(f"is no point of {criterion.name} ({points})")
        return value

    def _repeat(self, about: tuple[int, str], row: Mapping[str, str]) -> int:
        repeat = _counted(row.get("repeat", ""), "repetitions") or self.last[about] + 1
        if repeat in self.taken[about]:
            raise _AnswerRefused(f"repetition {repeat} of this item is in an earlier row")
        if repeat > MAX_QUESTIONS_PER_SET:
            raise _AnswerRefused(f"earlier rows answer this item {MAX_QUESTIONS_PER_SET:,} times")
        return repeat


def _counted(cell: str, of: str) -> int | None:
    """Return a number that counts from 1; None if the cell is blank."""
    number = whole_number(cell, least=1)
    if cell and (number is None or number > MAX_QUESTIONS_PER_SET):
        reason = f"is no number from 1 to {MAX_QUESTIONS_PER_SET:,}"
        raise _AnswerRefused(f"{cell[:40]!r} in the column of {of} {reason}")
    return number


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _places(header: Header) -> dict[str, int]:
    """Return the place of each role's column, found by name."""
    plain = [_folded(name).replace(" ", "_") for name in header]
    known = {what: [name for name in names if name in plain] for what, names in NAMES.items()}
    return {what: plain.index(names[0]) for what, names in known.items() if names}


def _named(protocol: ProtocolDocument) -> dict[str, str]:
    """Return the criteria's keys by the names that a table may use."""
    return {
        _folded(name): criterion.key
        for criterion in protocol.criteria
        for name in (criterion.key, criterion.name)
    }


def _wide(header: Header, named: Mapping[str, str]) -> dict[int, str]:
    """Return the columns that are named like a criterion."""
    folded = enumerate(map(_folded, header))
    return {place: named[name] for place, name in folded if name in named}


def _scale(criterion: ProtocolCriterion, protocol: ProtocolDocument) -> dict[str, int]:
    """Return each point by its number and by its label in every language of the protocol, unless a
    label is that of several points."""
    of_label: dict[str, set[int]] = defaultdict(set)
    for point in criterion.points:
        place = f"criteria.{criterion.key}.points.{point.value}.label"
        for label in (
            point.label,
            *(translation.get(place, "") for translation in protocol.translations.values()),
        ):
            of_label[_folded(label)].add(point.value)
    found = {label: min(points) for label, points in of_label.items() if label and len(points) == 1}
    for point in criterion.points:
        found |= {str(point.value): point.value, f"{point.value}.0": point.value}
    return found


class _Finder:
    """Finds the item of a row. Each way to name an item has an index, because thousands of rows may
    name a text that thousands of questions have."""

    def __init__(self, items: Sequence[JudgedItem]) -> None:
        self.by_token = {item.token: item for item in items}
        self.named: dict[tuple[str, ...], list[JudgedItem]] = defaultdict(list)
        for item in items:
            text, own = _folded(item.text), ("set", item.source, item.system)
            names = {own, (*own, "position", str(item.position)), (*own, "text", text)}
            for name in names | {("text", "", text), ("text", item.source, text)}:
                self.named[name].append(item)

    def item(self, row: Mapping[str, str]) -> JudgedItem:
        """Return the item that the row names by its token, its slot or its text."""
        token, source, system = (row.get(what, "") for what in ("item", "source", "system"))
        position, text = row.get("position", ""), _folded(row.get("question", ""))
        if token in self.by_token:
            return self.by_token[token]
        if source and system:
            return self._of_set(source, system, position, text)
        if not text:
            no_item = f"the campaign has no item {token[:60]!r}"
            raise _AnswerRefused(no_item if token else "the row names no item")
        several = "several questions have this text: name source and system"
        none = "no question of the campaign has this text"
        return _one(self.named.get(("text", source, text), []), none, several)

    def _of_set(self, source: str, system: str, position: str, text: str) -> JudgedItem:
        own = ("set", source, system)
        found = self.named.get((*own, "position", position) if position else own, [])
        if len(found) > 1 and text and not position:
            found = self.named.get((*own, "text", text), [])
        none = f"the campaign has no question of {system[:60]!r} on {source[:60]!r}"
        return _one(found, none, "the set has several questions: name the position")


def _one(found: Sequence[JudgedItem], none: str, several: str) -> JudgedItem:
    if len(found) != 1:
        raise _AnswerRefused(several if found else none)
    return found[0]
