"""Soft pairwise accuracy: by hand, beside a loop, and beside the published program's figures on
released data."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import released_data
from metric_studies import metric_study

from quaestor_stats._design import facets
from quaestor_stats._soft_accuracy import PERMUTATIONS, pair_tests, soft_accuracy, soft_order_test
from quaestor_stats._system_level import Orders


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_small_case_by_hand() -> None:
    """Three sources. SPA = 1 - (3/8 + 3/8 + 0) / 3 = 3/4.

    People: A leads B, and C, by 1, 2, 3, which only one of eight swaps reaches: p = 1/8. B and C
    tie everywhere: p = 1. The metric: A leads by 1, 1, -1, the sum is 1; of the sums 3, 1, 1, 1,
    -1, -1, -1, -3 four reach it: p = 1/2.
    """
    sources, systems = np.tile([1, 2, 3], 3), np.repeat(list("ABC"), 3)
    people = np.array([1.0, 2, 3, 0, 0, 0, 0, 0, 0])
    metric = np.array([1.0, 1, -1, 0, 0, 0, 0, 0, 0])
    of = facets(sources, systems)
    p = pair_tests(np.column_stack([people, metric]), of, rng=rng(), permutations=40_000)
    assert p[0, 1] == pytest.approx([1 / 8, 1 / 2], abs=0.01)
    # B ahead of A: sums of at most 6, of at most 1
    assert p[1, 0] == pytest.approx([1, 1 / 2 + 3 / 8], abs=0.01)
    assert p[1, 2].tolist() == p[2, 1].tolist() == [1, 1]
    assert soft_accuracy(p[..., :1], p[..., 1:])[0, 0] == pytest.approx(3 / 4, abs=0.01)


def test_ties_of_sums_count_whatever_rounding_makes_of_them() -> None:
    """A leads B by .1 and .2 and trails by .3: the sum is 0, and five of eight swaps reach it (0,
    0, .2, .4, .6)."""
    people = np.array([0.1, 0.2, 0.0, 0.0, 0.0, 0.3])
    of = facets([1, 2, 3] * 2, list("AAABBB"))
    p = pair_tests(people[:, None], of, rng=rng(), permutations=40_000)
    assert p[0, 1, 0] == pytest.approx(5 / 8, abs=0.01)


def test_a_source_that_a_system_lacks_is_left_out_for_its_pairs() -> None:
    of = facets([1, 2, 3, 1, 2], list("AAABB"))
    p = pair_tests(np.array([[1.0], [1], [9], [0], [0]]), of, rng=rng(), permutations=20_000)
    assert p[0, 1, 0] == pytest.approx(1 / 4, abs=0.02)


def test_accuracies_of_many_columns_are_those_of_each_and_of_a_loop() -> None:
    of = metric_study(20, 4)
    here = facets(of.sources, of.systems)
    columns = np.column_stack([of.human, of.metrics])
    p = pair_tests(columns, here, rng=rng(3), permutations=20_000)
    signs = rng(4).choice([-1.0, 1.0], size=(40_000, 20))
    tables = columns.reshape(20, 4, 5)
    for i, j in combinations(range(4), 2):
        lead = (tables[:, i] - tables[:, j]).round(9)
        reached = (signs @ lead).round(6) >= lead.sum(axis=0).round(6)
        assert p[i, j] == pytest.approx(reached.mean(axis=0), abs=0.01)
    apart = [abs(p[i, j, 1] - p[i, j, 4]) for i, j in combinations(range(4), 2)]
    assert soft_accuracy(p[..., :2], p[..., 2:])[1, 2] == pytest.approx(1 - np.mean(apart))


def test_the_order_test_counts_all_orders_of_the_systems() -> None:
    of = metric_study(20, 4)
    p = pair_tests(
        np.column_stack([of.human, of.metrics]), facets(of.sources, of.systems), rng=rng()
    )
    orders = Orders.of(4, rng())
    found = soft_order_test(p[..., :2], p[..., 2:], orders)
    assert found.value == pytest.approx(soft_accuracy(p[..., :2], p[..., 2:]))
    accuracies = []
    for row in orders.rows:
        pairs = combinations(range(4), 2)
        accuracies.append(1 - np.mean([abs(p[row[i], row[j], 0] - p[i, j, 3]) for i, j in pairs]))
    away = np.abs(np.array(accuracies) - np.mean(accuracies))
    assert found.p[0, 1] == pytest.approx((away >= away[0] - 1e-12).mean())
    assert found.smallest_p[0, 1] == pytest.approx((away >= away.max() - 1e-12).mean())


ORACLE = {
    "correctness": [0.7027, 0.7876, 0.7652, 0.8868, 0.8208],
    "grammaticality": [0.7901, 0.7608, 0.7137, 0.6765, 0.7390],
    "understandability": [0.8109, 0.7830, 0.7329, 0.6895, 0.7612],
}
METRICS = ["Bleu_4", "METEOR", "ROUGE_L", "BERTScore", "MoverScore"]


def test_on_released_data_only_ties_are_counted_otherwise_than_by_the_published_program() -> None:
    """The figures come from adding in single precision as mt-metrics-eval does, so rounding decides
    which ties count.

    Each lies between what comes if equal sums count as "at least as much" and what comes if they do
    not.
    """
    table = pd.read_csv(released_data.path("qgbench/sample_300.csv"))
    sources = (table["paragraph_raw"] + " " + table["answer_raw"].astype(str)).to_numpy()
    of = facets(sources, table["model"].to_numpy())
    assert (of.n_sources, of.n_systems) == (50, 6)
    columns = table[[*ORACLE, *METRICS]].to_numpy(dtype=float)
    p = pair_tests(columns, of, rng=rng(), permutations=100_000)
    found = soft_accuracy(p[..., :3], p[..., 3:])
    assert np.abs(found - np.array(list(ORACLE.values()))).max() < 0.009
    first, second = np.triu_indices(6, 1)
    for k, published in enumerate(ORACLE.values()):
        with_ties, without = p[first, second, k], 1 - p[second, first, k]
        assert (with_ties > without).any()
        for m, figure in enumerate(published):
            own = p[first, second, 3 + m]
            ends = np.abs(np.array([with_ties, without]) - own)
            between = (with_ties - own) * (without - own) < 0
            least = np.where(between, 0, ends.min(axis=0))
            assert 1 - ends.max(axis=0).mean() - 0.003 <= figure <= 1 - least.mean() + 0.003


def test_standard_error_of_a_soft_accuracy_is_below_a_thousandth() -> None:
    """The bound is 1 / (2 sqrt(B)) with B permutations and their mirror images; here for B = 2,500
    it is .01, and .001 for the number that a report draws."""
    of = metric_study(20, 3)
    columns, here = np.column_stack([of.human, of.metrics]), facets(of.sources, of.systems)
    found = []
    for seed in range(60):
        p = pair_tests(columns, here, rng=rng(seed), permutations=2_500)
        found.append(soft_accuracy(p[..., :2], p[..., 2:]))
    assert np.std(found, axis=0).max() < 0.01
    assert 0.5 / np.sqrt(PERMUTATIONS) <= 0.001


def test_sources_of_a_cluster_change_places_together() -> None:
    """Two clusters of two sources: A leads B by 1 + 1 and by 1 - 2. Sums 1, 3, -3, -1: two of four
    reach 1."""
    people = np.array([1.0, 1, 1, -2, 0, 0, 0, 0])[:, None]
    of = facets([1, 2, 3, 4] * 2, list("AAAABBBB"), clusters=list("xxyy") * 2)
    p = pair_tests(people, of, rng=rng(), permutations=40_000)
    assert p[0, 1, 0] == pytest.approx(1 / 2, abs=0.01)
