"""Stuart's tau-c by its formula, by hand, and at the edges."""

import numpy as np
import pytest

from analysis.stats.tau_c import kendall_tau_c


def by_formula(a, b):
    pairs = [(i, j) for i in range(len(a)) for j in range(i)]
    surplus = sum(np.sign((a[i] - a[j]) * (b[i] - b[j])) for i, j in pairs)
    fewer = min(len(set(a)), len(set(b)))
    return 2 * fewer * surplus / (len(a) ** 2 * (fewer - 1))


def test_tau_c_reaches_one_where_one_scale_is_shorter():
    assert kendall_tau_c([1, 1, 2, 2], [1, 2, 3, 4]).value == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_tau_c_is_what_the_formula_says(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(1, 4, 40), rng.integers(1, 6, 40)
    assert kendall_tau_c(a, b).value == pytest.approx(by_formula(a.tolist(), b.tolist()))


def test_tau_c_leaves_out_what_is_missing_and_says_when_it_is_undefined():
    found = kendall_tau_c([1, 2, 3, np.nan], [1, 2, 3, 4])
    assert (found.n, found.dropped) == (3, 1)
    assert "too few" in kendall_tau_c([1, 2], [1, 2]).reason
    assert "same for every item" in kendall_tau_c([1, 1, 1], [1, 2, 3]).reason
