"""Scores of systems: means with intervals over sources, counts and distributions."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import FloatArray, IntArray, Labels, grouped, numeric
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.ratings import Scale, checked_scale, coded
from analysis.stats.resampling import Interval, Jackknife, estimated, mean_statistic


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each point of the scale was given."""

    scale: FloatArray  # (V,)
    counts: IntArray  # (V,)
    missing: int

    @property
    def shares(self) -> FloatArray:
        total = self.counts.sum()
        return self.counts / total if total else np.full(self.counts.shape, nan)


def system_means(
    scores: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> dict[Hashable, Estimate]:
    """Mean score of each system, with an interval over sources.

    Parameters
    ----------
    scores : (n_questions,), NaN where there is none
    systems, sources : (n_questions,) labels
    interval : `Jackknife` over sources (with one question a source it is Student's t over them) or `Bootstrap`

    Returns
    -------
    dict
        Per system, in order of first appearance: the mean of its questions' scores; ``n`` is its number of **sources**
        with a score, ``dropped`` its questions without. A source with more questions weighs more.
    """
    values = numeric(scores, name="scores", ndim=1)
    names, system = grouped(systems, name="systems")
    _, source = grouped(sources, name="sources")
    if not len(values) == len(system) == len(source):
        raise ValueError(
            f"columns differ in length: {len(values)} scores, {len(system)} systems, {len(source)} sources"
        )
    return {name: _mean_over(values[system == i], source[system == i], interval) for i, name in enumerate(names)}


def _mean_over(values: FloatArray, source: IntArray, interval: Interval | None) -> Estimate:
    method, scored = "mean of question scores, sources as units", ~np.isnan(values)
    dropped = int((~scored).sum())
    if not scored.any():
        return undefined(method, "no question has a score", dropped=dropped)
    _, unit = np.unique(source[scored], return_inverse=True)
    sums = np.column_stack([np.bincount(unit, values[scored]), np.bincount(unit)]).astype(np.float64)
    return estimated(sums, np.ones(len(sums)), mean_statistic, interval, method=method, dropped=dropped)


def distribution(scores: ArrayLike, *, scale: Scale) -> Distribution:
    """Count how often each point of the scale was given in an array of any shape."""
    values = checked_scale(scale)
    table = numeric(np.asarray(scores).reshape(-1, 1), name="scores", ndim=2)
    counts = np.bincount(coded(table, values)[:, 0], minlength=values.size + 1)
    return Distribution(values, counts[:-1], int(counts[-1]))


def system_distributions(scores: ArrayLike, *, systems: Labels, scale: Scale) -> dict[Hashable, Distribution]:
    """Count per system; ``scores`` may be (n_questions,) or (n_questions, n_raters)."""
    names, system = grouped(systems, name="systems")
    rows = np.asarray(scores)
    if len(rows) != len(system):
        raise ValueError(f"columns differ in length: {len(rows)} scores, {len(system)} systems")
    return {name: distribution(rows[system == i], scale=scale) for i, name in enumerate(names)}


def by_source(
    scores: ArrayLike, *, systems: Labels, sources: Labels
) -> tuple[FloatArray, list[Hashable], list[Hashable]]:
    """Return mean scores (n_systems, n_sources), nan where a system has none, with the names of both sides."""
    values = numeric(scores, name="scores", ndim=1)
    names, system = grouped(systems, name="systems")
    places, source = grouped(sources, name="sources")
    scored = ~np.isnan(values)
    cell = (system * len(places) + source)[scored]
    size = len(names) * len(places)
    total, count = np.bincount(cell, values[scored], size), np.bincount(cell, minlength=size)
    means = np.where(count > 0, total / np.maximum(count, 1), nan)
    return means.reshape(len(names), len(places)), names, places
