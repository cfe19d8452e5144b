"""Correlation at four levels, pairwise accuracy with ties, slices."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.correlation import METHODS, correlate
from analysis.stats.levels import correlate_levels, per_source, source_correlations
from analysis.stats.slices import sliced
from analysis.stats.systems import system_means
from analysis.stats.ties import pairwise_accuracy

NAN = np.nan
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def study(systems: int = 6, sources: int = 40) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    human = draw.integers(1, 6, (systems, sources)).astype(float)
    metric = (human + draw.normal(size=human.shape) * 2).round(1)
    human[draw.random(human.shape) < 0.1] = NAN
    return human, metric


@pytest.mark.parametrize("method", METHODS)
def test_source_correlations_equal_a_loop_over_scipy(method: str) -> None:
    human, metric = study()
    found = source_correlations(human, metric, method=method)
    for column, r in enumerate(found):
        both = ~np.isnan(human[:, column])
        h, m = human[both, column], metric[both, column]
        expected = SCIPY[method](h, m).statistic if np.ptp(h) > 0 else NAN
        assert r == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("method", METHODS)
def test_per_source_counts_the_sources_where_it_is_undefined(method: str) -> None:
    human, metric = study()
    human[:, 0], human[1:, 1], metric[:, 2] = 3, NAN, 0
    found = per_source(human, metric, method=method)
    defined = source_correlations(human, metric, method=method)
    assert found.value == pytest.approx(np.nanmean(defined))
    assert (found.n, found.dropped) == (37, 3)
    assert found.low < found.value < found.high


def test_per_source_is_undefined_where_no_source_has_two_systems() -> None:
    assert per_source([[1.0, NAN], [NAN, 2.0]], [[1.0, 1], [1, 1]]).reason == "on no source does the correlation exist"


def test_per_source_refuses_tables_of_different_shape_and_unknown_methods() -> None:
    with pytest.raises(ValueError, match="human 2, metric 3"):
        per_source(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="'tau' is none of"):
        source_correlations(np.ones((2, 2)), np.ones((2, 2)), method="tau")


def test_levels_of_one_question_a_source() -> None:
    human, metric = study()
    systems, sources = np.repeat(np.arange(6), 40), np.tile(np.arange(40), 6)
    found = correlate_levels(human.ravel(), metric.ravel(), systems=systems, sources=sources)
    assert found.question.value == pytest.approx(correlate(human.ravel(), metric.ravel()).value)
    assert found.question_set.value == pytest.approx(found.question.value)
    assert found.source.value == pytest.approx(per_source(human, metric).value)
    assert (found.question.n, found.system.n) == ((~np.isnan(human)).sum(), 6)


def test_levels_take_the_same_questions_on_both_sides() -> None:
    """A question without a human score counts for neither mean of its system."""
    human, metric = study()
    systems, sources = np.repeat(np.arange(6), 40), np.tile(np.arange(40), 6)
    found = correlate_levels(human.ravel(), metric.ravel(), systems=systems, sources=sources, method="pearson")
    masked = np.where(np.isnan(human), NAN, metric).ravel()
    means = [
        [e.value for e in system_means(x, systems=systems, sources=sources).values()] for x in (human.ravel(), masked)
    ]
    assert found.system.value == pytest.approx(np.corrcoef(means)[0, 1])


def test_levels_average_the_questions_of_a_set() -> None:
    human, metric = np.array([1.0, 3, 2, 2, 5, 4]), np.array([1.0, 5, 4, 6, 9, 9])
    found = correlate_levels(human, metric, systems=list("aabbcc"), sources=[1] * 6, method="pearson")
    assert found.question_set.value == pytest.approx(np.corrcoef([2, 2, 4.5], [3, 5, 9])[0, 1])
    assert found.question_set.n == 3
    with pytest.raises(ValueError, match="6 scores, 1 systems, 6 sources"):
        correlate_levels(human, metric, systems=["a"], sources=[1] * 6)


def slow_accuracy(human: np.ndarray, metric: np.ndarray, epsilon: float) -> float:
    right = total = 0
    for i in range(len(human)):
        for j in range(i):
            tied = abs(metric[i] - metric[j]) <= epsilon
            sign = 0 if tied else np.sign(metric[i] - metric[j])
            right += sign == np.sign(human[i] - human[j])
            total += 1
    return right / total


def test_pairwise_accuracy_finds_the_best_threshold() -> None:
    draw = np.random.default_rng(2)
    human = draw.integers(1, 4, 25).astype(float)
    metric = (human + draw.normal(size=25)).round(1)
    thresholds = np.unique(np.abs(metric[:, None] - metric[None, :]))
    best = max(slow_accuracy(human, metric, e) for e in thresholds)
    found = pairwise_accuracy(human, metric)
    assert found.accuracy.value == pytest.approx(best)
    assert slow_accuracy(human, metric, found.epsilon) == pytest.approx(best)
    assert pairwise_accuracy(human, metric, epsilon=0.5).accuracy.value == pytest.approx(
        slow_accuracy(human, metric, 0.5)
    )


def test_pairwise_accuracy_weighs_groups_alike() -> None:
    human = np.array([1.0, 2, 1, 2, 3, 9])
    metric = np.array([1.0, 2, 3, 2, 1, 5])
    found = pairwise_accuracy(human, metric, groups=list("aabbbc"), epsilon=0.0)
    assert found.accuracy.value == pytest.approx((1 + 0) / 2)
    assert found.accuracy.n == 4


def test_pairwise_accuracy_drops_missing_scores() -> None:
    found = pairwise_accuracy([1, 2, NAN], [1, 2, 3])
    assert (found.accuracy.value, found.accuracy.n, found.accuracy.dropped) == (1, 1, 1)


def test_pairwise_accuracy_without_pairs_is_undefined() -> None:
    assert pairwise_accuracy([1.0, NAN], [1.0, 2]).accuracy.reason == "no pair of items to compare"
    assert pairwise_accuracy([1.0, 2], [1.0, 2], groups=["a", "b"]).accuracy.reason == "no pair of items to compare"


def test_slices_adjust_over_all_of_them() -> None:
    draw = np.random.default_rng(3)
    x, y = draw.normal(size=(2, 60))
    labels = np.repeat(["who", "what", "when"], 20)
    found = sliced(labels, lambda rows: correlate(x[rows], y[rows]))
    assert [s.label for s in found] == ["who", "what", "when"]
    assert [s.rows for s in found] == [20, 20, 20]
    assert all(s.adjusted_p >= s.found.p for s in found)
    assert min(s.adjusted_p for s in found) == pytest.approx(min(1, 3 * min(s.found.p for s in found)))


def test_slices_of_a_number_without_test_have_no_p() -> None:
    scores = np.arange(6.0)
    found = sliced(
        list("aabbbb"),
        lambda rows: system_means(scores[rows], systems=["x"] * rows.size, sources=list(range(rows.size)))["x"],
    )
    assert [s.found.value for s in found] == [0.5, 3.5]
    assert np.isnan([s.adjusted_p for s in found]).all()
