"""What is flagged: pace, equal values, runs; and when the places left will be filled."""

from dataclasses import replace

import pytest

from judging.campaigns.quality_plan import (
    QualityPlan,
    quality_plan_from_document,
    quality_plan_to_document,
)
from judging.quality.quality import Use, Workload, flag_annotators, forecast_completion

PLAN = QualityPlan()


def worker(
    label: str, pace: float, counts: dict[int, int], run: int = 1, run_value: int = 3
) -> Workload:
    n = sum(counts.values())
    return Workload(label, n, pace * n, n, {"fluency": Use(counts, run, run_value)})


USUAL = worker("A01", 3.0, {1: 10, 2: 10, 3: 20})
OTHER = worker("A02", 3.2, {1: 12, 2: 12, 3: 16})


def test_annotator_much_faster_than_the_others_is_flagged_with_both_paces():
    found = flag_annotators([USUAL, OTHER, worker("A03", 0.2, {1: 6, 2: 6, 3: 6})], PLAN)

    assert list(found) == ["A03"]
    [flag] = found["A03"]
    assert (flag.reason, flag.n, flag.others) == ("speed", 18, pytest.approx(3.1))
    assert flag.own == pytest.approx(0.2)


def test_lone_annotator_is_flagged_by_the_floor_alone():
    assert flag_annotators([worker("A01", 0.49, {1: 9, 2: 9})], PLAN)["A01"][0].others is None
    assert flag_annotators([worker("A01", 0.6, {1: 9, 2: 9})], PLAN) == {}


def test_pace_between_the_floor_and_the_factor_is_no_flag():
    assert flag_annotators([USUAL, OTHER, worker("A03", 0.9, {1: 6, 2: 6, 3: 6})], PLAN) == {}
    assert (
        flag_annotators([USUAL, OTHER, worker("A03", 0.7, {1: 6, 2: 6, 3: 6})], PLAN)["A03"][
            0
        ].reason
        == "speed"
    )


def test_nothing_is_said_of_few_values():
    assert flag_annotators([USUAL, OTHER, worker("A03", 0.1, {3: 11})], PLAN) == {}


def test_equal_values_are_flagged_where_the_others_differ():
    same = worker("A03", 3.0, {3: 39, 2: 1})
    [flag] = flag_annotators([USUAL, OTHER, same], PLAN)["A03"]

    assert (flag.reason, flag.criterion, flag.value, flag.n) == ("same", "fluency", 3, 40)
    assert (flag.own, flag.others) == (pytest.approx(39 / 40), pytest.approx(36 / 80))


def test_equal_values_are_no_flag_where_everybody_gives_them():
    """On a skewed criterion (93.7% equal, as fluency often is), annotators who give one value may
    have seen only questions of that value."""
    skewed = [worker(f"A0{number}", 3.0, {3: 94, 2: 6}, run=30) for number in (1, 2)]
    assert flag_annotators([*skewed, worker("A03", 3.0, {3: 100}, run=100)], PLAN) == {}


def test_run_is_flagged_where_it_is_rare_by_the_others_share():
    run = worker("A03", 3.0, {1: 10, 2: 5, 3: 25}, run=22)
    [flag] = flag_annotators([USUAL, OTHER, run], PLAN)["A03"]
    assert (flag.reason, flag.own, flag.value) == ("run", 22, 3)
    assert (
        flag_annotators([USUAL, OTHER, worker("A03", 3.0, {1: 10, 2: 5, 3: 25}, run=19)], PLAN)
        == {}
    )


def test_thresholds_of_the_plan_decide():
    slow = worker("A03", 0.7, {1: 6, 2: 6, 3: 6})
    assert flag_annotators([USUAL, OTHER, slow], replace(PLAN, faster_than_others=5.0)) == {}
    assert flag_annotators(
        [USUAL, OTHER, slow], replace(PLAN, fastest=0.8, faster_than_others=5.0)
    )["A03"]


def test_plan_that_was_locked_keeps_its_thresholds_and_ignores_what_it_does_not_know():
    kept = quality_plan_to_document(replace(PLAN, fastest=1.5)) | {"of_a_later_version": 1}
    assert quality_plan_from_document(kept) == replace(PLAN, fastest=1.5)
    assert quality_plan_from_document({}) == PLAN


def test_forecast_divides_what_is_left_by_the_mean_hour():
    found = forecast_completion([10, 12, 8, 10], 100)
    assert found is not None
    # mean 10, standard error sqrt(8/3)/2 = 0.8165, so 10 -+ 1.6003
    assert found.hours == pytest.approx(10)
    assert found.earliest == pytest.approx(100 / 11.6003, abs=1e-3)
    assert found.latest == pytest.approx(100 / 8.3997, abs=1e-3)


def test_forecast_takes_days_where_there_are_three():
    day = [24, *[0] * 23]
    found = forecast_completion(day * 3, 48)
    assert found is not None
    assert (found.hours, found.earliest, found.latest) == (48, 48, 48)


@pytest.mark.parametrize(
    ("by_hour", "remaining"), [([], 5), ([3, 4], 5), ([0, 0, 0], 5), ([3, 4, 5], 0)]
)
def test_forecast_that_cannot_be_made_is_none(by_hour, remaining):
    assert forecast_completion(by_hour, remaining) is None


def test_forecast_by_irregular_hours_has_no_upper_end():
    found = forecast_completion([30, 0, 0, 0], 10)
    assert found is not None
    assert found.latest is None
