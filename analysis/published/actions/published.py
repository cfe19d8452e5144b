"""Published studies: the data files that describe them, and their reader.

A file of `analysis/published/studies/` says how a study's released files are read, which numbers
are computed, and what was printed, where and about which data. docs/published-studies.md explains
its keys.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    ValidationError,
    field_validator,
    model_validator,
)

from analysis.published.reports.published_numbers import NUMBERS
from judging.formats.mapping import Mapping as FileMapping
from judging.protocols import documents
from judging.protocols.protocol_yaml import ProtocolError, compose, located, refusals, to_plain

FOLDER = Path(__file__).resolve().parents[1] / "studies"

# What is known about the data of a reproduction: counts; `sha256` of the only file; whether there
# are ratings (`rated`), whether systems are named by `letters`, and whether any numbers were
# `published` about these data
Fact = Literal[
    "questions",
    "systems",
    "annotators",
    "ratings_per_question",
    "sha256",
    "rated",
    "letters",
    "published",
]
Facts = Mapping[str, int | str]
NumberPath = tuple[str, ...]


def _cell(written: object) -> int | float | None:
    text = str(written)
    return (int(text) if text.isdecimal() else float(text)) if text else None


Cell = Annotated[int | float | None, PlainValidator(_cell)]
Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda written: [written] if isinstance(written, str) else written),
]
Condition = dict[Fact, Texts]  # values of facts; any of them will do


class Part(BaseModel):
    """A part of a study's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PrintedTable(Part):
    """A printed table of a number. `number` is its name, followed by those parts of the path that
    neither `rows` nor `columns` name."""

    number: str
    source: str
    belongs: Condition = {}
    columns: Texts = ()
    rows: dict[str, tuple[Cell, ...]]

    @model_validator(mode="after")
    def _check_shape(self) -> Self:
        root, *outer = self.number.split(" / ")
        if root not in NUMBERS:
            raise ValueError(f"{root} is none of the numbers {', '.join(NUMBERS)}")
        parts = NUMBERS[root][1]
        if len(outer) + 1 + bool(self.columns) != len(parts):
            raise ValueError(f"the values of {root} are listed by {' and '.join(parts)}")
        for name, cells in self.rows.items():
            if len(cells) != max(1, len(self.columns)):
                raise ValueError(f"the row {name} must have a cell for each column")
        return self

    def values(self) -> dict[NumberPath, float]:
        """Return the printed values by path, without blank cells."""
        start = tuple(self.number.split(" / "))
        ends: list[NumberPath] = [(column,) for column in self.columns] or [()]
        return {
            order_path((*start, row, *end)): cell
            for row, cells in self.rows.items()
            for end, cell in zip(ends, cells, strict=True)
            if cell is not None
        }


class PublishedNote(Part):
    """A sentence about a difference, and the data that it applies to; `{questions}` and the names of
    other facts in it stand for their values."""

    text: str
    when: Condition = {}
    unless: Condition = {}

    @field_validator("text")
    @classmethod
    def _check_facts(cls, text: str) -> str:
        try:
            text.format_map(dict.fromkeys(get_args(Fact), 0))
        except LookupError as unknown:
            raise ValueError(
                f"{unknown} is none of the facts {', '.join(get_args(Fact))}"
            ) from None
        return text


class PublishedStudy(Part):
    """A published study: how its files are read, by which protocol, what is computed and what was
    printed."""

    key: str
    title: str
    source: str
    protocol: Literal[documents.shipped_keys()]  # type: ignore[valid-type]
    files: Literal["one", "several"] = "several"
    # what the import does not propose by itself; of several columns with one meaning a file needs one
    mapping: FileMapping = FileMapping()
    subset_separator: str = ""  # between the subset and the system in the names of systems
    compute: tuple[Literal[tuple(NUMBERS)], ...]  # type: ignore[valid-type]
    belongs: Condition = {}  # the data that the printed numbers are about
    printed: tuple[PrintedTable, ...] = ()
    notes: tuple[PublishedNote, ...] = ()

    def tables_about(self, facts: Facts) -> list[PrintedTable]:
        """Return the printed tables that are about data with these facts."""
        if not holds(self.belongs, facts):
            return []
        return [table for table in self.printed if holds(table.belongs, facts)]

    def sentences(self, facts: Facts) -> list[str]:
        """Return where the published numbers were printed, and the notes that apply."""
        notes = [
            note.text.format_map(facts)
            for note in self.notes
            if holds(note.when, facts) and not (note.unless and holds(note.unless, facts))
        ]
        if not (about := self.tables_about(facts)):
            return notes
        places = "; ".join(dict.fromkeys(table.source for table in about))
        return [*notes, f"The published numbers are from {self.source} ({places})."]


def order_path(path: NumberPath) -> NumberPath:
    """Return the path of a value about two metrics or two criteria with these two in order: either
    may be named first."""
    kinds = NUMBERS[path[0]][1]
    is_pair = len(path) > len(kinds) > 1 and kinds[-1] == kinds[-2]
    return (*path[:-2], *sorted(path[-2:])) if is_pair else path


def holds(condition: Condition, facts: Facts) -> bool:
    """Return whether the facts have values that the condition lists."""
    return all(str(facts[fact]).lower() in values for fact, values in condition.items())


def read_published_study(text: str, file: str) -> PublishedStudy:
    """Return the study that a YAML text describes.

    Raises
    ------
    ProtocolError
        With the file, line, key and reason of everything that is wrong.
    """
    root = compose(text, file)
    try:
        return PublishedStudy.model_validate(to_plain(root))
    except ValidationError as wrong:
        raise ProtocolError(located(refusals(wrong), file, root)) from None


def read_folder(folder: Path) -> dict[str, PublishedStudy]:
    """Return the studies of all files in a folder, by key."""
    files = sorted(folder.glob("*.yaml"))
    studies = [read_published_study(file.read_text(encoding="utf-8"), file.name) for file in files]
    return {study.key: study for study in studies}


STUDIES = read_folder(FOLDER)
