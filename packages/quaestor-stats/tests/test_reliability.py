"""AC1/AC2, Conger, intraclass correlations, words for agreement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from published_data import KRIPPENDORFF_C, SHROUT_FLEISS
from scipy import stats

from quaestor_stats._cohen_kappa import WEIGHTS, cohen_kappa
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import FORMS, POLE, intraclass
from quaestor_stats._inputs import RatingOffScale
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._result import ConfidenceInterval, Result, undefined_result
from quaestor_stats._verbal_labels import band

NAN = np.nan
FIVE = [1, 2, 3, 4, 5]
BEYOND_THE_POLE = np.array(
    [[2, 2, 1], [2, 2, 3], [2, 1, 3], [3, 1, 2], [2, 3, 1], [2, 3, 2], [1, 3, 3], [3, 3, 2]], float
)
tables = arrays(
    np.float64,
    st.tuples(st.integers(3, 10), st.just(3)),
    elements=st.sampled_from([1.0, 2, 3, NAN]),
)


def test_ac1_of_one_value_is_one_where_kappa_is_undefined() -> None:
    table = np.ones((5, 3))
    assert gwet_ac(table, scale=FIVE).value == 1
    assert not conger_kappa(table).defined


@pytest.mark.parametrize("scale", [[1, 2], FIVE, range(101)])
def test_coefficients_with_chance_from_the_scale_are_one_on_constant_ratings(
    scale: list[int],
) -> None:
    """As R irrCAC and its Python port have it; the scale given does not matter."""
    table = np.ones((5, 3))
    assert gwet_ac(table, scale=scale).value == 1
    assert randolph_kappa(table, scale=scale).value == 1
    assert percent_agreement(table, scale=scale).value == 1


def test_ac1_depends_on_the_number_of_points() -> None:
    assert (
        gwet_ac(KRIPPENDORFF_C, scale=FIVE).value
        != gwet_ac(KRIPPENDORFF_C, scale=range(1, 8)).value
    )


def test_ac1_without_pairs_is_undefined() -> None:
    assert gwet_ac([[1, NAN], [NAN, 2]], scale=FIVE).reason == "no unit has two ratings"


def test_ac1_refuses_a_scale_of_one_point_and_ratings_off_it() -> None:
    with pytest.raises(ValueError, match="two points or more"):
        gwet_ac([[1, 1]], scale=[1])
    with pytest.raises(RatingOffScale):
        gwet_ac([[1, 6]], scale=FIVE)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_conger_of_two_raters_is_cohen(weights: str) -> None:
    pair = KRIPPENDORFF_C[:, 1:3]
    both = pair[~np.isnan(pair).any(axis=1)]
    cohen = cohen_kappa(both[:, 0], both[:, 1], scale=FIVE, weights=weights)
    found = conger_kappa(both, weights=weights, scale=FIVE)
    assert found.value == pytest.approx(cohen.value)
    assert (found.ci.low, found.ci.high) == pytest.approx((cohen.ci.low, cohen.ci.high))


def test_conger_leaves_out_raters_without_ratings() -> None:
    padded = np.hstack([KRIPPENDORFF_C, np.full((12, 2), NAN)])
    assert conger_kappa(padded).value == pytest.approx(conger_kappa(KRIPPENDORFF_C).value)
    assert conger_kappa(np.full((3, 2), NAN)).reason == "no unit has two ratings"


def test_conger_leaves_out_units_without_ratings() -> None:
    padded = np.vstack([KRIPPENDORFF_C, np.full((3, 4), NAN)])
    found, expected = conger_kappa(padded), conger_kappa(KRIPPENDORFF_C)
    assert (found.value, found.ci.low) == pytest.approx((expected.value, expected.ci.low))
    assert (found.n, found.dropped) == (expected.n, expected.dropped + 3)


@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_ac1_and_conger_do_not_depend_on_order_or_names(table, random) -> None:
    rng = np.random.default_rng(random.randrange(2**32))
    shuffled = rng.permutation(rng.permutation(table, axis=0), axis=1)
    for coefficient in (lambda t: gwet_ac(t, scale=FIVE, weights="linear"), conger_kappa):
        a, b = coefficient(table), coefficient(shuffled)
        assert (a.value, a.ci.low, a.ci.high) == pytest.approx(
            (b.value, b.ci.low, b.ci.high), abs=1e-9, nan_ok=True
        )


def test_intraclass_drops_units_with_gaps_and_tells_k() -> None:
    with_gap = np.vstack([SHROUT_FLEISS, [1, 2, NAN, 3]])
    found = intraclass(with_gap)["3,k"]
    assert found.value == pytest.approx(intraclass(SHROUT_FLEISS)["3,k"].value)
    assert (found.n, found.dropped) == (6, 1)
    assert "k = 4" in found.method


@pytest.mark.parametrize("form", FORMS)
def test_intraclass_of_ratings_that_do_not_vary_is_undefined(form: str) -> None:
    assert not intraclass(np.ones((5, 3)))[form].defined


@pytest.mark.parametrize("form", FORMS)
def test_intraclass_of_complete_agreement_is_one_without_interval(form: str) -> None:
    found = intraclass(np.array([[1.0, 1], [2, 2], [3, 3]]))[form]
    assert found.value == pytest.approx(1)
    assert found.reason == "the raters agree completely: no interval can be estimated"


@pytest.mark.parametrize("table", [np.ones((1, 3)), np.ones((4, 1)), np.full((4, 2), NAN)])
def test_intraclass_needs_two_units_and_two_raters(table: np.ndarray) -> None:
    assert "two of each are needed" in intraclass(table)["1,1"].reason


@pytest.mark.parametrize("table", [BEYOND_THE_POLE, np.array([[3.0, 2], [3, 3], [1, 3]])])
def test_intraclass_of_the_mean_has_no_limits_beyond_the_pole(table: np.ndarray) -> None:
    """psych 2.2.9 prints limits 61.9 and .42 for the first: Spearman-Brown of a limit below -1 / (k
    - 1)."""
    one, mean = (intraclass(table)[form] for form in ("2,1", "2,k"))
    k = table.shape[1]
    assert one.ci.low < -1 / (k - 1) < one.value < one.ci.high
    assert mean.value == pytest.approx(k * one.value / (1 + (k - 1) * one.value))
    assert np.isnan([mean.ci.low, mean.ci.high]).all()
    assert mean.reason == POLE


def test_intraclass_of_psych_beside_the_pole() -> None:
    found = intraclass(BEYOND_THE_POLE)
    limits = {form: (found[form].ci.low, found[form].ci.high) for form in ("2,1", "1,k", "3,k")}
    assert limits["2,1"] == pytest.approx((-0.51240992, 0.19446058), abs=1e-7)
    assert limits["1,k"] == pytest.approx((-6.98150681, 0.45426676), abs=1e-7)
    assert limits["3,k"] == pytest.approx((-8.50606122, 0.3880674), abs=1e-7)


@settings(deadline=None, max_examples=100)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(2, 7), st.integers(2, 4)),
        elements=st.sampled_from([1.0, 2, 3]),
    )
)
def test_intraclass_limits_hold_the_value_and_keep_their_order(table: np.ndarray) -> None:
    for form, found in intraclass(table).items():
        assert np.isnan(found.ci.low) == np.isnan(found.ci.high)
        assert found.defined or found.reason
        assert not found.defined or found.value <= 1 + 1e-12
        assert not np.isinf(found.value)
        if not np.isnan(found.ci.low):
            assert found.ci.low <= found.value <= found.ci.high <= 1, form
        else:
            assert found.reason


@pytest.mark.parametrize(
    "rows", [[[1, 1], [1, 1], [1, 1]], [[1, 1], [2, 2], [3, 3]], [[2, 2], [1, 3], [3, 1]]]
)
def test_intraclass_without_interval_counts_its_units_all_the_same(rows: list[list[float]]) -> None:
    for found in intraclass(np.array([*rows, [1, NAN]], float)).values():
        assert (found.n, found.dropped) == (3, 1)
        assert np.isnan(found.ci.low)


def test_intraclass_where_the_means_of_units_do_not_vary() -> None:
    """Between units there is less variance than chance would leave: the mean of k has no
    reliability."""
    found = intraclass(np.array([[2.0, 2], [1, 3], [3, 1], [1, 3]]))
    assert found["1,1"].value == -1
    assert found["1,1"].reason == "the units differ less than their ratings do: no interval"
    assert not found["1,k"].defined
    assert (
        found["1,k"].reason == "the units differ less than their ratings do: nothing to divide by"
    )


def test_intraclass_where_raters_differ_by_constants() -> None:
    found = intraclass(np.array([[1.0, 2], [2, 3], [4, 5]]))
    assert found["3,1"].value == 1
    assert found["2,1"].value == pytest.approx(7 / 3 / (7 / 3 + 0.5))
    assert (
        found["2,1"].reason == "the raters differ by constants only: no interval can be estimated"
    )


def test_intraclass_leaves_out_raters_who_judged_nothing_and_says_so() -> None:
    blank = np.full((6, 1), NAN)
    padded = np.hstack([blank, SHROUT_FLEISS, blank])
    for clusters in (None, np.arange(6)):
        found = intraclass(padded, clusters=clusters)
        for form, expected in intraclass(SHROUT_FLEISS, clusters=clusters).items():
            assert (found[form].value, found[form].ci.low) == pytest.approx(
                (expected.value, expected.ci.low)
            )
            assert (found[form].n, found[form].dropped) == (6, 0)
            assert "k = 4 (2 without a rating left out)" in found[form].method


def test_intraclass_of_one_rater_beside_blank_ones_is_undefined() -> None:
    table = np.column_stack([np.arange(4.0), np.full(4, NAN)])
    assert (
        intraclass(table)["1,1"].reason
        == "4 units judged by all of 1 rater(s): two of each are needed"
    )


def test_intraclass_refuses_an_unknown_form() -> None:
    with pytest.raises(ValueError, match="forms: 4,1 is none of"):
        intraclass(SHROUT_FLEISS, forms=["4,1"])


# t of R: pt((.72 - cut) / ((.72 - .5) / qt(.975, df)), df)
@pytest.mark.parametrize(
    ("found", "demanded", "word", "probability"),
    [
        (
            Result(value=0.72, ci=ConfidenceInterval(0.50, 0.94), n=30),
            0.95,
            "moderate",
            0.99707283146,
        ),
        (
            Result(value=0.72, ci=ConfidenceInterval(0.50, 0.94), n=30),
            0.8,
            "substantial",
            0.8631193594,
        ),
        (
            Result(value=0.72, ci=ConfidenceInterval(0.50, 0.94), n=30, clusters=10),
            0.99,
            "moderate",
            0.995313896831,
        ),
        (
            Result(value=0.72, ci=ConfidenceInterval(0.50, 0.94), n=3000, clusters=30, df=9),
            0.8,
            "substantial",
            0.875755815249,
        ),
    ],
)
def test_band_has_the_probability_of_being_reached(
    found: Result, demanded: float, word: str, probability: float
) -> None:
    reached = band(found, demanded=demanded)
    assert (reached.word, reached.probability) == (word, pytest.approx(probability, abs=1e-11))


def test_band_of_a_value_far_above_its_cut_is_all_but_certain_and_far_below_all_but_impossible() -> (
    None
):
    """What dies when the probability is that of staying below the cut."""
    sure = Result(value=0.95, ci=ConfidenceInterval(0.94, 0.96), n=500)
    assert band(sure).word == "almost perfect"
    assert band(sure).probability > 0.999999
    assert band(Result(value=0.3, ci=ConfidenceInterval(0.29, 0.31), n=500)).word == "fair"


def test_band_over_sources_demands_more_than_over_units() -> None:
    """Raters agree on all ten questions of every other source and on four of the others: kappa
    .4."""
    agreed, mixed = [[1, 1], [2, 2]] * 5, [[1, 1], [2, 2]] * 2 + [[1, 2], [2, 1]] * 3
    table = np.array((agreed + mixed) * 10, float)
    alone = fleiss_kappa(table)
    over = fleiss_kappa(table, clusters=np.repeat(np.arange(20), 10))
    assert alone.value == over.value == pytest.approx(0.4)
    assert (band(alone).word, band(over).word) == ("fair", "slight")
    assert band(over, demanded=0.9).word == "fair"
    assert band(over, demanded=0.9).probability == pytest.approx(
        stats.t.cdf((over.value - 0.2) / (over.value - over.ci.low) * stats.t.ppf(0.975, 19), 19)
    )


def test_band_of_alpha_has_krippendorffs_thresholds() -> None:
    found = Result(value=0.83, ci=ConfidenceInterval(0.79, 0.87), n=300, clusters=41)
    reached = band(found, author="krippendorff")
    assert reached.word == "tentative conclusions only"
    assert reached.probability == pytest.approx(0.99999999981, abs=1e-11)
    reached = band(found, author="krippendorff", demanded=0.9)
    assert (reached.word, reached.probability) == ("reliable", pytest.approx(0.931284108585))
    low = Result(value=0.66, ci=ConfidenceInterval(0.64, 0.68), n=300)
    assert band(low, author="krippendorff").word == "below .667"


@pytest.mark.parametrize(
    ("author", "cuts"),
    [
        (
            "landis-koch",
            {
                0.81: "almost perfect",
                0.79: "substantial",
                0.59: "moderate",
                0.39: "fair",
                0.19: "slight",
            },
        ),
        ("altman", {0.81: "very good", 0.79: "good", 0.59: "moderate", 0.39: "fair", 0.19: "poor"}),
        ("fleiss", {0.76: "excellent", 0.74: "intermediate to good", 0.39: "poor"}),
        (
            "krippendorff",
            {0.801: "reliable", 0.799: "tentative conclusions only", 0.666: "below .667"},
        ),
    ],
)
def test_bands_lie_where_their_authors_drew_them(author: str, cuts: dict[float, str]) -> None:
    for value, word in cuts.items():
        found = Result(value=value, ci=ConfidenceInterval(value - 1e-4, value + 1e-4), n=1000)
        assert band(found, author=author).word == word


def test_band_is_the_highest_reached_with_the_demanded_probability() -> None:
    """The same .72: from a wide interval only "moderate" is safe, from a narrow one
    "substantial"."""
    wide = Result(value=0.72, ci=ConfidenceInterval(0.50, 0.94), n=30)
    narrow = Result(value=0.72, ci=ConfidenceInterval(0.69, 0.75), n=3000)
    assert (band(wide).word, band(narrow).word) == ("moderate", "substantial")
    assert band(narrow).probability > 0.95
    assert band(wide, demanded=0.8).word == "substantial"


def test_band_names_differ_by_author() -> None:
    narrow = Result(value=0.72, ci=ConfidenceInterval(0.69, 0.75), n=3000)
    assert band(narrow, author="altman").word == "good"
    assert band(narrow, author="fleiss").word == "intermediate to good"


def test_band_of_disagreement_is_poor() -> None:
    assert band(Result(value=-0.2, ci=ConfidenceInterval(-0.3, -0.1), n=100)).word == "poor"


def test_band_without_interval_says_why() -> None:
    assert (
        band(undefined_result("alpha", "no unit has two ratings")).reason
        == "no unit has two ratings"
    )
    assert band(Result(value=1.0, n=9)).word == ""
    assert band(Result(value=0.5, ci=ConfidenceInterval(0.1, 0.9), n=90, clusters=2)).word == ""
    assert (
        band(Result(value=0.9, ci=ConfidenceInterval(0.85, 0.95), n=90, clusters=3)).word
        == "almost perfect"
    )
