"""The base class of report sections: typed rows, and the tables, figures and sentences from them.

`compute` computes the rows from the study, once, in the worker. They are stored as flat records
(`analysis.reports.rows`). `tables`, `figures` and `sentences` only read stored rows, so a page, a
file and an older run agree.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, get_args

import numpy as np

from analysis.frames import Material
from analysis.reports.layout import Figure, PageTable
from analysis.reports.rows import Record, RowColumn, decode, encode, row_columns
from analysis.sections.metrics.columns import (
    ComparedColumns,
    SystemScores,
    averaged_criteria,
    compared_columns,
    criterion_scores,
)
from analysis.sections.rule_application import without_rule_values
from analysis.sections.systems.fitted_models import FittedModel
from judging.campaigns import hypotheses
from judging.campaigns.actions import locked_plans
from judging.campaigns.hypotheses import Hypotheses
from quaestor_stats._design import Design
from quaestor_stats._result import Result

R = TypeVar("R")
OF_SAID = ("krippendorff_alpha",)  # measures that are always of what annotators said
READING = RowColumn(
    "reading",
    "text",
    "as_released (what annotators said) or by_protocol (its rules overrule them)",
    ("reading",),
)


@dataclass(frozen=True)
class Inputs:
    """The input of a run's sections."""

    said: Material  # the annotators' judgments
    counted: Material  # these in the chosen reading: values set by the protocol overrule them
    design: Design
    settings: Mapping[str, Any]
    failures: Mapping[str, str]  # metrics that could not be computed, with the reason
    # The judgments with annotators that this run excludes, or without excluded ones that it counts
    other: Material | None = None

    @cached_property
    def declared(self) -> Hypotheses:
        """What the locked plan declares about tests."""
        return hypotheses.hypotheses_from_document(
            locked_plans.read_locked_plan(self.said.campaign)["hypotheses"]
        )

    @cached_property
    def differing(self) -> Material:
        """The counted judgments of annotators, without values set by rules or adjudication: those
        are the same for all annotators and carry no information on agreement."""
        return without_rule_values(self.said, self.settings["reading"])

    @cached_property
    def models(self) -> dict[str, FittedModel]:
        """The mixed models of the criteria that may be averaged, under the declared design."""
        return self._models(self.counted, annotators_random=self.design.random_annotators)

    @cached_property
    def models_of_random_annotators(self) -> dict[str, FittedModel]:
        """The mixed models of annotators who were drawn at random and can differ."""
        if self.design.random_annotators and self.differing is self.counted:
            return self.models
        return self._models(self.differing, annotators_random=True)

    def _models(self, material: Material, *, annotators_random: bool) -> dict[str, FittedModel]:
        asked = self.settings["mixed_model"]
        return {
            criterion.key: FittedModel(material, criterion, asked, annotators_random)
            for criterion in averaged_criteria(material)
        }

    @cached_property
    def compared_columns(self) -> ComparedColumns | None:
        """The human columns and metrics to compare; None if there is no metric or no human column."""
        return compared_columns(self.counted, self.design)

    @cached_property
    def scores_of_systems(self) -> list[SystemScores]:
        """The scores of the systems on every criterion that may be averaged and that two systems or
        more were judged on."""
        return list(criterion_scores(self.counted))


@dataclass(frozen=True)
class Chance:
    """A section's seeded random generator, its number of resamples, and the function that reports
    progress: call it every few seconds, with the same words while a step lasts."""

    rng: np.random.Generator
    resamples: int
    step: Callable[[str], None]


def chance_of(key: str, *, seed: int, resamples: int, step: Callable[[str], None]) -> Chance:
    """Return the `Chance` of a section, seeded by its key: no section changes another's numbers."""
    name = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])
    return Chance(np.random.default_rng([seed, name]), resamples, step)


class Found:
    """A run's results, section by section, as typed rows."""

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

    def excluded(self, section: "type[Section[Any]]") -> frozenset[str]:
        """Return the parts of a section that are omitted because of their number of rows; an empty
        name means the whole section."""
        return self._excluded.get(section.key, frozenset())

    @cached_property
    def _excluded(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for row in self.documents.get("omitted_tables", []):
            found.setdefault(row["table"], set()).add(row["part"])
        return {key: frozenset(parts) for key, parts in found.items()}

    def knows(self, section: "type[Section[Any]]") -> bool:
        """Return whether the run was made with this section."""
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
    Coverage(Section[CoverageRow])``."""

    key: ClassVar[str]  # of the table: its file is tables/KEY.csv
    title: ClassVar[str]
    version: ClassVar[int] = 1  # rises when a column changes its meaning
    identity: ClassVar[tuple[str, ...]] = ()  # the columns that together identify a row
    note: ClassVar[str] = ""  # what a reader must know before the numbers
    # The rows depend on the chosen reading of the rules
    by_reading: ClassVar[bool] = False
    download_only: ClassVar[bool] = False  # too long for a page: a row for each judgment, say
    leads: ClassVar[bool] = False  # open on the page
    # Listed on the page beside the leading sections; the other sections are behind "More"
    listed: ClassVar[bool] = False
    beside: ClassVar[
        tuple[tuple[str, str], ...]
    ] = ()  # key and title of tables to download with it
    people: ClassVar[tuple[str, ...]] = ()  # the columns that hold an annotator's label
    row: ClassVar[type[Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.row = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> R:
        """Return the row of a stored record."""
        return decode(cls.row, record)  # type: ignore[no-any-return]

    def records(self, inputs: Inputs, found: Found, chance: Chance) -> list[Record]:
        """Return the rows as stored records; those that depend on the reading of the rules name
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
        """Return stored rows without those about erased annotators; numbers over several annotators
        are kept."""
        return [
            record
            for record in records
            if not any(record.get(name) in labels for name in cls.people)
        ]

    @classmethod
    def columns(cls) -> tuple[RowColumn, ...]:
        """Return the columns of the table as it is stored and downloaded."""
        return (*row_columns(cls.row), READING) if cls.by_reading else row_columns(cls.row)

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        """Return the largest possible number of rows of each part of the table before it is
        computed; parts are criteria, human columns or attributes. Empty unless two dimensions
        multiply.

        `compute` omits the parts that `found.excluded` names.
        """
        return {}

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[R]:
        """Return the rows. `found` holds the sections that come before this one."""
        raise NotImplementedError

    def tables(self, found: Found) -> list[PageTable]:
        """Return the tables that the page shows, in its order."""
        return []

    def figures(self, found: Found) -> list[Figure]:
        """Return the figures to draw."""
        return []

    def sentences(self, found: Found) -> Iterator[str]:
        """Yield the results in words; the chapter's paragraph consists of these and the caveats."""
        return iter(())

    def caveats(self, found: Found) -> Iterator[str]:
        """Yield sentences that limit the conclusions; the page shows them without a click."""
        return iter(())

    def headline(self, found: Found) -> dict[str, Result]:
        """Return the numbers that runs are compared by, each under a name of its own."""
        return {}

    def small_print(self, found: Found) -> list[str]:
        """Return the remarks below the tables, which the page shows without a click."""
        return []

    def technical_notes(self, found: Found) -> list[str]:
        """Return which numbers other libraries confirm, and why a figure is missing."""
        return []
