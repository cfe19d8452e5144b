"""What a number of sources, systems or points decides, on both sides of it."""

import numpy as np
import pytest
from scipy import stats

from quaestor_stats import _tie_calibration as ties
from quaestor_stats._alternative_annotator import AgainstPerson
from quaestor_stats._correlation import exact_p, independent_p, pairwise
from quaestor_stats._paired_tests import paired_permutation, smallest_p
from quaestor_stats._prediction_powered import corrected_mean
from quaestor_stats._system_level import Orders
from quaestor_stats._tie_calibration import pairwise_accuracy

NAN = np.nan


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_person_is_won_against_up_to_five_percent() -> None:
    at, above = (
        AgainstPerson(person="A", n=30, adjusted=p, adjusted_items=p) for p in (0.05, 0.0501)
    )
    assert (at.won, at.won_items, above.won, above.won_items) == (True, True, False, False)


def test_all_swaps_are_taken_of_up_to_sixteen_sources() -> None:
    words = [paired_permutation(np.arange(n), np.ones(n), rng=rng()).method for n in (16, 17)]
    assert ["all swaps" in told for told in words] == [True, False]
    assert (smallest_p(16), smallest_p(17)) == (2 / 2**16, 1 / 10_001)


def test_all_orders_are_taken_of_up_to_eight_systems_and_nine_items() -> None:
    assert [Orders.of(n, rng(), drawn=9).words for n in (8, 9)] == [
        "all 40,320 orders of 8 systems",
        "9 orders drawn",
    ]
    x, y = rng().normal(size=(2, 10))
    for n, exact in ((9, True), (10, False)):
        r = stats.pearsonr(x[:n], y[:n])
        found = independent_p(x[:n], y[:n], r.statistic, "pearson")
        assert (found == pytest.approx(r.pvalue, rel=1e-9)) is not exact
    assert independent_p(x[:9], y[:9], NAN, "spearman") == exact_p(x[:9], y[:9], method="spearman")


def test_two_columns_go_together_from_three_items_on() -> None:
    values, shared = pairwise(
        np.array([[1.0, 2, 1], [2, 1, 2], [3, 3, NAN], [4, NAN, NAN]]), method="pearson"
    )
    assert (shared[0, 1], shared[0, 2]) == (3, 2)
    assert values[0, 1] == pytest.approx(0.5)
    assert np.isnan(values[0, 2])


def test_ten_sources_with_people_are_enough_for_a_corrected_mean() -> None:
    judge = rng().normal(size=40)
    for judged, enough in ((10, True), (9, False)):
        people = np.where(np.arange(40) < judged, judge + 0.1, NAN)
        assert corrected_mean(people, judge).corrected.defined is enough


def test_more_pairs_than_can_be_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metric = np.array([1.0, 2, 3, 4, 5, 6, 6, 6]), np.arange(8.0)
    monkeypatch.setattr(ties, "_MAX_COMPARED_PAIRS", 32)
    assert pairwise_accuracy(human, metric).accuracy.defined
    monkeypatch.setattr(ties, "_MAX_COMPARED_PAIRS", 31)
    assert "too many" in pairwise_accuracy(human, metric).accuracy.reason
