"""What a report's page is laid out of: tables of numbers, written out."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One number of a table, with what stands below it."""

    text: str
    under: str = ""
    best: bool = False
    letters: str = ""  # what it shares with those it cannot be told from


@dataclass(frozen=True)
class Row:
    name: str
    cells: list[Cell]
    last: str = ""


@dataclass(frozen=True)
class Table:
    """A table of numbers: a first column of names, then columns of numbers."""

    title: str
    columns: list[str]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)  # one below each column's name
    reasons: list[str] = field(default_factory=list)  # why a number or its interval is missing

    def heads(self) -> list[dict[str, str]]:
        """Return each column's name with its note."""
        return [{"name": name, "note": note} for name, note in zip(self.columns, self.notes, strict=True)]
