import numpy as np
import pytest

from quaestor_stats._fleiss import fleiss_kappa
from quaestor_stats._inputs import (
    RatingOffScale,
    TooManyValues,
    checked_scale,
    group_labels,
    numeric,
    observed_scale,
    patterns,
    same_length,
    value_counts,
)
from quaestor_stats._percent_agreement import percent_agreement

NAN = np.nan


@pytest.mark.parametrize(
    "table", [[[True, False]], [["1", "2"]], [[None, 1]], np.array([[1, "a"]], dtype=object)]
)
def test_numeric_refuses_what_only_looks_like_numbers(table: object) -> None:
    with pytest.raises(ValueError, match=r"ratings: expected numbers with NaN where missing"):
        patterns(table)


@pytest.mark.parametrize("table", [[1.0, 2.0], [[[1.0]]]])
def test_numeric_refuses_other_shapes(table: object) -> None:
    with pytest.raises(ValueError, match="ratings: expected 2 dimension"):
        patterns(table)


def test_numeric_refuses_infinity() -> None:
    with pytest.raises(ValueError, match="speed: infinite"):
        numeric([1.0, np.inf], name="speed", ndim=1)


def test_numeric_takes_whole_numbers() -> None:
    assert numeric([1, 2], name="x", ndim=1).dtype == np.float64


def test_same_length_names_the_columns() -> None:
    with pytest.raises(ValueError, match="a 2, b 3"):
        same_length(a=np.zeros(2), b=np.zeros(3))


def test_grouped_keeps_the_order_of_first_appearance() -> None:
    names, codes = group_labels(["b", "a", "b"], name="systems")
    assert (names, codes.tolist()) == (["b", "a"], [0, 1, 0])


@pytest.mark.parametrize("missing", [None, NAN])
def test_grouped_refuses_a_missing_label(missing: object) -> None:
    with pytest.raises(ValueError, match="systems: a label is missing"):
        group_labels(["a", missing], name="systems")


@pytest.mark.parametrize("wrong", [-1.0, 0.0, 6.0, 2.5, 31.0])
def test_patterns_refuse_a_rating_off_the_scale(wrong: float) -> None:
    with pytest.raises(RatingOffScale, match=f"rating {wrong:g} is not on the scale 1 to 5"):
        patterns([[1.0, wrong]], scale=[1, 2, 3, 4, 5])


@pytest.mark.parametrize("wrong", [0.5, 3.0, 99.0])
def test_patterns_refuse_a_rating_off_an_uneven_scale(wrong: float) -> None:
    with pytest.raises(RatingOffScale):
        patterns([[1.0, wrong]], scale=[1, 2, 5])


def test_patterns_count_equal_units_once() -> None:
    found = patterns([[1, 2], [2, 1], [2, 2], [NAN, 1], [NAN, NAN]], scale=[1, 2])
    assert sorted(zip(found.counts.tolist(), found.times.tolist(), strict=True)) == [
        ([0, 2], 1),
        ([1, 0], 1),
        ([1, 1], 2),
    ]
    assert found.n == 4


def test_patterns_without_packing_hold_the_same_counts() -> None:
    """A hundred points do not fit into one integer: then units are kept one by one."""
    rng = np.random.default_rng(3)
    table = rng.integers(1, 6, (50, 4)).astype(float)
    few, many = patterns(table, scale=range(1, 6)), patterns(table, scale=range(1, 101))
    assert np.array_equal(few.times @ few.counts, (many.times @ many.counts)[:5])
    assert few.n == many.n == 50


def test_patterns_refuse_practically_continuous_values() -> None:
    table = np.arange(20_000, dtype=float).reshape(-1, 2)
    with pytest.raises(TooManyValues, match="20000 different values in 10000 units"):
        patterns(table)


def test_observed_scale_of_nothing_is_empty() -> None:
    assert observed_scale(np.full((3, 2), NAN)).size == 0


def test_observed_scale_fills_short_gaps_and_keeps_long_ones() -> None:
    assert observed_scale(np.array([[1.0, 4.0]])).tolist() == [1, 2, 3, 4]
    assert observed_scale(np.array([[1.0, 400.0]])).tolist() == [1, 400]
    assert observed_scale(np.array([[1.0, 1.5]])).tolist() == [1, 1.5]


@pytest.mark.parametrize("scale", [[1, 1, 2], [1, NAN]])
def test_checked_scale_wants_different_numbers(scale: list[float]) -> None:
    with pytest.raises(ValueError, match="scale: points must be different numbers"):
        checked_scale(scale)


def test_value_counts_are_what_patterns_are() -> None:
    ratings = patterns([[1, 2], [2, 1], [2, 2], [1, NAN]], scale=[1, 2])
    counted = value_counts([2, 1], [[1, 1], [2, 0], [0, 1], [0, 0]], [2, 1, 1, 5])
    assert fleiss_kappa(counted).value == fleiss_kappa(ratings).value
    assert percent_agreement(counted).value == percent_agreement(ratings).value
    assert counted.n == 4


def test_value_counts_do_not_tell_complete_units() -> None:
    with pytest.raises(ValueError, match="do not tell which units every rater judged"):
        fleiss_kappa(value_counts([1, 2], [[1, 1]], [3]), unequal="listwise")


def test_splitting_a_file_changes_nothing() -> None:
    """Counts of two halves, put together, are the counts of the whole."""
    table = np.random.default_rng(5).integers(1, 4, (90, 3)).astype(float)
    halves = [patterns(part, scale=[1, 2, 3]) for part in (table[:40], table[40:])]
    counts, times = (
        np.concatenate([getattr(half, name) for half in halves]) for name in ("counts", "times")
    )
    whole, joined = patterns(table, scale=[1, 2, 3]), value_counts([1, 2, 3], counts, times)
    for coefficient in (fleiss_kappa, percent_agreement):
        a, b = coefficient(whole), coefficient(joined)
        assert (a.value, a.ci.low, a.ci.high, a.n) == pytest.approx(
            (b.value, b.ci.low, b.ci.high, b.n)
        )
