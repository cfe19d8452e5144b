"""A judge beside one person, as followers of the others."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._llm_judges import (
    bias_by_system,
    compare_judge,
    compare_positions,
    jury,
    most_given,
    severity_of,
)
from quaestor_stats._resampling import Jackknife, jackknife_interval


def test_judge_and_person_are_compared_with_the_mean_of_the_others_source_by_source() -> None:
    draw = np.random.default_rng(4)
    truth = np.repeat(draw.normal(size=8), 3)
    people = np.clip(np.round(2 + truth[:, None] + draw.normal(0, 0.7, (24, 3))), 1, 4)
    judge = np.clip(np.round(2 + truth + draw.normal(0, 0.6, 24)), 1, 4)
    sources = np.repeat(list("abcdefgh"), 3)

    def both(kept: np.ndarray) -> tuple[float, float, float]:
        r = []
        for person in range(3):
            others = np.delete(people, person, axis=1).mean(axis=1)[kept]
            one = stats.spearmanr(judge[kept], others).statistic
            r.append((one, stats.spearmanr(people[kept, person], others).statistic))
        of_judge, of_person = np.mean(r, axis=0)
        return of_judge, of_person, of_judge - of_person

    whole = both(np.full(24, True))
    without = np.array([both(sources != source) for source in dict.fromkeys(sources)])
    found = compare_judge(people, judge, sources=sources)
    for place, estimate in enumerate((found.judge, found.person, found.difference)):
        spread = jackknife_interval(
            whole[place], without[:, place], np.ones(8), Jackknife(), of="cluster"
        )
        assert estimate.value == pytest.approx(whole[place])
        most = 2 if place == 2 else 1
        assert (estimate.ci.low, estimate.ci.high) == pytest.approx(
            (spread.low, min(spread.high, most))
        )
        assert estimate.n == 24
    assert "of the judge with" in found.judge.method
    assert "of one person with" in found.person.method
    assert "judge minus person" in found.difference.method


def test_a_judge_of_other_items_has_no_severity() -> None:
    found = severity_of([[1.0, 2], [np.nan, np.nan]], [np.nan, 2.0])
    assert (found.method, found.reason) == (
        "mean of the judge minus people",
        "the judge and people share no items",
    )


def test_bias_is_the_gap_on_a_system_less_the_gap_on_the_others_source_by_source() -> None:
    draw = np.random.default_rng(8)
    systems, sources = np.tile(list("xyz"), 6), np.repeat(np.arange(6), 3)
    people = draw.integers(1, 4, (18, 2)).astype(float)
    judge = draw.integers(1, 4, 18).astype(float)
    gap = judge - people.mean(axis=1)

    def bias(kept: np.ndarray) -> float:
        return gap[kept & (systems == "x")].mean() - gap[kept & (systems != "x")].mean()

    without = np.array([bias(sources != source) for source in range(6)])
    spread = jackknife_interval(bias(sources >= 0), without, np.ones(6), Jackknife(), of="cluster")
    found = bias_by_system(people, judge, systems=systems, sources=sources)
    assert list(found) == ["x", "y", "z"]
    assert found["x"].value == pytest.approx(bias(sources >= 0))
    assert (found["x"].ci.low, found["x"].ci.high) == pytest.approx((spread.low, spread.high))
    assert (found["x"].n, found["x"].clusters) == (6, 6)
    assert found["x"].df == pytest.approx(spread.df)


def test_the_place_at_which_a_question_stands_is_told_apart_by_hand() -> None:
    # item 1: 3 when first, 2 when second, 3 when first again: pairs moved 3-2 and 3-2, still 3 = 3
    # item 2: 1 when second, 1 when first: equal; item 3: asked twice at the same place, 2 and 3
    # item 4: asked once; item 5: nobody knows where it stood
    nan = np.nan
    values = [[3, 2, 3], [1, 1, nan], [2, 3, nan], [2, nan, nan], [1, 2, nan]]
    places = [[1, 2, 1], [2, 1, nan], [1, 1, nan], [1, nan, nan], [nan, nan, nan]]
    found = compare_positions(values, places, sources=list("aabbc"))
    assert found.items == 2
    assert found.earlier.value == pytest.approx((1 + 0) / 2)
    assert found.same_moved.value == pytest.approx((0 + 1) / 2)
    assert found.same_still.value == pytest.approx((1 + 0) / 2)
    moved = compare_positions([[1, 2], [2, 2], [3, 3]], [[1, 2]] * 3)
    assert (moved.items, moved.same_moved.value) == (3, pytest.approx(2 / 3))
    assert not moved.same_still.defined
    nowhere = compare_positions(values, np.full((5, 3), nan))
    assert (nowhere.items, nowhere.earlier.reason) == (0, "no question was asked so twice")


def test_a_jury_gives_the_mean_or_what_most_of_it_say() -> None:
    nan = float("nan")
    said = [[1, 1, 2], [1, 2, 3], [3, 2, 3], [2, 2, 2], [1, 1, nan]]
    assert jury(said, nominal=True) == pytest.approx([1, nan, 3, 2, nan], nan_ok=True)
    assert jury(said, nominal=False) == pytest.approx([4 / 3, 2, 8 / 3, 2, nan], nan_ok=True)


def test_the_value_given_most_is_the_lowest_of_those_given_alike() -> None:
    assert most_given([3, 1, 3, 1, 2, float("nan")]) == (0.4, 1)
    assert most_given([2, 3, 3]) == (2 / 3, 3)
    assert np.isnan(most_given([float("nan")])).all()
