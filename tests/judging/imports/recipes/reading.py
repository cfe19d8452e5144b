"""Reading small files by their recipes."""

import json
from collections.abc import Mapping as Object
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from judging.formats.frames import Opened, Problem
from judging.formats.mapping import Column, Mapping
from judging.formats.open import open_file
from judging.formats.recipes.registry import recipe_for


@dataclass
class Read:
    """A file under the recipe that recognises it."""

    key: str
    frame: pd.DataFrame
    known: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)

    @property
    def roles(self) -> dict[str, str]:
        return {name: column.role for name, column in self.known["columns"].items()}

    @property
    def columns(self) -> dict[str, Column]:
        return self.known["columns"]

    @property
    def told(self) -> list[tuple[int, str]]:
        return [(problem.row, problem.kind) for problem in self.problems]

    def cells(self, *names: str) -> list[tuple[str, ...]]:
        """Return the cells of these columns, row by row."""
        return [tuple(row) for row in self.frame[list(names)].itertuples(index=False)]

    def rated(self) -> list[tuple[str, ...]]:
        """Return annotator, criterion and value of each rating of an annotation tool."""
        named = [f"annotation:{role}" for role in ("rater", "criterion", "value")]
        return [each for each in self.cells(*named) if each[1]] if named[1] in self.frame else []

    def notes(self) -> list[str]:
        """Return the notes of an annotation tool."""
        return [note for note in self.frame.get("annotation:note", ()) if note]


def read(data: str | bytes, name: str = "file.json") -> Read:
    """Return a file under the first recipe that recognises it."""
    opened = opened_from(data, name)
    recipe = recipe_for(opened, Mapping())
    assert recipe is not None
    frame = recipe.frame(opened)
    assert frame.map(lambda cell: isinstance(cell, str)).all(axis=None)
    known = recipe.propose(frame)
    Mapping(**known)
    problems = [problem for sheet in opened.sheets for problem in sheet.problems]
    return Read(recipe.key, frame, known, sorted(problems, key=lambda problem: problem.row))


def opened_from(data: str | bytes, name: str = "file.json") -> Opened:
    """Return an opened file."""
    return open_file(name, data.encode() if isinstance(data, str) else data, Mapping())


def lines(*items: Any) -> str:
    """Return JSON Lines."""
    return "\n".join(map(json.dumps, items))


def table(*rows: Object[str, str], delimiter: str = ",") -> str:
    """Return a CSV under all columns of the rows."""
    return pd.DataFrame(list(rows), dtype=object).to_csv(index=False, sep=delimiter)
