"""Means that tie exactly if they are equal, whatever the order of adding."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor_stats._exact_sums import common_denominator, exact_means, exact_ranks, whole

THIRDS = [7 / 3, 5 / 3, 4 / 3, 8 / 3, 7 / 3, 5 / 3]


def test_means_of_ratings_that_are_equal_tie_although_their_floats_do_not() -> None:
    """1 + 1 + 5/3 and 1 + 4/3 + 4/3 are both 11/3; added as floats they end in 7 and 6."""
    column = np.array([1, 1, 5 / 3, 1, 4 / 3, 4 / 3])
    codes = np.repeat([0, 1], 3)
    assert column[:3].sum() != column[3:].sum()
    assert exact_means(column, codes, 2) == [Fraction(11, 9)] * 2
    assert exact_ranks(exact_means(column, codes, 2)).tolist() == [1.5, 1.5]


def test_means_over_different_numbers_of_questions_tie_too() -> None:
    column = np.array([0.1, 0.2, 0.3, 0.2])
    assert exact_means(column, np.array([0, 0, 0, 1]), 2) == [Fraction(1, 5)] * 2


@given(st.permutations(range(8)))
@settings(max_examples=40, deadline=None)
def test_floats_give_the_same_mean_in_any_order(order: list[int]) -> None:
    column = np.random.default_rng(0).normal(size=8)
    codes = np.array([0, 1] * 4)
    assert exact_means(column[order], codes[order], 2) == exact_means(column, codes, 2)


def test_a_denominator_is_found_only_where_every_value_is_a_fraction() -> None:
    assert common_denominator(THIRDS) == 3
    assert common_denominator([1.5, 2 / 3, 2.333]) == 3000
    assert common_denominator([1.5, np.pi]) is None
    assert common_denominator([1 / p for p in (997, 991, 983, 977)]) is None
    assert common_denominator([1 / p for p in (997, 991, 8, 125)]) == 988_027_000
    assert common_denominator([1 / p for p in (997, 991, 16, 125)]) is None  # twice as large


def test_whole_numbers_stand_for_a_column_and_other_columns_stay() -> None:
    assert whole(np.array(THIRDS)).tolist() == [7, 5, 4, 8, 7, 5]
    assert whole(np.array([1.0, 2.0])).tolist() == [1, 2]
    odd = np.array([np.pi, 1.0])
    assert whole(odd) is odd
    large = np.array([2.0**52, 2.0**52, 1 / 3])
    assert whole(large) is large


def test_mid_ranks_of_ties() -> None:
    assert exact_ranks([Fraction(3), Fraction(1), Fraction(3), Fraction(3)]).tolist() == [
        3,
        1,
        3,
        3,
    ]
    assert exact_ranks([]).tolist() == []


def test_a_column_of_short_decimals_is_added_as_decimals() -> None:
    assert (
        exact_means(np.array([0.1, 0.2, 0.15, 0.15]), np.array([0, 0, 1, 1]), 2)
        == [Fraction(3, 20)] * 2
    )
    assert np.array([0.1, 0.2]).sum() != pytest.approx(0.3, abs=0)
