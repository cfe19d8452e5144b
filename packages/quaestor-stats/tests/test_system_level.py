import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy import stats

from quaestor_stats import _permutation
from quaestor_stats import _system_level as module
from quaestor_stats._correlation import METHODS, correlate_columns
from quaestor_stats._design import Design, facets
from quaestor_stats._system_level import Orders, RankedMeans, SwapTest, order_test, swapped_systems

NAN = np.nan
ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def study(
    sources: int = 40, systems: int = 8
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a human column, two metrics (one that follows it, one of noise), and both labels."""
    draw = np.random.default_rng(1)
    quality = np.repeat(np.linspace(0, 1, systems), sources)
    human = quality + draw.normal(size=quality.size)
    metrics = np.column_stack(
        [human + draw.normal(size=quality.size), draw.normal(size=quality.size)]
    )
    return (
        human,
        metrics,
        np.repeat(np.arange(systems), sources),
        np.tile(np.arange(sources), systems),
    )


def test_an_order_test_counts_all_orders() -> None:
    """Against `correlate`, which does so for one pair of columns, and pairwise accuracy against a
    loop."""
    draw = np.random.default_rng(3)
    human, metric = draw.integers(1, 4, (6, 2)).astype(float), draw.normal(size=(6, 3)).round(1)
    of = facets(np.repeat([0, 1, 2], 6), np.tile(np.arange(6), 3))
    people, own = (RankedMeans.of(np.tile(columns, (3, 1)), of) for columns in (human, metric))
    orders = Orders.of(6, rng())
    assert orders.words == "all 720 orders of 6 systems"
    for method in METHODS:
        found = order_test(people, own, method, orders)
        for k, m in np.ndindex(2, 3):
            alone = correlate_columns(human[:, k], metric[:, m], method=method)
            assert found.value[k, m] == pytest.approx(alone.value)
            assert found.p[k, m] == pytest.approx(alone.pvalue)
    found = order_test(people, own, "pairwise_accuracy", orders)
    right = [_right(human[order, 1], metric[:, 2]) for order in orders.rows]
    away = np.abs(np.array(right) - np.mean(right))
    assert found.value[1, 2] == pytest.approx(right[0])
    assert found.p[1, 2] == pytest.approx((away >= away[0] - 1e-9).mean())


def _right(human: np.ndarray, metric: np.ndarray) -> float:
    first, second = np.triu_indices(len(human), 1)
    return float(
        (np.sign(human[first] - human[second]) == np.sign(metric[first] - metric[second])).mean()
    )


def test_beyond_eight_systems_orders_are_drawn_and_the_given_one_counts() -> None:
    orders = Orders.of(9, rng(), drawn=99)
    assert orders.rows.shape == (100, 9)
    assert orders.rows[0].tolist() == list(range(9))
    assert orders.words == "99 orders drawn"
    means = RankedMeans.of(
        np.tile(np.arange(9.0), 3)[:, None],
        facets(np.repeat([0, 1, 2], 9), np.tile(np.arange(9), 3)),
    )
    assert order_test(means, means, "spearman", orders).p[0, 0] == pytest.approx(1 / 100)


@pytest.mark.parametrize("design", [Design(), Design(systems="random")])
@pytest.mark.parametrize("method", METHODS)
def test_swaps_are_those_of_a_loop(method: str, design: Design) -> None:
    human, metrics, systems, sources = study(5, 6)
    of = facets(sources, systems, design=design)
    found = swapped_systems(
        human[:, None], metrics, of, [(0, 1)], coefficient=method, resamples=200, rng=rng()
    )
    a, b = ((x - x.mean()) / x.std() for x in metrics.T)
    units, of_unit = (6, systems) if design.random_systems else (5, sources)
    assert found.words == f"all swaps by {'system' if design.random_systems else 'source'}"
    assert found.smallest_p == 1 / 2 ** (units - 1)
    differences = []
    for rest in product((False, True), repeat=units - 1):
        swapped = np.array([False, *rest])[of_unit]
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        means = [column.reshape(6, 5).mean(axis=1).round(9) for column in (human, one, other)]
        r = ORACLES[method]
        differences.append(r(means[0], means[1]).statistic - r(means[0], means[2]).statistic)
    assert found.value[0, 0] == pytest.approx(differences[0])
    assert found.p[0, 0] == pytest.approx(
        (np.abs(differences) >= abs(differences[0]) - 1e-9).mean()
    )


@pytest.mark.parametrize("design", [Design(), Design(systems="random")])
def test_swaps_of_pairwise_accuracy_count_ties_as_a_loop_does(design: Design) -> None:
    draw = np.random.default_rng(9)
    systems, sources = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    human = draw.integers(1, 3, 20).astype(float)
    metrics = draw.integers(0, 2, (20, 2)).astype(float)
    of = facets(sources, systems, design=design)
    found = swapped_systems(
        human[:, None],
        metrics,
        of,
        [(0, 1)],
        coefficient="pairwise_accuracy",
        resamples=200,
        rng=rng(),
    )
    a, b = ((x - x.mean()) / x.std() for x in metrics.T)
    units, of_unit = (5, systems) if design.random_systems else (4, sources)
    differences = []
    for rest in product((False, True), repeat=units - 1):
        swapped = np.array([False, *rest])[of_unit]
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        means = [column.reshape(5, 4).mean(axis=1).round(9) for column in (human, one, other)]
        differences.append(_right(means[0], means[1]) - _right(means[0], means[2]))
    assert found.value[0, 0] == pytest.approx(differences[0])
    assert found.p[0, 0] == pytest.approx(
        (np.abs(differences) >= abs(differences[0]) - 1e-9).mean()
    )


def test_a_metric_whose_means_vary_only_once_swapped_is_not_tested() -> None:
    human, metrics, systems, sources = study(5, 6)
    metrics[:, 0] -= np.repeat(metrics[:, 0].reshape(6, 5).mean(axis=1), 5)
    of = facets(sources, systems)
    found = swapped_systems(
        human[:, None], metrics, of, [(0, 1)], coefficient="pearson", resamples=99, rng=rng()
    )
    assert np.isnan([found.value, found.p]).all()


def test_swaps_beyond_the_number_asked_for_are_drawn() -> None:
    human, metrics, systems, sources = study(40, 6)
    of = facets(sources, systems)
    found = swapped_systems(
        human[:, None], metrics, of, [(0, 1)], coefficient="pearson", resamples=99, rng=rng()
    )
    assert (found.words, found.smallest_p) == ("99 swaps by source", 1 / 100)
    assert found.p[0, 0] >= 1 / 100


def test_all_swaps_of_five_sources_are_sixteen() -> None:
    human, metrics, systems, sources = study(5, 6)
    told = [
        swapped_systems(
            human[:, None],
            metrics,
            facets(sources, systems),
            [(0, 1)],
            coefficient="pearson",
            resamples=resamples,
            rng=rng(),
        ).words
        for resamples in (16, 15)
    ]
    assert told == ["all swaps by source", "15 swaps by source"]


def test_orders_may_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metrics, systems, sources = study(5, 5)
    of = facets(sources, systems)
    means = RankedMeans.of(human[:, None], of), RankedMeans.of(metrics, of)
    orders = Orders.of(5, rng())
    whole = order_test(*means, "spearman", orders)
    monkeypatch.setattr(module, "_CELLS", 25 * 7)  # seven orders at once
    assert [len(rows) for rows in orders.in_blocks(25)] == [7] * 17 + [1]
    parts = order_test(*means, "spearman", orders)
    assert np.array_equal(whole.p, parts.p)
    assert np.array_equal(whole.smallest_p, parts.smallest_p)


@pytest.mark.parametrize("design", [Design(), Design(systems="random")])
@pytest.mark.parametrize("resamples", [99, 8_000])  # drawn, and all there are
def test_swaps_may_come_in_blocks(
    design: Design, resamples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    human, metrics, systems, sources = study(10, 8)
    of = facets(sources, systems, design=design)

    def swapped() -> tuple[SwapTest, float]:
        draw = rng()
        found = swapped_systems(
            human[:, None],
            metrics,
            of,
            [(0, 1)],
            coefficient="spearman",
            resamples=resamples,
            rng=draw,
            tell=lambda: told.append(1),
        )
        return found, draw.random()

    told: list[int] = []
    whole, after = swapped()
    assert len(told) == 1
    # means, those of a swapped pair, swapped units
    size = 8 * 2 + 4 * 8 + (8 if design.random_systems else 10)
    monkeypatch.setattr(_permutation, "_CELLS", 7 * size)  # seven swaps at once
    parts, after_parts = swapped()
    number = round(1 / whole.smallest_p)
    assert number == {(99, False): 100, (99, True): 100}.get(
        (resamples, design.random_systems), 2 ** (7 if design.random_systems else 9)
    )
    assert len(told) == 1 + -(-number // 7)
    assert (parts.value, parts.p, parts.words) == (whole.value, whole.p, whole.words)
    assert after_parts == after


def test_swaps_of_many_columns_take_the_memory_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    human, _, systems, sources = study(20, 8)
    metrics = human[:, None] + rng().normal(size=(160, 40))
    monkeypatch.setattr(_permutation, "_CELLS", 100_000)
    tracemalloc.start()
    try:
        swapped_systems(
            human[:, None],
            metrics,
            facets(sources, systems),
            [(0, 1)],
            coefficient="pearson",
            resamples=10_000,
            rng=rng(),
        )
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()


def test_means_that_do_not_vary_have_no_p() -> None:
    of = facets(np.repeat([0, 1, 2], 4), np.tile(np.arange(4), 3))
    flat, own = (
        RankedMeans.of(np.ones((12, 1)), of),
        RankedMeans.of(np.tile([[1.0], [2], [3], [4]], (3, 1)), of),
    )
    found = order_test(own, flat, "kendall", Orders.of(4, rng()))
    assert np.isnan([found.value, found.p, found.smallest_p]).all()
