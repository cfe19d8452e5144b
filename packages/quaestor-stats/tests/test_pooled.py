"""Correlations over all questions, and what they are without each unit: every number beside
scipy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_studies import metric_study
from scipy import stats

from quaestor_stats import _concordance as concordance
from quaestor_stats import _pooled as module
from quaestor_stats._concordance import concordances, concordances_within, untied
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._design import Design, facets
from quaestor_stats._jackknife import infer_coefficients
from quaestor_stats._pooled import COEFFICIENTS, pooled_correlations, pooled_values

SCIPY = {
    "pearson": lambda a, b: stats.pearsonr(a, b).statistic,
    "spearman": lambda a, b: stats.spearmanr(a, b).statistic,
    "kendall": lambda a, b: stats.kendalltau(a, b).statistic,
    "kendall_c": lambda a, b: stats.kendalltau(a, b, variant="c").statistic,
}


def loop(a: np.ndarray, b: np.ndarray) -> list[int]:
    return [
        int(sum(np.sign((x - u) * (y - v)) for u, v in zip(a, b, strict=True)))
        for x, y in zip(a, b, strict=True)
    ]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=25),
    st.integers(1, 30),
)
@settings(max_examples=60, deadline=None)
def test_concordances_are_those_of_a_loop_over_all_pairs(
    pairs: list[tuple[int, int]], cells: int
) -> None:
    table = np.array(pairs, dtype=float)
    a, b = table.T
    whole = concordance._CELLS
    concordance._CELLS = cells * len(a)  # so that levels come in several blocks
    try:
        assert concordances(a[:, None], b[:, None])[:, 0, 0].tolist() == loop(a, b)
        assert concordances(b[:, None], a[:, None])[:, 0, 0].tolist() == loop(a, b)
    finally:
        concordance._CELLS = whole
    assert untied(a[:, None])[:, 0].tolist() == [int((a != x).sum()) for x in a]


def test_concordances_within_units_are_those_of_each_unit_alone() -> None:
    of = metric_study()
    both, one, other = concordances_within(of.human, of.metrics, of.sources, 12)
    for unit in range(12):
        own = of.sources == unit
        assert np.array_equal(both[unit], concordances(of.human[own], of.metrics[own]).sum(axis=0))
        assert np.array_equal(one[unit], untied(of.human[own]).sum(axis=0))
        assert np.array_equal(other[unit], untied(of.metrics[own]).sum(axis=0))


def test_a_unit_of_one_item_before_others_takes_no_pair_from_them() -> None:
    first, second = np.array([[1.0, 2, 3, 1, 1]]).T, np.array([[5.0, 1, 2, 4, 3]]).T
    both, one, other = concordances_within(first, second, np.array([0, 1, 1, 2, 2]), 3)
    assert both[:, 0, 0].tolist() == [0, 2, 0]
    assert (one[:, 0].tolist(), other[:, 0].tolist()) == ([0, 2, 0], [0, 2, 2])


@pytest.mark.parametrize("few", [0, 100])  # counting the pairs of a unit, or anew without it
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_values_with_and_without_every_unit_are_scipys(
    coefficient: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FEW", few)
    of = metric_study()
    here = facets(of.sources, of.systems, design=Design(systems="random"))
    found, theirs = (
        pooled_correlations(of.human, of.metrics, here, coefficients=[coefficient])[coefficient],
        SCIPY[coefficient],
    )
    kinds = ((of.sources, found.sources), (of.systems, found.systems), (here.cells[0], found.cells))
    for k, human in enumerate(of.human.T):
        for m, metric in enumerate(of.metrics.T):
            assert found.value[k, m] == pytest.approx(theirs(human, metric), abs=1e-12)
            for units, without in kinds:
                for unit in range(len(without)):
                    left = units != unit
                    if coefficient == "kendall_c" and (
                        np.unique(human[left]).size < np.unique(human).size
                    ):  # keeps the number of values of the whole column
                        continue
                    assert without[unit, k, m] == pytest.approx(
                        theirs(human[left], metric[left]), abs=1e-12
                    )


def test_question_sets_of_several_questions_are_left_out_under_spearman() -> None:
    of = metric_study(20, 4)
    doubled = [np.concatenate([x, x[::-1]]) for x in (of.human, of.metrics, of.sources, of.systems)]
    here = facets(doubled[2], doubled[3], design=Design(systems="random"))
    cells, n = here.cells
    found = pooled_correlations(doubled[0], doubled[1], here, coefficients=["spearman"])["spearman"]
    exact = [
        stats.spearmanr(doubled[0][cells != u, 0], doubled[1][cells != u, 0]).statistic
        for u in range(n)
    ]
    assert found.cells[:, 0, 0] == pytest.approx(exact, abs=1e-12)
    assert np.ptp(exact) > 5e-3


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_pooled_of_many_clusters_leaves_out_groups_of_every_200th(coefficient: str) -> None:
    of = metric_study(450, 3, humans=1, metrics=1)
    here = facets(of.sources, of.systems)
    found = pooled_correlations(of.human, of.metrics, here, coefficients=[coefficient])[coefficient]
    theirs = SCIPY[coefficient]
    assert found.sources.shape == (200, 1, 1)
    left = of.sources % 200 != 7
    expected = theirs(of.human[left, 0], of.metrics[left, 0])
    assert found.sources[7, 0, 0] == pytest.approx(expected, abs=1e-12)


def test_values_alone_are_the_same() -> None:
    of = metric_study()
    alone, whole = (
        pooled_values(of.human, of.metrics),
        pooled_correlations(of.human, of.metrics, facets(of.sources)),
    )
    for name in COEFFICIENTS:
        assert np.array_equal(alone[name], whole[name].value)


def test_a_column_that_does_not_vary_is_undefined_and_one_that_hangs_on_a_unit_is_fragile() -> None:
    of = metric_study(5, 4, humans=1, metrics=1)
    lone = np.where(of.sources == 0, of.metrics[:, 0], 1.0)
    metrics = np.column_stack([np.full(20, 0.1), lone])
    for each in pooled_correlations(of.human, metrics, facets(of.sources)).values():
        assert np.isnan(each.value[0, 0])
        assert each.value[0, 1] == each.value[0, 1]
        assert np.isnan(each.sources[0, 0, 1])
        assert (
            infer_coefficients(each, scale="fisher")
            .reason[0, 1]
            .startswith("without one of the units")
        )
        assert each.fragile[0, 1]
    # leaving a system out leaves it defined, leaving the source out does not
    design = Design(systems="random")
    for each in pooled_correlations(
        of.human, metrics, facets(of.sources, of.systems, design=design)
    ).values():
        assert each.fragile[0, 1]


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_with_each_question_a_source_of_its_own_it_is_the_independent_case(
    coefficient: str,
) -> None:
    draw = np.random.default_rng(4)
    x = draw.normal(size=400)
    y = 0.3 * x + draw.normal(size=400)
    left = pooled_correlations(
        x[:, None], y[:, None], facets(np.arange(400)), coefficients=[coefficient]
    )[coefficient]
    found, alone = (
        infer_coefficients(left, scale="fisher"),
        correlate_columns(x, y, method=coefficient),
    )
    assert found.low[0, 0] == pytest.approx(alone.ci.low, abs=0.02)
    assert found.high[0, 0] == pytest.approx(alone.ci.high, abs=0.02)
    assert np.log10(found.p[0, 0]) == pytest.approx(np.log10(alone.pvalue), rel=0.2)


def test_questions_in_another_order_give_the_same() -> None:
    of = metric_study()
    order = np.random.default_rng(1).permutation(len(of.sources))
    for name, each in pooled_correlations(of.human, of.metrics, facets(of.sources)).items():
        again = pooled_correlations(of.human[order], of.metrics[order], facets(of.sources[order]))[
            name
        ]
        assert np.allclose(each.sources, again.sources, atol=1e-13, rtol=0)
