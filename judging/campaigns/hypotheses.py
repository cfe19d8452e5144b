"""A plan's declarations about tests before there are data: primary hypotheses, margins, and the
criteria over which p-values are corrected together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

LEVEL = 0.05  # of the primary tests, if the plan names no other
TWO_SIDED = "two_sided"
GREATER = "greater"  # the first is better; a metric correlates positively
NON_INFERIOR = "non_inferior"  # the first system is not worse by the criterion's margin or more
DIRECTIONS = (TWO_SIDED, GREATER, NON_INFERIOR)
HOLM = "holm"
IN_ORDER = "in_order"  # each hypothesis is tested if all before it are supported
METRIC_LEVELS = {
    "pooled": "pooled",
    "within_source": "per source",
    "systems": "system level",
}


@dataclass(frozen=True, slots=True)
class PrimaryHypothesis:
    """A hypothesis that is tested first, on one criterion.

    It is about two systems; or, if ``metric_level`` names a level, about Spearman's correlation of
    one metric with the human ratings, or of which of two metrics is higher.
    """

    criterion: str = ""
    first: str = ""
    second: str = ""  # empty for a hypothesis about one metric
    direction: str = TWO_SIDED
    metric_level: str = ""

    @property
    def is_about_systems(self) -> bool:
        return not self.metric_level

    def in_words(self, criterion: str) -> str:
        """Return the hypothesis as a sentence; `criterion` is the criterion's name."""
        first, second = f"“{self.first}”", f"“{self.second}”"
        if self.is_about_systems:
            claims = {
                GREATER: f"{first} is better than {second}",
                NON_INFERIOR: f"{first} is not worse than {second} by the margin",
                TWO_SIDED: f"{first} and {second} differ",
            }
            return f"{claims[self.direction]} on {criterion}"
        ratings = f"human ratings of {criterion} ({METRIC_LEVELS[self.metric_level]})"
        if not self.second:
            positively = "positively " if self.direction == GREATER else ""
            return f"“{self.first}” correlates {positively}with {ratings}"
        if self.direction == GREATER:
            return f"{first} correlates more strongly than {second} with {ratings}"
        return f"{first} and {second} correlate differently with {ratings}"

    @property
    def sides(self) -> str:
        return "two-sided" if self.direction == TWO_SIDED else "one-sided"


@dataclass(frozen=True, slots=True)
class Margin:
    """The difference of two systems' means that has no practical meaning, on one criterion."""

    points: float  # of the criterion's scale
    reason: str


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The declarations of a plan; criteria are named by their keys."""

    primary: tuple[PrimaryHypothesis, ...] = ()
    level: float = LEVEL
    multiplicity: str = HOLM  # or IN_ORDER; over the primary hypotheses
    margins: Mapping[str, Margin] = field(default_factory=dict)
    corrected_together: tuple[str, ...] = ()

    @property
    def correction(self) -> str:
        """Return how several primary hypotheses are corrected for their number."""
        if len(self.primary) == 1:
            return "without a correction"
        if self.multiplicity == IN_ORDER:
            return "in this order, each only if all before it are supported"
        return "with Holm's correction over them"


def hypotheses_from_document(document: Mapping[str, Any]) -> Hypotheses:
    """Return the declarations stored in a campaign as JSON."""
    return Hypotheses(
        primary=tuple(PrimaryHypothesis(**primary) for primary in document.get("primary", ())),
        level=document.get("level", LEVEL),
        multiplicity=document.get("multiplicity", HOLM),
        margins={key: Margin(**margin) for key, margin in document.get("margins", {}).items()},
        corrected_together=tuple(document.get("corrected_together", ())),
    )


def hypotheses_to_document(declared: Hypotheses) -> dict[str, Any]:
    """Return declarations as stored in a campaign; empty if nothing is declared."""
    if declared == Hypotheses():
        return {}
    document = asdict(declared)
    return {
        name: list(part) if isinstance(part, tuple) else part for name, part in document.items()
    }


def describe_hypotheses(declared: Hypotheses, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a plan's declarations as sentences; `names` are the criteria's names by key."""
    if not declared.primary:
        yield "No primary hypothesis is declared: every test is exploratory."
    for hypothesis in declared.primary:
        name = names.get(hypothesis.criterion, hypothesis.criterion)
        yield f"Primary hypothesis: {hypothesis.in_words(name)} ({hypothesis.sides})."
    if declared.primary:
        which = "It is" if len(declared.primary) == 1 else "They are"
        yield (
            f"{which} tested first, at the {100 * declared.level:g}% level, {declared.correction}. "
            "Every other test is exploratory."
        )
    for key, margin in declared.margins.items():
        yield (
            f"Margin of equivalence and non-inferiority on {names.get(key, key)}: {margin.points:g} scale "
            f"points. Reason: {margin.reason.rstrip('.')}."
        )
    if declared.corrected_together:
        criteria = ", ".join(names.get(key, key) for key in declared.corrected_together)
        yield f"Comparisons of systems are corrected together (Holm) over these criteria: {criteria}."
