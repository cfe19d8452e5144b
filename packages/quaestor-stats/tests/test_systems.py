import numpy as np
import pytest
from scipy import stats

from quaestor_stats._inputs import RatingOffScale
from quaestor_stats._system_means import by_source, distribution, system_distributions, system_means

NAN = np.nan
SYSTEMS = ["a", "a", "a", "a", "b", "b", "b", "b"]
SOURCES = [1, 2, 3, 4, 1, 2, 3, 4]
SCORES = [1.0, 2, 4, 5, 3, 3, NAN, 4]


def test_system_means_with_one_question_a_source_have_students_interval() -> None:
    found = system_means(SCORES, systems=SYSTEMS, sources=SOURCES)
    low, high = stats.t.interval(0.95, 3, 3.0, stats.sem([1, 2, 4, 5]))
    assert list(found) == ["a", "b"]
    assert (found["a"].value, found["a"].ci.low, found["a"].ci.high) == pytest.approx(
        (3, low, high)
    )
    assert (found["b"].n, found["b"].dropped) == (3, 1)


def test_system_means_take_questions_of_one_source_together() -> None:
    scores = np.repeat([1.0, 2, 4, 5], 6)
    once = system_means([1.0, 2, 4, 5], systems=["a"] * 4, sources=[1, 2, 3, 4])["a"]
    six = system_means(scores, systems=["a"] * 24, sources=np.repeat([1, 2, 3, 4], 6))["a"]
    assert (six.value, six.ci.low, six.ci.high) == pytest.approx(
        (once.value, once.ci.low, once.ci.high)
    )
    assert (six.n, six.clusters) == (24, 4)


def test_system_means_of_equal_scores_have_no_interval() -> None:
    found = system_means([3.0, 3, 3], systems=["a"] * 3, sources=[1, 2, 3])["a"]
    assert (found.value, found.reason) == (
        3,
        "all units say the same: no interval can be estimated",
    )


def test_system_means_of_two_sources_have_no_interval() -> None:
    found = system_means([3.0, 4], systems=["a"] * 2, sources=[1, 2])["a"]
    assert (found.value, found.reason) == (3.5, "fewer than three units: no interval")


def test_system_means_without_scores_are_undefined() -> None:
    found = system_means([NAN, NAN], systems=["a", "a"], sources=[1, 2])["a"]
    assert (found.defined, found.reason, found.dropped) == (False, "no question has a score", 2)


def test_system_means_refuse_columns_of_different_length() -> None:
    with pytest.raises(ValueError, match="scores 2, systems 1, sources 2"):
        system_means([1.0, 2], systems=["a"], sources=[1, 2])


def test_distribution_counts_the_whole_scale() -> None:
    found = distribution([[1, 3], [3, NAN], [1, 1]], scale=[1, 2, 3])
    assert (found.counts.tolist(), found.missing) == ([3, 0, 2], 1)
    assert found.shares.tolist() == [3 / 5, 0, 2 / 5]


def test_distribution_of_nothing_has_no_shares() -> None:
    assert np.isnan(distribution([NAN], scale=[1, 2]).shares).all()


def test_distribution_refuses_values_off_the_scale() -> None:
    with pytest.raises(RatingOffScale):
        distribution([4], scale=[1, 2, 3])


def test_system_distributions_take_ratings_of_several_raters() -> None:
    found = system_distributions([[1, 2], [2, 2], [1, 1]], systems=["x", "x", "y"], scale=[1, 2])
    assert {name: d.counts.tolist() for name, d in found.items()} == {"x": [1, 3], "y": [2, 0]}
    with pytest.raises(ValueError, match="scores 3, systems 1"):
        system_distributions([1, 2, 1], systems=["x"], scale=[1, 2])


def test_by_source_averages_and_leaves_gaps() -> None:
    means, systems, sources = by_source(
        [1.0, 3, NAN, 5], systems=["a", "a", "a", "b"], sources=["s", "s", "t", "t"]
    )
    assert (systems, sources) == (["a", "b"], ["s", "t"])
    assert np.array_equal(means, [[2, NAN], [NAN, 5]], equal_nan=True)


def test_system_mean_of_sources_that_nearly_all_agree_says_why_it_has_no_interval() -> None:
    """Four of twenty sources have another mean than 3; with five there is an interval."""
    how = {"systems": ["a"] * 20, "sources": range(20)}
    few = system_means([3.0] * 16 + [1, 2, 2, 1.5], **how)["a"]
    assert np.isnan([few.ci.low, few.ci.high]).all()
    assert few.reason == "only 4 of 20 sources have a mean other than 3: no interval"
    assert system_means([3.0] * 15 + [1, 2, 2, 1.5, 2], **how)["a"].ci.low > 1


def test_system_mean_interval_ends_at_the_ends_of_the_scale() -> None:
    scores = [3.0] * 6 + [1, 2, 2, 3, 2, 2]
    how = {"systems": ["a"] * 12, "sources": range(12)}
    assert system_means(scores, **how, scale=(1, 2.6))["a"].ci.high == 2.6
    assert system_means(scores, **how)["a"].ci.high > 2.6
