"""An LLM judge's answers as a table: wide, with a column for each criterion, or long, with a row
for each answer.

An item is named by its id in the campaign's own list, by source and system (and position), or by
its text. No value is interpreted freely: it must be a point of the scale or that point's label;
every other value is reported with its row and skipped.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judging.imports.readers.numbers import whole_number
from judging.imports.readers.records import WHOLE_FILE, Problem
from judging.imports.readers.tables import AnyTable
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_QUESTIONS_PER_SET
from judging.protocols.rubric_schema import RubricCriterion, RubricDocument

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


@dataclass(frozen=True, slots=True)
class _Said:
    """One cell with a judgment, and its criterion."""

    column: str
    criterion: str
    cell: str
    rationale: str
    raw: str


class _AnswerRefused(ValueError):
    """A row or cell cannot be used; the message says why."""

    def __init__(self, reason: str, column: str = "", cell: str = "") -> None:
        super().__init__(reason)
        self.column, self.cell = column, cell


def read_answers(
    table: AnyTable, items: Sequence[JudgedItem], rubric: RubricDocument
) -> JudgeAnswers:
    """Read a judge's answers.

    Raises
    ------
    Unreadable
        No column names the items, or none holds judgments on a criterion of the protocol.
    """
    reader = _AnswerReader(table.header, items, rubric)
    problems: list[Problem] = []
    answers: list[JudgeAnswer] = []
    blank = 0
    cut = Counter[str]()
    for row in table.rows:
        cut.update(
            what
            for what in ("rationale", "raw")
            if len(_cell(row.cells, reader.places, what)) > RAW_KEPT
        )
        try:
            item, cells = reader.find.item(row.cells), reader.said(row.cells)
        except _AnswerRefused as refusal:
            problems.append(_refused(row.number, refusal.column, refusal.cell, refusal))
            continue
        for said in cells:
            if not said.cell.strip():
                blank += 1
                continue
            try:
                answers.append(reader.answer(item, said, row.cells))
            except _AnswerRefused as refusal:
                problems.append(_refused(row.number, said.column, said.cell, refusal))
    problems.extend(_cut_texts(reader.columns()[what], n) for what, n in cut.items())
    # the table's own problems are complete once its rows are read
    told = sorted([*table.problems, *problems], key=lambda problem: problem.row)
    return JudgeAnswers(
        answers=tuple(answers), blank=blank, problems=tuple(told), columns=reader.columns()
    )


class _AnswerReader:
    """Reads rows of a table, wide or long, and keeps which repetitions were read."""

    def __init__(
        self, header: Sequence[str], items: Sequence[JudgedItem], rubric: RubricDocument
    ) -> None:
        self.header, self.places, self.wide = header, _places(header), _wide(header, rubric)
        self.is_long = {"criterion", "value"} <= self.places.keys()
        if not self.is_long and not self.wide:
            named = ", ".join(each.key for each in rubric.criteria)
            raise Unreadable(
                f"no column is named as a criterion ({named}), and none is called criterion beside "
                "one value"
            )
        named_by = self.places.keys()
        if not {"item", "question"} & named_by and not {"source", "system"} <= named_by:
            raise Unreadable("no column names the items: item, question, or source and system")
        self.find = _Finder(items, self.places)
        self.criteria = {each.key: each for each in rubric.criteria}
        self.named = _named(rubric)
        self.scales = {each.key: _scale(each, rubric) for each in rubric.criteria}
        self.taken: dict[tuple[int, str], set[int]] = defaultdict(set)  # repetitions
        self.last: dict[tuple[int, str], int] = defaultdict(int)  # the highest of them

    def columns(self) -> dict[str, str]:
        """Return the column of each role."""
        columns = {what: self.header[place] for what, place in self.places.items()}
        if not self.is_long:
            columns |= {criterion: self.header[place] for place, criterion in self.wide.items()}
        return columns

    def said(self, cells: Sequence[str]) -> list[_Said]:
        """Return the cells of a row that hold judgments, blank ones among them."""
        beside = [_cell(cells, self.places, what)[:RAW_KEPT] for what in ("rationale", "raw")]
        if not self.is_long:
            return [
                _Said(criterion, criterion, cells[place], *beside)
                for place, criterion in self.wide.items()
            ]
        told = _cell(cells, self.places, "criterion")
        if _folded(told) not in self.named:
            raise _AnswerRefused("is no criterion of the protocol", "criterion", told)
        value = _cell(cells, self.places, "value")
        return [_Said("value", self.named[_folded(told)], value, *beside)]

    def answer(self, item: JudgedItem, said: _Said, cells: Sequence[str]) -> JudgeAnswer:
        """Return a cell's judgment of an item; its repetition is read from a column, or counted in
        the order of the rows."""
        criterion = self.criteria[said.criterion]
        value = self.scales[said.criterion].get(_folded(said.cell))
        if value is None:
            points = ", ".join(str(point.value) for point in criterion.points[:12])
            points += ", …" if len(criterion.points) > 12 else ""
            raise _AnswerRefused(f"is no point of {criterion.name} ({points})")
        unit = item.set_unit if criterion.unit == "set" else item.unit
        if unit is None:
            raise _AnswerRefused("the question set has no unit")
        about = unit, said.criterion
        repeat = self._counted(cells, "repeat", "repetitions") or self.last[about] + 1
        if repeat in self.taken[about]:
            raise _AnswerRefused(f"repetition {repeat} of this item is in an earlier row")
        if repeat > MAX_QUESTIONS_PER_SET:
            raise _AnswerRefused(f"earlier rows answer this item {MAX_QUESTIONS_PER_SET:,} times")
        place = self._counted(cells, "place", "places")
        self.taken[about].add(repeat)
        self.last[about] = max(self.last[about], repeat)
        return JudgeAnswer(unit, said.criterion, value, repeat, said.rationale, said.raw, place)

    def _counted(self, cells: Sequence[str], what: str, of: str) -> int | None:
        """Return a number that counts from 1; None if the cell is blank."""
        told = _cell(cells, self.places, what)
        if not told:
            return None
        number = whole_number(told, least=1)
        if number is None or number > MAX_QUESTIONS_PER_SET:
            reason = f"is no number from 1 to {MAX_QUESTIONS_PER_SET:,}"
            raise _AnswerRefused(f"{told[:40]!r} in the column of {of} {reason}")
        return number


def _cut_texts(column: str, count: int) -> Problem:
    """Return the problem that reports texts of which only the beginning is kept."""
    texts = f"{count:,} texts are" if count > 1 else "1 text is"
    reason = f"{texts} longer than {RAW_KEPT:,} characters, of which the first are kept."
    return Problem(row=WHOLE_FILE, column=column, value="", reason=reason, kind="warning")


def _refused(row: int, column: str, value: str, reason: _AnswerRefused) -> Problem:
    return Problem(row=row, column=column, value=value[:200], reason=str(reason), kind="value")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _places(header: Sequence[str]) -> dict[str, int]:
    """Return the place of each role's column, found by name."""
    plain = [_folded(name).replace(" ", "_") for name in header]
    found = {}
    for what, names in NAMES.items():
        for name in names:
            if name in plain:
                found[what] = plain.index(name)
                break
    return found


def _named(rubric: RubricDocument) -> dict[str, str]:
    """Return the criteria's keys by the names that a table may use."""
    return {_folded(name): each.key for each in rubric.criteria for name in (each.key, each.name)}


def _wide(header: Sequence[str], rubric: RubricDocument) -> dict[int, str]:
    """Return the columns that are named like a criterion."""
    named, folded = _named(rubric), map(_folded, header)
    return {place: named[name] for place, name in enumerate(folded) if name in named}


def _scale(criterion: RubricCriterion, rubric: RubricDocument) -> dict[str, int]:
    """Return each point by its number and by its label in every language of the protocol, unless a
    label is that of several points."""
    found: dict[str, int] = {}
    twice: set[str] = set()
    for point in criterion.points:
        place = f"criteria.{criterion.key}.points.{point.value}.label"
        said = [point.label, *(words.get(place, "") for words in rubric.translations.values())]
        for label in filter(None, map(_folded, said)):
            twice |= {label} if found.get(label, point.value) != point.value else set()
            found[label] = point.value
    plain = {label: value for label, value in found.items() if label not in twice}
    for point in criterion.points:
        plain |= {str(point.value): point.value, f"{point.value}.0": point.value}
    return plain


def _cell(cells: Sequence[str], places: Mapping[str, int], what: str) -> str:
    return cells[places[what]].strip() if what in places else ""


class _Finder:
    """Finds the item of a row by the columns that the table has. Each way to name an item has an
    index, because thousands of rows may name a text that thousands of questions have."""

    def __init__(self, items: Sequence[JudgedItem], places: Mapping[str, int]) -> None:
        self.places = places
        self.by_token = {item.token: item for item in items}
        self.named: dict[tuple[str, ...], list[JudgedItem]] = defaultdict(list)
        for item in items:
            text = _folded(item.text)
            own = ("set", item.source, item.system)
            self.named[own].append(item)
            self.named[*own, "position", str(item.position)].append(item)
            self.named[*own, "text", text].append(item)
            for source in {"", item.source}:
                self.named["text", source, text].append(item)

    def item(self, cells: Sequence[str]) -> JudgedItem:
        if (token := _cell(cells, self.places, "item")) in self.by_token:
            return self.by_token[token]
        source, system = (_cell(cells, self.places, what) for what in ("source", "system"))
        text = _folded(_cell(cells, self.places, "question"))
        if source and system:
            return self._of_source(source, system, _cell(cells, self.places, "position"), text)
        if not text:
            no_item = f"the campaign has no item {token[:60]!r}"
            raise _AnswerRefused(no_item if token else "the row names no item")
        return _one(
            self.named.get(("text", source, text), []),
            "no question of the campaign has this text",
            "several questions have this text: name source and system",
        )

    def _of_source(self, source: str, system: str, position: str, text: str) -> JudgedItem:
        own = ("set", source, system)
        held = self.named.get(own, [])
        if position:
            held = self.named.get((*own, "position", position), [])
        elif len(held) > 1 and text:
            held = self.named.get((*own, "text", text), [])
        none = f"the campaign has no question of {system[:60]!r} on {source[:60]!r}"
        return _one(held, none, "the set has several questions: name the position")


def _one(found: Sequence[JudgedItem], none: str, several: str) -> JudgedItem:
    if len(found) != 1:
        raise _AnswerRefused(several if found else none)
    return found[0]
