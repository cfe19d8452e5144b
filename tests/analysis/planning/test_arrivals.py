"""Who comes to a simulated study, whom its qualification lets in, and how long they take."""

from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from analysis.planning import arrivals, timing
from analysis.planning.arrivals import Gate
from analysis.planning.simulated import Assumed, Newcomer
from analysis.planning.timing import TimeSpent
from judging.quality.pay import Rate
from judging.quality.qualifying import QualificationItem

POINTS = {1: (1, 2, 3, 4, 5)}
TEN = {key: QualificationItem({1: [3]}) for key in range(1, 11)}
ALIKE = Assumed(knows=0.8, knows_spread=0.0, pace_spread=0.0, seconds_spread=0.0, seconds=10)


def gate(pass_mark: int = 80, tries: int = 1, **items: QualificationItem) -> Gate:
    return Gate(TEN | items, POINTS, pass_mark, tries)  # type: ignore[operator]


@pytest.mark.parametrize("tries", [1, 2])
def test_share_screened_out_is_the_binomial_one_where_all_know_the_same(tries):
    found = arrivals.forecast_arrivals(gate(tries=tries), 4, ALIKE)
    fails = stats.binom.cdf(7, 10, 0.8) ** tries
    assert found["all"]["low"] < fails < found["all"]["high"]
    assert found["careful"] == found["all"]
    assert found["careless"] is None


def test_forecast_of_a_long_qualification_can_be_stopped_at_each_newcomer():
    told: list[int] = []

    def tell(done: int) -> None:
        told.append(done)
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        arrivals.forecast_arrivals(gate(), 4, ALIKE, tell)
    assert told == [0, 1, 2, 3]


def test_careless_ones_fail_where_they_take_no_care_and_pass_as_others_where_they_do():
    assumed = Assumed(knows=1.0, knows_spread=0.0, careless=1, wary=0.0)
    found = arrivals.forecast_arrivals(gate(), 2, assumed)
    assert (found["careful"]["value"], found["careless"]["value"]) == (0.0, 1.0)
    wary = Assumed(knows=1.0, knows_spread=0.0, careless=1, wary=1.0)
    assert arrivals.forecast_arrivals(gate(), 2, wary)["careless"]["value"] == 0.0


def test_so_many_of_every_wave_are_careless_and_hurry():
    assumed = Assumed(careless=2, pace_spread=0.0, hurry=0.25)
    came = [arrivals.newcomer(place, 5, assumed) for place in range(1, 16)]
    waves = [came[at : at + 5] for at in (0, 5, 10)]
    assert [sum(who.careless for who in wave) for wave in waves] == [2, 2, 2]
    assert len({tuple(who.careless for who in wave) for wave in waves}) > 1
    assert {who.pace for who in came} == {1.0, 0.25}


def test_what_annotators_know_has_the_mean_and_the_spread_that_are_assumed():
    assumed = Assumed(knows=0.8, knows_spread=0.1)
    knows = [arrivals.newcomer(place, 1, assumed).knows for place in range(1, 2_001)]
    assert np.mean(knows) == pytest.approx(0.8, abs=0.01)
    assert np.std(knows) == pytest.approx(0.1, abs=0.01)


def test_what_is_asked_again_gets_the_same_answer_from_whoever_knows():
    again = gate(again=QualificationItem({1: [3]}, repeats=1))
    rng = np.random.default_rng(1)
    sure = arrivals.simulate_candidate(Newcomer(knows=1.0), again, rng)
    assert set(sure.values()) == {3}
    lost = [arrivals.simulate_candidate(Newcomer(knows=0.0), again, rng) for _ in range(400)]
    same = np.mean([given["again", 1] == given[1, 1] for given in lost])
    assert same == pytest.approx(0.2, abs=0.07)
    assert {given[1, 1] for given in lost} == set(POINTS[1])


def test_a_page_takes_the_mean_that_is_assumed_and_the_sum_is_paid_and_lifted_to_the_floor():
    drawn = [timing.seconds_of(6, 10.0, 1.5, (1, page), Assumed(seed=4)) for page in range(2_000)]
    assert np.mean(drawn) == pytest.approx(90, rel=0.03)
    assert timing.seconds_of(6, 10.0, 1.5, (1, 1), ALIKE) == pytest.approx(90)
    assert timing.value_seconds(3, 18, 120.0, Assumed()) == 20

    rate = Rate(Decimal("0.50"), "EUR", Decimal(2), Decimal(40))
    hour = TimeSpent(tasks=60, values=360, seconds=0.0, careless=False)
    hasty = TimeSpent(tasks=60, values=360, seconds=0.0, careless=True)
    found = timing.forecast_hours([hour, hasty], 0.0, rate, ALIKE)
    assert found["hours"]["value"] == pytest.approx(1.2)
    assert found["longest"]["value"] == pytest.approx(1)
    assert found["paid"] == 60
    assert found["top_up"]["value"] == pytest.approx(10)
    assert found["below_floor"]["value"] == 0.5
    assert found["hourly"]["value"] == pytest.approx(50)
    assert "paid" not in timing.forecast_hours([hour], 0.0, None, ALIKE)
