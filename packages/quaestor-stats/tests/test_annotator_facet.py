"""Coefficients without each annotator, by hand: who judged a question counts for it, and only they."""

import numpy as np
import pytest

from quaestor_stats._design import facets, without_annotators
from quaestor_stats._pooled import pooled_values

NAN = np.nan


def test_a_question_stays_where_any_of_the_others_judged_it() -> None:
    ratings = np.array([[1, NAN, 2], [2, 2, NAN], [3, 1, NAN], [NAN, 3, NAN], [3, NAN, 1]])
    metric = np.array([1.0, 2, 4, 3, 7])[:, None]
    found = without_annotators(
        [ratings],
        metric,
        facets(range(5)),
        lambda human, metrics, _at: pooled_values(human, metrics, coefficients=["pearson"]),
        ["pearson"],
    )["pearson"]
    means = [  # of the other two, on the questions that one of them judged
        ([2, 2, 1, 3, 1], [1, 2, 4, 3, 7]),
        ([1.5, 2, 3, 2], [1, 2, 4, 7]),
        ([1, 2, 2, 3, 3], [1, 2, 4, 3, 7]),
    ]
    expected = [np.corrcoef(*each)[0, 1] for each in means]
    assert found.values[:, 0, 0] == pytest.approx(expected)
    assert not found.fragile.any()
