"""Correlation per source, pairwise accuracy with ties."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats.correlation import METHODS
from analysis.stats.levels import per_source, source_correlations
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
