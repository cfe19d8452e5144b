"""A machine judge's answers as a table: wide, with a column for each criterion, or long, with a row
for each answer.

An item is named by its id as the campaign's own list gives it, by source and system (and position),
or by its text. Nothing is guessed from a value: it must be a point of the scale or that point's
label; everything else is told with its row and left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judging.imports.readers.records import Problem
from judging.imports.readers.tables import AnyTable, comments_left_out
from judging.imports.readers.text import Unreadable
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


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One question of the campaign, and the set it stands in."""

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
    place: int | None = None  # where the question stood among those shown together


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswers:
    """What a table holds: answers, cells that are blank, and what could not be taken."""

    answers: tuple[JudgeAnswer, ...]
    blank: int
    problems: tuple[Problem, ...]
    columns: Mapping[str, str] = field(default_factory=dict)  # which column was read as what


@dataclass(frozen=True, slots=True)
class _Said:
    """One cell with a judgment: which row and column, for which criterion."""

    row: int
    column: str
    criterion: str
    cell: str
    rationale: str
    raw: str


def read_answers(
    table: AnyTable, items: Sequence[JudgedItem], rubric: RubricDocument
) -> JudgeAnswers:
    """Read a judge's answers.

    Raises
    ------
    Unreadable
        No column names the items, or none holds judgments on a criterion of the protocol.
    """
    places = _places(table.header)
    criteria = {each.key: each for each in rubric.criteria}
    wide = _wide(table.header, rubric)
    is_long = "criterion" in places and "value" in places
    if not is_long and not wide:
        named = ", ".join(each.key for each in rubric.criteria)
        raise Unreadable(
            f"no column is named as a criterion ({named}), and none is called criterion beside one value"
        )
    if not {"item", "question"} & places.keys() and not {"source", "system"} <= places.keys():
        raise Unreadable("no column names the items: item, question, or source and system")
    find = _Finder(items, places)
    scales = {key: _scale(each, rubric) for key, each in criteria.items()}
    problems: list[Problem] = []
    answers: list[JudgeAnswer] = []
    seen: dict[tuple[int, str], set[int]] = defaultdict(set)
    blank = comments = 0
    for row in table.rows:
        comments += len(row.comments or ())
        item, reason = find.item(row.cells)
        if item is None:
            problems.append(_refused(row.number, "", "", reason))
            continue
        at = (row.number, row.cells)
        for said in _long(*at, places, rubric) if is_long else _of_row(*at, wide, places):
            if isinstance(said, Problem):
                problems.append(said)
                continue
            if not said.cell.strip():
                blank += 1
                continue
            value = scales[said.criterion].get(_folded(said.cell))
            if value is None:
                problems.append(_outside(said, criteria[said.criterion]))
                continue
            unit = item.set_unit if criteria[said.criterion].unit == "set" else item.unit
            if unit is None:
                problems.append(
                    _refused(said.row, said.column, said.cell, "the question set has no unit")
                )
                continue
            repeat, twice = _repeat(row.cells, places, seen[unit, said.criterion])
            if twice:
                problems.append(_refused(said.row, said.column, said.cell, twice))
                continue
            place = _cell(row.cells, places, "place")
            if place and not (place.isdecimal() and 1 <= int(place) <= 1000):
                reason = f"{place[:40]!r} in the column of places is no number from 1 to 1000"
                problems.append(_refused(said.row, said.column, said.cell, reason))
                continue
            seen[unit, said.criterion].add(repeat)
            shown_at = int(place) if place else None
            answers.append(
                JudgeAnswer(unit, said.criterion, value, repeat, said.rationale, said.raw, shown_at)
            )
    if comments:
        problems.append(comments_left_out(comments, "on cells"))
    problems = sorted([*table.problems, *problems], key=lambda problem: problem.row)
    columns = {what: table.header[place] for what, place in places.items()}
    columns |= (
        {criterion: table.header[place] for place, criterion in wide.items()} if not is_long else {}
    )
    return JudgeAnswers(
        answers=tuple(answers), blank=blank, problems=tuple(problems), columns=columns
    )


def _refused(row: int, column: str, value: str, reason: str) -> Problem:
    return Problem(row=row, column=column, value=value[:200], reason=reason, kind="value")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _places(header: Sequence[str]) -> dict[str, int]:
    """Return which column holds what, by its name."""
    plain = [_folded(name).replace(" ", "_") for name in header]
    found = {}
    for what, names in NAMES.items():
        for name in names:
            if name in plain:
                found[what] = plain.index(name)
                break
    return found


def _wide(header: Sequence[str], rubric: RubricDocument) -> dict[int, str]:
    """Return the columns that are named as a criterion."""
    named = {_folded(name): each.key for each in rubric.criteria for name in (each.key, each.name)}
    return {
        place: named[_folded(name)] for place, name in enumerate(header) if _folded(name) in named
    }


def _scale(criterion: RubricCriterion, rubric: RubricDocument) -> dict[str, int]:
    """Return each point by its number and by its label in every language of the protocol, where one
    label is one point."""
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


def _outside(said: _Said, criterion: RubricCriterion) -> Problem:
    points = ", ".join(str(point.value) for point in criterion.points[:12])
    points += ", …" if len(criterion.points) > 12 else ""
    return _refused(said.row, said.column, said.cell, f"is no point of {criterion.name} ({points})")


def _of_row(
    number: int, cells: Sequence[str], wide: Mapping[int, str], places: Mapping[str, int]
) -> Iterator[_Said | Problem]:
    raw, rationale = _cell(cells, places, "raw"), _cell(cells, places, "rationale")
    for place, criterion in wide.items():
        yield _Said(number, criterion, criterion, cells[place], rationale, raw)


def _long(
    number: int, cells: Sequence[str], places: Mapping[str, int], rubric: RubricDocument
) -> Iterator[_Said | Problem]:
    told = _cell(cells, places, "criterion")
    named = {_folded(name): each.key for each in rubric.criteria for name in (each.key, each.name)}
    criterion = named.get(_folded(told))
    if criterion is None:
        yield _refused(number, "criterion", told, "is no criterion of the protocol")
        return
    raw, rationale = _cell(cells, places, "raw"), _cell(cells, places, "rationale")
    yield _Said(number, "value", criterion, _cell(cells, places, "value"), rationale, raw)


def _cell(cells: Sequence[str], places: Mapping[str, int], what: str) -> str:
    return cells[places[what]].strip() if what in places else ""


def _repeat(cells: Sequence[str], places: Mapping[str, int], taken: set[int]) -> tuple[int, str]:
    """Return which time this is, by its column or in the order of the rows; or why it cannot be
    taken."""
    told = _cell(cells, places, "repeat")
    if not told:
        return max(taken, default=0) + 1, ""
    if not told.isdecimal() or not 1 <= int(told) <= 1000:
        return 0, f"{told[:40]!r} in the column of repetitions is no number from 1 to 1000"
    return int(told), f"repetition {told} of this item stands in an earlier row" if int(
        told
    ) in taken else ""


class _Finder:
    """Finds the item of a row by the columns that the table has."""

    def __init__(self, items: Sequence[JudgedItem], places: Mapping[str, int]) -> None:
        self.places = places
        self.by_token = {item.token: item for item in items}
        self.by_source: dict[tuple[str, str], list[JudgedItem]] = defaultdict(list)
        self.by_text: dict[str, list[JudgedItem]] = defaultdict(list)
        for item in items:
            self.by_source[item.source, item.system].append(item)
            self.by_text[_folded(item.text)].append(item)

    def item(self, cells: Sequence[str]) -> tuple[JudgedItem | None, str]:
        """Return the item, or why there is none."""
        if (token := _cell(cells, self.places, "item")) in self.by_token:
            return self.by_token[token], ""
        source, system = (_cell(cells, self.places, what) for what in ("source", "system"))
        if source and system:
            return self._of_source(source, system, cells)
        if text := _cell(cells, self.places, "question"):
            return self._one(
                [
                    item
                    for item in self.by_text.get(_folded(text), [])
                    if source in ("", item.source)
                ],
                "no question of the campaign has this text",
                "several questions have this text: name source and system",
            )
        return (
            None,
            f"the campaign has no item {token[:60]!r}" if token else "the row names no item",
        )

    def _of_source(
        self, source: str, system: str, cells: Sequence[str]
    ) -> tuple[JudgedItem | None, str]:
        held = self.by_source.get((source, system), [])
        if position := _cell(cells, self.places, "position"):
            held = [item for item in held if str(item.position) == position]
        elif len(held) > 1 and (text := _cell(cells, self.places, "question")):
            held = [item for item in held if _folded(item.text) == _folded(text)]
        none = f"the campaign has no question of {system[:60]!r} on {source[:60]!r}"
        return self._one(held, none, "the set has several questions: name the position")

    @staticmethod
    def _one(found: Sequence[JudgedItem], none: str, several: str) -> tuple[JudgedItem | None, str]:
        if len(found) == 1:
            return found[0], ""
        return None, several if found else none
