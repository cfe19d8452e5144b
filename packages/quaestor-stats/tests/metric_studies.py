"""Studies of metrics for the tests: sources, systems, human columns and metrics that follow
them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class MetricStudy:
    human: np.ndarray  # (n, K)
    metrics: np.ndarray  # (n, M)
    sources: np.ndarray
    systems: np.ndarray

    @property
    def humans_by_name(self) -> dict[str, np.ndarray]:
        return {f"h{k}": column for k, column in enumerate(self.human.T)}

    @property
    def metrics_by_name(self) -> dict[str, np.ndarray]:
        return {f"m{k}": column for k, column in enumerate(self.metrics.T)}


def metric_study(
    sources: int = 12,
    systems: int = 4,
    *,
    humans: int = 2,
    metrics: int = 3,
    seed: int = 0,
    decimals: int = 1,
) -> MetricStudy:
    """Return ratings from 1 to 3 (means of three) and metrics with ties, each following people more
    than the last."""
    draw = np.random.default_rng(seed)
    shape = (sources, systems)
    worth = (
        0.4 * draw.normal(size=systems)
        + 0.5 * draw.normal(size=(sources, 1))
        + 0.6 * draw.normal(size=shape)
    )
    people = []
    for _ in range(humans):
        own = worth + 0.3 * draw.normal(size=shape)
        ratings = np.clip(
            np.round(2.2 + own[..., None] + 0.5 * draw.normal(size=(*shape, 3))), 1, 3
        )
        people.append(ratings.mean(axis=-1).ravel())
    scores = [
        (load * worth + 0.5 * draw.normal(size=(sources, 1)) + draw.normal(size=shape))
        .round(decimals)
        .ravel()
        for load in np.linspace(0.2, 1.5, metrics)
    ]
    places, names = np.indices(shape)
    return MetricStudy(
        np.column_stack(people), np.column_stack(scores), places.ravel(), names.ravel()
    )
