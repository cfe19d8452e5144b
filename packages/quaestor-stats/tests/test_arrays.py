"""Columns that do not belong together are refused, each named with its own length."""

from collections.abc import Callable

import numpy as np
import pytest

from quaestor_stats._cohen_kappa import cohen_kappa
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._design import facets
from quaestor_stats._inputs import sum_by_group
from quaestor_stats._paired_tests import cliffs_delta, paired_permutation, wilcoxon
from quaestor_stats._tie_calibration import pairwise_accuracy
from quaestor_stats._variance_components import variance_components

SCALE = [1, 2, 3]
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "Cohen": (lambda: cohen_kappa([1, 2, 3], [1, 2], scale=SCALE), "first 3, second 2"),
    "paired": (
        lambda: paired_permutation([1, 2, 3], [1, 2], rng=np.random.default_rng(0)),
        "first 3, second 2",
    ),
    "signed ranks": (lambda: wilcoxon([1, 2, 3], [1, 2]), "first 3, second 2"),
    "Cliff": (lambda: cliffs_delta([1, 2, 3], [1, 2]), "first 3, second 2"),
    "correlation": (lambda: correlate_columns([1, 2, 3], [1, 2]), "column 1 3, column 2 2"),
    "accuracy": (lambda: pairwise_accuracy([1, 2, 3], [1, 2]), "human 3, metric 2, groups 3"),
    "facets": (lambda: facets(["a", "b"], ["x", "y", "z"]), "sources 2, systems 3"),
    "components": (
        lambda: variance_components(
            [1.0, 2], systems=[1, 2, 3], sources=[1] * 4, annotators=[1] * 5
        ),
        "ratings 2, systems 3, sources 4, annotators 5",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_columns_of_different_length_are_named_with_their_own(name: str) -> None:
    asked, lengths = REFUSED[name]
    with pytest.raises(ValueError, match=f"columns differ in length: {lengths}$"):
        asked()


def test_sums_of_a_group_without_rows_are_zero():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    sums = sum_by_group(values, np.array([0, 0]), 3)
    assert sums.tolist() == [[4.0, 6.0], [0.0, 0.0], [0.0, 0.0]]
