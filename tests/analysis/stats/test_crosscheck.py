import numpy as np
import pytest

from analysis.stats.alpha import LEVELS, krippendorff_alpha
from analysis.stats.correlation import METHODS, correlate
from analysis.stats.crosscheck import check_alpha, check_cohen, check_correlation, check_fleiss
from analysis.stats.fleiss import fleiss_kappa, randolph_kappa
from analysis.stats.kappa import WEIGHTS, cohen_kappa
from tests.published.stats_data import FLEISS_1971, KRIPPENDORFF_C

NAN = np.nan
FIVE = [1, 2, 3, 4, 5]


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_the_packages(level: str) -> None:
    found = check_alpha(
        KRIPPENDORFF_C, level=level, ours=krippendorff_alpha(KRIPPENDORFF_C, level=level).value
    )
    assert (found.library, found.reason) == ("krippendorff", "")
    assert found.version[0].isdigit()
    assert abs(found.difference) < 1e-12


def test_alpha_is_not_asked_where_the_package_cannot_bear_it() -> None:
    sliders = np.random.default_rng(0).integers(0, 101, (3000, 5)).astype(float)
    assert check_alpha(sliders[:300], level="interval", ours=0.1).reason == ""
    found = check_alpha(sliders, level="interval", ours=0.1)
    assert found.reason == "3000 units with 101 values are too many for the library"
    assert (found.library, found.version[0].isdigit()) == ("krippendorff", True)
    assert np.isnan(found.difference)


def test_alpha_is_not_asked_where_it_is_undefined() -> None:
    assert check_alpha(np.ones((4, 2)), level="nominal", ours=NAN).reason.startswith(
        "undefined here"
    )


def test_a_wrong_value_is_found_out() -> None:
    assert check_alpha(KRIPPENDORFF_C, level="nominal", ours=0.8).difference == pytest.approx(
        0.8 - 0.743421, abs=1e-6
    )


def test_fleiss_and_randolph_are_statsmodels() -> None:
    ours = fleiss_kappa(FLEISS_1971).value, randolph_kappa(FLEISS_1971, scale=FIVE).value
    checks = (
        check_fleiss(FLEISS_1971, scale=FIVE, ours=ours[0]),
        check_fleiss(FLEISS_1971, scale=FIVE, ours=ours[1], randolph=True),
    )
    assert max(abs(check.difference) for check in checks) < 1e-12


def test_fleiss_is_not_asked_with_unequal_raters_or_where_undefined() -> None:
    assert check_fleiss(KRIPPENDORFF_C, scale=FIVE, ours=0.7).reason.startswith(
        "units with different numbers"
    )
    assert check_fleiss(np.ones((3, 2)), scale=FIVE, ours=NAN).reason.startswith("undefined here")
    assert check_fleiss(np.full((3, 2), NAN), scale=FIVE, ours=NAN).reason.startswith(
        "units with different"
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cohen_is_statsmodels(weights: str) -> None:
    a, b = KRIPPENDORFF_C[:, 1], KRIPPENDORFF_C[:, 2]
    ours = cohen_kappa(a, b, scale=FIVE, weights=weights).value
    assert abs(check_cohen(a, b, scale=FIVE, weights=weights, ours=ours).difference) < 1e-12


def test_cohen_is_not_asked_on_uneven_scales_or_where_undefined() -> None:
    uneven = check_cohen([1, 2], [1, 5], scale=[1, 2, 5], weights="linear", ours=0.5)
    assert uneven.reason.startswith("the library weighs by position")
    assert check_cohen([1, 1], [1, 1], scale=FIVE, weights="linear", ours=NAN).reason.startswith(
        "undefined here"
    )


@pytest.mark.parametrize("method", METHODS)
def test_correlations_are_scipys(method: str) -> None:
    x, y = np.random.default_rng(0).integers(1, 6, (2, 40)).astype(float)
    ours = correlate(x, y, method=method).value
    assert abs(check_correlation(x, y, method=method, ours=ours).difference) < 1e-12


def test_correlation_is_not_asked_of_a_constant() -> None:
    assert check_correlation([1, 1, 1], [1, 2, 3], method="pearson", ours=NAN).reason.startswith(
        "undefined here"
    )
