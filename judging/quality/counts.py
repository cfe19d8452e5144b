"""A campaign's counts as the database returns them: one row type for each kind of count.

Rows name annotators by the enrollment's key, and criteria and systems by theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from judging.quality.quality import Checked


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """The places of the main round: all that are open, held or submitted, and two of these
    states."""

    total: int = 0
    submitted: int = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class SubmittedWork:
    """One annotator's submitted tasks of the main round; extras are not among `tasks`."""

    enrollment: int
    tasks: int
    extras: int
    seconds: float
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PaidWork:
    """One annotator's tasks that are paid, in all rounds."""

    enrollment: int
    tasks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ReportedQuestions:
    """How many questions one annotator reported as broken in submitted tasks, and how many of these
    tasks have no value."""

    enrollment: int
    questions: int
    empty: int


@dataclass(frozen=True, slots=True)
class IdleTask:
    """A task that an annotator holds without a save for a day: the last save's day and its age."""

    enrollment: int
    day: str
    hours: float


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """One annotator's values that were clicked, answers that were quick, and those with known
    times."""

    enrollment: int
    clicked: int
    quick: int
    timed: int


@dataclass(frozen=True, slots=True)
class ValueCount:
    """How often one annotator gave one value of a criterion."""

    enrollment: int
    criterion: int
    value: int
    count: int


@dataclass(frozen=True, slots=True)
class LongestRun:
    """The most equal values in a row that one annotator gave on a criterion."""

    enrollment: int
    criterion: int
    value: int
    length: int


@dataclass(frozen=True, slots=True)
class MeanDistance:
    """The mean distance of one annotator's `n` values from the others' on the same units."""

    enrollment: int
    criterion: int
    mean: float
    n: int


@dataclass(frozen=True, slots=True)
class SystemUnits:
    """How many units of a system one annotator judged."""

    system: int
    enrollment: int
    units: int


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The values of one day on a criterion, by one annotator or, without `enrollment`, by all.

    mean, deviation: of the means of `sources`. distance, distance_deviation: of the mean distances
    from the others of `compared` sources.
    """

    enrollment: int | None
    criterion: int
    day: str
    values: int
    sources: int
    mean: float
    deviation: float
    compared: int = 0
    distance: float = 0.0
    distance_deviation: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignCounts:
    """All counts of a campaign at one moment; `questions` is None if it has no main round.

    by_hour: tasks submitted in each whole hour since the round opened, the earliest first. checked:
    by the enrollment's key.
    """

    at: datetime
    questions: int | None = None
    places: PlaceCounts = PlaceCounts()
    submitted: tuple[SubmittedWork, ...] = ()
    paid: tuple[PaidWork, ...] = ()
    by_hour: tuple[int, ...] = ()
    reported: tuple[ReportedQuestions, ...] = ()
    idle: tuple[IdleTask, ...] = ()
    answers: tuple[AnswerCounts, ...] = ()
    uses: tuple[ValueCount, ...] = ()
    runs: tuple[LongestRun, ...] = ()
    distances: tuple[MeanDistance, ...] = ()
    systems: tuple[SystemUnits, ...] = ()
    checked: dict[int, Checked] = field(default_factory=dict)
    days: tuple[DayCounts, ...] = ()
    days_of_all: tuple[DayCounts, ...] = ()


_COUNTS = TypeAdapter(CampaignCounts)


def counts_to_json(counts: CampaignCounts) -> dict[str, Any]:
    """Return counts as a document that JSON can store."""
    return dict(_COUNTS.dump_python(counts, mode="json"))


def counts_from_json(document: dict[str, Any]) -> CampaignCounts:
    """Read counts from the document that `counts_to_json` made."""
    return _COUNTS.validate_python(document)
