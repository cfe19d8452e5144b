"""Correlations, their comparison and multiplicity against published values."""

import numpy as np
import pytest

from quaestor_stats._correlation import correlate_columns
from quaestor_stats._multiplicity import benjamini_hochberg, holm
from quaestor_stats._tie_calibration import pairwise_accuracy
from quaestor_stats._williams import williams, williams_matrix


def test_kendall_of_scipys_documentation() -> None:
    found = correlate_columns([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], method="kendall")
    assert found.value == pytest.approx(-0.4714045, abs=5e-8)


def test_spearman_of_scipys_documentation() -> None:
    assert correlate_columns([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).value == pytest.approx(
        0.8207827, abs=5e-8
    )


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p"),
    [
        # cocor's test suite, citing depcor (Silver, Hittner & May 2006)
        (0.3, 0.4, 0.5, 100, -1.0767, 0.2843),
        # Steiger (1980), case A, as computed by cocor
        (0.4, 0.5, 0.1, 103, -0.8913, 0.3749),
        # psych::r.test, documentation
        (0.693458895410494, 0.695966022434845, 0.988475791500198, 5105, -1.6448, 0.1000759),
    ],
)
def test_williams(r12: float, r13: float, r23: float, n: int, t: float, p: float) -> None:
    found = williams(r12, r13, r23, n)
    assert round(found.statistic, 4) == t
    assert found.pvalue == pytest.approx(p, abs=5e-5)


def test_williams_of_mt_metrics_evals_own_test() -> None:
    """mt-metrics-eval: one-sided p .019, correlations .999 and .987."""
    gold, near, far = [1, 2, 3, 4, 5], [1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]
    r12, r13 = (
        correlate_columns(gold, near, method="pearson").value,
        correlate_columns(gold, far, method="pearson").value,
    )
    r23 = correlate_columns(near, far, method="pearson").value
    assert (round(r12, 3), round(r13, 3)) == (0.999, 0.987)
    assert round(williams(r12, r13, r23, 5, alternative="greater").pvalue, 3) == 0.019
    t, p = williams_matrix(gold, np.column_stack([near, far]))
    assert round(p[0, 1] / 2, 3) == 0.019
    assert t[0, 1] == -t[1, 0]


def test_holm_and_benjamini_hochberg() -> None:
    p = [0.01, 0.02, 0.03, 0.04, 0.05]
    assert holm(p).round(4).tolist() == [0.05, 0.08, 0.09, 0.09, 0.09]
    assert benjamini_hochberg(p).round(4).tolist() == [0.05] * 5


def test_pairwise_accuracy_of_mt_metrics_evals_own_test() -> None:
    """Gold 1 2 2 3 4, metric 2 1 1.5 5 3: the best accuracy with calibrated ties is .7."""
    assert pairwise_accuracy([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]).accuracy.value == pytest.approx(
        0.7
    )


def test_williams_of_nlpstats_own_test() -> None:
    """nlpstats checks against psych: legacy seed 12, three 9 x 5 tables, Pearson over all cells
    without their signs."""
    draw = np.random.RandomState(12)
    x, y, z = (draw.random_sample((9, 5)).ravel() for _ in range(3))
    r12, r13, r23 = (
        abs(correlate_columns(a, b, method="pearson").value) for a, b in ((x, z), (y, z), (x, y))
    )
    assert williams(r12, r13, r23, 45).pvalue == pytest.approx(0.5433956, abs=5e-8)
    assert williams(r12, r13, r23, 45, alternative="greater").pvalue == pytest.approx(
        0.2716978, abs=5e-8
    )
