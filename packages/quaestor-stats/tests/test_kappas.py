"""Percent agreement, Fleiss, Randolph, Cohen and the matrix of all pairs."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from published_data import KRIPPENDORFF_C
from scipy import stats
from statsmodels.stats import inter_rater

from quaestor_stats._cohen_kappa import WEIGHTS, cohen_kappa, disagreement, kappa_matrix
from quaestor_stats._fleiss import fleiss_kappa, randolph_kappa
from quaestor_stats._inputs import RatingOffScale
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Bootstrap

NAN = np.nan
FIVE = [1, 2, 3, 4, 5]
ONE_VALUE = "every rating has the same value: agreement cannot be told from chance"
pairs = arrays(
    np.float64,
    st.tuples(st.integers(3, 20), st.just(2)),
    elements=st.sampled_from([1.0, 2, 4, 5, NAN]),
)


def complete(units: int = 60, raters: int = 4, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(
        rng.integers(1, 6, (units, 1)) + rng.integers(-1, 2, (units, raters)), 1, 5
    ).astype(float)


def test_percent_counts_agreeing_pairs() -> None:
    found = percent_agreement([[1, 1, 2], [3, 3, 3], [2, NAN, NAN]], interval=None)
    assert found.value == pytest.approx((1 / 3 + 1) / 2)
    assert (found.n, found.dropped) == (2, 1)


def test_percent_of_one_value_is_one_without_interval() -> None:
    found = percent_agreement(np.ones((5, 3)))
    assert (found.value, found.reason) == (
        1,
        "all units say the same: no interval can be estimated",
    )


@pytest.mark.parametrize("coefficient", [percent_agreement, fleiss_kappa])
def test_nothing_shared_is_undefined(coefficient) -> None:
    found = coefficient(np.array([[1, NAN], [NAN, 2]]))
    assert (found.defined, found.reason, found.dropped) == (False, "no unit has two ratings", 2)


@pytest.mark.parametrize("method", ["fleiss", "randolph"])
def test_fleiss_and_randolph_equal_statsmodels_on_equal_raters(method: str) -> None:
    table = complete()
    counts = np.stack([(table == v).sum(axis=1) for v in FIVE], axis=1)
    ours = fleiss_kappa(table) if method == "fleiss" else randolph_kappa(table, scale=FIVE)
    assert ours.value == pytest.approx(inter_rater.fleiss_kappa(counts, method=method), abs=1e-12)


def test_fleiss_of_one_value_is_undefined_and_says_so() -> None:
    found = fleiss_kappa(np.ones((5, 3)))
    assert (found.defined, found.reason, found.n) == (False, ONE_VALUE, 5)


def test_randolph_of_one_value_is_one_because_chance_is_known() -> None:
    assert randolph_kappa(np.ones((5, 3)), scale=FIVE).value == 1


def test_randolph_depends_on_the_scale_given() -> None:
    table = np.array([[1.0, 1], [1, 2], [2, 2]])
    assert randolph_kappa(table, scale=[1, 2]).value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert randolph_kappa(table, scale=FIVE).value == pytest.approx((2 / 3 - 1 / 5) / (4 / 5))


def test_fleiss_ignores_missing_cells_instead_of_counting_them() -> None:
    table = complete()
    assert fleiss_kappa(np.hstack([table, np.full((60, 3), NAN)])).value == pytest.approx(
        fleiss_kappa(table).value
    )


def test_fleiss_listwise_without_a_complete_unit_is_undefined() -> None:
    table = np.array([[1, 1, NAN], [NAN, 2, 2]])
    assert fleiss_kappa(table, unequal="listwise").reason == "no unit was judged by every rater"


def test_fleiss_listwise_leaves_out_raters_who_judged_nothing() -> None:
    table = complete()
    padded = np.hstack([np.full((60, 1), NAN), table])
    found, expected = (fleiss_kappa(each, unequal="listwise") for each in (padded, table))
    assert (found.value, found.ci.low, found.n, found.dropped) == (
        expected.value,
        expected.ci.low,
        60,
        0,
    )
    assert not fleiss_kappa(np.full((4, 2), NAN), unequal="listwise").defined


def test_fleiss_says_how_it_takes_unequal_raters() -> None:
    assert "unequal raters after Gwet" in fleiss_kappa(complete()).method
    assert "complete units only" in fleiss_kappa(complete(), unequal="listwise").method


def test_fleiss_refuses_an_unknown_form() -> None:
    with pytest.raises(ValueError, match="neither gwet nor listwise"):
        fleiss_kappa(complete(), unequal="pooled")


def test_fleiss_jackknife_equals_deleting_units_one_by_one() -> None:
    table = KRIPPENDORFF_C
    full = fleiss_kappa(table, interval=None).value
    without = np.array(
        [fleiss_kappa(np.delete(table, i, 0), interval=None).value for i in range(12)]
    )
    error = np.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
    # t, 11 df
    assert fleiss_kappa(table).ci.low == pytest.approx(full - 2.2009851600916384 * error, abs=1e-10)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cohen_equals_statsmodels(weights: str) -> None:
    a, b = complete()[:, :2].T
    joint = np.zeros((5, 5))
    np.add.at(joint, (a.astype(int) - 1, b.astype(int) - 1), 1)
    theirs = inter_rater.cohens_kappa(joint, wt=None if weights == "unweighted" else weights)
    ours = cohen_kappa(a, b, scale=FIVE, weights=weights, interval=None)
    assert ours.value == pytest.approx(theirs.kappa, abs=1e-12)


def test_cohen_weighs_by_the_scale_and_not_by_the_values_that_occur() -> None:
    """scikit-learn without labels gives .143 here, by positions; with the labels 1 to 5 it gives
    -.077."""
    found = cohen_kappa([1, 2, 5, 1], [1, 5, 2, 2], scale=FIVE, weights="linear", interval=None)
    assert round(found.value, 3) == -0.077


def test_cohen_drops_what_only_one_judged() -> None:
    found = cohen_kappa([1, 2, NAN, 1], [1, 1, 2, NAN], scale=[1, 2], interval=None)
    assert (found.n, found.dropped) == (2, 2)


def test_cohen_of_one_value_is_undefined_and_says_so() -> None:
    found = cohen_kappa([2, 2, 2], [2, 2, 2], scale=FIVE)
    assert (found.defined, found.reason) == (
        False,
        "both raters gave one and the same value throughout",
    )


def test_cohen_of_two_different_constants_is_zero() -> None:
    assert cohen_kappa([2, 2, 2], [3, 3, 3], scale=FIVE, interval=None).value == 0


def test_cohen_with_nothing_shared_is_undefined() -> None:
    found = cohen_kappa([1, NAN], [NAN, 1], scale=FIVE)
    assert (found.reason, found.dropped) == ("the two raters share no unit", 2)


def test_cohen_refuses_ratings_off_the_scale_and_unknown_weights() -> None:
    with pytest.raises(RatingOffScale, match="rating 31"):
        cohen_kappa([1, 31], [1, 2], scale=[1, 2])
    with pytest.raises(ValueError, match="weights: 'cubic' is none of"):
        disagreement(np.arange(3.0), "cubic")


def test_cohen_bootstrap_holds_the_value() -> None:
    a, b = complete()[:, :2].T
    found = cohen_kappa(a, b, scale=FIVE, interval=Bootstrap(np.random.default_rng(0)))
    assert found.ci.low < found.value < found.ci.high


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_matrix_equals_a_loop_over_pairs(weights: str) -> None:
    table = complete(raters=6)
    table[np.random.default_rng(1).random(table.shape) < 0.4] = NAN
    table[:, 5] = NAN
    matrix = kappa_matrix(table, scale=FIVE, weights=weights)
    for i in range(6):
        for j in range(6):
            if i != j:
                alone = cohen_kappa(
                    table[:, i], table[:, j], scale=FIVE, weights=weights, interval=None
                )
                assert matrix.values[i, j] == pytest.approx(alone.value, abs=1e-12, nan_ok=True)
                assert matrix.shared[i, j] == alone.n
    assert np.isnan(matrix.values.diagonal()).all()
    upper = matrix.values[np.triu_indices(5, 1)]
    assert matrix.mean == pytest.approx(upper.mean())


def megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_kappa_matrix_of_a_long_scale_takes_little_memory() -> None:
    table = np.random.default_rng(0).integers(0, 201, (12, 9)).astype(float)
    assert megabytes(lambda: kappa_matrix(table, scale=range(201))) < 3


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(20), 2)])
def test_kappa_of_a_long_scale_takes_little_memory(clusters) -> None:
    a, b = np.random.default_rng(0).integers(0, 51, (2, 40)).astype(float)
    assert megabytes(lambda: cohen_kappa(a, b, scale=range(51), clusters=clusters)) < 3


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_many_units_leaves_out_groups_of_every_200th(weights: str) -> None:
    a, b = complete(units=260)[:, :2].T
    how = {"scale": FIVE, "weights": weights}
    found, groups = cohen_kappa(a, b, **how), np.arange(260) % 200
    rest = [groups != group for group in range(200)]
    without = np.array([cohen_kappa(a[left], b[left], **how, interval=None).value for left in rest])
    error = np.sqrt(199 / 200 * ((without - without.mean()) ** 2).sum())
    assert found.ci.low == pytest.approx(found.value - stats.t.ppf(0.975, 199) * error, abs=1e-10)
    assert found.method.endswith("; unit jackknife-t in 200 groups, 95%")


def test_kappa_matrix_of_strangers_has_no_mean() -> None:
    assert np.isnan(kappa_matrix(np.array([[1, NAN], [NAN, 1]]), scale=[1, 2]).mean)


@settings(deadline=None, max_examples=60)
@given(pairs, st.sampled_from(WEIGHTS), st.randoms(use_true_random=False))
def test_kappa_does_not_depend_on_order_names_or_unused_points(table, weights, random) -> None:
    shuffled = np.random.default_rng(random.randrange(2**32)).permutation(table, axis=0)
    a = cohen_kappa(table[:, 0], table[:, 1], scale=[1, 2, 4, 5], weights=weights)
    b = cohen_kappa(shuffled[:, 1], shuffled[:, 0], scale=[0, 1, 2, 3, 4, 5, 6], weights=weights)
    assert (a.value, a.ci.low, a.ci.high) == pytest.approx(
        (b.value, b.ci.low, b.ci.high), abs=1e-9, nan_ok=True
    )
    assert a.n == b.n


@settings(deadline=None, max_examples=60)
@given(pairs)
def test_fleiss_and_percent_do_not_depend_on_order_or_names(table) -> None:
    for coefficient in (percent_agreement, fleiss_kappa):
        a, b = coefficient(table), coefficient(table[::-1, ::-1], scale=FIVE)
        assert (a.value, a.ci.low, a.ci.high) == pytest.approx(
            (b.value, b.ci.low, b.ci.high), abs=1e-9, nan_ok=True
        )
