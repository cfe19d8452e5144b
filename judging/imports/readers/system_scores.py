"""Scores of whole systems, as in a study's table of results: one row a system, one column a
metric."""

from collections.abc import Collection

from judging.imports.readers.numbers import is_number
from judging.imports.readers.tables import Row, open_delimited, shorten
from judging.imports.readers.text import Unreadable

CellsOfSystems = dict[str, dict[str, str]]


def read_system_scores(data: bytes, *, systems: Collection[str]) -> CellsOfSystems:
    """Return each column's scores by system, with every digit; the first column names the systems.

    Raises
    ------
    Unreadable
        If any row or cell cannot be read: then nothing of the file is used.
    """
    table = open_delimited(data)
    if len(table.header) < 2:
        raise Unreadable("Beside the column of systems there is none of scores.")
    found: CellsOfSystems = {name: {} for name in table.header[1:]}
    named: set[str] = set()
    for row in table.all_or_none():  # read no more rows than there are systems
        system = _system(row, systems, named)
        for name, cell in zip(found, row.cells[1:], strict=True):
            if text := _score(row, name, cell):
                found[name][system] = text
    for name, scores in found.items():
        if not scores:
            raise Unreadable(f"The column “{shorten(name)}” has no score.")
    return found


def _system(row: Row, systems: Collection[str], named: set[str]) -> str:
    system = row.cells[0].strip()
    if system not in systems:
        known = shorten(", ".join(f"“{name}”" for name in sorted(systems)), most=300)
        raise Unreadable(
            f"No system is called “{shorten(system)}”; there are {known}.", row=row.number
        )
    if system in named:
        raise Unreadable(f"The system “{shorten(system)}” comes twice.", row=row.number)
    named.add(system)
    return system


def _score(row: Row, name: str, cell: str) -> str:
    text = cell.strip()
    if text and not is_number(text):
        raise Unreadable(
            f"“{shorten(text)}” in the column “{shorten(name)}” is no number.", row=row.number
        )
    return text
