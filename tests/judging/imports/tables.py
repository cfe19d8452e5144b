"""Frames as the reading process makes them: every cell is text, rows are numbered from 2."""

import random
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

TOWNS = ("Alm", "Brae", "Cove", "Dorn", "Elm", "Firth", "Glen", "Holm")
SYSTEMS = ("Alder", "Birch", "Cedar")
ASKED = {"Alder": "When was {} built?", "Birch": "Who built {}?", "Cedar": "What stands in {}?"}
UNITS = [(town, system) for town in TOWNS for system in SYSTEMS]


def frame(columns: Mapping[str, Iterable[object]]) -> pd.DataFrame:
    """Return columns as a frame of texts."""
    cells = {name: [str(cell) for cell in values] for name, values in columns.items()}
    found = pd.DataFrame(cells, dtype=object)
    return found.set_index(pd.RangeIndex(2, len(found) + 2))


def table(*lines: str) -> pd.DataFrame:
    """Return lines of cells, divided by bars, below the first, which names the columns."""
    header, *rows = (line.split("|") for line in lines)
    return frame({name: [row[place] for row in rows] for place, name in enumerate(header)})


def passage(town: str) -> str:
    return f"The harbour of {town} was built by the monks of {town}bury Abbey, and a light stands on its pier."


def wide(columns: Mapping[str, Iterable[object]]) -> pd.DataFrame:
    """Return a frame with a question by each of three systems about each of eight passages, and
    these columns beside it."""
    given = {
        "passage": [passage(town) for town, _ in UNITS],
        "system": [system for _, system in UNITS],
        "question": [ASKED[system].format(town) for town, system in UNITS],
    }
    return frame(given | dict(columns))


def long(people: Mapping[str, Mapping[str, Iterable[object]]], rater: str) -> pd.DataFrame:
    """Return the frame of `wide` with a row for each person, who is named in the column `rater`."""
    parts = [wide({rater: [person] * 24, **columns}) for person, columns in people.items()]
    found = pd.concat(parts).sort_index(kind="stable")
    return found.set_index(pd.RangeIndex(2, len(found) + 2))


def points(seed: int, scale: Sequence[object] = (1, 2, 3, 4, 5), size: int = 24) -> list[object]:
    """Return random points, each of the scale at least once."""
    draw = random.Random(seed)
    return [*scale, *draw.choices(scale, k=size)][:size]


def means(*columns: Sequence[object], decimals: int = 2) -> list[float]:
    """Return the mean of each row of columns of numbers."""
    rows = zip(*columns, strict=True)
    return [round(sum(float(str(cell)) for cell in row) / len(row), decimals) for row in rows]
