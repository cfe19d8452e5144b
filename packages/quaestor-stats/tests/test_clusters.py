"""Intervals over whole clusters of units (sources) for every coefficient of agreement."""

from collections.abc import Callable, Iterator

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quaestor_stats import _alpha as alpha
from quaestor_stats import _resampling as resampling
from quaestor_stats._alpha import LEVELS, krippendorff_alpha
from quaestor_stats._cohen_kappa import cohen_kappa
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import FORMS, intraclass
from quaestor_stats._inputs import patterns, value_counts
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Bootstrap, Jackknife, percentiles, redrawn
from quaestor_stats._result import Result

NAN = np.nan
FOUR = [1, 2, 3, 4]
Coefficient = Callable[..., Result]


def study(
    sources: int = 20, systems: int = 4, raters: int = 4, *, seed: int = 0, missing: float = 0.1
) -> tuple[np.ndarray, np.ndarray]:
    """Return ratings on 1 to 4 of all systems' questions on some sources, and the sources'
    names."""
    rng = np.random.default_rng(seed)
    shape = (sources, systems, raters)
    worth = rng.normal(size=(sources, 1, 1)) + rng.normal(size=(sources, systems, 1)) / 2
    table = np.clip(np.round(2.5 + worth + rng.normal(size=shape) * 0.8), 1, 4).reshape(-1, raters)
    table[rng.random(table.shape) < missing] = NAN
    return table, np.repeat([f"text {i}" for i in range(sources)], systems)


def two(coefficient: Coefficient, **options: object) -> Coefficient:
    return lambda table, **more: coefficient(table[:, 0], table[:, 1], **options, **more)


COEFFICIENTS: dict[str, Coefficient] = {
    "percent": percent_agreement,
    **{
        f"alpha {level}": lambda t, level=level, **o: krippendorff_alpha(t, level=level, **o)
        for level in LEVELS
    },
    # a scale of many points takes the other ways to the same number
    **{
        f"alpha {level}, many": lambda t, level=level, **o: krippendorff_alpha(
            t, level=level, scale=range(21), **o
        )
        for level in LEVELS
    },
    "fleiss": fleiss_kappa,
    "fleiss quadratic": lambda t, **o: fleiss_kappa(t, weights="quadratic", **o),
    "fleiss listwise": lambda t, **o: fleiss_kappa(t, unequal="listwise", **o),
    "randolph": lambda t, **o: randolph_kappa(t, scale=FOUR, **o),
    "conger": lambda t, **o: conger_kappa(t, scale=FOUR, **o),
    "ac1": lambda t, **o: gwet_ac(t, scale=FOUR, **o),
    "ac2": lambda t, **o: gwet_ac(t, scale=FOUR, weights="quadratic", **o),
    "cohen": two(cohen_kappa, scale=FOUR, weights="linear"),
}
each_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
# Each way to a number once: by counts of values, over a scale of many points, and by pairs of raters.
SHORT = ("alpha ordinal", "alpha interval, many", "ac2", "cohen")
few_coefficients = pytest.mark.parametrize(
    "coefficient",
    [
        pytest.param(each, id=name, marks=() if name in SHORT else pytest.mark.long)
        for name, each in COEFFICIENTS.items()
    ],
)


def degrees(left_out: np.ndarray) -> float:
    """Return Satterthwaite's degrees of freedom, written otherwise than in the package."""
    size = len(left_out)
    excess = stats.kurtosis(left_out, fisher=False)
    return min(size - 1, 2 / ((excess - (size - 3) / (size - 1)) / size))


def by_deletion(
    coefficient: Coefficient, table: np.ndarray, clusters: np.ndarray
) -> tuple[float, float]:
    """Return the interval from computing the coefficient anew without each cluster."""
    value = coefficient(table, interval=None).value
    names = np.unique(clusters)
    without = np.array(
        [coefficient(table[clusters != name], interval=None).value for name in names]
    )
    error = np.sqrt((len(names) - 1) * without.var())
    reach = stats.t.ppf(0.975, degrees(without)) * error
    return value - reach, value + reach


def test_jackknife_over_four_sources_by_hand() -> None:
    """Pairs agree on 1 of 2, 2 of 3, 1 of 3 and 3 of 4 units: 7 / 12.

    Left out in turn: 6/10, 5/9, 6/9 and 4/8; squared gaps from their mean .580556 sum to .0149074;
    times 3/4 that is .105738 squared; t with 3 degrees of freedom is 3.182446.
    """
    agree = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]
    sources = list("aabbbcccdddd")
    table = np.array([[1.0, 1 if same else 2] for same in agree])
    found = percent_agreement(table, clusters=sources)
    assert found.value == pytest.approx(7 / 12)
    assert (found.ci.low, found.ci.high) == pytest.approx((0.246827, 0.919839), abs=1e-6)
    assert (found.n, found.clusters, found.df) == (12, 4, 3)
    assert found.method.endswith("delete-one-source jackknife-t, 95%")


def test_a_source_that_decides_alone_costs_degrees_of_freedom() -> None:
    """Twenty sources of ten units; on one raters agree on nine, on the others on five.

    The gaps .38 and 19 times -.02 have kurtosis 18.0526; 40 / (18.0526 - 17/19) = 2.33129, and t is
    3.76671 (R).
    The standard error of the mean of the sources' shares is sqrt(.008 / 20) = .02.
    """
    agree = np.tile([1] * 5 + [0] * 5, 20)
    agree[5:9] = 1
    table = np.column_stack([np.ones(200), np.where(agree, 1, 2)])
    found = percent_agreement(table, clusters=np.repeat(np.arange(20), 10))
    assert found.df == pytest.approx(2.33129, abs=5e-6)
    assert found.value == pytest.approx(0.52)
    assert found.ci.high - found.value == pytest.approx(0.02 * 3.76671, abs=1e-6)


@each_coefficient
def test_interval_equals_leaving_out_sources_one_by_one(coefficient: Coefficient) -> None:
    table, sources = study()
    found = coefficient(table, clusters=sources)
    assert found.clusters == 20
    assert (found.ci.low, found.ci.high) == pytest.approx(
        by_deletion(coefficient, table, sources), abs=1e-10
    )


@few_coefficients
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_each_unit_its_own_source_is_the_jackknife_over_units(
    coefficient: Coefficient, seed: int
) -> None:
    table, _ = study(20, seed=seed)
    table[:40, :2] = np.tile([[1, 1], [2, 2], [4, 4], [1, 2]], (10, 1))  # enough of them tell
    alone, over = coefficient(table), coefficient(table, clusters=np.arange(len(table)))
    assert (over.value, over.n, over.dropped) == (alone.value, alone.n, alone.dropped)
    units = over.clusters  # those with a part in the coefficient
    assert units >= over.n
    errors = [(alone.value - alone.ci.low) / stats.t.ppf(0.975, units - 1)]
    errors.append((over.value - over.ci.low) / stats.t.ppf(0.975, over.df))
    assert errors[0] == pytest.approx(errors[1], abs=1e-10)
    assert 1 < over.df <= units - 1


@each_coefficient
def test_names_and_order_of_sources_do_not_matter(coefficient: Coefficient) -> None:
    table, sources = study()
    order = np.random.default_rng(3).permutation(len(table))
    names = {name: place for place, name in enumerate(reversed(np.unique(sources).tolist()))}
    a = coefficient(table, clusters=sources)
    b = coefficient(table[order], clusters=[names[name] for name in sources[order].tolist()])
    assert (a.ci.low, a.ci.high, a.clusters, a.df) == pytest.approx(
        (b.ci.low, b.ci.high, b.clusters, b.df), abs=1e-10
    )


@few_coefficients
def test_bootstrap_draws_whole_sources(coefficient: Coefficient) -> None:
    table, sources = study(missing=0.02)
    rng = np.random.default_rng(5)
    groups = [table[sources == name] for name in np.unique(sources)]
    picks = rng.integers(0, len(groups), (400, len(groups)))
    loop = [
        coefficient(np.vstack([groups[i] for i in pick]), interval=None).value for pick in picks
    ]
    found = coefficient(
        table, clusters=sources, interval=Bootstrap(np.random.default_rng(6), 1000, 0.8)
    )
    units = coefficient(table, interval=Bootstrap(np.random.default_rng(6), 1000, 0.8))
    low, high = np.quantile(loop, [0.1, 0.9])
    assert (found.ci.low, found.ci.high) == pytest.approx((low, high), abs=0.15 * (high - low))
    assert "source bootstrap of 1000, percentiles, 80%" in found.method
    assert (found.clusters, units.clusters) == (20, 0)


def test_bootstrap_of_sources_is_the_generators_alone() -> None:
    table, sources = study()

    def run(seed: int) -> float:
        how = Bootstrap(np.random.default_rng(seed), 50)
        return krippendorff_alpha(table, level="ordinal", clusters=sources, interval=how).ci.low

    assert run(1) == run(1) != run(2)


def test_alpha_over_sources_equals_a_loop_over_the_package() -> None:
    table, sources = study()

    def theirs(t: np.ndarray, *, interval: None) -> Result:
        return Result(value=krippendorff.alpha(t.T, level_of_measurement="ordinal"))

    found = krippendorff_alpha(table, level="ordinal", clusters=sources)
    assert (found.ci.low, found.ci.high) == pytest.approx(
        by_deletion(theirs, table, sources), abs=1e-10
    )


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_continuous_values_over_sources(level: str) -> None:
    rng = np.random.default_rng(1)
    sources = np.repeat(np.arange(15), 10 if level == "ratio" else 50)
    worth = rng.normal(size=15)[sources] + rng.normal(size=sources.size)
    table = np.exp(worth[:, None] + rng.normal(size=(sources.size, 3)))
    found = krippendorff_alpha(table, level=level, clusters=sources)
    if level == "nominal":  # no two ratings are equal
        assert found.reason.startswith("all sources say the same")
        return

    def anew(t: np.ndarray, *, interval: None) -> Result:
        return krippendorff_alpha(t, level=level, interval=interval)

    assert (found.ci.low, found.ci.high) == pytest.approx(
        by_deletion(anew, table, sources), abs=1e-9
    )


@pytest.mark.parametrize("form", FORMS)
def test_intraclass_over_sources_leaves_them_out_on_the_logarithm_of_the_ratio(form: str) -> None:
    table, sources = study(missing=0.03)
    k = table.shape[1]
    complete = ~np.isnan(table).any(axis=1)

    def log_ratio(t: np.ndarray) -> float:
        value = intraclass(t, forms=[form])[form].value
        return (
            -np.log(1 - value)
            if form.endswith("k")
            else np.log((1 + (k - 1) * value) / (1 - value))
        )

    names = np.unique(sources)
    without = np.array([log_ratio(table[sources != name]) for name in names])
    reach = stats.t.ppf(0.975, degrees(without)) * np.sqrt((len(names) - 1) * without.var())
    limits = np.exp(log_ratio(table) + np.array([-reach, reach]))
    expected = 1 - 1 / limits if form.endswith("k") else (limits - 1) / (limits + k - 1)
    found = intraclass(table, forms=[form], clusters=sources)[form]
    assert (found.ci.low, found.ci.high) == pytest.approx(tuple(expected), abs=1e-10)
    assert found.value == intraclass(table, forms=[form])[form].value
    assert (found.n, found.clusters) == (complete.sum(), np.unique(sources[complete]).size)
    assert "delete-one-source jackknife-t, 95%" in found.method


@each_coefficient
def test_value_counts_by_source_give_what_the_table_gives(coefficient: Coefficient) -> None:
    table, sources = study()
    if coefficient in (
        COEFFICIENTS["conger"],
        COEFFICIENTS["cohen"],
        COEFFICIENTS["fleiss listwise"],
    ):
        with pytest.raises((ValueError, TypeError)):
            coefficient(patterns(table))
        return
    counts = np.stack([(table == value).sum(axis=1) for value in FOUR], axis=1)
    keys = np.column_stack([np.unique(sources, return_inverse=True)[1], counts])
    rows, times = np.unique(keys, axis=0, return_counts=True)
    counted = value_counts(FOUR, rows[:, 1:], times, clusters=rows[:, 0])
    whole, ours = coefficient(table, clusters=sources), coefficient(counted)
    judged = int((~np.isnan(table)).any(axis=1).sum())
    assert counted.n == judged
    assert len(counted.times) < len(rows)  # a pattern is one row for all sources
    found = (ours.value, ours.ci.low, ours.ci.high, ours.df)
    assert found == pytest.approx((whole.value, whole.ci.low, whole.ci.high, whole.df), abs=1e-10)
    assert (ours.n, ours.clusters) == (whole.n, whole.clusters)


def test_value_counts_take_labels_of_any_kind_in_any_order_of_the_scale() -> None:
    counted = value_counts([3, 1], [[2, 0], [1, 1], [2, 0]], [4, 1, 2], clusters=["b", "a", "a"])
    assert counted.values.tolist() == [1, 3]
    assert sorted(zip(counted.counts.tolist(), counted.times.tolist(), strict=True)) == [
        ([0, 2], 6),
        ([1, 1], 1),
    ]
    by_source = {tuple(row) for row in counted.clusters.toarray().tolist()}
    assert by_source == {(4, 0), (2, 1)}


def test_value_counts_carry_their_own_clusters() -> None:
    table, sources = study()
    with pytest.raises(ValueError, match="value counts carry their own"):
        percent_agreement(patterns(table), clusters=sources)
    with pytest.raises(ValueError, match="2 labels for 1 kinds of units"):
        value_counts([1, 2], [[1, 1]], [1], clusters=["a", "b"])


@each_coefficient
@pytest.mark.parametrize(
    "how", [Jackknife(), Bootstrap(np.random.default_rng(0), 20)], ids=["jackknife", "bootstrap"]
)
def test_two_sources_are_too_few(coefficient: Coefficient, how: Jackknife | Bootstrap) -> None:
    table, sources = study(2, 20)
    found = coefficient(table, clusters=sources, interval=how)
    assert found.defined
    assert np.isnan(found.ci.low)
    assert (found.reason, found.clusters) == ("fewer than three sources: no interval", 2)
    assert ", 95%" in found.method


@each_coefficient
def test_labels_must_be_as_many_as_units_and_none_missing(coefficient: Coefficient) -> None:
    table, sources = study(5)
    with pytest.raises(ValueError, match="clusters: 19 labels for 20 units"):
        coefficient(table, clusters=sources[:19])
    with pytest.raises(ValueError, match="clusters: a label is missing"):
        coefficient(table, clusters=[None, *sources[1:].tolist()])


def ceiling(varied: int, *, sources: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return ratings that are 3, but for one unit rated 1, 2, 2 on each of some sources."""
    table = np.full((sources * 5, 3), 3.0)
    table[: varied * 5 : 5] = [1, 2, 2]
    return table, np.repeat(np.arange(sources), 5)


def test_no_interval_where_few_sources_leave_the_commonest_value() -> None:
    table, sources = ceiling(4)
    found = krippendorff_alpha(table, level="ordinal", clusters=sources)
    assert found.defined
    assert np.isnan([found.ci.low, found.ci.high]).all()
    assert found.reason == "raters differ on only 4 of 40 sources: no interval"
    # over units all is as it was
    assert not np.isnan(krippendorff_alpha(table, level="ordinal").ci.low)


def from_ratings(table: np.ndarray, sources: np.ndarray) -> Iterator[Result]:
    yield krippendorff_alpha(table, level="ordinal", clusters=sources)
    yield krippendorff_alpha(table, level="ratio", scale=range(20), clusters=sources)
    yield conger_kappa(table, clusters=sources)
    yield fleiss_kappa(table, clusters=sources)
    yield intraclass(table, clusters=sources)["2,1"]


def weighted(table: np.ndarray, sources: np.ndarray) -> Iterator[Result]:
    yield gwet_ac(table, scale=[1, 2, 3], weights="quadratic", clusters=sources)
    yield randolph_kappa(table, scale=[1, 2, 3], weights="linear", clusters=sources)


def otherwise(table: np.ndarray, sources: np.ndarray) -> Iterator[Result]:
    yield percent_agreement(table, clusters=sources)
    yield gwet_ac(table, scale=[1, 2, 3], clusters=sources)
    yield randolph_kappa(table, scale=[1, 2, 3], clusters=sources)


@pytest.mark.parametrize(
    ("coefficients", "varied", "sources", "is_given"),
    [
        (from_ratings, 4, 20, False),
        (from_ratings, 5, 20, True),
        (from_ratings, 9, 21, False),
        (from_ratings, 10, 21, True),
        (from_ratings, 4, 4, True),
        (from_ratings, 3, 4, False),
        (otherwise, 7, 40, False),
        (otherwise, 8, 40, True),
        (otherwise, 7, 7, True),
        (otherwise, 6, 7, False),
        (weighted, 7, 7, False),
        (weighted, 7, 8, False),
        (weighted, 8, 8, True),
    ],
)
def test_few_telling_sources_give_no_interval(
    coefficients: Callable[..., Iterator[Result]], varied: int, sources: int, is_given: bool
) -> None:
    table, of = ceiling(varied, sources=sources)
    table[1, 0] = 2  # no two sources alike
    for found in coefficients(table, of):
        assert found.defined
        assert np.isnan(found.ci.low) != is_given, found.method
        assert found.reason == (
            "" if is_given else f"raters differ on only {varied} of {sources} sources: no interval"
        )


@pytest.mark.parametrize("coefficient", [percent_agreement, fleiss_kappa])
def test_draws_of_sources_need_more_of_them(coefficient: Coefficient) -> None:
    how = Bootstrap(np.random.default_rng(1), 200)
    nine, ten = (
        coefficient(table, clusters=sources, interval=how)
        for table, sources in (ceiling(9), ceiling(10))
    )
    assert np.isnan(nine.ci.low)
    assert nine.reason == "raters differ on only 9 of 40 sources: no interval"
    assert ten.ci.low < ten.value < ten.ci.high
    assert ten.reason == ""


def test_lone_ratings_beside_the_commonest_value_tell_little_of_alpha() -> None:
    table, sources = ceiling(0)
    # Raters differ on every source, but on no unit do two leave the commonest value
    table[::5, 0] = 2
    table[:15] = [2, 2, 3]
    found = krippendorff_alpha(table, level="nominal", clusters=sources)
    expected = (
        "two ratings of a unit leave the commonest value on only 3 of 40 sources: no interval"
    )
    assert found.reason == expected
    assert not np.isnan(percent_agreement(table, clusters=sources).ci.low)
    for level in ("interval", "ratio"):  # by moments and by pairs
        many = krippendorff_alpha(table, level=level, scale=range(20), clusters=sources)
        assert many.reason == expected
    assert intraclass(table, clusters=sources)["3,k"].reason == expected


def test_units_without_two_ratings_take_their_sources_with_them() -> None:
    table, sources = study()
    table[:4, 1:] = NAN
    found = krippendorff_alpha(table, level="ordinal", clusters=sources)
    rest = krippendorff_alpha(table[4:], level="ordinal", clusters=sources[4:])
    assert (found.ci.low, found.clusters) == pytest.approx((rest.ci.low, 19))


@pytest.mark.long
def test_a_thousand_blocks_of_sources_are_one() -> None:
    """The left-out values are worked out in blocks of bounded size."""
    rng = np.random.default_rng(2)
    counts = rng.multinomial(3, [0.1] * 10, size=60_000)
    counted = value_counts(range(10), counts, np.ones(60_000), clusters=np.arange(60_000) // 2)
    found = krippendorff_alpha(counted, level="interval")
    table = np.array([np.repeat(np.arange(10), row) for row in counts], float)
    close = krippendorff_alpha(
        table, level="interval", scale=range(13), clusters=np.arange(60_000) // 2
    )
    assert (found.ci.low, found.ci.high) == pytest.approx((close.ci.low, close.ci.high), abs=1e-9)


@pytest.mark.parametrize("of", ["unit", "source"])
@pytest.mark.parametrize("clusters", [3, 3_000])
def test_every_resample_is_drawn_once_however_many_blocks_it_takes(of: str, clusters: int) -> None:
    how = Bootstrap(np.random.default_rng(0), 1000)
    draws = np.concatenate(list(redrawn(np.ones(clusters), how, of=of)))
    assert draws.shape == (1000, clusters)
    assert (draws.sum(axis=1) == clusters).all()
    assert draws.mean(axis=0) == pytest.approx(1, abs=0.2)


def test_undefined_resamples_are_told_from_one_in_twenty_on() -> None:
    draws = np.linspace(0, 1, 1000)
    draws[:50] = NAN
    found = percentiles(draws, "bootstrap of 1000", 0.9)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws[50:], [0.05, 0.95])))
    draws[50] = NAN
    found = percentiles(draws, "bootstrap of 1000", 0.9)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "undefined in 51 of 1000 resamples: no interval"
    assert found.words == "bootstrap of 1000, percentiles, 90%"


@each_coefficient
def test_small_blocks_of_rows_give_what_one_block_gives(
    coefficient: Coefficient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, sources = study(30)
    whole, drawn = (coefficient(table, clusters=sources, interval=how) for how in ways())
    for module in (alpha, resampling):
        monkeypatch.setattr(module, "_BLOCK_CELLS", 12)
    small, few = (coefficient(table, clusters=sources, interval=how) for how in ways())
    assert (small.value, small.ci.low) == pytest.approx((whole.value, whole.ci.low), abs=1e-12)
    assert (few.ci.low, few.ci.high) == pytest.approx((drawn.ci.low, drawn.ci.high), abs=0.3)


def ways() -> tuple[Jackknife, Bootstrap]:
    return Jackknife(), Bootstrap(np.random.default_rng(1), 50)


def test_coverage_of_intervals_where_systems_share_sources() -> None:
    """The small form of bench/coverage.py: over units far too narrow, over sources as promised."""
    rng = np.random.default_rng(11)

    def judged(sources: int) -> np.ndarray:
        shape = (sources, 12, 3)
        worth = rng.normal(size=(sources, 1, 1)) + rng.normal(size=(sources, 12, 1)) / 3
        severe = np.array([-0.5, 0, 0.5])
        return np.clip(np.round(2.2 + worth + severe + rng.normal(size=shape) / 2), 1, 3).reshape(
            -1, 3
        )

    truth = krippendorff_alpha(judged(20_000), level="ordinal", interval=None).value
    sources = np.repeat(np.arange(40), 12)
    held = np.zeros(2)
    for _ in range(200):
        table = judged(40)
        for place, clusters in enumerate((None, sources)):
            found = krippendorff_alpha(table, level="ordinal", clusters=clusters)
            held[place] += found.ci.low <= truth <= found.ci.high
    assert held[0] / 200 < 0.75
    assert 0.91 <= held[1] / 200 <= 0.985
