"""Correlations across systems on every source, and their mean without each unit."""

import warnings

import numpy as np
import pytest
from metric_studies import metric_study
from scipy import stats
from test_pooled import SCIPY

from quaestor_stats import _source_correlations as module
from quaestor_stats._design import Design, facets
from quaestor_stats._jackknife import infer_coefficients
from quaestor_stats._pooled import COEFFICIENTS
from quaestor_stats._source_correlations import (
    mean_left_out,
    system_means_by_source,
    within_source,
    within_values,
)

NAN = np.nan


def on_each(
    coefficient: str, human: np.ndarray, metric: np.ndarray, sources: np.ndarray, kept: np.ndarray
) -> np.ndarray:
    found = []
    for source in np.unique(sources):
        own = (sources == source) & kept
        a, b = human[own], metric[own]
        fit = own.sum() > 1 and np.ptp(a) > 0 and np.ptp(b) > 0
        found.append(SCIPY[coefficient](a, b) if fit else NAN)
    return np.array(found)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_means_with_and_without_every_unit_are_those_of_a_loop_over_scipy(
    coefficient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CELLS", 300)  # so that sources come in several blocks
    of = metric_study(12, 5, decimals=0)
    kept = np.random.default_rng(0).random(60) < 0.8
    human, metrics, sources, systems = (
        of.human[kept],
        of.metrics[kept],
        of.sources[kept],
        of.systems[kept],
    )
    here = facets(sources, systems, design=Design(systems="random"))
    found, everything = (
        within_source(human, metrics, here)[coefficient],
        np.ones(len(human), dtype=bool),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k, m in np.ndindex(found.value.shape):
            r = on_each(coefficient, human[:, k], metrics[:, m], sources, everything)
            assert found.value[k, m] == pytest.approx(np.nanmean(r), abs=1e-12)
            without = [np.nanmean(np.delete(r, g)) if r[g] == r[g] else NAN for g in range(len(r))]
            assert found.sources[:, k, m] == pytest.approx(without, abs=1e-12, nan_ok=True)
            for system in range(5):
                others = on_each(
                    coefficient, human[:, k], metrics[:, m], sources, systems != system
                )
                others[np.isnan(r)] = NAN
                assert found.systems[system, k, m] == pytest.approx(np.nanmean(others), abs=1e-12)
                for g in range(len(r)):
                    cell = found.cells.reshape(5, len(r), 2, 3)[system, g, k, m]
                    swapped = r.copy()
                    swapped[g] = others[g]
                    expected = np.nanmean(swapped) if r[g] == r[g] else NAN
                    assert cell == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_interval_and_test_over_sources_are_those_of_students_t() -> None:
    of = metric_study(30, 5)
    r = on_each("spearman", of.human[:, 0], of.metrics[:, 0], of.sources, np.ones(150, dtype=bool))
    left = within_source(
        of.human, of.metrics, facets(of.sources, of.systems), coefficients=["spearman"]
    )["spearman"]
    found, theirs = infer_coefficients(left, scale="plain"), stats.ttest_1samp(r[~np.isnan(r)], 0)
    assert found.p[0, 0] == pytest.approx(theirs.pvalue)
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx(tuple(theirs.confidence_interval()))
    assert found.units[0, 0] == (~np.isnan(r)).sum()


def test_systems_with_several_questions_on_a_source_are_compared_by_their_means() -> None:
    of = facets(list("aaab"), list("xxyx"))
    cells = system_means_by_source(np.array([[1.0], [2.0], [5.0], [7.0]]), of)[..., 0]
    assert np.array_equal(cells, [[1.5, 5], [7, NAN]], equal_nan=True)


def test_a_system_without_one_of_the_scores_does_not_count_on_its_source() -> None:
    human, metrics = np.array([[1.0, 2, 3, 1]]), np.array([[[1.0, 5], [3, 1], [2, 2], [NAN, 9]]])
    found = module.on_sources(human[..., None], metrics, coefficient="spearman")
    assert found[0, 0].tolist() == pytest.approx([0.5, -0.5])


def test_means_alone_are_the_same_and_nowhere_is_undefined() -> None:
    of = metric_study()
    here = facets(of.sources, of.systems)
    alone, whole = (
        within_values(of.human, of.metrics, here, coefficients=COEFFICIENTS),
        within_source(of.human, of.metrics, here),
    )
    for name in COEFFICIENTS:
        assert alone[name] == pytest.approx(whole[name].value)
    flat = within_source(np.ones((48, 1)), of.metrics, here)
    assert np.isnan(flat["spearman"].value).all()


def test_mean_left_out_by_hand() -> None:
    """Sources .2, .4, none, .9: the mean is .5, without the first .65, without the second .55,
    without the last .3."""
    left = mean_left_out(np.array([0.2, 0.4, NAN, 0.9]), facets=facets(range(4)))
    assert left.value == pytest.approx(0.5)
    assert left.sources == pytest.approx([0.65, 0.55, NAN, 0.3], nan_ok=True)
    alone = infer_coefficients(
        mean_left_out(np.array([[NAN], [0.4], [NAN]]), facets=facets(range(3))), scale="plain"
    )
    assert (alone.units[0], alone.reason[0]) == (1, "fewer than three sources: no interval")
