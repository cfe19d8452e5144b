"""Scores and orders of systems in several studies: worked by hand, and beside scipy's."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._repeatability import cv_star, order_kept


def test_cv_star_of_three_scores_by_hand():
    """1, 2 and 3 on a scale from 0: s = 1, c4(3) = .886227, s* = 1.128379, CV* = 100 x 13/12 x
    1.128379 / 2 = 61.12."""
    found = cv_star([1.0, 2.0, 3.0], lowest=0)
    assert (found.value, found.n) == (pytest.approx(61.1205, abs=1e-3), 3)
    assert cv_star([2.0, 2.4], lowest=1).value == pytest.approx(33.2335, abs=1e-3)
    assert "lowest point" in cv_star([1.0, 1.0], lowest=1).reason
    assert "no score" in cv_star([1.0, float("nan")], lowest=1).reason


def test_the_order_of_systems_is_compared_over_redrawn_sources():
    draw = np.random.default_rng(2)
    worth = draw.normal(size=(5, 1))
    studies = [
        (worth * counts + draw.normal(size=(5, 12)), counts)
        for counts in draw.integers(1, 4, (2, 5, 12))
    ]

    def spearman(times: np.ndarray) -> float:
        means = [
            (sums * times).sum(axis=1) / (counts * times).sum(axis=1) for sums, counts in studies
        ]
        return stats.spearmanr(*means).statistic

    drawn = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=60)
    found = order_kept(*studies, rng=np.random.default_rng(3), resamples=60)
    assert found.value == pytest.approx(spearman(np.ones(12)))
    limits = np.percentile([spearman(times) for times in drawn], [2.5, 97.5])
    assert (found.ci.low, found.ci.high) == pytest.approx(tuple(limits))
    assert (found.n, found.clusters) == (5, 12)


def test_draws_in_which_a_system_has_no_question_say_nothing_of_the_order():
    """The third system has its only question on the first source."""
    counts = np.ones((3, 4))
    counts[2, 1:] = 0
    sums = np.array([[1.0, 2, 1, 2], [2, 3, 1, 4], [3, 0, 0, 0]])
    found = order_kept((sums, counts), (sums, counts), rng=np.random.default_rng(0), resamples=50)
    assert (found.value, found.ci.low, found.ci.high) == (1, 1, 1)
    tied = order_kept((2 * counts, counts), (sums, counts), rng=np.random.default_rng(0))
    assert tied.reason == "in one study all systems have the same mean"
