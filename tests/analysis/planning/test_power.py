import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from analysis.planning.power import LIBRARY, Variances, half_width, items_needed, pilot_variances, power

PLAIN = Variances(system_item=0.05, residual=0.3)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_power_is_that_of_the_t_test() -> None:
    found = power(PLAIN, difference=0.2, items=60, judges=3, rng=rng(), simulations=4000)
    effect = 0.2 / np.sqrt(PLAIN.of_difference(3))
    expected = TTestPower().power(effect, 60, 0.05)
    assert found.low < expected < found.high
    assert found.n == 4000


def test_power_without_difference_is_the_level() -> None:
    found = power(PLAIN, difference=0.0, items=30, judges=2, rng=rng(), simulations=20_000)
    assert found.low < 0.05 < found.high


@pytest.mark.parametrize(
    ("criterion", "published"), [("fluency", 29), ("answerability", 247), ("answer_consistency", 448)]
)
def test_items_needed_of_qgevals_criteria(criterion: str, published: int) -> None:
    """Eighty per cent power at a difference of .1, from the deviations rounded to two digits."""
    found = items_needed(LIBRARY[f"qgeval/{criterion}"], difference=0.1, judges=3, rng=rng())
    assert found.items == pytest.approx(published, rel=0.1)
    assert found.power.value >= 0.8


def test_more_judges_need_fewer_items() -> None:
    one, five = (items_needed(PLAIN, difference=0.2, judges=k, rng=rng()).items for k in (1, 5))
    assert five < one


def test_items_needed_for_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="difference of zero"):
        items_needed(PLAIN, difference=0, judges=3, rng=rng())
    with pytest.raises(ValueError, match="more than 100000"):
        items_needed(PLAIN, difference=1e-5, judges=1, rng=rng())


def test_power_on_a_scale_falls_at_its_end() -> None:
    wide = Variances(system_item=0.1, residual=0.5)
    args = {"difference": 0.3, "items": 60, "judges": 2, "scale": [1, 2, 3], "simulations": 1000}
    middle = power(wide, rng=rng(), means=(2.15, 1.85), **args).value
    end = power(wide, rng=rng(), means=(4.15, 3.85), **args).value
    assert end < middle


def test_power_on_a_scale_where_all_ratings_agree() -> None:
    fixed = Variances(system_item=0, residual=0)
    args = {"items": 5, "judges": 1, "scale": [1, 2], "simulations": 10, "difference": 1.0}
    assert power(fixed, rng=rng(), means=(2, 1), **args).value == 1
    assert power(fixed, rng=rng(), means=(2, 2), **args).value == 0


def test_power_refuses_studies_that_are_none() -> None:
    with pytest.raises(ValueError, match="two items and one judge"):
        power(PLAIN, difference=0.1, items=1, judges=1, rng=rng())


def test_pilot_variances_find_what_made_the_ratings() -> None:
    draw = np.random.default_rng(1)
    ratings = (
        draw.normal(size=(4, 1, 1))
        + draw.normal(size=(1, 400, 1)) * 2
        + draw.normal(size=(4, 400, 1)) * np.sqrt(0.4)
        + draw.normal(size=(4, 400, 3)) * np.sqrt(0.9)
    )
    ratings[draw.random(ratings.shape) < 0.1] = np.nan
    found = pilot_variances(ratings)
    assert (found.system_item, found.residual) == pytest.approx((0.4, 0.9), rel=0.15)


def test_pilot_variances_are_never_negative() -> None:
    draw = np.random.default_rng(2)
    assert pilot_variances(draw.normal(size=(2, 5, 3))).system_item >= 0


@pytest.mark.parametrize("shape", [(1, 5, 2), (2, 1, 2), (2, 5, 1)])
def test_pilot_variances_need_two_of_each(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a pilot needs two systems"):
        pilot_variances(np.ones(shape))


def test_half_width_is_students() -> None:
    expected = stats.t.ppf(0.975, 99) * np.sqrt(PLAIN.of_difference(3) / 100)
    assert half_width(PLAIN, items=100, judges=3) == pytest.approx(expected)
    assert np.isnan(half_width(PLAIN, items=1, judges=3))
