"""Annotators' earnings, computed by hand."""

from decimal import Decimal

import pytest

from judging.quality.pay import Earned, Rate, rate_document, rate_of

RATE = Rate(Decimal("0.45"), "GBP", Decimal("3"), Decimal("9.00"))


def test_planned_hour_is_the_amount_for_as_many_tasks_as_fit():
    assert RATE.hourly == Decimal("9.00")
    assert not RATE.below_floor
    assert Rate(Decimal("0.44"), "GBP", Decimal("3"), Decimal("9")).below_floor
    assert not Rate(Decimal("0.01"), "GBP", Decimal("3")).below_floor


def test_effective_hour_is_what_was_earned_for_the_time_at_work():
    # 10 tasks in 40 minutes: 4.50 for two thirds of an hour
    earned = Earned(10, 2400, RATE)
    assert (earned.amount, earned.hourly) == (Decimal("4.50"), Decimal("6.75"))


def test_top_up_lifts_to_the_floor_and_is_rounded_up():
    # 40 minutes at 9.00 an hour are 6.00; 4.50 is earned
    assert Earned(10, 2400, RATE).top_up == Decimal("1.50")
    assert Earned(10, 2401, RATE).top_up == Decimal("1.51")


def test_nothing_is_owed_at_or_above_the_floor_or_without_one():
    assert Earned(10, 1800, RATE).top_up == 0
    assert Earned(10, 99_999, Rate(Decimal("0.45"), "GBP", Decimal("3"))).top_up == 0


def test_hour_of_nobody_who_worked_is_unknown():
    assert Earned(0, 0, RATE).hourly is None


@pytest.mark.parametrize("rate", [RATE, Rate(Decimal("0.1"), "EUR", Decimal("1.5"))])
def test_rate_is_kept_to_the_cent(rate):
    assert rate_of(rate_document(rate)) == rate


def test_no_rate_is_none():
    assert rate_of({}) is None
