"""Set measures on matrices: worked by hand, by closed form, and by trying every assignment."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quaestor_metrics._pair_matrices import best_assignment, f_measure, precision, recall

SCORES = np.array([[0.9, 0.1, 0.0], [0.8, 0.7, 0.0]])
small = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(0, 1))
)


def by_trying_all(scores: np.ndarray) -> float:
    wide = scores if scores.shape[0] <= scores.shape[1] else scores.T
    return max(
        float(sum(wide[row, column] for row, column in enumerate(columns)))
        for columns in permutations(range(wide.shape[1]), wide.shape[0])
    )


def test_precision_recall_and_f_by_hand() -> None:
    u, v = (0.9 + 0.8) / 2, (0.9 + 0.7 + 0.0) / 3
    assert precision(SCORES) == pytest.approx(u)
    assert recall(SCORES) == pytest.approx(v)
    assert f_measure(SCORES) == pytest.approx(2 * u * v / (u + v))


def test_assignment_gives_up_a_best_match_for_the_best_total() -> None:
    found = best_assignment(np.array([[0.9, 0.8], [0.8, 0.1]]))
    assert found.pairs == ((0, 1), (1, 0))
    assert found.total == pytest.approx(1.6)


@given(small)
def test_assignment_is_the_best_of_all(scores: np.ndarray) -> None:
    assert best_assignment(scores).total == pytest.approx(by_trying_all(scores))


@given(small)
def test_multi_f_is_the_harmonic_mean_and_the_closed_form(scores: np.ndarray) -> None:
    found = best_assignment(scores)
    m, n = scores.shape
    assert found.f == pytest.approx(2 * found.total / (m + n))
    if (
        found.precision + found.recall
    ):  # which may be 0 where a total is the smallest number there is
        assert found.f == pytest.approx(
            2 * found.precision * found.recall / (found.precision + found.recall)
        )


@given(small)
def test_the_order_of_predictions_and_references_does_not_matter(scores: np.ndarray) -> None:
    shuffled = scores[::-1, ::-1]
    assert f_measure(shuffled) == pytest.approx(f_measure(scores))
    assert best_assignment(shuffled).total == pytest.approx(best_assignment(scores).total)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_one_empty_side_is_0(shape: tuple[int, int]) -> None:
    nothing = np.zeros(shape)
    assert (
        precision(nothing),
        recall(nothing),
        f_measure(nothing),
        best_assignment(nothing).f,
    ) == (
        0,
        0,
        0,
        0,
    )


def test_no_match_at_all_is_0() -> None:
    assert (f_measure(np.zeros((2, 3))), best_assignment(np.zeros((2, 3))).f) == (0, 0)
