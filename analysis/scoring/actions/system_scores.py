"""Scores of whole systems, as in a study's table of results: one row a system, one column a
metric."""

from collections.abc import Collection

from judging.base.texts import is_number
from judging.formats import child
from judging.formats.frames import Unreadable, shorten_line
from judging.formats.mapping import Mapping

CellsOfSystems = dict[str, dict[str, str]]


def read_system_scores(data: bytes, *, systems: Collection[str]) -> CellsOfSystems:
    """Return each column's scores by system, with every digit; the first column names the systems.

    Raises
    ------
    Unreadable
        If any row or cell cannot be read: then nothing of the file is used.
    """
    header, rows = child.read_table_in_child(name="scores.csv", data=data, mapping=Mapping())
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
            raise Unreadable(f"The column “{shorten_line(name)}” has no score.")
    return found


def _system(row: int, system: str, systems: Collection[str], named: set[str]) -> str:
    if system not in systems:
        known = shorten_line(", ".join(f"“{name}”" for name in sorted(systems)), most=300)
        raise Unreadable(
            f"No system is called “{shorten_line(system)}”; there are {known}.", row=row
        )
    if system in named:
        raise Unreadable(f"The system “{shorten_line(system)}” comes twice.", row=row)
    named.add(system)
    return system


def _score(row: int, name: str, text: str) -> str:
    if text and not is_number(text):
        raise Unreadable(
            f"“{shorten_line(text)}” in the column “{shorten_line(name)}” is no number.", row=row
        )
    return text
