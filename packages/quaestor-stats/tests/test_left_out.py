"""Intervals and tests from leaving out units: by hand, and where there are none."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats._jackknife import WithoutUnits, infer_coefficients, jackknife_errors, variance

NAN = np.nan


def mean_of(values: list[float]) -> WithoutUnits:
    x = np.array(values)
    return WithoutUnits(value=x.mean(), sources=(x.sum() - x) / (len(x) - 1))


def test_of_a_mean_it_is_students_t() -> None:
    """The jackknife variance of a mean is s^2 / n: 1, 2, 6 give mean 3, s^2 = 7, error sqrt(7 /
    3)."""
    left = mean_of([1, 2, 6])
    error, freedom, n = jackknife_errors(left)
    assert (error, freedom, n) == (pytest.approx(np.sqrt(7 / 3)), 2, 3)
    found, theirs = infer_coefficients(left, scale="plain"), stats.ttest_1samp([1, 2, 6], 0)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))


def test_units_that_a_coefficient_does_not_rest_on_are_no_units() -> None:
    assert variance(np.array([1.0, NAN, 2.0])) == (pytest.approx(1 / 2 * 0.5), 2)


def test_crossed_systems_add_what_question_sets_do_not_explain() -> None:
    """By hand: sources 1/2 x (1 + 1) = 1; systems 2/3 x 8 = 16/3; cells 3/4 x 4 = 3; so 1 + 16/3 -
    3 = 10/3, 2 df."""
    parts = {
        "sources": np.array([-1.0, 1.0]),
        "systems": np.array([-2.0, 0.0, 2.0]),
        "cells": np.array([-1.0, -1.0, 1.0, 1.0]),
    }
    error, freedom, _ = jackknife_errors(WithoutUnits(value=np.array(0.5), **parts))
    assert error == pytest.approx(np.sqrt(10 / 3))
    assert freedom == 1  # of two sources
    error, freedom, _ = jackknife_errors(
        WithoutUnits(value=np.array(0.5), **parts | {"cells": 9 * parts["cells"]})
    )
    assert (error, freedom) == (pytest.approx(1), 1)  # systems add nothing


def test_systems_that_add_something_leave_t_their_own_degrees_of_freedom() -> None:
    sources, systems = np.linspace(-0.1, 0.1, 30), np.array([-1.0, 0.0, 1.0])
    left = WithoutUnits(value=np.array(1.0), sources=sources, systems=systems, cells=np.zeros(90))
    assert jackknife_errors(left)[1] == 2


def test_annotators_add_their_own_variance() -> None:
    """1 from the sources as above, and 1/2 x (1 + 1) = 1 from two annotators; a third of another
    column is nan."""
    left = WithoutUnits(
        value=np.array(0.5), sources=np.array([-1.0, 1.0]), annotators=np.array([-1.0, 1.0, NAN])
    )
    error, freedom, _ = jackknife_errors(left)
    assert (error, freedom) == (pytest.approx(np.sqrt(2)), 1)


def test_fisher_limits_are_those_of_z_turned_back() -> None:
    without = np.array([0.5, 0.6, 0.7, 0.65])
    left = WithoutUnits(value=np.array(0.6), sources=without)
    found, z = infer_coefficients(left, scale="fisher"), np.arctanh(without)
    reach = stats.t.ppf(0.975, 3) * np.sqrt(3 / 4 * ((z - z.mean()) ** 2).sum())
    limits = np.tanh(np.arctanh(0.6) + np.array([-reach, reach]))
    assert (found.low, found.high) == pytest.approx(tuple(limits))
    assert found.p == pytest.approx(
        2 * stats.t.sf(np.arctanh(0.6) / reach * stats.t.ppf(0.975, 3), 3)
    )


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        (
            WithoutUnits(value=np.array(0.5), sources=np.array([0.4, 0.6])),
            "fewer than three sources: no interval",
        ),
        (
            WithoutUnits(value=np.array(1.0), sources=np.ones(5)),
            "a perfect correlation: no interval",
        ),
        (
            WithoutUnits(value=np.array(0.5), sources=np.full(5, 0.5)),
            "nothing changes it: no interval can be estimated",
        ),
        (
            WithoutUnits(
                value=np.array(0.5), sources=np.array([0.4, NAN, 0.6, 0.5]), fragile=np.array(True)
            ),
            "without one of the units it is undefined: no interval",
        ),
        (
            WithoutUnits(value=np.array(0.9), sources=np.array([0.8, 1.0, 0.9, 0.7])),
            "without one of the units the correlation is perfect: no interval",
        ),
        (
            WithoutUnits(
                value=np.array(0.9),
                sources=np.array([0.8, 0.9, 0.7]),
                annotators=np.array([-1.0, 0.8]),
            ),
            "without one of the units the correlation is perfect: no interval",
        ),
    ],
)
def test_there_is_no_interval_without_a_reason(left: WithoutUnits, reason: str) -> None:
    found = infer_coefficients(left, scale="fisher")
    assert (str(found.reason), bool(np.isnan(found.low)), bool(np.isnan(found.p))) == (
        reason,
        True,
        True,
    )


def test_an_undefined_coefficient_has_no_reason_of_its_own_here() -> None:
    found = infer_coefficients(
        WithoutUnits(value=np.array(NAN), sources=np.full(4, NAN)), scale="plain"
    )
    assert (str(found.reason), bool(np.isnan(found.p))) == ("", True)


def test_two_metrics_that_are_one_and_the_same_do_not_differ() -> None:
    left = WithoutUnits(value=np.array([0.5, 0.5]), sources=np.tile([[0.4], [0.5], [0.7]], (1, 2)))
    apart = left.pairs(np.array([0]), np.array([1]))
    assert infer_coefficients(apart, scale="plain").p.tolist() == [1.0]


def test_pairs_subtract_every_part() -> None:
    part = np.array([[0.1, 0.4], [0.2, 0.3]])
    left = WithoutUnits(
        value=np.array([0.5, 0.2]),
        sources=part,
        systems=part,
        cells=part,
        annotators=part,
        fragile=np.array([True, False]),
    )
    apart = left.pairs(np.array([0]), np.array([1]))
    assert apart.value.tolist() == pytest.approx([0.3])
    for each in (apart.sources, apart.systems, apart.cells, apart.annotators):
        assert each.ravel().tolist() == pytest.approx([-0.3, -0.1])
    assert apart.fragile.tolist() == [True]
