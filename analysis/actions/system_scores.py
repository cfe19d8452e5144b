"""Scores of whole systems, as in a study's table of results: one row a system, one column a
metric."""

from collections.abc import Collection

from judging.imports import child
from judging.imports.frames import Unreadable, shorten
from judging.imports.mapping import Mapping
from judging.imports.texts import is_number

CellsOfSystems = dict[str, dict[str, str]]


def read_system_scores(data: bytes, *, systems: Collection[str]) -> CellsOfSystems:
    """Return each column's scores by system, with every digit; the first column names the systems.

    Raises
    ------
    Unreadable
        If any row or cell cannot be read: then nothing of the file is used.
    """
    header, rows = child.table(name="scores.csv", data=data, mapping=Mapping())
    if len(header) < 2:
        raise Unreadable("Beside the column of systems there is none of scores.")
    found: CellsOfSystems = {name: {} for name in header[1:]}
    named: set[str] = set()
    for number, cells in rows:
        system = _system(number, cells[0].strip(), systems, named)
        for name, cell in zip(found, cells[1:], strict=True):
            if text := _score(number, name, cell.strip()):
                found[name][system] = text
    for name, scores in found.items():
        if not scores:
            raise Unreadable(f"The column “{shorten(name)}” has no score.")
    return found


def _system(row: int, system: str, systems: Collection[str], named: set[str]) -> str:
    if system not in systems:
        known = shorten(", ".join(f"“{name}”" for name in sorted(systems)), most=300)
        raise Unreadable(f"No system is called “{shorten(system)}”; there are {known}.", row=row)
    if system in named:
        raise Unreadable(f"The system “{shorten(system)}” comes twice.", row=row)
    named.add(system)
    return system


def _score(row: int, name: str, text: str) -> str:
    if text and not is_number(text):
        raise Unreadable(
            f"“{shorten(text)}” in the column “{shorten(name)}” is no number.", row=row
        )
    return text
