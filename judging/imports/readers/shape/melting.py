"""Wide tables as long ones: a row for each annotator, or for each system.

A table may have a row for each criterion with a column for each annotator, or hold questions and
ratings of all systems (`A_question`, `A_fluency`, `B_question`, `B_fluency`).
"""

from collections.abc import Iterator, Mapping, Sequence

from judging.imports.readers.columns import ColumnRoles, QuestionColumn
from judging.imports.readers.guessing import is_criterion, is_criterion_column, is_own_name
from judging.imports.readers.likely_columns import question_columns
from judging.imports.readers.numbers import is_number
from judging.imports.readers.rater_columns import may_be_rated
from judging.imports.readers.shape.tables import (
    USUAL_SHARE,
    Propose,
    remark,
    replaced,
    unused_name,
    usual_values,
)
from judging.imports.readers.tables import AnyTable, OpenTable, Row

_CRITERIA_MELTED = 20
_DIVIDERS = " _-.:@/()[]"
_COLUMNS_NAMED = 5


def melt(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table with a row for each annotator or each system if it has columns of them."""
    roles = propose(table)
    if len(asked := _question_columns(table, roles)) > 1:
        return _melt_systems(table, asked)
    if roles.criterion or roles.rater:
        return table
    return _melt_annotators(table, roles)


def _melt_annotators(table: AnyTable, roles: ColumnRoles) -> AnyTable:
    criterion = _criterion_place(table)
    if criterion is None:
        return table
    rated = {each.column for each in roles.ratings}
    others = {*roles.named()} - rated - {*roles.metadata} - {each.column for each in roles.scores}
    annotators = [
        place
        for place, name in enumerate(table.header)
        if place != criterion
        and name not in others
        and (name in rated or (may_be_rated(name) and not is_own_name(name)))
        and _are_ratings(usual_values(table, place))
    ]
    if len(annotators) < 2:
        return table
    kept = [place for place in range(len(table.header)) if place not in (criterion, *annotators)]
    names = [table.header[place] for place in kept]
    added = [unused_name(name, names) for name in ("criterion", "annotator", "value")]

    def rows() -> Iterator[Row]:
        for row in table.rows:
            cells = tuple(row.cells[place] for place in kept)
            given = [place for place in annotators if row.cells[place].strip()]
            for place in given:
                said = (row.cells[criterion], table.header[place], row.cells[place])
                yield Row(row.number, (*cells, *said))
            if not given:
                yield Row(row.number, (*cells, row.cells[criterion], "", ""))

    listed = _listed([table.header[place] for place in annotators])
    reason = (
        f"Column “{table.header[criterion]}” names a criterion for each row, so columns {listed} are "
        "read as annotators."
    )
    return replaced(table, rows(), header=(*names, *added), remarks=[remark(reason)])


def _criterion_place(table: AnyTable) -> int | None:
    """Return the column that names the criterion of each row: by its name, or by its values."""
    for place, name in enumerate(table.header):
        cells = usual_values(table, place)
        different = set(cells)
        if not 1 < len(different) <= min(_CRITERIA_MELTED, len(cells) - 1):
            continue
        if is_criterion_column(name) or sum(map(is_criterion, cells)) >= USUAL_SHARE * len(cells):
            return place
    return None


def _are_ratings(cells: Sequence[str]) -> bool:
    """Return whether nearly all cells are points of a scale: whole or half numbers up to 100."""
    points = [
        cell
        for cell in cells
        if is_number(cell) and (2 * float(cell)).is_integer() and abs(float(cell)) <= 100
    ]
    return bool(cells) and len(points) >= USUAL_SHARE * len(cells)


def _question_columns(table: AnyTable, roles: ColumnRoles) -> Sequence[QuestionColumn]:
    """Return the columns of questions of one system each, even beside a column of annotators."""
    if roles.by_system or roles.question or roles.system:
        return roles.by_system
    sample = table.sample()
    cells = {name: [row.cells[place] for row in sample] for place, name in enumerate(table.header)}
    return question_columns([name for name in table.header if not is_own_name(name)], cells)


def _melt_systems(table: AnyTable, columns: Sequence[QuestionColumn]) -> AnyTable:
    systems = {each.system: table.header.index(each.column) for each in columns}
    asked = {each.column for each in columns}
    about: dict[str, dict[str, int]] = {}  # what a column is about, by system
    for place, name in enumerate(table.header):
        if name not in asked and (found := _system_and_rest(name, systems)):
            system, rest = found
            about.setdefault(rest, {})[system] = place
    about = {rest: places for rest, places in about.items() if len(places) > 1}
    if not about:
        return table
    return _one_row_a_system(table, systems, about)


def _system_and_rest(name: str, systems: Mapping[str, int]) -> tuple[str, str] | None:
    """Return the system at the beginning or the end of a name, and the rest of the name."""
    plain = name.strip().casefold()
    for system in sorted(systems, key=len, reverse=True):
        size = len(system)
        if plain.startswith(system.casefold()) and plain[size : size + 1] in _DIVIDERS:
            rest = name.strip()[size:]
        elif plain.rstrip(")]").endswith(system.casefold()):
            rest = name.strip().rstrip(")]")[:-size]
            if not rest.endswith(tuple(_DIVIDERS)):
                continue
        else:
            continue
        if rest := rest.strip(_DIVIDERS):
            return system, rest
    return None


def _one_row_a_system(
    table: AnyTable, systems: Mapping[str, int], about: Mapping[str, Mapping[str, int]]
) -> OpenTable:
    used = {*systems.values(), *(place for places in about.values() for place in places.values())}
    kept = [place for place in range(len(table.header)) if place not in used]
    names = [table.header[place] for place in kept]
    added: list[str] = []
    for name in ("system", "question", *about):
        added.append(unused_name(name, [*names, *added]))

    def rows() -> Iterator[Row]:
        for row in table.rows:
            cells = tuple(row.cells[place] for place in kept)
            for system, asked in systems.items():
                said = [
                    row.cells[places[system]] if system in places else ""
                    for places in about.values()
                ]
                yield Row(row.number, (*cells, system, row.cells[asked], *said))

    reason = (
        f"Each row holds the questions of {_listed(list(systems))} with columns of each of them "
        f"({_listed(list(about))}). It is read as a row for each system."
    )
    return replaced(table, rows(), header=(*names, *added), remarks=[remark(reason)])


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(f"“{name[:60]}”" for name in names[:_COLUMNS_NAMED])
    return listed + (", …" if len(names) > _COLUMNS_NAMED else "")
