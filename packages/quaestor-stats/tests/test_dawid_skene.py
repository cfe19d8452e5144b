import numpy as np
import pytest

from quaestor_stats._dawid_skene import dawid_skene
from quaestor_stats._inputs import RatingOffScale

NAN = np.nan


def crowd(units: int = 600) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Return true values, ratings and how often each rater is right."""
    draw = np.random.default_rng(0)
    truth = draw.choice([1, 2, 3], size=units, p=[0.5, 0.3, 0.2])
    right = [0.9, 0.8, 0.7, 0.35]
    columns = [np.where(draw.random(units) < p, truth, draw.integers(1, 4, units)) for p in right]
    table = np.column_stack(columns).astype(float)
    table[draw.random(table.shape) < 0.1] = NAN
    return truth, table, [p + (1 - p) / 3 for p in right]


def test_dawid_skene_finds_truth_and_raters() -> None:
    truth, table, right = crowd()
    found = dawid_skene(table, scale=[1, 2, 3])
    judged = ~np.isnan(found.chances[:, 0])
    guessed = found.scale[np.nan_to_num(found.chances).argmax(axis=1)]
    assert found.converged
    assert (guessed == truth)[judged].mean() > 0.9
    assert found.accuracy == pytest.approx(right, abs=0.08)
    assert found.prevalence == pytest.approx([0.5, 0.3, 0.2], abs=0.06)


def test_dawid_skene_raises_the_likelihood_of_majority() -> None:
    """A rater who is always wrong in the same way is as good as one who is right."""
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, 200)
    noisy = [np.where(draw.random(200) < 0.75, truth, 1 - truth) for _ in range(3)]
    table = np.column_stack([*noisy, 1 - truth]) + 1.0
    found = dawid_skene(table, scale=[1, 2])
    assert (found.chances.argmax(axis=1) == truth).mean() > 0.95
    assert found.accuracy[3] < 0.1


def test_dawid_skene_stops_only_when_no_chance_moves_any_more() -> None:
    """Units on which all agree stand still from the first step on; the others have not arrived
    then."""
    _, table, _ = crowd(200)
    table[:50] = 1
    found = dawid_skene(table, scale=[1, 2, 3])
    further = dawid_skene(table, scale=[1, 2, 3], tolerance=1e-12, most_iterations=1000)
    assert found.converged and found.iterations > 5
    assert found.chances == pytest.approx(further.chances, abs=1e-3, nan_ok=True)


def test_one_step_of_dawid_and_skene_is_that_of_a_loop() -> None:
    """From shares of votes: how often each rater says l where the truth is k, then each unit's
    chances, here of three units, two raters and smoothing 1."""
    table = np.array([[1, 1], [1, 2], [2, 2]])
    shares = np.array([[1, 0], [0.5, 0.5], [0, 1]])
    prevalence, chances = shares.mean(axis=0), np.zeros((3, 2))
    confusion = np.ones((2, 2, 2))
    for unit, rater in np.ndindex(3, 2):
        confusion[rater, :, table[unit, rater] - 1] += shares[unit]
    confusion /= confusion.sum(axis=2, keepdims=True)
    for unit in range(3):
        for truth in range(2):
            chances[unit, truth] = prevalence[truth] * np.prod(
                [confusion[rater, truth, table[unit, rater] - 1] for rater in range(2)]
            )
    chances /= chances.sum(axis=1, keepdims=True)
    found = dawid_skene(table, scale=[1, 2], most_iterations=1, smoothing=1)
    assert found.iterations == 1
    assert found.prevalence == pytest.approx(prevalence)
    assert found.confusion == pytest.approx(confusion)
    assert found.chances == pytest.approx(chances)


def test_dawid_skene_leaves_units_nobody_judged() -> None:
    found = dawid_skene([[1, 1], [NAN, NAN], [2, 2]], scale=[1, 2])
    assert np.isnan(found.chances[1]).all()
    assert found.chances[0] == pytest.approx([1, 0], abs=0.01)


def test_dawid_skene_does_not_depend_on_order() -> None:
    _, table, _ = crowd(100)
    a, b = dawid_skene(table, scale=[1, 2, 3]), dawid_skene(table[::-1, ::-1], scale=[1, 2, 3])
    assert a.accuracy == pytest.approx(b.accuracy[::-1])


def test_dawid_skene_says_when_it_has_not_converged() -> None:
    assert not dawid_skene(crowd()[1], scale=[1, 2, 3], most_iterations=1).converged


def test_dawid_skene_refuses_nothing_and_values_off_the_scale() -> None:
    with pytest.raises(ValueError, match="no rater judged any unit"):
        dawid_skene([[NAN, NAN]], scale=[1, 2])
    with pytest.raises(RatingOffScale):
        dawid_skene([[1, 3]], scale=[1, 2])
