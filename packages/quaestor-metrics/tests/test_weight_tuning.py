"""Tuning finds weights that were put in; both ways agree; what cannot be learnt is refused."""

import numpy as np
import pytest

from quaestor_metrics._answerability import CLASSES, classes
from quaestor_metrics._weight_tuning import (
    CannotTune,
    FeatureWeights,
    JudgedScores,
    WeightSearch,
    _split,
    class_scores,
    collinear,
    exact,
    mixed,
    pearson,
    search,
    simplex,
    tune_weights,
    validate_weights,
)

N = 400
RNG = np.random.default_rng(1)


def study(seed: int = 1, *, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random class scores and a base metric, with judgments that are a known mixture of them."""
    rng = np.random.default_rng(seed)
    scores, base = rng.random((N, 4, 1)).repeat(2, axis=2), rng.random(N)
    gold = mixed(scores, base, TRUE, formula="per_class_f") + noise * rng.normal(size=N)
    return scores, base, gold


TRUE = FeatureWeights(0.7, (0.4, 0.3, 0.2, 0.1))


def test_the_grid_is_every_tenth_that_sums_to_1() -> None:
    assert simplex(0.1).shape == (286, 4)
    assert np.allclose(simplex(0.1).sum(axis=1), 1)


@pytest.mark.parametrize("method", ["grid", "exact"])
def test_known_weights_are_found(method: str) -> None:
    scores, base, gold = study()
    found = (
        exact(scores, base, gold)
        if method == "exact"
        else search(scores, base, gold, formula="per_class_f")
    )
    assert found.delta == pytest.approx(TRUE.delta)
    assert found.words == pytest.approx(TRUE.words)


def test_the_grid_finds_what_trying_every_point_finds() -> None:
    scores, base, gold = study(2, noise=0.5)
    points = [
        FeatureWeights(delta, tuple(words))
        for delta in np.linspace(0, 1, 5)
        for words in simplex(0.25).tolist()
    ]
    best = max(points, key=lambda point: pearson(mixed(scores, base, point, formula="paper"), gold))
    found = search(scores, base, gold, formula="paper", step=0.25)
    assert (found.delta, found.words) == (best.delta, best.words)


def test_exact_weights_correlate_at_least_as_well_as_the_grids() -> None:
    scores, base, gold = study(3, noise=0.5)
    of = {
        way: pearson(mixed(scores, base, found, formula="per_class_f"), gold)
        for way, found in (
            ("exact", exact(scores, base, gold)),
            ("grid", search(scores, base, gold, formula="per_class_f", step=0.05)),
        )
    }
    assert of["exact"] >= of["grid"] - 1e-12


def test_bags_have_a_spread_and_a_seed_settles_them() -> None:
    judged = JudgedScores(*study(4, noise=0.5))
    first, second = (
        tune_weights(judged, WeightSearch(bags=5), rng=np.random.default_rng(5)) for _ in range(2)
    )
    assert first == second
    assert first.bags == 5
    assert 0 < first.spread.delta < 0.2
    assert sum(first.weights.words) == pytest.approx(1)


def test_held_out_correlates_on_questions_that_were_not_learnt_from() -> None:
    judged, how = JudgedScores(*study(5, noise=0.3)), WeightSearch(method="exact")
    splits = validate_weights(judged, how, rng=np.random.default_rng(6), splits=3)
    assert [split.n for split in splits] == [100, 100, 100]
    assert all(split.tuned_metric > split.base for split in splits)


def test_class_scores_are_precision_and_recall_by_class() -> None:
    got = class_scores([(classes("red tall Ann"), classes("red Ann Bob"))], formula="paper")
    assert got.tolist() == [[[0.5, 1.0], [1.0, 0.5], [1.0, 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bag": 500}, "400 judged questions are fewer than a bag of 500"),
        ({"method": "exact", "formula": "paper"}, "not linear in its weights"),
    ],
)
def test_what_cannot_be_tuned_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(CannotTune, match=message):
        tune_weights(JudgedScores(*study()), WeightSearch(**change), rng=RNG)  # type: ignore[arg-type]


def test_judgments_that_do_not_vary_are_refused() -> None:
    scores, base, _ = study()
    with pytest.raises(CannotTune, match="the judgments do not vary"):
        tune_weights(JudgedScores(scores, base, np.full(N, 0.5)), WeightSearch(), rng=RNG)


def test_a_missing_judgment_is_refused() -> None:
    scores, base, gold = study()
    gold[3] = np.nan
    with pytest.raises(CannotTune, match="a score or judgment is missing"):
        tune_weights(JudgedScores(scores, base, gold), WeightSearch(), rng=RNG)


def test_too_few_to_hold_out_are_refused() -> None:
    with pytest.raises(CannotTune, match="fewer than 3 to test on"):
        validate_weights(JudgedScores(*study()), WeightSearch(), rng=RNG, train=398)


def test_a_split_that_leaves_two_questions_to_test_on_is_refused() -> None:
    """Two questions correlate at 1 or -1. A split learns from two of three sources where it does
    not get 300 questions from one; one in three leaves the third source alone."""
    sources = ["first"] * 200 + ["second"] * 198 + ["third"] * 2
    with pytest.raises(CannotTune, match="that 2 were left to test on"):
        validate_weights(
            JudgedScores(*study()),
            WeightSearch(bag=20),
            rng=np.random.default_rng(1),
            train=300,
            clusters=sources,
        )


@pytest.mark.parametrize(
    ("seed", "delta", "words"),
    [
        (0, 0.7, (0.4, 0.2, 0.1, 0.3)),
        (2, 0.8, (0.4, 0.2, 0.1, 0.3)),
        (5, 0.7, (0.3, 0.2, 0.2, 0.3)),
    ],
)
def test_the_grid_shares_a_weight_evenly_between_classes_that_are_one(
    seed: int, delta: float, words: tuple[float, ...]
) -> None:
    """Any split is equally good, and rounding chose: with OPENBLAS_CORETYPE=Prescott other weights
    came out."""
    rng = np.random.default_rng(seed)
    scores, base = rng.random((N, 4, 1)).repeat(2, axis=2), rng.random(N)
    scores[:, 3] = scores[:, 1]
    gold = mixed(scores, base, TRUE, formula="per_class_f") + 0.3 * rng.normal(size=N)
    found = search(scores, base, gold, formula="per_class_f")
    assert found.delta == pytest.approx(delta)
    assert found.words == pytest.approx(words)
    assert collinear(scores, base) == ["entity", "function"]
    dependent = scores[:, 0, 0] + scores[:, 2, 0]
    assert collinear(scores, dependent) == [*CLASSES, "the base metric"]
    assert collinear(*study()[:2]) == []


def clustered(
    sources: int, each: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a study in which nothing but the source tells what a question is worth."""
    rng = np.random.default_rng(seed)
    source = np.repeat(np.arange(sources), each)
    own = rng.random((sources, 4, 1))[source] + 0.05 * rng.random((len(source), 4, 1))
    base = rng.random(sources)[source] + 0.05 * rng.random(len(source))
    gold = rng.random(sources)[source] + 0.1 * rng.random(len(source))
    return own.repeat(2, axis=2), base, gold, source


def test_a_gain_that_was_learnt_from_the_same_sources_is_none_on_others() -> None:
    """Ten sources with 15 questions each, judgments by source alone: split by question, weights
    learn the sources."""
    gains: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(20):
        *data, source = clustered(10, 15, seed)
        for whole in (True, False):
            splits = validate_weights(
                JudgedScores(*data),
                WeightSearch(bag=50),
                rng=np.random.default_rng(1),
                train=75,
                splits=2,
                clusters=source.tolist() if whole else None,
            )
            gains[whole] += [split.tuned_metric - split.base for split in splits]
    assert np.mean(gains[False]) > 0.3
    assert np.mean(gains[True]) < 0.15


def test_a_source_is_learnt_from_or_tested_on_never_both() -> None:
    source = np.repeat(np.arange(12), [1, 9, 2, 3, 7, 1, 1, 5, 5, 4, 1, 1])
    for seed in range(20):
        learn, test = _split(source, 20, np.random.default_rng(seed))
        assert set(source[learn]).isdisjoint(source[test])
        assert sorted([*learn, *test]) == list(range(40))
        assert 20 <= len(learn) < 40
        assert len(test) > 0


def test_judgments_of_one_source_leave_none_to_test_on() -> None:
    with pytest.raises(CannotTune, match="all judged questions are on one source"):
        validate_weights(JudgedScores(*study()), WeightSearch(), rng=RNG, clusters=["t"] * N)


def test_nothing_that_correlates_is_refused() -> None:
    scores, base, _ = study()
    with pytest.raises(CannotTune, match="no part of the metric correlates"):
        exact(np.zeros_like(scores), np.zeros_like(base), np.arange(float(N)))
