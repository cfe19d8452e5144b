"""Random weights of criteria against shares that geometry gives."""

import numpy as np
import pytest

from analysis.stats.ranks import rank_probabilities
from analysis.stats.weightings import randomly_weighted

RNG = np.random.default_rng


def first(values: list[list[float]], *, draws: int = 20_000) -> np.ndarray:
    return rank_probabilities(randomly_weighted(values, rng=RNG(1), draws=draws))[:, 0]


def test_randomly_weighted_two_criteria_first_as_often_as_the_line_is_long() -> None:
    # the first system is ahead where w > 2 (1 - w), which is w > 2/3
    assert first([[1, 0], [0, 2]]) == pytest.approx([1 / 3, 2 / 3], abs=0.01)


def test_randomly_weighted_three_criteria_first_as_often_as_the_triangle_is_large() -> None:
    assert first(np.eye(3).tolist()) == pytest.approx([1 / 3] * 3, abs=0.01)
    # second ahead where its weight exceeds 1/2: a quarter of the triangle
    assert first([[0.5, 0.5, 0.5], [0, 1, 0]]) == pytest.approx([3 / 4, 1 / 4], abs=0.01)


def test_randomly_weighted_equal_systems_share_the_first_place() -> None:
    assert first([[1, 2], [1, 2], [0, 1]], draws=100) == pytest.approx([0.5, 0.5, 0])


def test_randomly_weighted_missing_value_is_refused() -> None:
    with pytest.raises(ValueError, match="values: a system lacks the aggregate of a criterion"):
        randomly_weighted([[1, np.nan]], rng=RNG(1), draws=1)
