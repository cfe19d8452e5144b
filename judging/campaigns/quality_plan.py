"""The part of a campaign's plan on checks, flags and exclusion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """The thresholds for flags, and the rules that propose annotators for exclusion.

    A rule that is None proposes no annotator. Percentages are of an annotator's tasks.
    """

    least_values: int = 12
    fastest: float = 0.5
    faster_than_others: float = 4.0
    same_share: float = 0.95
    longest_run: int = 20
    least_gold: float = 0.67
    least_same: float = 0.6
    repeats: int = 0
    gold: int = 0
    degraded: int = 0
    gap: int = 20
    exclude_speed: bool = False
    exclude_same: bool = False
    exclude_gold: int | None = None
    exclude_gold_of: int | None = None
    exclude_repeats: float | None = None
    exclude_degraded: bool = False

    @property
    def has_checks(self) -> bool:
        """Return whether the plan adds check tasks to those of the dataset."""
        return bool(self.repeats or self.gold or self.degraded)

    @property
    def has_rules(self) -> bool:
        """Return whether any rule proposes annotators for exclusion."""
        named = (self.exclude_gold, self.exclude_repeats)
        return any(each is not None for each in named) or (
            self.exclude_speed or self.exclude_same or self.exclude_degraded
        )


BOUNDS = {  # of the numbers of a plan
    "least_values": (1, 10_000),
    "fastest": (0, 600),
    "faster_than_others": (1, 100),
    "same_share": (0, 1),
    "longest_run": (2, 10_000),
    "least_gold": (0, 1),
    "least_same": (0, 1),
    "repeats": (0, 50),
    "gold": (0, 50),
    "degraded": (0, 50),
    "gap": (1, 1_000),
    "exclude_gold": (0, 1_000),
    "exclude_gold_of": (1, 1_000),
    "exclude_repeats": (0, 1),
}


def quality_plan_from_document(document: Mapping[str, Any]) -> QualityPlan:
    """Return the plan stored in a campaign, with defaults for missing values."""
    known = {field.name for field in fields(QualityPlan)}
    return QualityPlan(**{name: value for name, value in document.items() if name in known})


def quality_plan_to_document(plan: QualityPlan) -> dict[str, Any]:
    """Return a plan for JSON: every threshold, so that a later default changes no locked plan."""
    return asdict(plan)
