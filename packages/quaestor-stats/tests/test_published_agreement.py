"""Agreement coefficients against published values; the source of each table is told beside it in
stats_data."""

import numpy as np
import published_data as data
import pytest

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._cohen_kappa import cohen_kappa, kappa_matrix
from quaestor_stats._fleiss import fleiss_kappa, randolph_kappa


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_alpha_of_krippendorffs_example(level: str, published: float) -> None:
    found = krippendorff_alpha(data.KRIPPENDORFF_C, level=level)
    assert found.value == pytest.approx(published, abs=5e-7)
    assert (found.n, found.dropped) == (11, 1)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.691358), ("interval", 0.810845)])
def test_alpha_of_wikipedias_example(level: str, published: float) -> None:
    assert krippendorff_alpha(data.WIKIPEDIA_ALPHA, level=level).value == pytest.approx(
        published, abs=5e-7
    )


def test_alpha_of_wikipedias_fleiss_example() -> None:
    assert krippendorff_alpha(data.WIKIPEDIA_FLEISS, level="nominal").value == pytest.approx(
        0.21557, abs=5e-6
    )


def test_alpha_of_gwets_tables() -> None:
    """R irrCAC vignette: distrib.6raters .4204384, cont3x3abstractors .7972585."""
    assert krippendorff_alpha(data.FLEISS_1971[:15], level="nominal").value == pytest.approx(
        0.4204384, abs=5e-8
    )
    abstractors = data.from_joint(data.ABSTRACTORS)
    assert krippendorff_alpha(abstractors, level="nominal").value == pytest.approx(
        0.7972585, abs=5e-8
    )


def test_fleiss_1971() -> None:
    assert fleiss_kappa(data.FLEISS_1971).value == pytest.approx(0.430, abs=5e-4)  # the paper
    # R irr's data, more digits
    assert fleiss_kappa(data.FLEISS_1971).value == pytest.approx(0.43024, abs=5e-6)


def test_fleiss_of_gwets_distribution_is_the_vignettes() -> None:
    assert fleiss_kappa(data.FLEISS_1971[:15]).value == pytest.approx(0.4139265, abs=5e-8)


def test_fleiss_of_wikipedias_example() -> None:
    assert fleiss_kappa(data.WIKIPEDIA_FLEISS).value == pytest.approx(0.20993, abs=5e-6)


def test_fleiss_with_unequal_raters_in_both_forms() -> None:
    """irrCAC .76117 (Gwet's generalisation); R irr drops incomplete units and gives .64146 on 8 of
    12."""
    gwet = fleiss_kappa(data.KRIPPENDORFF_C)
    listwise = fleiss_kappa(data.KRIPPENDORFF_C, unequal="listwise")
    assert gwet.value == pytest.approx(0.76117, abs=5e-6)
    assert listwise.value == pytest.approx(0.64146, abs=5e-6)
    assert (gwet.n, gwet.dropped, listwise.n, listwise.dropped) == (11, 1, 8, 4)


def test_randolph() -> None:
    five = [1, 2, 3, 4, 5]
    assert randolph_kappa(data.FLEISS_1971, scale=five).value == pytest.approx(0.44444, abs=5e-6)
    assert randolph_kappa(data.WIKIPEDIA_FLEISS, scale=five).value == pytest.approx(
        0.22253, abs=5e-6
    )
    assert randolph_kappa(data.FLEISS_1971[:15], scale=five).value == pytest.approx(
        0.4388889, abs=5e-8
    )
    assert randolph_kappa(data.KRIPPENDORFF_C, scale=five).value == pytest.approx(0.77273, abs=5e-6)


def test_cohen_1960() -> None:
    joint = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    a, b = data.from_joint(joint).T
    assert cohen_kappa(a, b, scale=[1, 2, 3]).value == pytest.approx(0.4915, abs=5e-5)


def test_cohen_of_gwets_abstractors() -> None:
    """R irrCAC vignette: .7964094."""
    a, b = data.from_joint(data.ABSTRACTORS).T
    assert cohen_kappa(a, b, scale=[1, 2, 3]).value == pytest.approx(0.7964094, abs=5e-8)


def test_quadratic_kappa_of_anxiety() -> None:
    found = cohen_kappa(
        data.ANXIETY[:, 0], data.ANXIETY[:, 1], scale=range(1, 7), weights="quadratic"
    )
    assert found.value == pytest.approx(0.29677, abs=5e-6)


def test_kappa_matrix_holds_the_pairwise_values() -> None:
    matrix = kappa_matrix(data.ANXIETY, scale=range(1, 7), weights="quadratic")
    assert matrix.values[0, 1] == matrix.values[1, 0] == pytest.approx(0.29677, abs=5e-6)
    assert matrix.shared[0, 1] == 20
