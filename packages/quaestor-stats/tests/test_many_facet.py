"""Many-facet severities against statsmodels, a plain likelihood and known severities."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize

from quaestor_stats._many_facet import annotator_severities

RNG = np.random.default_rng


def crossed(systems: int, sources: int, annotators: int) -> dict[str, Any]:
    """Return the labels of a complete design."""
    places = np.indices((systems, sources, annotators)).reshape(3, -1)
    return dict(zip(("systems", "sources", "annotators"), places, strict=True))


def drawn(labels: dict[str, Any], severity: Any, *, points: int, seed: int) -> Any:
    """Draw ratings from 1 by the model."""
    rng = RNG(seed)
    of_system = rng.normal(0, 0.8, labels["systems"].max() + 1)
    of_source = rng.normal(0, 0.8, labels["sources"].max() + 1)
    place = of_system[labels["systems"]] + of_source[labels["sources"]]
    place = place - np.asarray(severity)[labels["annotators"]]
    steps = np.concatenate([[0], np.cumsum(np.linspace(-1, 1, points - 1))])
    logits = np.outer(place, np.arange(points)) - steps
    noise = rng.gumbel(size=logits.shape)
    return 1 + (logits + noise).argmax(axis=1)


def test_annotator_severities_two_points_agree_with_logistic_regression() -> None:
    labels = crossed(3, 25, 4)
    ratings = drawn(labels, [-1, 0, 0, 1], points=2, seed=3)
    # sources whose ratings are all alike have no finite estimate without a penalty
    whole = np.bincount(labels["sources"], ratings == 2)
    mixed = ((whole > 0) & (whole < 12))[labels["sources"]]
    labels = {name: each[mixed] for name, each in labels.items()}
    ratings = ratings[mixed]
    found = annotator_severities(ratings, **labels, penalty=1e-9)
    columns = [
        (each[:, None] == np.unique(each)[None, int(name != "sources") :]).astype(float)
        for name, each in labels.items()
    ]
    fitted = sm.Logit(ratings == 2, np.hstack(columns)).fit(disp=0, maxiter=200).params
    severity = -np.concatenate([[0], fitted[-3:]])
    assert found.values == pytest.approx(severity - severity.mean(), abs=2e-3)


def test_annotator_severities_three_points_agree_with_a_plain_likelihood() -> None:
    labels = crossed(2, 5, 3)
    ratings = drawn(labels, [-1, 0, 1], points=3, seed=5)
    found = annotator_severities(ratings, **labels, penalty=0.2)

    def loss(parameters: Any) -> float:
        system, source, severity, threshold = np.split(parameters, [2, 7, 10])
        total = 0.1 * (parameters[:10] ** 2).sum()
        for place, rating in enumerate(ratings):
            at = system[labels["systems"][place]] + source[labels["sources"][place]]
            at -= severity[labels["annotators"][place]]
            odds = [1, np.exp(at - threshold[0]), np.exp(2 * at - threshold.sum())]
            total -= np.log(odds[rating - 1] / sum(odds))
        return float(total)

    severity = optimize.minimize(loss, np.zeros(12), options={"gtol": 1e-6}).x[7:10]
    assert found.values == pytest.approx(severity - severity.mean(), abs=1e-3)


def test_annotator_severities_unequal_allocation_recovers_them() -> None:
    """The severe annotator rates the best system alone twice as often as the others do."""
    labels = crossed(3, 300, 3)
    severity = np.array([-0.8, 0.0, 0.8])
    ratings = drawn(labels, severity, points=4, seed=7)
    kept = (labels["systems"] == 0) | (labels["annotators"] != 2) | (labels["sources"] % 2 == 0)
    found = annotator_severities(
        ratings[kept], **{name: each[kept] for name, each in labels.items()}
    )
    assert found.values == pytest.approx(severity, abs=0.12)


@pytest.mark.parametrize(
    ("ratings", "sources", "annotators", "reason"),
    [
        ([2, 2, 2, 2], "sstt", "abab", "every rating has the same value"),
        ([1, 2, 1, 2], "sstt", "aaaa", "one annotator has nobody to be compared with"),
        ([1, 2, 1, 2], "sstt", "aabb", "no chain of shared sources connects all annotators"),
    ],
)
def test_annotator_severities_undefined_says_why(
    ratings: list[int], sources: str, annotators: str, reason: str
) -> None:
    found = annotator_severities(
        ratings, systems=list("xyxy"), sources=list(sources), annotators=list(annotators)
    )
    assert found.reason == reason and np.isnan(found.values).all()


def test_annotator_severities_source_at_the_top_alone_stays_finite() -> None:
    labels = crossed(2, 6, 3)
    ratings = drawn(labels, [-0.5, 0, 0.5], points=3, seed=2)
    ratings[labels["sources"] == 0] = 3
    assert np.isfinite(annotator_severities(ratings, **labels).values).all()
