"""Severity of annotators by a many-facet rating scale model (Linacre 1989)."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    group_labels,
    numeric,
    same_length,
)

DECIMALS = 4  # that the optimisation gives alike on every machine
PENALTY = 1 / 9  # of squared logits: a normal prior with a standard deviation of 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Severities:
    """Annotators' severities in logits, with mean 0; NaN if ``reason`` says why."""

    annotators: list[Hashable]
    values: FloatArray  # (n_annotators,), above 0: lower ratings than the others give
    reason: str = ""


def annotator_severities(
    ratings: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    penalty: float = PENALTY,
) -> Severities:
    """Estimate the severity of annotators, given the systems and sources they rated.

    Parameters
    ----------
    ratings : array-like (n_ratings,)
        Points of an ordered scale, without nan.
    systems, sources, annotators : sequence of labels (n_ratings,)
        The system and source of the rated output, and the annotator.
    penalty : float
        Factor of the squared effects in logits. It keeps the effect of a source finite if the
        source has only the highest or only the lowest ratings.

    Returns
    -------
    Severities
        ``annotators``, in order of first appearance, and ``values`` (n_annotators,), their
        severities in logits with mean 0: above 0 for an annotator who rates lower than the others.
        The values are nan if severities cannot be estimated; ``reason`` then says why.

    Raises
    ------
    ValueError
        The ratings are no numbers, a label is missing, or the columns differ in length.

    Notes
    -----
    The log odds of a point against the next lower one are system + source - severity - threshold.
    All annotators, systems and sources share the thresholds; points that no annotator gave are
    ignored. The estimate maximises the penalised likelihood.

    References
    ----------
    Linacre, J. M. (1989). Many-Facet Rasch Measurement. MESA Press.

    Examples
    --------
    >>> severities = annotator_severities(
    ...     [3, 2, 3, 1, 2, 1, 3, 2], systems=list("aabbaabb"), sources=list("ssssttuu"),
    ...     annotators=list("xyxyxyxy"))
    >>> bool(severities.values[0] < 0 < severities.values[1])
    True
    """
    values = numeric(ratings, name="ratings", ndim=1)
    points, category = np.unique(values, return_inverse=True)
    _, system = group_labels(systems, name="systems")
    _, source = group_labels(sources, name="sources")
    names, annotator = group_labels(annotators, name="annotators")
    same_length(ratings=values, systems=system, sources=source, annotators=annotator)
    if reason := _undefined(points.size, source, annotator):
        return Severities(annotators=names, values=np.full(len(names), np.nan), reason=reason)
    likelihood = _PenalisedLikelihood(
        category.astype(np.intp), (system, source, annotator), points.size, penalty
    )
    _, _, leniency = likelihood.fitted_effects()
    severity = -leniency
    return Severities(annotators=names, values=np.round(severity - severity.mean(), DECIMALS) + 0.0)


def _undefined(points: int, source: IntArray, annotator: IntArray) -> str:
    """Return why severities cannot be estimated; empty if they can."""
    from scipy import sparse

    if points < 2:
        return "every rating has the same value"
    people = int(annotator.max()) + 1
    if people < 2:
        return "one annotator has nobody to be compared with"
    size = people + int(source.max()) + 1
    links = sparse.coo_array((np.ones(len(source)), (annotator, people + source)), (size, size))
    parts, _ = sparse.csgraph.connected_components(links, directed=False)
    return "no chain of shared sources connects all annotators" if parts > 1 else ""


@dataclass(frozen=True)
class _PenalisedLikelihood:
    """The likelihood of ratings, less a penalty of the effects.

    Its parameters are the effects of the facets, one facet after the other, and the thresholds.
    """

    category: IntArray  # (n,) of each rating, from 0
    facets: tuple[IntArray, ...]  # (n,) each
    points: int
    penalty: float

    @cached_property
    def sizes(self) -> list[int]:
        """The number of effects of each facet."""
        return [int(facet.max()) + 1 for facet in self.facets]

    @cached_property
    def passed(self) -> BoolArray:
        """The thresholds below each rating, (n, points - 1)."""
        return np.asarray(np.arange(1, self.points) <= self.category[:, None])

    def fitted_effects(self) -> list[FloatArray]:
        """Return the effects of each facet at the maximum."""
        from scipy import optimize

        fit = optimize.minimize(
            self.loss,
            np.zeros(sum(self.sizes) + self.points - 1),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 5000, "maxcor": 30, "ftol": 0, "gtol": 1e-4},
        )
        return np.split(fit.x, np.cumsum(self.sizes))[:-1]

    def loss(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative of the penalised log likelihood, and its gradient."""
        effects, thresholds = np.split(parameters, [sum(self.sizes)])
        logs = self._log_chances(effects, thresholds)
        gradient = self._gradient_without_penalty(np.exp(logs))
        gradient[: effects.size] += self.penalty * effects
        fit = -logs[np.arange(len(self.category)), self.category].sum()
        return float(fit + self.penalty * (effects**2).sum() / 2), gradient

    def _log_chances(self, effects: FloatArray, thresholds: FloatArray) -> FloatArray:
        """Return the log probability of every point for each rating, (n, points)."""
        from scipy import special

        offsets = np.cumsum([0, *self.sizes[:-1]])
        place = sum(
            effects[offset + facet] for offset, facet in zip(offsets, self.facets, strict=True)
        )
        steps = np.arange(self.points)
        logits = np.outer(place, steps) - np.concatenate([[0.0], np.cumsum(thresholds)])
        return np.asarray(special.log_softmax(logits, axis=1))

    def _gradient_without_penalty(self, chances: FloatArray) -> FloatArray:
        surplus = chances @ np.arange(self.points) - self.category
        by_facet = [
            np.bincount(facet, surplus, size)
            for facet, size in zip(self.facets, self.sizes, strict=True)
        ]
        passing = chances[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]  # probability of each threshold
        return np.concatenate([*by_facet, (self.passed - passing).sum(axis=0)])
