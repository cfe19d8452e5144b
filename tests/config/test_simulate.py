"""Simulated annotators."""

import random
import statistics

from config.demo.simulate import QUALITY, SEVERITY, DemoScale, nearest, rate, turned_out
from judging.rules import Force

SCALES = [
    DemoScale(key, (1, 2, 3)) for key in ("grammaticality", "understandability", "correctness")
]
RULES = [Force("too-complex", "understandability", 1, {"correctness": 1}, "why")]


def rated(system: str, severity: float, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    return rate(
        quality=QUALITY[system],
        question=turned_out(rng=rng),
        severity=severity,
        scales=SCALES,
        rules=RULES,
        rng=rng,
    )


def test_nearest_of_a_quality_is_a_point_of_the_scale():
    assert [nearest(quality, (1, 2, 3)) for quality in (-1, 0, 0.2, 0.5, 0.8, 1, 2)] == [
        1,
        1,
        1,
        2,
        3,
        3,
        3,
    ]
    # worst first, so a scale on which 1 is best is turned round
    assert nearest(1.0, (4, 3, 2, 1)) == 1


def test_ratings_with_the_same_seed_are_the_same():
    assert rated("Corvo", 0.0, 7) == rated("Corvo", 0.0, 7)


def test_ratings_obey_the_forcing_rule():
    values = [rated("Corvo", SEVERITY["severe"], seed) for seed in range(200)]

    forced = [each for each in values if each["understandability"] == 1]
    assert len(forced) > 20
    assert {each["correctness"] for each in forced} == {1}


def test_better_systems_are_rated_higher_and_severe_annotators_rate_lower():
    def mean(system: str, severity: float) -> float:
        return statistics.mean(sum(rated(system, severity, seed).values()) for seed in range(300))

    by_system = [mean(system, 0.0) for system in ("Alba", "Brisa", "Dorso")]
    assert by_system == sorted(by_system, reverse=True)
    assert mean("Brisa", SEVERITY["severe"]) < mean("Brisa", SEVERITY["lenient"])
