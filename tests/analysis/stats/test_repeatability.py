"""The coefficient of variation of scores that studies repeat, worked by hand."""

import pytest

from analysis.stats.repeatability import cv_star


def test_cv_star_of_three_scores_by_hand():
    """1, 2 and 3 on a scale from 0: s = 1, c4(3) = .886227, s* = 1.128379, CV* = 100 x 13/12 x
    1.128379 / 2 = 61.12."""
    assert cv_star([1.0, 2.0, 3.0], lowest=0).value == pytest.approx(61.1205, abs=1e-3)
    assert cv_star([2.0, 2.4], lowest=1).value == pytest.approx(33.2335, abs=1e-3)
    assert "lowest point" in cv_star([1.0, 1.0], lowest=1).reason
    assert "no score" in cv_star([1.0, float("nan")], lowest=1).reason
