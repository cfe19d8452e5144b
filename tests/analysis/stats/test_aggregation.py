import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.stats.aggregation import (
    min_max,
    rank_scores,
    unit_majorities,
    unit_means,
    unit_medians,
    z_scores,
)

NAN = np.nan
tables = arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(1, 5)),
    elements=st.sampled_from([1.0, 2, 3, 4, NAN]),
)


@pytest.mark.long
@settings(deadline=None)
@given(tables)
def test_means_and_medians_are_numpys(table) -> None:
    judged = ~np.isnan(table).all(axis=1)
    assert np.isnan(unit_means(table)[~judged]).all()
    assert np.isnan(unit_medians(table)[~judged]).all()
    assert unit_means(table)[judged] == pytest.approx(np.nanmean(table[judged], axis=1))
    assert unit_medians(table)[judged] == pytest.approx(np.nanmedian(table[judged], axis=1))


@settings(deadline=None)
@given(tables)
def test_majorities_are_the_only_most_frequent_value(table) -> None:
    found = unit_majorities(table)
    for row, value, tied in zip(table, found.values, found.tied, strict=True):
        values, counts = np.unique(row[~np.isnan(row)], return_counts=True)
        winners = values[counts == counts.max(initial=0)]
        assert tied == (winners.size > 1)
        assert np.array_equal([value], winners if winners.size == 1 else [NAN], equal_nan=True)


def test_z_scores_have_mean_zero_and_deviation_one() -> None:
    found = z_scores([[1, 2], [2, 4], [3, 6], [NAN, 8]])
    assert np.nanmean(found, axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert np.nanstd(found, axis=0, ddof=1) == pytest.approx([1, 1])
    assert np.isnan(found[3, 0])


def test_z_scores_of_a_rater_with_one_value_are_zero() -> None:
    assert z_scores([[3, 1], [3, NAN]])[:, 0].tolist() == [0, 0]
    assert z_scores([[3, 1], [3, NAN]])[0, 1] == 0


def test_min_max_stretches_to_each_raters_extremes() -> None:
    assert min_max([[1, 3], [2, 3], [5, NAN]])[:, 0].tolist() == [0, 0.25, 1]
    assert min_max([[1, 3], [2, 3], [5, NAN]])[:2, 1].tolist() == [0.5, 0.5]
    assert np.isnan(min_max([[1, 3], [2, 3], [5, NAN]])[2, 1])


def test_rank_scores_keep_only_the_order() -> None:
    table = np.array([[1.0, 10], [3, 20], [3, 1000]])
    expected = (stats.rankdata([1, 3, 3]) - 0.5) / 3
    assert rank_scores(table)[:, 0] == pytest.approx(expected)
    assert rank_scores(table)[:, 1] == pytest.approx([1 / 6, 0.5, 5 / 6])


@pytest.mark.parametrize("normalise", [z_scores, min_max, rank_scores])
def test_a_rater_without_ratings_stays_without(normalise) -> None:
    assert np.isnan(normalise([[NAN, 1], [NAN, 2]])[:, 0]).all()


@pytest.mark.parametrize("normalise", [z_scores, min_max, rank_scores])
def test_normalising_removes_severity(normalise) -> None:
    harsh = np.array([1.0, 2, 3, 2])
    found = normalise(np.column_stack([harsh, harsh + 2]))
    assert found[:, 0] == pytest.approx(found[:, 1])
