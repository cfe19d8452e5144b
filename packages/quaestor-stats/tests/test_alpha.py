import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from published_data import KRIPPENDORFF_C
from scipy import stats

from quaestor_stats._alpha import LEVELS, krippendorff_alpha
from quaestor_stats._inputs import RatingOffScale, patterns
from quaestor_stats._resampling import Bootstrap

NAN = np.nan
tables = arrays(
    np.float64,
    st.tuples(st.integers(3, 12), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2.0, 3.0, 4.0, NAN]),
)


def sliders(units: int = 40, points: int = 101, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, points, units)[:, None]
    table = np.clip(truth + rng.integers(-20, 21, (units, 4)), 0, points - 1).astype(float)
    table[rng.random(table.shape) < 0.15] = NAN
    return table


def left_out_by_the_package(table: np.ndarray, level: str) -> tuple[float, float]:
    """Return the jackknife-t interval from one call of the package per unit."""
    kept = table[(~np.isnan(table)).sum(axis=1) >= 2]
    n = len(kept)
    alpha = krippendorff.alpha(kept.T, level_of_measurement=level)
    without = np.array(
        [krippendorff.alpha(np.delete(kept, i, 0).T, level_of_measurement=level) for i in range(n)]
    )
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    reach = stats.t.ppf(0.975, n - 1) * error
    return alpha - reach, min(alpha + reach, 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "table", [KRIPPENDORFF_C, sliders(), sliders() / 7], ids=["points", "sliders", "continuous"]
)
def test_alpha_and_its_interval_equal_a_loop_over_the_package(
    level: str, table: np.ndarray
) -> None:
    found = krippendorff_alpha(table, level=level)
    assert found.value == pytest.approx(
        krippendorff.alpha(table.T, level_of_measurement=level), abs=1e-12
    )
    assert (found.ci.low, found.ci.high) == pytest.approx(
        left_out_by_the_package(table, level), abs=1e-10
    )


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_few_values_equals_alpha_by_pairs(level: str) -> None:
    """A scale of a hundred points takes the other road to the same number."""
    near = krippendorff_alpha(KRIPPENDORFF_C, level=level)
    far = krippendorff_alpha(KRIPPENDORFF_C, level=level, scale=range(101))
    assert (far.value, far.ci.low, far.ci.high) == pytest.approx(
        (near.value, near.ci.low, near.ci.high), abs=1e-12
    )


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_fewer_units_than_raters_equals_the_package(level: str) -> None:
    table = np.random.default_rng(3).integers(0, 101, (3, 6)).astype(float)
    table[0, 4] = table[2, 0] = NAN
    found = krippendorff_alpha(table, level=level, scale=range(101))
    expected = krippendorff.alpha(table.T, level_of_measurement=level)
    assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("each", "telling"), [(7, 6), (14, 3)])
def test_both_roads_to_alpha_say_the_same_of_few_sources_that_tell(
    level: str, each: int, telling: int
) -> None:
    """Most ratings are missing, and raters leave the commonest value, 3, on some of ten sources."""
    table = np.full((40, 5), NAN)
    table[:, :2] = 3
    table[::each, 0] = 1
    table[::each, 2] = 2
    sources = np.arange(40) // 4
    near = krippendorff_alpha(table, level=level, clusters=sources)
    far = krippendorff_alpha(table, level=level, clusters=sources, scale=range(101))
    assert (far.value, far.ci.low, far.ci.high) == pytest.approx(
        (near.value, near.ci.low, near.ci.high), nan_ok=True
    )
    assert near.reason == far.reason
    assert ("" if telling == 6 else f"on only {telling} of 10 sources: no interval") in far.reason
    assert np.isnan(far.ci.low) == (telling == 3)


def test_alpha_ordinal_of_many_continuous_values_is_that_of_their_ranks() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(1_100, 1)) + rng.normal(size=(1_100, 2))
    found = krippendorff_alpha(table, level="ordinal")
    ranks = stats.rankdata(table).reshape(table.shape)
    close = krippendorff_alpha(ranks, level="interval")
    assert found.value == pytest.approx(close.value, abs=1e-12)
    assert found.ci.high - found.ci.low == pytest.approx(close.ci.high - close.ci.low, rel=0.1)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_many_clusters_leaves_out_groups_of_every_200th(level: str) -> None:
    table, sources = sliders(units=600), np.arange(600) // 2
    found = krippendorff_alpha(table, level=level, clusters=sources)
    without = np.array(
        [
            krippendorff.alpha(table[sources % 200 != g].T, level_of_measurement=level)
            for g in range(200)
        ]
    )
    error = np.sqrt(199 / 200 * ((without - without.mean()) ** 2).sum())
    reach = stats.t.ppf(0.975, found.df) * error
    assert found.ci.low == pytest.approx(found.value - reach, abs=1e-10)
    assert found.clusters == 300
    assert found.method.endswith("; delete-one-source jackknife-t in 200 groups, 95%")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(KRIPPENDORFF_C, id="points"),
        pytest.param(sliders(), id="sliders", marks=pytest.mark.long),
    ],
)
def test_alpha_bootstrap_agrees_with_a_loop_over_the_package(level: str, table: np.ndarray) -> None:
    kept = table[(~np.isnan(table)).sum(axis=1) >= 2]
    rng = np.random.default_rng(2)
    drawn = [kept[rng.integers(0, len(kept), len(kept))] for _ in range(500)]
    loop = np.quantile([krippendorff.alpha(d.T, level_of_measurement=level) for d in drawn], 0.1)
    found = krippendorff_alpha(
        table, level=level, interval=Bootstrap(np.random.default_rng(4), 4000, 0.8)
    )
    assert found.ci.low == pytest.approx(loop, abs=0.03)
    assert "unit bootstrap of 4000" in found.method


def test_resamples_of_one_value_are_undefined() -> None:
    """A resample of the two equal units alone has nothing to tell from chance."""
    table = np.array([[50.0, 50], [50, 50], [50, 7]])
    found = krippendorff_alpha(
        table, level="ordinal", scale=range(101), interval=Bootstrap(np.random.default_rng(0), 60)
    )
    drawn = np.random.default_rng(0).multinomial(3, np.full(3, 1 / 3), size=60)
    alike = int((drawn[:, 2] == 0).sum())
    assert found.reason == f"undefined in {alike} of 60 resamples: no interval"


def test_alpha_bootstrap_is_the_generators_alone() -> None:
    def run(seed: int) -> float:
        return krippendorff_alpha(
            KRIPPENDORFF_C, level="ordinal", interval=Bootstrap(np.random.default_rng(seed))
        ).ci.low

    assert run(1) == run(1) != run(2)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_one_value_is_undefined_and_says_so(level: str) -> None:
    found = krippendorff_alpha(np.ones((5, 3)), level=level)
    assert not found.defined
    assert found.reason == "every rating has the same value: agreement cannot be told from chance"
    assert found.n == 5


@pytest.mark.parametrize(
    "table",
    [np.ones((5, 1)), np.full((4, 3), NAN), np.array([[1, NAN], [NAN, 2]]), np.empty((0, 3))],
)
def test_alpha_without_two_ratings_of_a_unit_is_undefined(table: np.ndarray) -> None:
    found = krippendorff_alpha(table, level="nominal")
    assert (found.defined, found.reason, found.dropped) == (
        False,
        "no unit has two ratings",
        len(table),
    )


def test_alpha_of_many_values_can_be_undefined_too() -> None:
    table = np.vstack([np.full((5, 2), 0.5), [[0.5, NAN], [NAN, 1.0]]])
    found = krippendorff_alpha(table, level="ordinal", scale=np.arange(40) / 2)
    assert (found.n, found.dropped) == (5, 2)
    assert found.reason == "every rating has the same value: agreement cannot be told from chance"


def test_alpha_of_perfect_agreement_is_one_without_interval() -> None:
    found = krippendorff_alpha(np.array([[1.0, 1], [2, 2], [3, 3]]), level="nominal")
    assert found.value == 1
    assert np.isnan(found.ci.low)
    assert found.reason == "all units say the same: no interval can be estimated"


def test_alpha_resting_on_one_unit_has_no_interval() -> None:
    table = np.array([[1.0, 1], [1, 1], [1, 2]])
    for level in LEVELS:
        for scale in (None, range(101)):
            found = krippendorff_alpha(table, level=level, scale=scale)
            assert found.value == pytest.approx(0)  # one pair in three differs, as by chance
            assert found.reason == "the coefficient rests on a single unit: no interval"


def test_alpha_ratio_refuses_negative_values() -> None:
    with pytest.raises(ValueError, match="a ratio scale has no negative values"):
        krippendorff_alpha(np.array([[-1.0, 1]]), level="ratio")


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_without_interval_counts_its_units_all_the_same(level: str) -> None:
    table = sliders()
    found = krippendorff_alpha(table, level=level, interval=None)
    lone = int(((~np.isnan(table)).sum(axis=1) < 2).sum())
    assert (found.n, found.dropped) == (40 - lone, lone)
    assert np.isnan(found.ci.low)
    table[0] = NAN
    assert krippendorff_alpha(table, level=level, interval=None).dropped == lone + 1


def test_alpha_ratio_takes_zero() -> None:
    table = np.array([[0.0, 0], [0, 2], [3, 3]])
    expected = krippendorff.alpha(table.T, level_of_measurement="ratio")
    assert krippendorff_alpha(table, level="ratio").value == pytest.approx(expected)


def test_alpha_refuses_an_unknown_level() -> None:
    with pytest.raises(ValueError, match="level: 'rank' is none of"):
        krippendorff_alpha(KRIPPENDORFF_C, level="rank")


@pytest.mark.parametrize("scale", [[1, 2, 3, 4], range(60, 101)])
def test_alpha_refuses_ratings_off_the_scale(scale: list[int]) -> None:
    with pytest.raises(RatingOffScale):
        krippendorff_alpha(KRIPPENDORFF_C, level="ordinal", scale=scale)


def test_alpha_of_counts_is_alpha_of_the_ratings() -> None:
    found = krippendorff_alpha(patterns(KRIPPENDORFF_C), level="ordinal")
    ratings = krippendorff_alpha(KRIPPENDORFF_C, level="ordinal")
    assert (found.value, found.ci.low, found.n) == (ratings.value, ratings.ci.low, ratings.n)


@settings(deadline=None, max_examples=60)
@given(tables, st.sampled_from(LEVELS), st.randoms(use_true_random=False))
def test_alpha_does_not_depend_on_order_of_units_names_of_raters_or_unused_points(
    table, level, random
) -> None:
    rng = np.random.default_rng(random.randrange(2**32))
    shuffled = rng.permutation(table, axis=0)
    relabelled = np.apply_along_axis(rng.permutation, 1, shuffled)
    padded = np.hstack([relabelled, np.full((len(table), 1), NAN)])
    a = krippendorff_alpha(table, level=level)
    b = krippendorff_alpha(padded, level=level, scale=[0, 1, 2, 3, 4, 5, 9])
    assert (a.value, a.ci.low, a.ci.high) == pytest.approx(
        (b.value, b.ci.low, b.ci.high), abs=1e-9, nan_ok=True
    )
    assert (a.n, a.dropped, a.reason) == (b.n, b.dropped, b.reason)


@settings(deadline=None, max_examples=60)
@given(tables, st.sampled_from(LEVELS))
def test_alpha_equals_the_package_wherever_the_package_answers(table, level) -> None:
    found = krippendorff_alpha(table, level=level)
    if found.defined:
        expected = krippendorff.alpha(table.T, level_of_measurement=level)
        assert found.value == pytest.approx(expected, abs=1e-10)
