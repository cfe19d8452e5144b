import numpy as np
import pytest
from scipy import stats

from analysis.stats.correlation import METHODS
from analysis.stats.system_level import system_intervals

NAN = np.nan
ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def study(sources: int = 40, systems: int = 8) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a human column, two metrics (one that follows it, one of noise), and both labels."""
    draw = np.random.default_rng(1)
    quality = np.repeat(np.linspace(0, 1, systems), sources)
    human = quality + draw.normal(size=quality.size)
    metrics = np.column_stack([human + draw.normal(size=quality.size), draw.normal(size=quality.size)])
    return human, metrics, np.repeat(np.arange(systems), sources), np.tile(np.arange(sources), systems)


@pytest.mark.parametrize("method", METHODS)
def test_values_are_the_correlations_of_the_systems_means(method: str) -> None:
    human, metrics, systems, sources = study()
    means = [column.reshape(8, 40).mean(axis=1) for column in (human, *metrics.T)]
    found = system_intervals(human, metrics, systems=systems, sources=sources, rng=rng(), resamples=50)[method]
    for estimate, own in zip(found, means[1:], strict=True):
        assert estimate.value == pytest.approx(ORACLES[method](means[0], own).statistic)
        assert estimate.n == 8


def test_the_interval_is_that_of_a_plain_loop_over_redrawn_sources() -> None:
    human, metrics, systems, sources = study()
    [found, _] = system_intervals(human, metrics, systems=systems, sources=sources, rng=rng(), resamples=4000)[
        "spearman"
    ]
    draw, tables = np.random.default_rng(5), [human.reshape(8, 40), metrics[:, 0].reshape(8, 40)]
    loop = []
    for _ in range(1000):
        chosen = draw.integers(0, 40, 40)
        loop.append(stats.spearmanr(*(table[:, chosen].mean(axis=1) for table in tables)).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(loop, [0.025, 0.975])), abs=0.04)


def test_the_order_of_questions_and_names_of_systems_change_nothing() -> None:
    human, metrics, systems, sources = study()
    order = np.random.default_rng(2).permutation(human.size)
    first = system_intervals(human, metrics, systems=systems, sources=sources, rng=rng(), resamples=50)
    again = system_intervals(
        human[order], metrics[order], systems=[f"s{i}" for i in systems[order]], sources=sources[order], rng=rng(),
        resamples=50,
    )  # fmt: skip
    assert [e.value for e in first["pearson"]] == pytest.approx([e.value for e in again["pearson"]])


@pytest.mark.parametrize(("systems", "sources"), [(2, 20), (8, 2), (1, 1)])
def test_few_systems_or_sources_are_undefined(systems: int, sources: int) -> None:
    human, metrics, names, places = study(sources, systems)
    found = system_intervals(human, metrics, systems=names, sources=places, rng=rng(), resamples=20)
    assert all(np.isnan(estimate.value) for row in found.values() for estimate in row)
    assert found["pearson"][0].reason == f"{systems} systems and {sources} sources: three of each are needed"


def test_nothing_complete_and_a_constant_metric_are_undefined() -> None:
    human, metrics, systems, sources = study()
    nothing = system_intervals(human, metrics * NAN, systems=systems, sources=sources, rng=rng(), resamples=20)
    assert nothing["spearman"][0].dropped == human.size
    flat = system_intervals(human, np.ones((human.size, 1)), systems=systems, sources=sources, rng=rng(), resamples=20)
    assert flat["spearman"][0].reason == "the systems' means do not vary"
