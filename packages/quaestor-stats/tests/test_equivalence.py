"""Two one-sided tests against statsmodels, and their error rate at the margin."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from quaestor_stats._design import ClusterUnit
from quaestor_stats._equivalence import two_one_sided
from quaestor_stats._paired_tests import paired_permutation
from quaestor_stats._result import ConfidenceInterval, Result

RNG = np.random.default_rng


@pytest.mark.parametrize("margin", [0.1, 0.3, 1.0])
def test_two_one_sided_means_of_sources_agrees_with_statsmodels(margin: float) -> None:
    first, second = RNG(3).normal(0, 0.5, (2, 24))
    first += 0.1
    found = two_one_sided(paired_permutation(first, second, rng=RNG(0)), margin=margin)
    p, lower, upper = ttost_paired(first, second, -margin, margin)
    assert (found.p, found.p_lower, found.p_upper) == pytest.approx((p, lower[1], upper[1]))
    interval = stats.ttest_rel(first, second).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_two_one_sided_own_degrees_of_freedom_are_used() -> None:
    gap = Result(value=0.1, ci=ConfidenceInterval(-0.1, 0.3), n=100, df=4.0)
    few, many = two_one_sided(gap, margin=0.4), two_one_sided(replace(gap, df=99.0), margin=0.4)
    error = 0.2 / stats.t.ppf(0.975, 4)
    assert few.p_upper == pytest.approx(stats.t.cdf(-0.3 / error, 4))
    assert few.p_upper != pytest.approx(many.p_upper, rel=0.01)


def test_two_one_sided_no_interval_says_why() -> None:
    found = two_one_sided(paired_permutation([2.0] * 6, [1.0] * 6, rng=RNG(0)), margin=0.3)
    assert isnan(found.p) and "the same difference on every source" in found.reason


def test_two_one_sided_identical_scores_are_equivalent() -> None:
    found = two_one_sided(paired_permutation([1.0] * 6, [1.0] * 6, rng=RNG(0)), margin=0.3)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 0)


def test_two_one_sided_differences_in_few_clusters_that_cancel_are_not_tested() -> None:
    """The mean difference is 0 and its p is 1, as for identical scores."""
    passages = ClusterUnit("passage", "passages", sources=8, clusters=4)
    gap = paired_permutation(
        [3.0, -3, 0, 0, 0, 0, 0, 0], [0.0] * 8, rng=RNG(0), clusters=[0, 1, 2, 3] * 2, unit=passages
    )
    assert (gap.value, gap.pvalue) == (0, 1)
    found = two_one_sided(gap, margin=0.3)
    assert isnan(found.p) and "an interval needs at least 10" in found.reason


def test_two_one_sided_difference_at_the_margin_keeps_its_level() -> None:
    """Ratings from 1 to 5 by three annotators; the true difference is the margin."""
    rng, margin, studies = RNG(11), 0.5, 1000
    found = 0
    for _ in range(studies):
        sources = rng.normal(0, 0.4, (1, 20, 1))
        scores = np.rint(3 + sources + rng.normal(0, 0.7, (2, 20, 3)))
        scores[0] += rng.random((20, 3)) < margin  # adds the margin on average, whatever was drawn
        means = scores.mean(axis=2)
        gap = paired_permutation(means[0], means[1], rng=rng, resamples=1)
        found += two_one_sided(gap, margin=margin).p < 0.05
    low = stats.binomtest(found, studies).proportion_ci(method="exact").low
    assert low <= 0.07 and found / studies > 0.02


def test_two_one_sided_margin_not_above_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="margin"):
        two_one_sided(Result(value=0, ci=ConfidenceInterval(-1, 1), n=9), margin=0)
