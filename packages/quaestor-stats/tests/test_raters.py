import numpy as np
import pytest
from scipy import stats

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._raters import leave_one_out, scale_use, severity, with_the_others

NAN = np.nan
FIVE = [1, 2, 3, 4, 5]


def test_severity_is_the_distance_to_the_others() -> None:
    """Rater 1 gives one less than the two others, who agree."""
    table = np.array([[1, 2, 2], [3, 4, 4], [2, 3, 3.0]])
    assert severity(table).tolist() == [-1, 0.5, 0.5]


def test_severity_leaves_out_units_judged_alone() -> None:
    table = np.array([[5, NAN], [2, 1], [NAN, NAN]])
    assert severity(table).tolist() == [1, -1]


def test_severity_of_a_rater_alone_is_nan() -> None:
    assert np.isnan(severity([[5, NAN], [NAN, 1]])).all()


def test_scale_use_counts_and_finds_straight_lines() -> None:
    found = scale_use([[3, 1], [3, 2], [NAN, 1], [3, NAN], [1, 5]], scale=FIVE)
    assert found.counts.tolist() == [[1, 0, 3, 0, 0], [2, 1, 0, 0, 1]]
    assert found.longest_run.tolist() == [3, 1]


def test_scale_use_of_a_rater_without_ratings() -> None:
    found = scale_use([[NAN, 1]], scale=FIVE)
    assert found.longest_run.tolist() == [0, 1]


def test_leave_one_out_rises_without_the_odd_one() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 40)
    table = np.column_stack([truth, truth, truth, rng.integers(1, 6, 40)]).astype(float)
    found = leave_one_out(table, lambda t: krippendorff_alpha(t, level="ordinal"))
    assert int(np.argmax([e.value for e in found])) == 3
    assert found[3].value == 1


def test_with_the_others_is_the_correlation_with_their_mean() -> None:
    table = np.array([[1, 1, 1], [2, 2, 3], [3, 4, 4], [5, 4, NAN], [4, NAN, NAN]])
    found = with_the_others(table)
    assert found[0].value == pytest.approx(np.corrcoef([1, 2, 3, 4], [1, 2, 3.5, 3.5])[0, 1])
    assert [(each.n, each.dropped) for each in found] == [(4, 1), (4, 1), (3, 2)]


def test_with_the_others_leaves_each_rater_out_of_the_mean_that_they_are_held_against() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(1, 6, size=(40, 7)).astype(float)
    table[rng.random(table.shape) < 0.4] = NAN
    table[:3] = NAN  # judged by nobody
    table[3, 1:] = NAN  # by one alone
    for rater, found in enumerate(with_the_others(table)):
        rest = [row[~np.isnan(row)] for row in np.delete(table, rater, axis=1)]
        means = np.array([row.mean() if row.size else NAN for row in rest])
        both = ~np.isnan(table[:, rater]) & ~np.isnan(means)
        rho = stats.spearmanr(table[both, rater], means[both]).statistic
        assert found.value == pytest.approx(rho, abs=1e-12)
        assert (found.n, found.dropped) == (both.sum(), (~both).sum())
