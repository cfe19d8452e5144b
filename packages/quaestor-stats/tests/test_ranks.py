"""Probabilities of ranks and significance clusters against loops."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from quaestor_stats._ranks import rank_probabilities, resampled_means, significance_clusters

RNG = np.random.default_rng


def test_resampled_means_three_sources_agree_with_all_draws() -> None:
    table = np.array([[1.0, 2, 6], [3.0, 2, 1]])
    draws = resampled_means(table, rng=RNG(1), resamples=40_000)
    every = [table[:, list(drawn)].mean(axis=1) for drawn in product(range(3), repeat=3)]
    expected = Counter(float(mean[0] > mean[1]) for mean in every)[1.0] / 27
    assert (draws[:, 0] > draws[:, 1]).mean() == pytest.approx(expected, abs=0.01)
    assert draws.mean(axis=0) == pytest.approx(table.mean(axis=1), abs=0.02)


def test_resampled_means_clusters_are_drawn_together() -> None:
    table = np.array([[0.0, 0, 1, 1]])
    alone = resampled_means(table, rng=RNG(1), resamples=4_000)
    together = resampled_means(
        table, rng=RNG(1), resamples=4_000, clusters=np.array(["a", "a", "b", "b"])
    )
    assert set(np.round(together[:, 0], 9)) == {0.0, 0.5, 1.0}
    assert together.std() > 1.3 * alone.std()


def test_resampled_means_missing_scores_are_means_of_the_rest() -> None:
    table = np.array([[1.0, np.nan, 3.0], [2.0, 2.0, 2.0]])
    draws = resampled_means(table, rng=RNG(1), resamples=500)
    assert len(draws) < 500  # some draws hold the second source alone
    assert not np.isnan(draws).any()


def test_rank_probabilities_rows_and_columns_add_up_to_one() -> None:
    found = rank_probabilities(RNG(3).integers(0, 3, (200, 4)))
    assert found.sum(axis=0) == pytest.approx(1) and found.sum(axis=1) == pytest.approx(1)


def test_rank_probabilities_distinct_means_agree_with_sorting() -> None:
    draws = RNG(4).normal([1, 0.5, 0], 1, (300, 3))
    places = np.argsort(np.argsort(-draws, axis=1), axis=1)
    found = rank_probabilities(draws)
    for system, rank in product(range(3), repeat=2):
        assert found[system, rank] == pytest.approx((places[:, system] == rank).mean())


@pytest.mark.parametrize(
    ("ahead", "clusters"),
    [
        (set(), [1, 1, 1]),
        ({(0, 1), (0, 2), (1, 2)}, [1, 2, 3]),
        ({(0, 1), (0, 2)}, [1, 2, 2]),
        ({(0, 2), (1, 2)}, [1, 1, 2]),
        ({(0, 2)}, [1, 1, 1]),
        ({(1, 2), (0, 1)}, [1, 1, 1]),  # the best is not better than the last
    ],
)
def test_significance_clusters_end_where_all_above_beat_all_below(
    ahead: set[tuple[int, int]], clusters: list[int]
) -> None:
    assert significance_clusters(np.array([3.0, 2.0, 1.0]), ahead).tolist() == clusters
