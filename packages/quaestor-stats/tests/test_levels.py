"""Correlation per source, pairwise accuracy with ties."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._correlation import METHODS
from quaestor_stats._design import Design, facets
from quaestor_stats._jackknife import infer_coefficients
from quaestor_stats._source_correlations import on_sources
from quaestor_stats._tie_calibration import accuracies_within, pairwise_accuracy

NAN = np.nan
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def study(systems: int = 6, sources: int = 40) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    human = draw.integers(1, 6, (systems, sources)).astype(float)
    metric = (human + draw.normal(size=human.shape) * 2).round(1)
    human[draw.random(human.shape) < 0.1] = NAN
    return human, metric


@pytest.mark.parametrize("method", METHODS)
def test_on_sources_equals_a_loop_over_scipy(method: str) -> None:
    human, metric = study()
    found = on_sources(human.T[..., None], metric.T[..., None], coefficient=method)[:, 0, 0]
    for column, r in enumerate(found):
        both = ~np.isnan(human[:, column])
        h, m = human[both, column], metric[both, column]
        expected = SCIPY[method](h, m).statistic if np.ptp(h) > 0 else NAN
        assert r == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_on_sources_without_a_source_is_empty() -> None:
    nothing = np.zeros((0, 3, 1))
    assert on_sources(nothing, nothing, coefficient="spearman").tolist() == []


def slow_accuracy(human: np.ndarray, metric: np.ndarray, epsilon: float) -> float:
    right = total = 0
    for i in range(len(human)):
        for j in range(i):
            tied = abs(metric[i] - metric[j]) <= epsilon + 1e-9
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
    assert (
        pairwise_accuracy([1.0, 2], [1.0, 2], groups=["a", "b"]).accuracy.reason
        == "no pair of items to compare"
    )


def test_the_share_of_human_ties_is_what_tying_everything_gets() -> None:
    """Of six pairs people tie three. A metric against people gains most by tying those, 1/2, with
    an epsilon of 2."""
    found = pairwise_accuracy([1, 1, 1, 2], [4, 3.5, 2, 1])
    assert (found.accuracy.value, found.baseline, found.epsilon) == (0.5, 0.5, 2)
    assert pairwise_accuracy([1, 1, 1, 2], [1, 2, 3, 4], epsilon=0.0).accuracy.value == 0.5


def grouped_accuracy(
    human: np.ndarray, metric: np.ndarray, groups: np.ndarray, epsilon: float, kept: np.ndarray
) -> float:
    shares = [
        slow_accuracy(human[groups == g], metric[groups == g], epsilon)
        for g in np.unique(groups[kept])
    ]
    return float(np.mean(shares))


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_held_out_accuracy_takes_each_source_with_the_epsilon_of_the_others(decimals: int) -> None:
    draw = np.random.default_rng(decimals)
    groups = np.repeat(np.arange(7), 4)
    human = draw.integers(1, 4, 28).astype(float)
    metric = (human + 2 * draw.normal(size=28)).round(decimals)
    gaps = np.unique(
        [abs(metric[i] - metric[j]) for i in range(28) for j in range(i) if groups[i] == groups[j]]
    )
    held = []
    for group in range(7):
        others = groups != group
        scores = [grouped_accuracy(human, metric, groups, e, others) for e in (0, *gaps)]
        best = (0, *gaps)[int(np.argmax(np.array(scores) >= max(scores) - 1e-12))]
        held.append(grouped_accuracy(human, metric, groups, best, ~others))
    found = pairwise_accuracy(human, metric, groups=groups).held_out
    assert found.value == pytest.approx(np.mean(held))
    assert found.ci.low <= found.value <= found.ci.high
    assert (found.n, found.dropped, found.clusters) == (7 * 6, 0, 7)
    human[0] = NAN
    found = pairwise_accuracy(human, metric, groups=groups).held_out
    assert (found.n, found.dropped) == (7 * 6 - 3, 1)


def test_chance_is_what_a_metric_gets_that_ties_and_orders_as_often_without_knowing() -> None:
    """On three systems that people order 1, 2, 3 a metric that ties one pair gets (1 - 1/3) / 2 =
    1/3 by chance."""
    human = np.tile([1.0, 2, 3], 3)[:, None]
    metric = np.tile([1.0, 1, 2], 3)[:, None]
    found = accuracies_within(human, metric, facets(np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3)))
    assert found.held_out.value[0, 0] == pytest.approx(2 / 3)
    assert found.beyond_chance.value[0, 0] == pytest.approx(1 / 3)


def test_accuracy_on_each_source_without_each_random_system_counts_the_pairs_of_the_others() -> (
    None
):
    """Of three pairs the first source has one in the wrong order, that of b and c; the second all."""
    human = np.tile([1.0, 2, 3], 2)[:, None]
    metric = np.array([1.0, 3, 2, 3, 2, 1])[:, None]
    of = facets(list("xxxyyy"), list("abcabc"), design=Design(systems="random"))
    found = accuracies_within(human, metric, of).held_out
    assert found.systems is not None and found.cells is not None
    assert found.value[0, 0] == pytest.approx((2 / 3 + 0) / 2)
    assert found.systems[:, 0, 0] == pytest.approx([0, 1 / 2, 1 / 2])
    assert sorted(found.cells[:, 0, 0]) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])


def test_the_interval_reaches_from_held_out_to_in_sample_accuracy() -> None:
    draw = np.random.default_rng(1)
    human = draw.integers(1, 4, (60, 1)).astype(float)
    metric = human + 2 * draw.normal(size=(60, 1))
    found = accuracies_within(
        human, metric, facets(np.repeat(np.arange(15), 4), np.tile(np.arange(4), 15))
    )
    limits, alone = found.limits(), infer_coefficients(found.held_out, scale="plain")
    assert limits.low[0, 0] == alone.low[0, 0]
    gap = found.in_sample[0, 0] - found.held_out.value[0, 0]
    assert limits.high[0, 0] == pytest.approx(alone.high[0, 0] + gap)
    assert gap > 0


def test_sources_without_a_pair_do_not_count_and_pairs_do_not_depend_on_the_number_of_metrics() -> (
    None
):
    human, metric = np.array([5.0, 1, 2, 1, 2, 3]), np.array([9.0, 1, 2, 3, 2, 1])
    of = facets(list("abbccc"), [0, 0, 1, 0, 1, 2])
    found = accuracies_within(human[:, None], np.column_stack([metric, metric]), of)
    assert found.pairs == 4
    assert np.isnan(found.held_out.sources[0]).all()
    # ties gain nothing on c, so b is judged without: right; c is against people, with ties or
    # without
    assert found.held_out.sources[:, 0, 0] == pytest.approx([np.nan, 0, 1], nan_ok=True)
    assert found.in_sample.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1]])
def test_a_metric_that_is_nought_everywhere_ties_all_pairs(groups: list[int] | None) -> None:
    human = [1.0, 1, 2, 3]
    found = pairwise_accuracy(human, np.zeros(4), groups=groups)
    assert found.accuracy.value == found.baseline == (1 / 6 if groups is None else 1 / 2)
    assert found.epsilon == 0


def test_large_scores_that_are_equal_but_for_rounding_tie() -> None:
    scores = 1e7 * np.array([0.1 + 0.2, 0.3])
    assert scores[0] != scores[1]
    found = accuracies_within(np.ones((2, 1)), scores[:, None], facets([0, 0], [0, 1]))
    assert (found.in_sample[0, 0], found.epsilon[0, 0]) == (1, 0)


def test_accuracy_says_how_ties_were_found() -> None:
    human, metric, groups = [1, 2, 3, 1], [1, 2, 3, 4], list("aabb")
    assert (
        pairwise_accuracy(human, metric).accuracy.method
        == "pairwise accuracy, ties calibrated on these data"
    )
    given = pairwise_accuracy(human, metric, groups=groups, epsilon=0.5)
    assert given.accuracy.method == "pairwise accuracy, ties as given, mean over groups"
    assert given.epsilon == 0.5


@pytest.mark.long
def test_a_metric_that_follows_nothing_is_rarely_better_than_chance_where_ratings_tie() -> None:
    """A third of the pairs are tied, as many as a metric that ties none has in order: epsilon then
    differs from source to source, and a two-sided p is below .05 in a sixth of such studies."""
    draw = np.random.default_rng(3)
    sources, systems, studies = 60, 15, 500
    of = facets(np.repeat(np.arange(sources), systems), np.tile(np.arange(systems), sources))
    quality = draw.normal(size=(sources * systems, studies))
    raters = quality[:, None] + draw.normal(size=(sources * systems, 3, studies))
    human = np.clip(np.rint(2.9 + 0.4 * raters), 1, 3).mean(axis=1)
    below = sum(
        accuracies_within(human[:, [k]], draw.normal(size=(len(human), 1)), of).limits().p[0, 0]
        < 0.05
        for k in range(studies)
    )
    assert stats.binomtest(below, studies).proportion_ci().low < 0.07


def test_p_of_pairwise_accuracy_is_one_sided() -> None:
    draw = np.random.default_rng(2)
    human = draw.integers(1, 6, (80, 1)).astype(float)
    of = facets(np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20))
    follows, opposes = (sign * human + draw.normal(size=human.shape) for sign in (1, -1))
    for metric, is_better in ((follows, True), (opposes, False)):
        found = accuracies_within(human, metric, of)
        without = found.beyond_chance.sources[:, 0, 0]
        error = np.sqrt(19 / 20 * ((without - without.mean()) ** 2).sum())
        p = stats.t.sf(found.beyond_chance.value[0, 0] / error, 19)
        assert found.limits().p[0, 0] == pytest.approx(p, rel=1e-9)
        assert (p < 0.01) if is_better else (p > 0.5)
