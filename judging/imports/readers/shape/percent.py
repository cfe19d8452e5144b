"""Scores and ratings written as `61%`."""

import re
from collections.abc import Iterator
from dataclasses import replace

from judging.imports.readers.guessing import is_own_name
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import (
    USUAL_SHARE,
    Propose,
    remark,
    replaced,
    shown,
    usual_values,
)
from judging.imports.readers.tables import AnyTable, Row

_PERCENT = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)\s?[%％]")


def without_percent_signs(table: AnyTable, _propose: Propose) -> AnyTable:
    """Return the table with 61 for `61%` in columns where nearly every cell has the sign. Such a
    column is on the scale of percentages."""
    places = [
        place
        for place in range(len(table.header))
        if not is_own_name(table.header[place])
        and (cells := usual_values(table, place))
        and sum(map(bool, map(_PERCENT.fullmatch, cells))) >= USUAL_SHARE * len(cells)
    ]
    if not places:
        return table
    names = [table.header[place] for place in places]
    told = [
        remark(_said(name, usual_values(table, place)[0]), name)
        for name, place in zip(names, places, strict=True)
    ]
    unsigned = dict.fromkeys(names, 0)

    def rows() -> Iterator[Row | Problem]:
        for row in table.rows:
            cells = list(row.cells)
            for name, place in zip(names, places, strict=True):
                if found := _PERCENT.fullmatch(cells[place].strip()):
                    cells[place] = found[1]
                elif cells[place].strip():
                    unsigned[name] += 1
            yield replace(row, cells=tuple(cells))
        yield from (_bare(name, count) for name, count in unsigned.items() if count)

    return replaced(table, rows(), remarks=told, percentages=names)


def _said(name: str, example: str) -> str:
    return f"Column “{name}” holds percentages. {shown(example)} is read as a number from 0 to 100."


def _bare(name: str, count: int) -> Problem:
    values = f"{count:,} values have" if count > 1 else "1 value has"
    return remark(f"Column “{name}”: {values} no percent sign and are read as they are.", name)
