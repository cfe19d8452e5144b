"""Gwet's coefficients, Conger's kappa and intraclass correlations against published values."""

import published_data as data
import pytest
from scipy import stats

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import intraclass, mean_squares

FIVE = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("weights", "ac", "fleiss", "conger"),
    [("unweighted", 0.77544, 0.76117, 0.76282), ("quadratic", 0.91400, 0.86494, 0.85771)],
)
def test_gwets_four_raters(weights: str, ac: float, fleiss: float, conger: float) -> None:
    """R irrCAC (vignette) and its Python port, cac.raw4raters."""
    assert gwet_ac(data.GWET_RAW4, scale=FIVE, weights=weights).value == pytest.approx(ac, abs=5e-6)
    assert fleiss_kappa(data.GWET_RAW4, weights=weights).value == pytest.approx(fleiss, abs=5e-6)
    assert conger_kappa(data.GWET_RAW4, weights=weights).value == pytest.approx(conger, abs=5e-6)


def test_brennan_prediger_of_gwets_tables() -> None:
    """R irrCAC: cac.raw4raters .77273, distrib.6raters .4388889, cont3x3abstractors .835."""
    assert randolph_kappa(data.GWET_RAW4, scale=FIVE).value == pytest.approx(0.77273, abs=5e-6)
    assert randolph_kappa(data.FLEISS_1971[:15], scale=FIVE).value == pytest.approx(
        0.4388889, abs=5e-8
    )
    assert randolph_kappa(
        data.from_joint(data.ABSTRACTORS), scale=[1, 2, 3]
    ).value == pytest.approx(0.835, abs=5e-7)


def test_ac1_of_gwets_tables() -> None:
    """R irrCAC vignette: distrib.6raters .4448007, cont3x3abstractors .8493305."""
    assert gwet_ac(data.FLEISS_1971[:15], scale=FIVE).value == pytest.approx(0.4448007, abs=5e-8)
    assert gwet_ac(data.from_joint(data.ABSTRACTORS), scale=[1, 2, 3]).value == pytest.approx(
        0.8493305, abs=5e-8
    )


def test_fleiss_of_two_raters_is_scotts_pi() -> None:
    """R irrCAC vignette, cont3x3abstractors: Scott .7962397."""
    assert fleiss_kappa(data.from_joint(data.ABSTRACTORS)).value == pytest.approx(
        0.7962397, abs=5e-8
    )


def test_conger_of_two_raters_is_cohens_kappa() -> None:
    assert conger_kappa(data.from_joint(data.ABSTRACTORS)).value == pytest.approx(
        0.7964094, abs=5e-8
    )


def test_shrout_and_fleiss_mean_squares() -> None:
    ms = mean_squares(data.SHROUT_FLEISS)
    found = [round(x, 4) for x in (ms.between, ms.within, ms.judges, ms.error)]
    assert found == [11.2417, 6.2639, 32.4861, 1.0194]


@pytest.mark.parametrize(
    ("form", "value", "low", "high"),
    [
        ("1,1", 0.1657, -0.13, 0.72),
        ("2,1", 0.2898, 0.02, 0.76),
        ("3,1", 0.7148, 0.34, 0.95),
        ("1,k", 0.4428, -0.88, 0.91),
        ("2,k", 0.6201, 0.07, 0.93),
        ("3,k", 0.9093, 0.68, 0.99),
    ],
)
def test_shrout_and_fleiss(form: str, value: float, low: float, high: float) -> None:
    """Values: the paper's table 4 (two digits), more digits and the intervals from pingouin."""
    found = intraclass(data.SHROUT_FLEISS)[form]
    assert (round(found.value, 4), round(found.ci.low, 2), round(found.ci.high, 2)) == (
        value,
        low,
        high,
    )


def test_intraclass_of_anxiety() -> None:
    """R irr's data; agreement (2,1) .198, consistency (3,1) .216, one-way (1,1) .175."""
    found = intraclass(data.ANXIETY)
    assert [round(found[form].value, 3) for form in ("2,1", "3,1", "1,1")] == [0.198, 0.216, 0.175]


@pytest.mark.parametrize(
    ("coefficient", "published"),
    [
        (lambda table: fleiss_kappa(table), 0.08119291),
        (lambda table: gwet_ac(table, scale=FIVE), 0.08418757),
        (lambda table: randolph_kappa(table, scale=FIVE), 0.08312142),
        (lambda table: krippendorff_alpha(table, level="nominal"), 0.08243228),
    ],
)
def test_jackknife_errors_are_near_gwets_linearised_ones(coefficient, published: float) -> None:
    """R irrCAC vignette, distrib.6raters. Two estimates of one thing: they agree within a few per
    cent, not exactly."""
    found = coefficient(data.FLEISS_1971[:15])
    error = (found.value - found.ci.low) / stats.t.ppf(0.975, 14)
    assert error == pytest.approx(published, rel=0.04)
