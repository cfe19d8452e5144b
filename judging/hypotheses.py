"""A plan's declarations about tests before there are data: the primary hypothesis and the
equivalence margin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

LEVEL = 0.05  # of the primary test, if the plan names no other
TWO_SIDED = "two_sided"
GREATER = "greater"  # the first system is better; the metric correlates positively


@dataclass(frozen=True, slots=True)
class PrimaryHypothesis:
    """The hypothesis that is tested first, without a correction.

    It is about a pair of systems on a criterion, or about the pooled Spearman correlation of a
    metric with the human ratings of the criterion: ``metric`` is empty for a pair of systems.
    """

    criterion: str = ""
    direction: str = TWO_SIDED
    level: float = LEVEL
    first: str = ""
    second: str = ""
    metric: str = ""

    def in_words(self, criterion: str) -> str:
        """Return the hypothesis as a sentence; `criterion` is the criterion's name."""
        if self.metric:
            how = "positively with" if self.direction == GREATER else "with"
            return f"“{self.metric}” correlates {how} human ratings of {criterion}"
        if self.direction == GREATER:
            return f"“{self.first}” is better than “{self.second}” on {criterion}"
        return f"“{self.first}” and “{self.second}” differ on {criterion}"

    @property
    def test_in_words(self) -> str:
        """Return the direction and the level of the test."""
        sided = "one-sided" if self.direction == GREATER else "two-sided"
        return f"{sided}, {100 * self.level:g}% level"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The declarations of a plan; None for each that is missing."""

    primary: PrimaryHypothesis | None = None
    margin: float | None = None  # scale points within which two systems are equivalent


def from_document(document: Mapping[str, Any]) -> Hypotheses:
    """Return the declarations stored in a campaign as JSON."""
    primary = document.get("primary")
    return Hypotheses(PrimaryHypothesis(**primary) if primary else None, document.get("margin"))


def to_document(declared: Hypotheses) -> dict[str, Any]:
    """Return declarations as stored in a campaign, without missing ones."""
    document: dict[str, Any] = {}
    if declared.primary is not None:
        document["primary"] = {
            name: value for name, value in asdict(declared.primary).items() if value
        }
    if declared.margin is not None:
        document["margin"] = declared.margin
    return document


def in_words(declared: Hypotheses, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a plan's declarations as sentences; `names` are the criteria's names by key."""
    if (primary := declared.primary) is None:
        yield "No primary hypothesis is declared: every test is exploratory."
    else:
        hypothesis = primary.in_words(names.get(primary.criterion, primary.criterion))
        yield (
            f"Primary hypothesis: {hypothesis} ({primary.test_in_words}; tested first, without a "
            "correction). Every other test is exploratory."
        )
    if declared.margin is not None:
        yield (
            f"Equivalence of systems: two one-sided tests, margin {declared.margin:g} scale points."
        )
