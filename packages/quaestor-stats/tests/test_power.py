import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from quaestor_stats._power import (
    LIBRARY,
    Variances,
    half_width,
    half_width_for_others,
    items_needed,
    of_components,
    power,
)
from quaestor_stats._variance_components import Components, variance_components

PLAIN = Variances(question=0.05, residual=0.3)


@pytest.mark.parametrize("judges", [1, 3])
@pytest.mark.parametrize("items", [2, 10, 60])
@pytest.mark.parametrize("level", [0.05, 0.05 / 105])
def test_power_is_that_of_another_program(judges: int, items: int, level: float) -> None:
    effect = 0.2 / np.sqrt(PLAIN.of_difference(judges))
    found = power(PLAIN, difference=-0.2, items=items, judges=judges, level=level)
    expected = TTestPower().power(effect, items, level)
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert found.n == items


def share_significant(items: int, *, difference: float, level: float) -> float:
    """Return the share of 40,000 simulated studies with a significant difference; three judges."""
    draw = np.random.default_rng(items)
    spread = np.sqrt(PLAIN.of_difference(3))
    gaps = difference + draw.normal(size=(40_000, items)) * spread
    return float((stats.ttest_1samp(gaps, 0, axis=1).pvalue < level).mean())


@pytest.mark.parametrize("level", [0.05, 0.05 / 105])
def test_power_of_the_items_needed_is_the_share_of_simulated_studies(level: float) -> None:
    asked = {"difference": 0.4, "level": level}
    needed = items_needed(PLAIN, judges=3, **asked)
    fewer = power(PLAIN, judges=3, items=needed.items - 1, **asked)
    assert fewer.value < 0.8 <= needed.power.value
    share = share_significant(needed.items, **asked)
    assert needed.power.value == pytest.approx(share, abs=0.007)


def test_power_without_difference_is_the_level() -> None:
    found = power(PLAIN, difference=0.0, items=30, judges=2)
    assert found.value == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("items", [2, 3, 10, 50, 1600])
def test_power_of_a_large_difference_is_one(items: int) -> None:
    """scipy's noncentral t is nan for many of these."""
    shifts = np.array([15, 20, 37, 50, 500]) * (60 if items < 5 else 1)
    differences = shifts * np.sqrt(PLAIN.of_difference(3) / items)
    found = [power(PLAIN, difference=each, items=items, judges=3).value for each in differences]
    assert found == pytest.approx([1] * len(found), abs=0.03)


@pytest.mark.parametrize(
    ("criterion", "published"),
    [("fluency", 29), ("answerability", 247), ("answer_consistency", 448)],
)
def test_items_needed_of_qgevals_criteria(criterion: str, published: int) -> None:
    """Eighty per cent power at a difference of .1, from the deviations rounded to two digits."""
    found = items_needed(LIBRARY[f"qgeval/{criterion}"], difference=0.1, judges=3)
    assert found.items == pytest.approx(published, rel=0.1)
    assert found.power.value >= 0.8


@pytest.mark.parametrize("judges", [1, 3, 5])
@pytest.mark.parametrize("level", [0.05, 0.05 / 15, 0.05 / 105])
def test_items_needed_are_those_of_another_program(judges: int, level: float) -> None:
    wide = Variances(question=0.2, residual=0.5)
    effect = 0.2 / np.sqrt(wide.of_difference(judges))
    found = items_needed(wide, difference=-0.2, judges=judges, level=level)
    needed = TTestPower().solve_power(effect, alpha=level, power=0.8)
    assert found.items == np.ceil(needed)
    assert found.power.value == pytest.approx(TTestPower().power(effect, found.items, level))


def test_more_judges_need_fewer_items() -> None:
    one, five = (items_needed(PLAIN, difference=0.2, judges=k).items for k in (1, 5))
    assert five < one


def test_items_needed_for_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="difference of zero"):
        items_needed(PLAIN, difference=0, judges=3)
    with pytest.raises(ValueError, match="more than 100,000"):
        items_needed(PLAIN, difference=1e-5, judges=1)


def test_power_where_all_ratings_agree() -> None:
    fixed = Variances(question=0, residual=0)
    assert power(fixed, difference=1.0, items=5, judges=1).value == 1
    assert power(fixed, difference=0.0, items=5, judges=1).value == 0


def test_power_refuses_studies_that_are_none() -> None:
    with pytest.raises(ValueError, match="two items and one judge"):
        power(PLAIN, difference=0.1, items=1, judges=1)


def pilot(y: np.ndarray, **changes: object) -> Components:
    """Return the components of ratings (systems, items, annotators)."""
    system, item, annotator = (axis.ravel() for axis in np.indices(y.shape))
    labels = {"systems": system, "sources": item, "annotators": annotator} | changes
    return variance_components(y.ravel(), **labels)


def drawn(*, severity: float = 1.0, seed: int = 4) -> np.ndarray:
    draw = np.random.default_rng(seed)
    y = (
        draw.normal(size=(4, 1, 1))
        + draw.normal(size=(1, 400, 1)) * 2
        + draw.normal(size=(1, 1, 3)) * severity
    )
    y = y + draw.normal(size=(4, 400, 1)) * np.sqrt(0.4) + draw.normal(size=(4, 1, 3)) * 0.3
    return y + draw.normal(size=(4, 400, 3)) * np.sqrt(0.9)


def test_a_pilot_gives_what_made_its_ratings() -> None:
    ratings = drawn()
    ratings[np.random.default_rng(2).random(ratings.shape) < 0.1] = np.nan
    found = of_components(pilot(ratings))
    assert (found.question, found.residual) == pytest.approx((0.4, 0.9), rel=0.15)
    assert found.annotator_system == pytest.approx(0.09, rel=0.6)


def test_severity_of_annotators_is_no_part_of_a_pilot_s_residual() -> None:
    """It cancels in the difference of systems that the same annotators rate; it was counted as
    residual before."""
    mild, severe = (of_components(pilot(drawn(severity=each))) for each in (0.0, 3.0))
    assert severe.residual == pytest.approx(mild.residual, rel=1e-4)


def test_two_questions_a_source_make_one_item() -> None:
    draw = np.random.default_rng(3)
    cell = draw.normal(size=(3, 200, 1, 1)) * 0.5
    y = cell + draw.normal(size=(3, 200, 2, 1)) * 0.6 + draw.normal(size=(3, 200, 2, 3)) * 0.7
    system, item, slot, annotator = (axis.ravel() for axis in np.indices(y.shape))
    components = variance_components(
        y.ravel(), systems=system, sources=item, annotators=annotator, questions=slot
    )
    found, v = of_components(components), components.variances
    assert found.question == pytest.approx(v["source:system"] + v["question"] / 2)
    assert found.residual == pytest.approx(v["residual"] / 2)


def test_a_pilot_with_one_rating_a_question_cannot_tell_what_more_annotators_help() -> None:
    y = drawn()[:, :30]
    one = np.full_like(y, np.nan)
    for system, item in np.ndindex(y.shape[:2]):
        one[system, item, (system + item) % 3] = y[system, item, (system + item) % 3]
    with pytest.raises(ValueError, match="every question has one rating"):
        of_components(pilot(one))
    with pytest.raises(ValueError, match="one annotator"):
        of_components(pilot(y[:, :, :1]))
    with pytest.raises(ValueError, match="annotators are fixed"):
        of_components(pilot(y, annotators_random=False))


def test_half_width_for_other_annotators_by_hand() -> None:
    """2 (.05 + .3/3) / 100 = .003 with 99 and 2 .09/3 = .06 with 5 x 2 df: .063^2 / (.003^2/99 +
    .06^2/10) = 11.02."""
    some = Variances(question=0.05, residual=0.3, annotator_system=0.09)
    expected = stats.t.ppf(0.975, 11.0222) * np.sqrt(0.063)
    assert half_width_for_others(some, items=100, judges=3, systems=6) == pytest.approx(
        expected, rel=1e-5
    )
    assert np.isnan(half_width_for_others(some, items=100, judges=2, systems=2))
    assert half_width_for_others(PLAIN, items=100, judges=3, systems=6) == pytest.approx(
        half_width(PLAIN, items=100, judges=3)
    )
    nothing = Variances(question=0, residual=0)
    assert half_width_for_others(nothing, items=100, judges=3, systems=6) == 0


def test_half_width_is_students() -> None:
    expected = stats.t.ppf(0.975, 99) * np.sqrt(PLAIN.of_difference(3) / 100)
    assert half_width(PLAIN, items=100, judges=3) == pytest.approx(expected)
    assert np.isnan(half_width(PLAIN, items=1, judges=3))
