"""AC1/AC2, Conger, intraclass correlations, words for agreement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.stats.bands import band
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.fleiss import conger_kappa
from analysis.stats.gwet import gwet_ac
from analysis.stats.icc import FORMS, intraclass
from analysis.stats.kappa import WEIGHTS, cohen_kappa
from analysis.stats.ratings import OffScale
from tests.published.stats_data import KRIPPENDORFF_C, SHROUT_FLEISS

NAN = np.nan
FIVE = [1, 2, 3, 4, 5]
tables = arrays(np.float64, st.tuples(st.integers(3, 10), st.just(3)), elements=st.sampled_from([1.0, 2, 3, NAN]))


def test_ac1_of_one_value_is_one_where_kappa_is_undefined() -> None:
    table = np.ones((5, 3))
    assert gwet_ac(table, scale=FIVE).value == 1
    assert not conger_kappa(table).defined


def test_ac1_depends_on_the_number_of_points() -> None:
    assert gwet_ac(KRIPPENDORFF_C, scale=FIVE).value != gwet_ac(KRIPPENDORFF_C, scale=range(1, 8)).value


def test_ac1_without_pairs_is_undefined() -> None:
    assert gwet_ac([[1, NAN], [NAN, 2]], scale=FIVE).reason == "no unit has two ratings"


def test_ac1_refuses_a_scale_of_one_point_and_ratings_off_it() -> None:
    with pytest.raises(ValueError, match="two points or more"):
        gwet_ac([[1, 1]], scale=[1])
    with pytest.raises(OffScale):
        gwet_ac([[1, 6]], scale=FIVE)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_conger_of_two_raters_is_cohen(weights: str) -> None:
    pair = KRIPPENDORFF_C[:, 1:3]
    both = pair[~np.isnan(pair).any(axis=1)]
    cohen = cohen_kappa(both[:, 0], both[:, 1], scale=FIVE, weights=weights)
    found = conger_kappa(both, weights=weights, scale=FIVE)
    assert found.value == pytest.approx(cohen.value)
    assert (found.low, found.high) == pytest.approx((cohen.low, cohen.high))


def test_conger_leaves_out_raters_without_ratings() -> None:
    padded = np.hstack([KRIPPENDORFF_C, np.full((12, 2), NAN)])
    assert conger_kappa(padded).value == pytest.approx(conger_kappa(KRIPPENDORFF_C).value)
    assert conger_kappa(np.full((3, 2), NAN)).reason == "no unit has two ratings"


@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_ac1_and_conger_do_not_depend_on_order_or_names(table, random) -> None:
    rng = np.random.default_rng(random.randrange(2**32))
    shuffled = rng.permutation(rng.permutation(table, axis=0), axis=1)
    for coefficient in (lambda t: gwet_ac(t, scale=FIVE, weights="linear"), conger_kappa):
        a, b = coefficient(table), coefficient(shuffled)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9, nan_ok=True)


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


def test_intraclass_refuses_an_unknown_form() -> None:
    with pytest.raises(ValueError, match="forms: 4,1 is none of"):
        intraclass(SHROUT_FLEISS, forms=["4,1"])


def test_band_is_the_highest_reached_with_the_demanded_probability() -> None:
    """The same .72: from a wide interval only "moderate" is safe, from a narrow one "substantial"."""
    wide = Estimate(value=0.72, low=0.50, high=0.94, n=30)
    narrow = Estimate(value=0.72, low=0.69, high=0.75, n=3000)
    assert (band(wide).word, band(narrow).word) == ("moderate", "substantial")
    assert band(narrow).probability > 0.95
    assert band(wide, demanded=0.8).word == "substantial"


def test_band_names_differ_by_author() -> None:
    narrow = Estimate(value=0.72, low=0.69, high=0.75, n=3000)
    assert band(narrow, author="altman").word == "good"
    assert band(narrow, author="fleiss").word == "intermediate to good"


def test_band_of_disagreement_is_poor() -> None:
    assert band(Estimate(value=-0.2, low=-0.3, high=-0.1, n=100)).word == "poor"


def test_band_without_interval_says_why() -> None:
    assert band(undefined("alpha", "no unit has two ratings")).reason == "no unit has two ratings"
    assert band(Estimate(value=1.0, n=9)).word == ""
