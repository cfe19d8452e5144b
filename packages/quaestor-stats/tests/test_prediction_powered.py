"""Means that people correct: by hand, by the published formulas where items are independent, and
their coverage."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._prediction_powered import ALL_JUDGED, corrected_mean


def made(seed=1, n=4000, judged=400, bias=0.4):
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n)
    judge = truth + bias + rng.normal(0, 0.5, n)
    people = np.where(np.arange(n) < judged, truth, np.nan)
    return people, judge


def test_the_mean_is_the_judges_corrected_by_what_people_say_of_it():
    people, judge = made()
    found = corrected_mean(people, judge)
    own = people[:400]
    assert found.people.value == pytest.approx(own.mean())
    expected = own.mean() + found.tuning * (judge.mean() - judge[:400].mean())
    assert found.corrected.value == pytest.approx(expected)
    assert (found.items, found.judged) == (4000, 400)
    assert [(each.n, each.dropped) for each in (found.people, found.corrected)] == [
        (400, 0),
        (4000, 0),
    ]


def test_the_mean_of_people_alone_has_students_interval():
    people, judge = made()
    own = people[:400]
    reach = stats.t.ppf(0.975, 399) * own.std(ddof=1) / np.sqrt(400)
    found = corrected_mean(people, judge).people
    assert (found.ci.low, found.ci.high) == pytest.approx(
        (own.mean() - reach, own.mean() + reach), rel=2e-3
    )


def test_the_error_and_the_tuning_are_the_published_ones_for_independent_items():
    people, judge = made()
    found = corrected_mean(people, judge)
    y, f = people[:400], judge[:400]
    # power tuning: Cov(Y, f) / Var(f), here 1 / (1 + .25)
    assert found.tuning == pytest.approx(np.cov(y, f)[0, 1] / f.var(), rel=0.05)
    assert found.tuning == pytest.approx(0.8, rel=0.1)
    rest = y - found.tuning * f
    shared = 2 * found.tuning * np.cov(rest, f)[0, 1]  # the judged items are among all
    variance = rest.var() / 400 + (found.tuning**2 * judge.var() + shared) / 4000
    width = (found.corrected.ci.high - found.corrected.ci.low) / 2 / 1.96
    assert width == pytest.approx(np.sqrt(variance), rel=0.05)
    assert found.saves == pytest.approx(y.var() / 400 / variance, rel=0.1)


def test_a_judge_that_knows_nothing_changes_nothing():
    people, _ = made()
    found = corrected_mean(people, np.random.default_rng(7).normal(0, 1, 4000))
    assert found.tuning < 0.1
    assert found.saves == pytest.approx(1, abs=0.05)


def test_sources_are_kept_together():
    people, judge = made(n=60, judged=20)
    alike = np.repeat(np.arange(60), 5)
    once, many = (
        corrected_mean(people, judge),
        corrected_mean(people[alike], judge[alike], sources=alike),
    )
    assert many.corrected.value == pytest.approx(once.corrected.value)
    assert many.corrected.ci.high - many.corrected.ci.low == pytest.approx(
        once.corrected.ci.high - once.corrected.ci.low, rel=0.1
    )
    assert many.corrected.clusters == 60


def test_what_cannot_be_corrected_says_why():
    people, judge = made(n=40, judged=40)
    assert corrected_mean(people, judge).corrected.reason == ALL_JUDGED
    assert "nobody judged" in corrected_mean(np.full(40, np.nan), judge).corrected.reason
    few = corrected_mean(np.where(np.arange(40) < 4, people, np.nan), judge)
    assert (
        few.corrected.reason
        == "people judged 4 sources: at least 10 are needed for an interval that holds"
    )


def test_intervals_hold_in_studies_with_several_systems_on_a_source():
    rng, hit, studies = np.random.default_rng(4), 0, 300
    for _ in range(studies):
        source = np.repeat(np.arange(60), 4)
        truth = 3 + rng.normal(0, 0.4, 60)[source] + rng.normal(0, 0.7, 240)
        judge = truth + 0.3 + rng.normal(0, 0.2, 60)[source] + rng.normal(0, 0.5, 240)
        judged = np.isin(source, rng.choice(60, 15, replace=False))
        found = corrected_mean(np.where(judged, truth, np.nan), judge, sources=source).corrected
        hit += found.ci.low <= 3 <= found.ci.high
    assert 0.9 <= hit / studies <= 0.98
