"""G and D studies: how well other numbers of annotators and sources would distinguish systems.

The variances are those of a fit with random annotators. A generalisability coefficient compares
the systems' variance with the error of their differences, a dependability coefficient with the
error of the means themselves (Brennan 2001).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import nan, sqrt

import numpy as np

from quaestor_stats._variance_components import Components


class NotGeneralisable(ValueError):
    """Variance components from which other numbers of annotators cannot be predicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependability:
    """How well a study with these numbers of annotators and sources distinguishes systems."""

    annotators: int
    sources: int
    universe: float  # variance of the systems' own means
    relative: float  # error variance of differences
    absolute: float  # error variance of means

    @property
    def generalisability(self) -> float:
        return _share(self.universe, self.relative)

    @property
    def dependability(self) -> float:
        return _share(self.universe, self.absolute)

    @property
    def error_of_mean(self) -> float:
        """Standard error of one system's mean, over other annotators and sources."""
        return sqrt(self.absolute)

    @property
    def error_of_difference(self) -> float:
        """Standard error of the difference of two systems' means."""
        return sqrt(2 * self.relative)


def _share(universe: float, error: float) -> float:
    return universe / (universe + error) if universe + error > 0 else nan


def systems_apart(
    components: Components,
    *,
    annotators: Sequence[int],
    sources: Sequence[int],
) -> list[Dependability]:
    """D study of systems: every number of annotators with every number of sources.

    Notes
    -----
    With k annotators who all judge all systems on all n sources, m questions each,

    relative = v(source:system) / n + v(question) / (n m) + v(annotator:system) / k
               + v(residual) / (n m k)
    absolute = relative + v(source) / n + v(annotator) / k

    and the universe is the variance of the systems' means, free of their errors; where it would
    be below zero it is 0. Source: Brennan (2001), Generalizability Theory, sections 1.2 and 4.1.

    Raises
    ------
    NotGeneralisable
        Annotators fixed or alone, or questions with one rating each.
    """
    if not components.random:
        raise NotGeneralisable("annotators are fixed, or there is one: others are unknown")
    v = components.variances
    if "question" not in v:
        raise NotGeneralisable("every question has one rating: annotators cannot be compared")
    cell, pair, source, cluster = (
        v.get(name, 0.0) for name in ("source:system", "annotator:system", "source", "cluster")
    )
    source += cluster  # other sources are taken to belong to clusters of their own
    residual = v["residual"] + v.get("question:annotator", 0.0)
    m = components.questions / components.cells
    universe = variance_of_systems(components)
    found = []
    for k, n in product(annotators, sources):
        relative = cell / n + v["question"] / (n * m) + pair / k + residual / (n * m * k)
        absolute = relative + source / n + v["annotator"] / k
        found.append(
            Dependability(
                annotators=k, sources=n, universe=universe, relative=relative, absolute=absolute
            )
        )
    return found


def variance_of_systems(components: Components) -> float:
    """Return the variance of the systems' means less that of their errors, at least 0.

    Notes
    -----
    The sum of squares of s means about their mean has the expectation
    (s - 1) v + tr(C) - sum(C) / s, with C their covariance.
    """
    s = len(components.systems)
    if s < 2:
        return 0.0
    spread = float(np.var(components.means, ddof=1))
    c = components.covariance
    return max(0.0, spread - float(np.trace(c) - c.sum() / s) / (s - 1))
