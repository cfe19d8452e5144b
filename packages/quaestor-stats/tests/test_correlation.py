import numpy as np
import pytest
from scipy import stats

from quaestor_stats._correlation import (
    METHODS,
    Method,
    coefficients,
    correlate_columns,
    exact_p,
    fisher_interval,
)
from quaestor_stats._inputs import orient_scores
from quaestor_stats._williams import ImpossibleTriple, williams, williams_matrix

NAN = np.nan
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def scores(n: int = 60, k: int = 3, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, 1)) + rng.normal(size=(n, k))).round(1)


@pytest.mark.parametrize("method", METHODS)
def test_correlate_equals_scipy(method: str) -> None:
    x, y = scores()[:, :2].T
    found, theirs = correlate_columns(x, y, method=method), SCIPY[method](x, y)
    assert (found.value, found.pvalue) == pytest.approx(
        (theirs.statistic, theirs.pvalue), abs=1e-12
    )


def test_correlate_pearson_interval_is_fishers() -> None:
    x, y = scores()[:, :2].T
    theirs = stats.pearsonr(x, y).confidence_interval()
    found = correlate_columns(x, y, method="pearson")
    assert (found.ci.low, found.ci.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_matrix_of_coefficients_holds_every_pair_and_ones(method: str) -> None:
    table = scores()
    found = coefficients(table, method=method)
    assert found.diagonal().tolist() == pytest.approx([1, 1, 1])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        theirs = SCIPY[method](table[:, i], table[:, j]).statistic
        assert (found[i, j], found[j, i]) == pytest.approx((theirs, theirs))


@pytest.mark.parametrize("method", METHODS)
def test_correlate_leaves_out_items_with_a_gap(method: str) -> None:
    x, y = scores()[:, :2].T
    with_gaps = correlate_columns([*x, NAN, 1.0], [*y, 1.0, NAN], method=method)
    without = correlate_columns(x, y, method=method)
    assert with_gaps.value == without.value
    assert (with_gaps.n, with_gaps.dropped) == (60, 2)


@pytest.mark.parametrize("method", METHODS)
def test_correlate_of_a_constant_is_undefined_and_says_which(method: str) -> None:
    assert (
        correlate_columns([1, 1, 1, 1], [1, 2, 3, 4], method=method).reason
        == "the first score is the same for every item"
    )
    assert (
        correlate_columns([1, 2, 3, 4], [2, 2, 2, 2], method=method).reason
        == "the second score is the same for every item"
    )


def test_correlate_of_a_practically_constant_column_is_undefined() -> None:
    """Float dust would correlate by .3 here."""
    assert not correlate_columns([1.0, 1 + 1e-15, 1, 1], [1, 2, 3, 4], method="pearson").defined


@pytest.mark.parametrize("method", METHODS)
def test_correlate_of_two_items_is_undefined(method: str) -> None:
    found = correlate_columns([1, 2], [1, 2], method=method)
    assert (found.defined, found.reason) == (False, "2 items have both scores: too few")


@pytest.mark.parametrize("method", METHODS)
def test_correlate_of_three_items_has_an_exact_p_and_no_interval(method: str) -> None:
    found = correlate_columns([1, 2, 3], [1, 2, 3], method=method)
    assert found.pvalue == pytest.approx(1 / 3)
    assert np.isnan(found.ci.low)
    assert found.reason == "too few items or a perfect correlation: no interval"


@pytest.mark.parametrize("method", METHODS)
def test_exact_p_equals_scipys_enumeration(method: str) -> None:
    x, y = np.array([3.0, 1, 4, 1, 5, 9]), np.array([2.0, 7, 1, 8, 2, 8])
    score = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[
        method
    ]
    theirs = stats.permutation_test(
        (y,),
        lambda v: abs(score(x, v).statistic),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert exact_p(x, y, method=method) == pytest.approx(theirs.pvalue)


def test_exact_p_of_kendall_without_ties_is_scipys() -> None:
    x, y = np.arange(7.0), np.array([2.0, 1, 4, 3, 7, 5, 6])
    assert exact_p(x, y, method="kendall") == pytest.approx(stats.kendalltau(x, y).pvalue)


@pytest.mark.parametrize(
    ("method", "ends"),
    [
        ("pearson", (0.15603, 0.73582)),
        ("spearman", (0.13275, 0.74653)),
        ("kendall", (0.27737, 0.67167)),
    ],
)
def test_fisher_interval_by_hand(method: Method, ends: tuple[float, float]) -> None:
    """tanh(atanh(.5) +- 1.959964 s): of 28 items s^2 is 1 / 25, 1.125 / 25 and .437 / 24."""
    assert fisher_interval(0.5, 28, method=method) == pytest.approx(ends, abs=1e-5)


@pytest.mark.parametrize(("r", "n"), [(0.3, 4), (1.0, 50)])
def test_fisher_interval_is_none_where_it_cannot_be(r: float, n: int) -> None:
    assert np.isnan(fisher_interval(r, n, method="spearman")).all()


@pytest.mark.parametrize("method", METHODS)
def test_coefficients_have_nan_for_a_column_that_does_not_vary(method: str) -> None:
    matrix = coefficients(np.column_stack([scores(), np.ones(60)]), method=method)
    assert np.isnan(matrix[3]).all()
    assert np.isnan(matrix[:, 3]).all()
    assert np.diag(matrix)[:3] == pytest.approx(np.ones(3))
    assert matrix[0, 1] == pytest.approx(SCIPY[method](*scores()[:, :2].T).statistic, abs=1e-12)


@pytest.mark.parametrize("bad", [[True, False, True], ["1", "2", "3"], [1.0, np.inf, 2.0]])
def test_correlate_refuses_what_is_no_score(bad: list) -> None:
    with pytest.raises(ValueError, match="column 1"):
        correlate_columns(bad, [1, 2, 3])


def test_correlate_refuses_columns_of_different_length_and_unknown_methods() -> None:
    with pytest.raises(ValueError, match="column 1 2, column 2 3"):
        correlate_columns([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="'tau' is none of"):
        correlate_columns([1, 2, 3], [1, 2, 3], method="tau")


def test_oriented_turns_an_error_rate_round() -> None:
    assert orient_scores([1.0, 2.0], higher_is_better=False).tolist() == [-1, -2]
    assert orient_scores([1.0, 2.0], higher_is_better=True).tolist() == [1, 2]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_williams_below_four_items_is_undefined(n: int) -> None:
    found = williams(0.5, 0.4, 0.3, n)
    assert (found.defined, found.reason) == (False, f"{n} items: the test needs 4")


def test_williams_of_metrics_that_order_alike_is_undefined() -> None:
    assert (
        williams(0.5, 0.5, 1.0, 30).reason
        == "the two metrics order the items alike: nothing to test"
    )


def test_williams_of_metrics_that_order_the_opposite_way_says_so() -> None:
    assert (
        williams(0.5, -0.5, -1.0, 30).reason
        == "the two metrics order the items the opposite way: nothing to test"
    )


def test_williams_with_an_undefined_correlation_is_undefined() -> None:
    assert williams(0.5, NAN, 0.3, 30).reason == "a correlation is undefined"


def test_williams_refuses_triples_from_different_items() -> None:
    with pytest.raises(ImpossibleTriple, match="one common set of items"):
        williams(0.9, -0.9, 0.9, 30)


def test_williams_needs_signs_oriented_first() -> None:
    """An error rate left unturned makes a certain difference (p 1.5e-8) of none (p .52)."""
    assert williams(0.5, -0.45, -0.6, 100).pvalue == pytest.approx(1.5e-8, rel=0.02)
    assert williams(0.5, 0.45, 0.6, 100).pvalue == pytest.approx(0.52, abs=0.001)


def test_williams_keeps_the_sign_of_the_correlation_between_metrics() -> None:
    """Taking it without its sign gives .329 here."""
    assert williams(0.5, 0.4, -0.3, 100).pvalue == pytest.approx(0.453, abs=5e-4)


def test_williams_greater_is_for_the_first_only() -> None:
    better, worse = (
        williams(a, b, 0.3, 50, alternative="greater").pvalue for a, b in [(0.5, 0.2), (0.2, 0.5)]
    )
    assert better < 0.05 < 0.95 < worse
    assert better + worse == pytest.approx(1)


def test_williams_refuses_an_unknown_alternative() -> None:
    with pytest.raises(ValueError, match="neither two-sided nor greater"):
        williams(0.5, 0.4, 0.3, 30, alternative="less")


@pytest.mark.parametrize("method", METHODS)
def test_williams_matrix_equals_single_tests(method: str) -> None:
    table = scores(k=4)
    t, p = williams_matrix(table[:, 0], table[:, 1:], method=method)
    r = coefficients(table, method=method)
    for i in range(3):
        assert np.isnan(t[i, i])
        for j in set(range(3)) - {i}:
            alone = williams(r[0, i + 1], r[0, j + 1], r[i + 1, j + 1], 60)
            assert (t[i, j], p[i, j]) == pytest.approx((alone.statistic, alone.pvalue))


def test_williams_matrix_leaves_a_constant_metric_undefined() -> None:
    table = np.column_stack([scores(k=3), np.ones(60)])
    t, _ = williams_matrix(table[:, 0], table[:, 1:])
    assert np.isnan(t[2]).all()
    assert t[0, 1] == t[0, 1]


def test_williams_matrix_refuses_fewer_than_four_items() -> None:
    with pytest.raises(ValueError, match="needs four items, 3 are complete"):
        williams_matrix([1, 2, 3, NAN], np.arange(8.0).reshape(4, 2))


def test_williams_matrix_of_four_items_has_one_degree_of_freedom() -> None:
    table = np.array([[1.0, 2, 1], [2, 1, 3], [3, 4, 2], [5, 5, 6]])
    t, p = williams_matrix(table[:, 0], table[:, 1:])
    assert np.isfinite(t[0, 1])
    assert p[0, 1] == pytest.approx(2 * stats.t.sf(abs(t[0, 1]), 1))
