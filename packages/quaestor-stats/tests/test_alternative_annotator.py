"""The alternative annotator test: the numbers of the authors' own program, and its edges."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats import _alternative_annotator as module
from quaestor_stats._alternative_annotator import alternative_test
from quaestor_stats._multiplicity import benjamini_yekutieli
from quaestor_stats._resampling import Jackknife, jackknife_interval

N = np.arange(40)
EQUAL = N % 3
NAMES = np.stack(
    [
        EQUAL,
        np.where(N % 5 == 0, (EQUAL + 1) % 3, EQUAL),
        np.where(N % 7 == 0, (EQUAL + 2) % 3, EQUAL),
    ],
    1,
)
NAMES_JUDGE = np.where(N % 6 == 0, (EQUAL + 1) % 3, EQUAL)
FIRST = 1 + 7 * N % 5
SCALE = np.stack(
    [FIRST, np.minimum(5, FIRST + (N % 4 == 0)), np.maximum(1, FIRST - (N % 3 == 0))], 1
)
SCALE_JUDGE = np.maximum(1, FIRST - (N % 8 == 0))


def test_names_are_compared_by_equality_as_the_authors_program_does():
    found = alternative_test(NAMES, NAMES_JUDGE, level="nominal", epsilon=0.1)
    assert [one.advantage for one in found.people] == [0.875, 0.875, 0.875]
    assert [one.p_items for one in found.people] == pytest.approx(
        [0.5, 0.0720963, 0.0720963], abs=1e-6
    )
    assert found.advantage.value == 0.875
    assert found.winning_rate == found.winning_rate_items == 0
    assert found.passed is False
    assert found.items == 40


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_points_of_a_scale_are_compared_by_their_distance(level):
    found = alternative_test(SCALE, SCALE_JUDGE, level=level, epsilon=0.2)
    assert [one.advantage for one in found.people] == [0.9, 0.975, 0.925]
    assert [one.p_items for one in found.people] == pytest.approx(
        [0.0219919, 4.80233e-6, 5.25855e-5], rel=1e-5
    )
    assert found.advantage.value == pytest.approx(0.9333333)
    assert found.winning_rate == 1
    assert found.passed is True


def test_adjusted_p_are_benjamini_and_yekutielis():
    p = [0.01, 0.5, 0.03, np.nan, 0.02]
    kept = [0.01, 0.5, 0.03, 0.02]
    got = benjamini_yekutieli(p)
    assert np.isnan(got[3])
    assert got[[0, 1, 2, 4]].tolist() == pytest.approx(
        stats.false_discovery_control(kept, method="by").tolist()
    )


def test_a_judge_that_always_gives_the_top_can_pass_where_people_nearly_always_do():
    rng = np.random.default_rng(3)
    people = np.where(rng.random((300, 3)) < 0.9, 3, rng.integers(1, 3, (300, 3)))
    found = alternative_test(people, np.full(300, 3), level="ordinal", epsilon=0.2)
    assert found.passed


def test_a_judge_that_is_one_of_the_people_wins_and_its_opposite_loses():
    same = alternative_test(SCALE, SCALE[:, 0], level="ordinal", epsilon=0.1)
    assert same.people[0].advantage == same.people[0].person_advantage == 1
    worst = alternative_test(SCALE, 6 - SCALE[:, 0], level="ordinal", epsilon=0.2)
    assert worst.winning_rate == 0


def test_three_people_are_enough_and_two_come_with_a_caution():
    assert alternative_test(SCALE, SCALE_JUDGE, level="ordinal", epsilon=0.2).caution == ""
    assert alternative_test(SCALE[:, :2], SCALE_JUDGE, level="ordinal", epsilon=0.2).caution


def test_items_that_one_person_judged_are_dropped_and_counted():
    people = np.vstack([SCALE, np.full((5, 3), np.nan)]).astype(float)
    people[40:, 0] = 2
    judge = np.append(SCALE_JUDGE, [2.0] * 4 + [np.nan])
    found = alternative_test(people, judge, level="ordinal", epsilon=0.2)
    assert (found.items, found.dropped) == (40, 4)
    assert found.people[0].n == 40


def test_people_with_too_few_items_are_left_out_with_the_reason():
    people = SCALE.astype(float)
    people[20:, 2] = np.nan
    found = alternative_test(people, SCALE_JUDGE, level="ordinal", epsilon=0.2)
    left_out = found.people[2]
    assert (left_out.person, left_out.n) == ("person 3", 20)
    assert left_out.reason == "20 items that the judge and others judged too: too few"
    assert np.isnan(found.people[2].p)
    assert found.caution == "2 of 3 people could be compared, so the test is weak"
    pair = alternative_test(SCALE[:, :2], SCALE_JUDGE, level="ordinal", epsilon=0.2)
    assert "two people only" in pair.caution
    none = alternative_test(people[:10], SCALE_JUDGE[:10], level="ordinal", epsilon=0.2)
    assert none.passed is None
    assert none.reason == "no annotator has 30 items that the judge and others judged too"


def test_a_judge_with_the_values_of_a_person_is_compared_with_itself():
    copy = SCALE[:, 1].astype(float)
    for judge, told in ((copy, True), (np.append(copy[:-1], 6 - copy[-1]), False)):
        found = alternative_test(SCALE, judge, level="ordinal", epsilon=0.2)
        assert ("its values are those of one of these people" in found.caution) is told
    few = np.where(np.arange(len(copy)) < 29, copy, np.nan)
    assert not alternative_test(SCALE, few, level="ordinal", epsilon=0.2).caution
    tops = np.full_like(SCALE, 3)  # no copy: nearly everybody may give everything the best
    assert not alternative_test(tops, tops[:, 0], level="ordinal", epsilon=0.2).caution


def test_items_on_one_source_are_kept_together(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "REQUIRED_ITEMS", 10)
    alike = np.repeat(np.arange(10), 4)
    people, judge = SCALE[alike], SCALE_JUDGE[alike]
    found = alternative_test(people, judge, level="ordinal", epsilon=0.2, sources=alike)
    once = alternative_test(SCALE[:10], SCALE_JUDGE[:10], level="ordinal", epsilon=0.2)
    # four copies of each item say no more than the item: the error is that of ten
    gap = np.array([one.person_advantage - one.advantage for one in once.people])
    assert [one.person_advantage - one.advantage for one in found.people] == pytest.approx(
        gap.tolist()
    )
    assert all(one.p > one.p_items for one in found.people)
    assert found.advantage.clusters == 10
    # p of .008, .038 and .199 over sources leave one of three won; over items all are
    assert (found.winning_rate, found.winning_rate_items) == pytest.approx((1 / 3, 1))


def test_a_judge_that_always_does_as_well_needs_three_sources_to_be_sure():
    same = np.repeat(FIRST[:, None], 3, axis=1)
    asked = {"level": "ordinal", "epsilon": 0.2}
    three = alternative_test(same, FIRST, **asked, sources=N % 3)
    two = alternative_test(same, FIRST, **asked, sources=N % 2)
    never = alternative_test(same, FIRST + 1, **asked, sources=N % 3)
    assert [one.p for one in three.people] == [0, 0, 0]
    assert [one.p for one in never.people] == [1, 1, 1]
    assert np.isnan([one.p for one in two.people]).all()
    assert (three.passed, three.passed_items, never.passed_items) == (True, True, False)
    at_zero = alternative_test(same, FIRST, level="ordinal", epsilon=0, sources=N % 3)
    assert [(one.p, one.p_items) for one in at_zero.people] == [(1, 1)] * 3


def test_a_person_on_one_source_alone_leaves_no_interval_over_sources(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(module, "REQUIRED_ITEMS", 20)
    sources = np.repeat([0, 1], 20)
    people = SCALE.astype(float)
    people[20:, 2] = np.nan
    found = alternative_test(people, SCALE_JUDGE, level="ordinal", epsilon=0.2, sources=sources)
    assert found.advantage.reason == "a person judged one source alone"
    assert np.isnan(found.advantage.ci.low)
    mean = np.mean([one.advantage for one in found.people])
    assert (found.advantage.value, found.advantage.n) == (pytest.approx(mean), 40)


def test_the_average_advantage_is_left_out_source_by_source():
    sources = N // 4
    people = SCALE.astype(float)
    people[:5, 2] = np.nan

    def average(kept):
        asked = {"level": "ordinal", "epsilon": 0.2}
        found = alternative_test(people[kept], SCALE_JUDGE[kept], **asked)
        return np.mean([one.advantage for one in found.people])

    whole = average(N >= 0)
    without = np.array([average(sources != source) for source in range(10)])
    spread = jackknife_interval(whole, without, np.ones(10), Jackknife(), of="source")
    found = alternative_test(
        people, SCALE_JUDGE, level="ordinal", epsilon=0.2, sources=sources
    ).advantage
    assert found.value == pytest.approx(whole)
    assert (found.ci.low, found.ci.high) == pytest.approx((spread.low, min(1, spread.high)))


@pytest.mark.parametrize(
    ("change", "told"),
    [({"level": "ratio"}, "level"), ({"epsilon": 1.5}, "epsilon"), ({"judge": N[:3]}, "3 values")],
)
def test_bad_input_is_refused(change, told):
    asked = {"judge": SCALE_JUDGE, "level": "ordinal", "epsilon": 0.2, **change}
    with pytest.raises(ValueError, match=told):
        alternative_test(SCALE, asked.pop("judge"), **asked)
