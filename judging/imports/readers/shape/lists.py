"""Lists and dictionaries in cells, opened as they are in JSON Lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.guessing import is_criterion, is_own_name
from judging.imports.readers.nesting import Opening, is_question_list
from judging.imports.readers.numbers import is_number
from judging.imports.readers.rater_columns import may_be_rated
from judging.imports.readers.shape.literals import is_json, structure_in
from judging.imports.readers.shape.tables import (
    USUAL_SHARE,
    Propose,
    remark,
    shown,
    usual_values,
)
from judging.imports.readers.tables import AnyTable, RowOrProblem, open_objects

RATINGS_PACKED = 20  # in a cell
_BAR = " | "


@dataclass(frozen=True, slots=True)
class _Column:
    """A column whose cells are opened: as `ratings` or one `rating`, as texts divided by bars, as
    the `first` of several values, or as their JSON value."""

    name: str
    kind: str
    example: str

    def value_of(self, cell: str) -> object:
        if self.kind == "bars":
            return [part.strip() for part in cell.split("|") if part.strip()]
        found = structure_in(cell)
        if self.kind == "rating" and (value := _only_rating(found)):
            return value
        if self.kind == "first" and isinstance(found, list):
            return found[0]
        return cell if found is None else found


def open_cells(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table with lists and dictionaries in cells opened: references and questions are
    several texts, an object is a column for each key, packed ratings a column for each
    annotator."""
    roles = propose(table)
    columns = [
        column
        for place, name in enumerate(table.header)
        if (column := _column(name, usual_values(table, place), roles, table.header))
    ]
    if not columns:
        return table
    opening = Opening()
    told = [remark(_said(column, table.header), column.name) for column in columns]
    told += [problem for problem in table.problems if problem.kind != "row"]
    opening.remarks += told
    known = len(table.problems)
    refused = [problem for problem in table.problems if problem.kind == "row"]

    def objects() -> Iterator[RowOrProblem]:
        opened = {column.name: column for column in columns}
        for row in table.rows:
            cells = dict(zip(table.header, row.cells, strict=True))
            for each in opening.rows(_values(cells, opened), row.number):
                yield row.number, each
        for problem in (*refused, *table.problems[known:]):
            if problem.kind == "row":
                yield problem.row, problem
            else:
                opening.remarks.append(problem)

    return open_objects(objects(), remarks=opening.remarks)


def _column(
    name: str, cells: Sequence[str], roles: ColumnRoles, header: Sequence[str]
) -> _Column | None:
    """Return how the cells of a column are opened; None if nothing in them would change."""
    if not cells or is_own_name(name):
        return None
    found = [each for cell in cells if (each := structure_in(cell)) is not None]
    if not found and name in roles.references and all(_BAR in cell for cell in cells):
        return _Column(name, "bars", cells[0])
    if not found or len(found) < USUAL_SHARE * len(cells):
        return None
    if all(isinstance(each, dict) for each in found):
        return _Column(name, "object", cells[0])
    if all(map(_only_rating, found)):
        return _Column(name, "rating", cells[0])
    if _are_ratings(name, found):
        return _Column(name, "ratings", cells[0])
    lists = [each for each in found if isinstance(each, list)]
    if any(is_question_list(each, name, header) for each in lists):
        return _Column(name, "questions", cells[0])
    if name in (roles.answer, roles.answer_start, roles.passage, roles.sentence):
        return _Column(name, "first", cells[0])
    if any(isinstance(inside, dict) for each in lists for inside in each):
        return _Column(name, "objects", cells[0])
    return None if all(map(is_json, cells)) else _Column(name, "list", cells[0])


def _only_rating(found: object) -> str:
    """Return the number in a list of one object that is named as Label Studio names ratings."""
    held = found[0] if isinstance(found, list) and len(found) == 1 else None
    names = ("rating", "number")
    value = (
        next((held[name] for name in names if list(held) == [name]), "")
        if isinstance(held, dict)
        else ""
    )
    return value if isinstance(value, str) and is_number(value) else ""


def _are_ratings(name: str, found: Sequence[object]) -> bool:
    """Return whether each list holds one rating from each of the same number of annotators."""
    lists = [each for each in found if isinstance(each, list)]
    sizes = {len(each) for each in lists}
    if len(lists) < len(found) or len(sizes) != 1 or not 1 < max(sizes) <= RATINGS_PACKED:
        return False
    values = [value for each in lists for value in each if value is not None]
    if not all(isinstance(value, str) and is_number(value) for value in values):
        return False
    numbers = [float(str(value)) for value in values]
    on_a_scale = all((2 * number).is_integer() and abs(number) <= 100 for number in numbers)
    return on_a_scale and (is_criterion(name) or may_be_rated(name))


def _values(cells: Mapping[str, str], opened: Mapping[str, _Column]) -> dict[str, object]:
    """Return the values of a row; a blank cell of an opened column is omitted, like a key in JSON
    Lines."""
    values: dict[str, object] = {}
    for name, cell in cells.items():
        column = opened.get(name)
        if column is None:
            values[name] = cell
        elif cell.strip():
            value = column.value_of(cell)
            if (
                column.kind == "ratings"
                and isinstance(value, list)
                and len(value) <= RATINGS_PACKED
            ):
                values |= {
                    f"{_singular(name)}_{place}": each for place, each in enumerate(value, 1)
                }
            else:
                values[name] = value
    return values


def _singular(name: str) -> str:
    return name.removesuffix("s") if name.casefold().endswith(("ratings", "scores")) else name


def _said(column: _Column, header: Sequence[str]) -> str:
    how = {
        "bars": "Each cell holds several texts divided by “|”. They are read as a list.",
        "first": "Each cell holds a list. The first of its values is taken.",
        "list": "Each cell holds a list. It is read as several values.",
        "object": "Each cell holds an object. Each of its keys is read as a column.",
        "objects": "Each cell holds a list of objects. Each of them is read as a row.",
        "rating": "Each cell holds a list of one rating. It is read as that rating.",
        "questions": "Each cell holds a list of questions. Each of them is read as a row.",
        "ratings": (
            "Each cell holds a list of ratings. They are read as columns "
            f"“{_singular(column.name)}_1”, “{_singular(column.name)}_2”, …, one for each annotator."
        ),
    }
    return f"Column “{column.name}”, for example {shown(column.example)}: {how[column.kind]}"
