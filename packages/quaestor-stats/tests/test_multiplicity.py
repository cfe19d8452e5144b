import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import fdrcorrection, multipletests

from quaestor_stats._multiplicity import benjamini_hochberg, holm

families = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=30)


@settings(deadline=None, max_examples=30)
@given(families)
def test_benjamini_hochberg_equals_statsmodels(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(fdrcorrection(p)[1], abs=1e-12)


@pytest.mark.long
@settings(deadline=None, max_examples=10)  # each call of theirs collects all garbage
@given(families)
def test_holm_equals_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_an_undefined_test_is_no_part_of_the_family(adjust) -> None:
    with_gap = adjust([0.01, np.nan, 0.04])
    assert np.isnan(with_gap[1])
    assert with_gap[[0, 2]].tolist() == adjust([0.01, 0.04]).tolist()


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_an_empty_family_stays_empty(adjust) -> None:
    assert adjust([]).size == 0


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_what_is_no_p_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([p])
