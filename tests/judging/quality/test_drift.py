"""Days that differ: Student's and Welch's t beside scipy's, and what is flagged of planted drift."""

import random
from statistics import fmean, stdev

import pytest
from scipy import stats

from judging.quality.drift import (
    Day,
    SourceSpread,
    find_drifts,
    pool_spreads,
    t_quantile,
    t_two_sided,
    welch,
)

WIDTHS = {"fluency": 2.0}


def spread(values: list[float]) -> SourceSpread:
    return SourceSpread(len(values), fmean(values), stdev(values) if len(values) > 1 else 0.0)


def day(name: str, apart: list[float]) -> Day:
    return Day(name, len(apart), spread([2.0] * len(apart)), spread(apart))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 41, 299, 1000])
def test_students_t_is_scipys(freedom):
    for t in (0.0, 0.3, 1.7, 2.5, 6.0):
        assert t_two_sided(t, freedom) == pytest.approx(
            2 * stats.t.sf(t, freedom), abs=5e-4 if freedom > 299 else 1e-9
        )
    assert t_quantile(0.05, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


def test_interval_of_five_source_means_by_hand():
    """1, 2, 2, 3, 2: mean 2, deviation .7071, standard error .3162, t with 4 degrees 2.776."""
    low, high = spread([1, 2, 2, 3, 2]).interval
    assert (low, high) == (pytest.approx(2 - 0.878, abs=1e-3), pytest.approx(2.878, abs=1e-3))
    assert spread([2]).interval is None


def test_welch_is_scipys_with_degrees_rounded_down():
    one, other = [0.1, 0.4, -0.2, 0.0, 0.3, 0.2], [0.9, 0.2, 1.4, 0.3, 1.0]
    theirs = stats.ttest_ind(one, other, equal_var=False)
    expected = 2 * stats.t.sf(abs(theirs.statistic), int(theirs.df))
    assert welch(spread(one), spread(other)) == pytest.approx(expected)


def test_pooled_days_are_one_sample():
    parts = [[1.0, 2.0, 4.0], [3.0, 3.5], [2.5]]
    found = pool_spreads([spread(part) for part in parts])
    whole = spread([value for part in parts for value in part])
    assert (found.n, found.mean, found.deviation) == (
        whole.n, pytest.approx(whole.mean), pytest.approx(whole.deviation),
    )  # fmt: skip
    assert pool_spreads([]) is None


def test_day_on_which_an_annotator_turns_harsh_is_flagged_and_no_other():
    days = [day("2026-03-01", [0.1, -0.1, 0.0, 0.2, -0.2, 0.1]),
            day("2026-03-02", [0.0, 0.1, -0.1, 0.1, 0.0, -0.2]),
            day("2026-03-03", [-0.9, -1.0, -1.1, -0.8, -1.0, -1.2])]  # fmt: skip
    [found] = find_drifts({"fluency": days}, WIDTHS)
    assert (found.criterion, found.day, found.n) == ("fluency", "2026-03-03", 6)
    assert (found.own, found.others) == (pytest.approx(-1.0), pytest.approx(0.0, abs=0.01))


def test_small_shift_few_sources_and_scales_without_a_best_end_are_not_flagged():
    still = [0.0] * 8
    assert find_drifts({"fluency": [day("1", still), day("2", [0.19] * 8)]}, WIDTHS) == []
    assert find_drifts({"fluency": [day("1", still), day("2", [0.2] * 8)]}, WIDTHS) != []
    assert find_drifts({"fluency": [day("1", still), day("2", [1.0] * 4)]}, WIDTHS) == []
    assert find_drifts({"topic": [day("1", still), day("2", [1.0] * 8)]}, WIDTHS) == []


def test_annotators_who_do_not_drift_are_rarely_flagged():
    """At most one in a hundred, over five days and three criteria each; of 300 annotators."""
    chance = random.Random(7)
    keys = ("fluency", "relevance", "variety")
    flagged = 0
    for _ in range(300):
        days = {
            key: [day(str(d), [chance.gauss(0, 0.7) for _ in range(8)]) for d in range(5)]
            for key in keys
        }
        flagged += bool(find_drifts(days, dict.fromkeys(keys, 2.0)))
    assert flagged <= 9
