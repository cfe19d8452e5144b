"""Simulated annotators for the demo, as pure functions: no annotator judged anything, and the demo
says so everywhere.

A simulated annotator sees a quality between 0 and 1 that belongs to the system and the criterion.
It is changed by how good this one question is (the same for all annotators), by the annotator's
severity, and by chance. The nearest point of the criterion's scale is the rating, and values forced
by the protocol's rules are obeyed.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from judging.protocols.rules import Rule, forced_values

QUALITY: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "Alba": {"grammaticality": 1.0, "understandability": 0.95, "correctness": 0.95},
        "Brisa": {"grammaticality": 0.85, "understandability": 0.8, "correctness": 0.75},
        "Corvo": {"grammaticality": 0.2, "understandability": 0.35, "correctness": 0.4},
        "Dorso": {"grammaticality": 0.6, "understandability": 0.6, "correctness": 0.05},
    }
)
SEVERITY: Mapping[str, float] = MappingProxyType(
    {"lenient": 0.08, "middling": 0.0, "severe": -0.12}
)
QUESTION_SPREAD = 0.12
CHANCE = 0.12


@dataclass(frozen=True, slots=True)
class DemoScale:
    """The points of one criterion, from the worst to the best."""

    criterion: str
    points: Sequence[int]


def question_deviation(*, rng: random.Random) -> float:
    """Return how much better or worse one question is than usual for its system; drawn once per
    question."""
    return rng.gauss(0, QUESTION_SPREAD)


def rate(
    *,
    quality: Mapping[str, float],
    question: float,
    severity: float,
    scales: Sequence[DemoScale],
    rules: Iterable[Rule],
    rng: random.Random,
) -> dict[str, int]:
    """Return one simulated annotator's value of one question on every scale."""
    seen = {
        scale.criterion: quality[scale.criterion] + question + severity + rng.gauss(0, CHANCE)
        for scale in scales
    }
    values = {
        scale.criterion: nearest_point(seen[scale.criterion], scale.points) for scale in scales
    }
    return values | {key: entry.value for key, entry in forced_values(rules, values).items()}


def nearest_point(quality: float, points: Sequence[int]) -> int:
    """Return the point nearest to a quality; quality 0 is the first point, 1 the last."""
    place = round(quality * (len(points) - 1))
    return points[min(max(place, 0), len(points) - 1)]
