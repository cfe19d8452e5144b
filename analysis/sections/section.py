"""What a section of a report is: typed rows, and what is made of them.

`compute` works its rows out of the study, once, in the worker. They are stored as flat records
(`analysis.reports.rows`). `tables`, `figures` and `sentences` only read rows that were stored, so a
page, a file and an older run say the same.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, get_args

import numpy as np

from analysis.frames import Material
from analysis.reports.layout import Figure, PageTable
from analysis.reports.rows import Column, Record, columns, decode, encode
from analysis.sections.readings import not_settled
from analysis.stats.estimate import Estimate
from analysis.stats.inference import Inference
from judging.protocols.rubric_schema import RubricCriterion

R = TypeVar("R")
OF_SAID = ("krippendorff_alpha",)  # measures that are always of what annotators said
READING = Column(
    "reading",
    "text",
    "as_released (what annotators said) or by_protocol (its rules overrule them)",
    ("reading",),
)


@dataclass(frozen=True)
class Inputs:
    """What a run's sections compute from."""

    said: Material  # what annotators said
    counted: Material  # the same in the reading asked for: where the protocol settles a value, it overrules them
    design: Inference
    settings: Mapping[str, Any]
    failures: Mapping[str, str]  # metrics that could not be computed, with the reason
    # With annotators that this run leaves out, or without those it counts
    other: Material | None = None

    @cached_property
    def differing(self) -> Material:
        """What annotators said of what is counted, without what rules or settled values give: that
        is the same for all of them and says nothing of how they differ."""
        return not_settled(self.said, self.settings["reading"])


@dataclass(frozen=True)
class Chance:
    """Chance for one section with its own seed, how often it is asked, and whom to tell how far it
    is: every few seconds, in the same words while a step lasts."""

    rng: np.random.Generator
    resamples: int
    step: Callable[[str], None]


def chance_of(key: str, *, seed: int, resamples: int, step: Callable[[str], None]) -> Chance:
    """Return the chance of a section: its name seeds it, so that no section can shift another."""
    name = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])
    return Chance(np.random.default_rng([seed, name]), resamples, step)


class Found:
    """What a run found, section by section, as rows of their types; empty for sections that a run
    is older than."""

    def __init__(self, documents: Mapping[str, Any]) -> None:
        self.documents = documents
        self._rows: dict[str, list[Any]] = {}
        self._by_criterion: dict[str, dict[str, list[Any]]] = {}

    def of(self, section: "type[Section[R]]") -> list[R]:
        """Return the rows of a section."""
        if section.key not in self._rows:
            held = self.documents.get(section.key, [])
            records = [held] if isinstance(held, Mapping) else held
            self._rows[section.key] = [section.read(record) for record in records]
        return self._rows[section.key]

    def on(self, section: "type[Section[R]]", criterion: str) -> list[R]:
        """Return the rows of a section on one criterion or human column."""
        if section.key not in self._by_criterion:
            grouped: dict[str, list[Any]] = {}
            for row in self.of(section):
                grouped.setdefault(row.criterion, []).append(row)  # type: ignore[attr-defined]
            self._by_criterion[section.key] = grouped
        return self._by_criterion[section.key].get(criterion, [])

    def left_out(self, section: "type[Section[Any]]") -> frozenset[str]:
        """Return the parts of a section that are left out for their number of rows; an empty name
        is the whole section."""
        return self._left_out.get(section.key, frozenset())

    @cached_property
    def _left_out(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for row in self.documents.get("not_listed", []):
            found.setdefault(row["table"], set()).add(row["part"])
        return {key: frozenset(parts) for key, parts in found.items()}

    def knows(self, section: "type[Section[Any]]") -> bool:
        """Say whether the run was made with this section."""
        return section.key in self.documents

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the criteria by key, in the protocol's order."""
        return {row["criterion"]: row["name"] for row in self.documents.get("criteria", [])}

    def name_of(self, criterion: str) -> str:
        """Return the name of a criterion, or of an imported column of means as it is."""
        return self.names.get(criterion, criterion)


class Section(Generic[R]):
    """One subject of a report. A subclass names its row type: ``class
    Returned(Section[ReturnedRow])``."""

    key: ClassVar[str]  # of the table: its file is tables/KEY.csv
    title: ClassVar[str]
    version: ClassVar[int] = 1  # goes up when a column changes its meaning
    identity: ClassVar[tuple[str, ...]] = ()  # the columns that tell a row from all others
    note: ClassVar[str] = ""  # what a reader must know before the numbers
    # The rows follow the reading of the rules that was asked for
    by_reading: ClassVar[bool] = False
    download_only: ClassVar[bool] = False  # too long for a page: a row for each judgment, say
    leads: ClassVar[bool] = False  # open on the page
    # Listed on the page beside the leading sections; the other sections are behind "More"
    listed: ClassVar[bool] = False
    beside: ClassVar[
        tuple[tuple[str, str], ...]
    ] = ()  # key and title of tables to download with it
    people: ClassVar[tuple[str, ...]] = ()  # the columns that hold an annotator's label
    data_only: ClassVar[tuple[str, ...]] = ()  # the columns that only CSV and JSON hold
    row: ClassVar[type[Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.row = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> R:
        """Return the row of a stored record. Override it where an older version stored something
        else."""
        return decode(cls.row, record)  # type: ignore[no-any-return]

    def records(self, inputs: Inputs, found: Found, chance: Chance) -> list[Record]:
        """Return the rows as they are stored; those that follow the reading of the rules name
        it."""
        records = [encode(row) for row in self.compute(inputs, found, chance)]
        if not self.by_reading:
            return records
        reading = inputs.settings["reading"]
        return [
            {**record, "reading": "as_released" if record.get("measure") in OF_SAID else reading}
            for record in records
        ]

    @classmethod
    def without(cls, records: Sequence[Record], labels: Collection[str]) -> list[Record]:
        """Return stored rows without those about annotators who are erased; numbers over several
        people stay."""
        return [
            each for each in records if not any(each.get(name) in labels for name in cls.people)
        ]

    @classmethod
    def columns(cls) -> tuple[Column, ...]:
        """Return the columns of the table as it is stored and downloaded."""
        return (*columns(cls.row), READING) if cls.by_reading else columns(cls.row)

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        """Return how many rows each part of the table will have at most, before they are computed:
        a criterion, a human column or an attribute. Empty where two dimensions do not multiply.

        `compute` leaves out the parts that `found.left_out` names.
        """
        return {}

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[R]:
        """Return the rows. `found` holds the sections that come before this one."""
        raise NotImplementedError

    def tables(self, found: Found) -> list[PageTable]:
        """Return what the page shows, in its order."""
        return []

    def figures(self, found: Found) -> list[Figure]:
        """Return what is drawn."""
        return []

    def sentences(self, found: Found) -> Iterator[str]:
        """Yield the results in words; the chapter's paragraph consists of these and the caveats."""
        return iter(())

    def caveats(self, found: Found) -> Iterator[str]:
        """Yield what limits the conclusions; the page shows these sentences without a click."""
        return iter(())

    def headline(self, found: Found) -> dict[str, Estimate]:
        """Return the numbers that runs are compared by, each under a name of its own."""
        return {}

    def small_print(self, found: Found) -> list[str]:
        """Return the remarks below the tables, which the page shows without a click."""
        return []

    def technical_notes(self, found: Found) -> list[str]:
        """Return which numbers other libraries confirm, and why a figure is missing."""
        return []


def averaged(criterion: RubricCriterion) -> bool:
    """Say whether values of a criterion may be averaged and tested.

    Without a better end only an interval scale may: the mean of "1 clearly, 2 somewhat, 4
    undecidable" means nothing.
    """
    return criterion.best != "none" or criterion.level == "interval"
