"""The observed human ceiling: annotator by annotator with scipy, jackknife by leaving sources out,
and edges."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._human_ceiling import ceiling_of_arrays

SCIPYS = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def cube(sources: int = 12, systems: int = 4, annotators: int = 3, seed: int = 1) -> np.ndarray:
    draw = np.random.default_rng(seed)
    y = np.linspace(1.8, 2.6, systems)[:, None] + 0.5 * draw.normal(size=(sources, systems, 1))
    return np.clip(np.round(y + 0.5 * draw.normal(size=(sources, systems, annotators))), 1, 3)


def long(y: np.ndarray) -> dict[str, Any]:
    source, system, annotator = (axis.ravel() for axis in np.indices(y.shape))
    return {"ratings": y.ravel(), "systems": system, "sources": source, "annotators": annotator}


def by_scipy(y: np.ndarray, method: str, level: str) -> float:
    """Return the mean over annotators of their correlation with the mean of the others, the slow
    way."""
    found = []
    for a in range(y.shape[2]):
        own, others = y[:, :, a], np.delete(y, a, axis=2).mean(axis=2)
        if level == "pooled":
            found.append(SCIPYS[method](own.ravel(), others.ravel()))
        elif level == "systems":
            found.append(SCIPYS[method](own.mean(axis=0), others.mean(axis=0).round(12)))
        else:
            varied = [s for s in range(len(y)) if np.ptp(own[s]) > 0 and np.ptp(others[s]) > 0]
            found.append(np.mean([SCIPYS[method](own[s], others[s]) for s in varied]))
    return float(np.mean(found))


@pytest.mark.parametrize("level", ["pooled", "systems", "within_source"])
def test_an_annotator_who_rates_twice_counts_with_the_mean(level: str) -> None:
    """One annotator gives each question one less and one more than in the study."""
    y = cube()
    columns = long(y)
    own = columns["annotators"] == 1
    twice = {
        name: np.concatenate([column, column[own]]).astype(float)
        for name, column in columns.items()
    }
    twice["ratings"][: y.size][own] -= 1
    twice["ratings"][y.size :] += 1
    found, whole = (
        ceiling_of_arrays(**twice, level=level),
        ceiling_of_arrays(**columns, level=level),
    )
    assert (found.value, found.ci.low) == pytest.approx((whole.value, whole.ci.low), nan_ok=True)


def test_a_correlation_of_two_scores_is_no_ceiling() -> None:
    """Over two systems it is 1 or −1 whatever they are, and so it is over two questions."""
    two_systems = ceiling_of_arrays(**long(cube(systems=2)), level="systems")
    reason = "nobody shares 3 systems with others: a correlation of two tells nothing"
    assert (two_systems.dropped, two_systems.reason) == (3, reason)
    assert np.isnan(two_systems.value)
    y = cube()
    whole, passing = ceiling_of_arrays(**long(y)), np.full((12, 4, 1), np.nan)
    passing[0, :2, 0] = 1, 3
    guest = ceiling_of_arrays(**long(np.concatenate([y, passing], axis=2)))
    assert guest.dropped == whole.dropped + 1
    # their two questions only change the others' means
    assert abs(guest.value - whole.value) < 0.02
    alone = ceiling_of_arrays(**long(y[:1, :2]))
    assert np.isnan(alone.value)
    assert "nobody shares 3 questions" in alone.reason


@pytest.mark.parametrize("level", ["pooled", "within_source", "systems"])
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_each_annotator_with_the_others_and_without_each_source(method: str, level: str) -> None:
    y = cube()
    found = ceiling_of_arrays(**long(y), method=method, level=level)
    assert found.value == pytest.approx(by_scipy(y, method, level))
    assert (found.n, found.dropped) == (12, 0)
    if level == "systems":
        assert np.isnan(found.ci.low)
        assert (
            found.reason
            == "no interval across systems: with few of them it would not keep its level"
        )
        return
    without = np.array([by_scipy(np.delete(y, s, axis=0), method, level) for s in range(12)])
    reach = stats.t.ppf(0.975, 11) * np.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
    assert (found.ci.low, found.ci.high) == pytest.approx(
        (found.value - reach, min(found.value + reach, 1))
    )
    assert found.method.endswith("; source jackknife-t, 95%")


@pytest.mark.parametrize("level", ["pooled", "within_source"])
def test_ceiling_of_many_sources_leaves_out_groups_of_every_200th(level: str) -> None:
    y = cube(sources=250)
    found = ceiling_of_arrays(**long(y), method="pearson", level=level)
    groups = np.arange(250) % 200
    without = np.array([by_scipy(y[groups != g], "pearson", level) for g in range(200)])
    reach = stats.t.ppf(0.975, 199) * np.sqrt(199 / 200 * ((without - without.mean()) ** 2).sum())
    assert found.ci.low == pytest.approx(found.value - reach)
    assert found.clusters == 250
    assert found.method.endswith("; source jackknife-t in 200 groups, 95%")


def test_gaps_leave_the_questions_that_two_annotators_rated() -> None:
    y = cube()
    y[:4, :, 0] = np.nan
    y[5, 0, 1:] = np.nan
    found = ceiling_of_arrays(**long(y), method="pearson")
    expected = []
    for a in range(3):
        others = np.delete(y, a, axis=2)
        both = ~np.isnan(y[:, :, a]) & ~np.isnan(others).all(axis=2)
        expected.append(
            stats.pearsonr(y[:, :, a][both], np.nanmean(others[both], axis=1)).statistic
        )
    assert found.value == pytest.approx(np.mean(expected))
    assert found.reason == ""


def test_several_questions_of_a_system_on_a_source_are_apart() -> None:
    y = cube(systems=4)
    data = long(y)
    slots = {"systems": data["systems"] // 2, "questions": data["systems"] % 2}
    found = ceiling_of_arrays(**data | slots, method="pearson")
    assert found.value == pytest.approx(ceiling_of_arrays(**data, method="pearson").value)


def test_an_annotator_who_gives_one_value_is_left_out_and_counted() -> None:
    y = cube()
    y[:, :, 2] = 2
    found = ceiling_of_arrays(**long(y), method="kendall")
    expected = [
        SCIPYS["kendall"](y[:, :, a].ravel(), y[:, :, [1 - a, 2]].mean(axis=2).ravel())
        for a in (0, 1)
    ]
    assert found.value == pytest.approx(np.mean(expected))
    assert found.dropped == 1


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        (cube(annotators=1), "no question has ratings of two annotators"),
        (np.full((5, 2, 2), 2.0), "no annotator's ratings vary with others'"),
    ],
)
def test_where_there_is_no_ceiling(y: np.ndarray, reason: str) -> None:
    found = ceiling_of_arrays(**long(y))
    assert (found.defined, found.reason) == (False, reason)


def test_unknown_methods_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="method: 'rho' is none of pearson, spearman, kendall"):
        ceiling_of_arrays(**long(cube()), method="rho")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="level: 'set' is none of within_source, pooled, systems"):
        ceiling_of_arrays(**long(cube()), level="set")  # type: ignore[arg-type]


@pytest.mark.parametrize("level", ["within_source", "pooled"])
def test_ceiling_within_sources_needs_lists_of_systems_as_long_as_those_of_metrics(
    level: str,
) -> None:
    """Two annotators who each skip 30% of the questions share half of the systems of a source,
    which moves the mean correlation from .41 to .49 in large studies."""
    draw = np.random.default_rng(4)
    y = cube(sources=60, annotators=2)
    nearly, partly = y.copy(), y.copy()
    nearly[draw.random(y.shape) < 0.02] = np.nan
    partly[draw.random(y.shape) < 0.30] = np.nan
    assert ceiling_of_arrays(**long(nearly), level=level).reason == ""
    found = ceiling_of_arrays(**long(partly), level=level)
    if level == "pooled":
        assert found.reason == ""
        assert found.ci.low < found.value < found.ci.high
    else:
        assert np.isnan(found.value)
        assert "of the rated systems of a source" in found.reason


def test_ceiling_within_sources_counts_only_sources_that_two_annotators_rated() -> None:
    y = cube(sources=40, annotators=3)
    y[:30, :, 1:] = np.nan
    found, whole = (ceiling_of_arrays(**long(part), level="within_source") for part in (y, y[30:]))
    assert (found.value, found.n) == (whole.value, 10)
