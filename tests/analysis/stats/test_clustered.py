import numpy as np
import pytest
from scipy import stats

from analysis.stats import clustered
from analysis.stats.clustered import (
    cluster_interval,
    cluster_intervals,
    difference_interval,
    swap_matrix,
    swap_test,
)
from analysis.stats.columns import ranked, standardised
from analysis.stats.correlation import METHODS, correlate

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
NAN = np.nan


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def study(
    sources: int = 15, systems: int = 4, *, seed: int = 0, effect: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (human, first, second) per question and the source of each; the first metric is better
    by ``effect``."""
    draw = np.random.default_rng(seed)
    source = np.repeat(np.arange(sources), systems)
    human = draw.integers(1, 6, source.size) + draw.normal(size=sources)[source]
    noise = draw.normal(size=(2, source.size)) + draw.normal(size=(2, sources))[:, source]
    return np.stack([human, human * (0.3 + effect) + noise[0], human * 0.3 + noise[1]]).round(
        1
    ), source


def correlation(method: str, x: np.ndarray, y: np.ndarray) -> float:
    return SCIPY[method](x, y).statistic


@pytest.mark.parametrize("method", METHODS)
def test_swap_test_equals_a_loop_over_scipy(method: str) -> None:
    (human, first, second), source = study()
    table = np.stack([first, second], axis=1)
    a, b = standardised(ranked(table) if method == "spearman" else table).T
    signs = np.random.default_rng(5).choice([-1.0, 1.0], size=(100, 15))
    given = correlation(method, human, first) - correlation(method, human, second)
    draws = []
    for row in signs[:, source] < 0:
        one, other = np.where(row, b, a), np.where(row, a, b)
        draws.append(correlation(method, human, one) - correlation(method, human, other))
    expected = (sum(np.abs(draws) >= abs(given) - 1e-12) + 1) / 101
    found = swap_test(
        human,
        first,
        second,
        clusters=source,
        rng=np.random.default_rng(5),
        method=method,
        resamples=100,
    )
    assert found.value == pytest.approx(given, abs=1e-12)
    assert found.p == pytest.approx(expected)


def test_swaps_of_sources_that_differ_much_equal_a_loop() -> None:
    """A metric that is high on some sources and low on others has another mean once swapped."""
    for seed in range(12):
        (human, first, second), source = study(6, 3, seed=seed)
        first = first + 9 * np.random.default_rng(seed).normal(size=6)[source]
        a, b = standardised(np.stack([first, second], axis=1)).T
        signs = np.random.default_rng(5).choice([-1.0, 1.0], size=(200, 6))
        given, *draws = (
            np.corrcoef(human, np.where(row, b, a))[0, 1]
            - np.corrcoef(human, np.where(row, a, b))[0, 1]
            for row in [np.zeros(18, dtype=bool), *(signs[:, source] < 0)]
        )
        expected = (sum(np.abs(draws) >= abs(given) - 1e-12) + 1) / 201
        found = swap_test(
            human, first, second, clusters=source, rng=np.random.default_rng(5),
            method="pearson", resamples=200,
        )  # fmt: skip
        assert found.p == pytest.approx(expected)


@pytest.mark.parametrize("method", METHODS)
def test_difference_interval_equals_a_loop_over_scipy(method: str) -> None:
    (human, first, second), source = study()
    drawn = np.random.default_rng(6).integers(15, size=(100, 15))
    draws = []
    for row in drawn:
        items = np.concatenate([np.flatnonzero(source == cluster) for cluster in row])
        one, other = (correlation(method, human[items], m[items]) for m in (first, second))
        draws.append(one - other)
    found = difference_interval(
        human,
        first,
        second,
        clusters=source,
        rng=np.random.default_rng(6),
        method=method,
        resamples=100,
    )
    assert (found.low, found.high) == pytest.approx(
        tuple(np.quantile(draws, [0.025, 0.975])), abs=1e-10
    )
    given = correlation(method, human, first) - correlation(method, human, second)
    assert found.value == pytest.approx(given, abs=1e-12)


def test_ranks_once_are_close_to_ranks_anew() -> None:
    (human, first, second), source = study(60, effect=0.2)
    p = {
        ranks: swap_test(
            human, first, second, clusters=source, rng=np.random.default_rng(1), ranks=ranks
        ).p
        for ranks in ("anew", "once")
    }
    assert p["once"] == pytest.approx(p["anew"], abs=0.03)
    words = "rho, difference; swap permutation by cluster, 9 resamples"
    for ranks, method, told in (
        ("anew", "spearman", f"Spearman's {words}"),
        ("once", "spearman", f"Spearman's {words}, ranks once"),
        ("once", "pearson", f"Pearson's r{words[3:]}"),
    ):
        how = {"clusters": source, "rng": rng(), "resamples": 9}
        found = swap_test(human, first, second, ranks=ranks, method=method, **how)
        assert found.method == told


@pytest.mark.parametrize("method", METHODS)
def test_swaps_that_give_the_same_difference_are_as_extreme(method: str) -> None:
    """Of three clusters two of the eight swaps, none and all, give the difference as it is."""
    (human, first, second), source = study(3, 6, effect=5)
    found = swap_test(
        human, first, second, clusters=source, rng=rng(), method=method, resamples=400
    )
    assert found.p > 0.15


def test_swaps_may_be_made_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    (human, first, second), source = study()
    whole = swap_test(
        human, first, second, clusters=source, rng=rng(), method="kendall", resamples=50
    )
    monkeypatch.setattr(clustered, "_BLOCK_CELLS", 7 * len(human))  # seven swaps at once
    seen = []
    compare = clustered._kendall_swaps

    def counted(*columns: np.ndarray) -> object:
        of_swaps = compare(*columns)
        return lambda swaps: seen.append(swaps.shape[1]) or of_swaps(swaps)

    monkeypatch.setattr(clustered, "_kendall_swaps", counted)
    parts = swap_test(
        human, first, second, clusters=source, rng=rng(), method="kendall", resamples=50
    )
    assert parts.p == whole.p
    assert sorted(seen) == [1, 1, *[7] * 7]


def test_swap_test_p_is_never_zero() -> None:
    (human, first, second), source = study(100, effect=5)
    found = swap_test(
        human, first, second, clusters=source, rng=np.random.default_rng(1), resamples=99
    )
    assert found.p == 0.01


def test_swap_test_of_a_metric_with_itself_finds_nothing() -> None:
    (human, first, _), source = study()
    found = swap_test(human, first, first, clusters=source, rng=np.random.default_rng(1))
    assert (found.value, found.p) == (0, 1)


def test_swap_test_keeps_its_level_where_williams_does_not() -> None:
    """Thirty sources, ten systems, no true difference: Williams finds one far too often."""
    from analysis.stats.dependent import williams_matrix

    swaps, naive = [], []
    for seed in range(60):
        (human, first, second), source = study(30, 10, seed=seed)
        source_effect = np.random.default_rng(seed + 1000).normal(size=(2, 30)) * 2
        first, second = first + source_effect[0][source], second + source_effect[1][source]
        rng = np.random.default_rng(seed)
        swaps.append(
            swap_test(human, first, second, clusters=source, rng=rng, ranks="once", resamples=199).p
        )
        naive.append(williams_matrix(human, np.column_stack([first, second]))[1][0, 1])
    assert np.mean(np.array(swaps) < 0.05) < 0.15
    assert np.mean(np.array(naive) < 0.05) > 0.2


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_swap_matrix_equals_single_tests_with_ranks_once(method: str) -> None:
    (human, first, second), source = study()
    metrics = np.column_stack([first, second, first[::-1]])
    gap, p = swap_matrix(human, metrics, clusters=source, rng=rng(), method=method, resamples=200)
    alone = swap_test(
        human, first, second, clusters=source, rng=rng(), method=method, ranks="once", resamples=200
    )
    assert (gap[0, 1], p[0, 1]) == pytest.approx((alone.value, alone.p))
    assert gap[1, 0] == -gap[0, 1]
    assert p[1, 0] == p[0, 1]


def test_swap_matrix_leaves_a_constant_metric_undefined() -> None:
    (human, first, second), source = study()
    metrics = np.column_stack([first, np.ones_like(first), second])
    gap, p = swap_matrix(
        human, metrics, clusters=source, rng=np.random.default_rng(3), resamples=50
    )
    assert np.isnan(p[0, 1])
    assert np.isnan(gap[0, 1])
    assert 0 < p[0, 2] <= 1


def test_a_column_that_does_not_vary_is_named() -> None:
    (human, first, _), source = study()
    flat = np.ones_like(human)
    assert (
        cluster_interval(flat, first, clusters=source, rng=rng()).reason
        == "the human score is the same for every item"
    )
    assert (
        cluster_interval(human, flat, clusters=source, rng=rng()).reason
        == "the metric score is the same for every item"
    )


def test_swap_matrix_refuses_two_clusters() -> None:
    with pytest.raises(ValueError, match="needs three or more"):
        swap_matrix([1, 2, 3], np.eye(3), clusters=["a", "b", "b"], rng=np.random.default_rng(0))


@pytest.mark.parametrize("call", [swap_test, difference_interval])
def test_undefined_comparisons_say_why(call) -> None:
    (human, first, second), source = study()
    rng = np.random.default_rng(0)
    flat = np.ones_like(human)
    few = call(human, first, second, clusters=source // 8, rng=rng)
    assert few.reason == "2 cluster(s): resampling them needs three or more"
    assert (
        call(human, flat, second, clusters=source, rng=rng).reason
        == "the first score is the same for every item"
    )
    tiny = call([1, 2, 3], [1, 2, 3], [3, 1, 2], clusters=[1, 2, 3], rng=rng)
    assert tiny.reason == "3 items have all scores: too few"


def test_comparison_leaves_out_items_with_a_gap_in_any_column() -> None:
    (human, first, second), source = study()
    first[0] = second[1] = human[2] = NAN
    found = swap_test(human, first, second, clusters=source, rng=np.random.default_rng(0))
    assert (found.n, found.dropped) == (57, 3)


@pytest.mark.parametrize("ranks", ["anew", "once"])
@pytest.mark.parametrize("method", METHODS)
def test_resamples_in_which_a_metric_does_not_vary_are_undefined(method: str, ranks: str) -> None:
    """The metric is 0.3 on three of four sources, so those drawn without the first have no
    correlation."""
    human = np.random.default_rng(3).normal(size=16)
    metric, source = np.full(16, 0.3), np.repeat(np.arange(4), 4)
    metric[:4] = [0.1, 0.2, 0.4, 0.7]
    drawn = np.random.default_rng(6).integers(4, size=(100, 4))
    without = int((drawn != 0).all(axis=1).sum())
    found = cluster_interval(
        human, metric, clusters=source, rng=np.random.default_rng(6), method=method, ranks=ranks,
        resamples=100,
    )  # fmt: skip
    assert without > 20
    assert found.reason == f"undefined in {without} of 100 resamples: no interval"


def test_intervals_count_their_items_and_those_left_out() -> None:
    (human, first, second), source = study()
    first[0] = second[1] = human[2] = NAN
    alone = cluster_interval(human, first, clusters=source, rng=rng(), resamples=20)
    both = difference_interval(human, first, second, clusters=source, rng=rng(), resamples=20)
    assert [(each.n, each.dropped) for each in (alone, both)] == [(58, 2), (57, 3)]


@pytest.mark.parametrize("call", [swap_test, difference_interval])
def test_the_last_system_may_lack_its_question_on_the_last_source(call) -> None:
    """With the item there and unscored, or not there at all, the same items are left."""
    (human, first, second), source = study(8, 4)
    system = np.tile(np.arange(4), 8)
    gone = np.append(human[:-1], NAN)
    how = {"method": "pearson", "resamples": 50}
    there = call(gone, first, second, clusters=source, systems=system, rng=rng(), **how)
    short = [each[:-1] for each in (human, first, second)]
    absent = call(*short, clusters=source[:-1], systems=system[:-1], rng=rng(), **how)
    r = [correlation("pearson", short[0], metric) for metric in short[1:]]
    assert there.value == absent.value == pytest.approx(r[0] - r[1])
    assert (there.low, there.high) == pytest.approx((absent.low, absent.high), nan_ok=True)
    assert getattr(there, "p", 0) == getattr(absent, "p", 0)


def test_comparison_refuses_clusters_of_another_length_and_unknown_methods() -> None:
    (human, first, second), source = study()
    with pytest.raises(ValueError, match="clusters: 59 labels for 60 items"):
        swap_test(human, first, second, clusters=source[1:], rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="'tau' is none of"):
        swap_test(human, first, second, clusters=source, rng=np.random.default_rng(0), method="tau")


def test_cluster_interval_holds_the_correlation_and_is_wider_than_fishers() -> None:
    (human, first, _), source = study(40, 10)
    first = first + np.random.default_rng(3).normal(size=40)[source] * 3
    found = cluster_interval(human, first, clusters=source, rng=np.random.default_rng(0))
    alone = correlate(human, first)
    assert found.value == pytest.approx(alone.value)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("ranks", ["anew", "once"])
def test_items_in_another_order_give_the_same_value(ranks: str) -> None:
    (human, first, second), source = study()
    order = np.random.default_rng(8).permutation(60)
    args = {"rng": np.random.default_rng(0), "ranks": ranks}
    a = swap_test(human, first, second, clusters=source, **args)
    b = swap_test(human[order], first[order], second[order], clusters=source[order], **args)
    assert a.value == pytest.approx(b.value)
    assert a.p == pytest.approx(b.p, abs=0.06)


@pytest.mark.parametrize("method", METHODS)
def test_cluster_intervals_of_many_metrics_are_those_of_each(method: str) -> None:
    (human, first, second), source = study()
    found = cluster_intervals(
        human,
        np.column_stack([first, second]),
        clusters=source,
        rng=rng(),
        method=method,
        resamples=60,
    )
    alone = cluster_interval(human, first, clusters=source, rng=rng(), method=method, resamples=60)
    assert (found[0].value, found[0].low, found[0].high) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )
    flat = cluster_intervals(human, np.column_stack([first, human * 0]), clusters=source, rng=rng())
    assert [e.reason for e in flat] == ["the metric 2 score is the same for every item"] * 2


def test_what_is_undefined_counts_the_items_there_are_and_those_left_out() -> None:
    human, metric = [1.0, 2, 3, NAN], [2.0, 1, 3, 3]
    alone = cluster_interval(human, metric, clusters=list("aaab"), rng=rng())
    found = cluster_intervals(human, np.transpose([metric]), clusters=list("aaab"), rng=rng())
    assert [(each.n, each.dropped) for each in (alone, *found)] == [(3, 1)] * 2
    assert np.isnan(found[0].value)
    assert found[0].reason == alone.reason != ""


@pytest.mark.parametrize("method", METHODS)
def test_with_systems_both_are_swapped_and_drawn_as_in_papers(method: str) -> None:
    (human, first, second), source = study(8, 4)
    system = np.tile(np.arange(4), 8)
    a, b = standardised(
        ranked(np.stack([first, second], axis=1))
        if method == "spearman"
        else np.stack([first, second], axis=1)
    ).T
    draw = np.random.default_rng(5)
    signs = draw.choice([-1.0, 1.0], size=(60, 8)), draw.choice([-1.0, 1.0], size=(60, 4))
    given, draws = correlation(method, human, first) - correlation(method, human, second), []
    for by_source, by_system in zip(*signs, strict=True):
        swapped = by_source[source] * by_system[system] < 0
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        draws.append(correlation(method, human, one) - correlation(method, human, other))
    how = {"clusters": source, "systems": system, "method": method, "resamples": 60}
    found = swap_test(human, first, second, rng=np.random.default_rng(5), **how)
    assert found.p == pytest.approx((sum(np.abs(draws) >= abs(given) - 1e-12) + 1) / 61)
    assert "by cluster and system" in found.method

    draw = np.random.default_rng(6)
    chosen = draw.integers(8, size=(60, 8)), draw.integers(4, size=(60, 4))
    drawn = []
    for places, names in zip(*chosen, strict=True):
        items = np.array(
            [np.flatnonzero((source == g) & (system == s))[0] for g in places for s in names]
        )
        one, other = (correlation(method, human[items], m[items]) for m in (first, second))
        drawn.append(one - other)
    interval = difference_interval(human, first, second, rng=np.random.default_rng(6), **how)
    assert (interval.low, interval.high) == pytest.approx(
        tuple(np.nanquantile(drawn, [0.025, 0.975])), abs=1e-9
    )
    assert "over 8 clusters and 4 systems" in interval.method
