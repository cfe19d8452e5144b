"""G and D studies: what other numbers of annotators and sources would give.

The variances are those of a fit with random annotators. A generalisability coefficient compares
what a study is to tell apart with the error of its differences, a dependability coefficient with
the error of its values themselves (Brennan 2001).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np

from analysis.stats.components import Components

Objects: TypeAlias = Literal["systems", "questions"]
CeilingLevel: TypeAlias = Literal["within_source", "pooled", "systems"]


class NotGeneralisable(ValueError):
    """Variance components that say nothing about other numbers of annotators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependability:
    """How well a study of so many annotators and sources tells systems, or questions, apart."""

    objects: Objects
    annotators: int
    sources: int  # for questions, those of the study itself
    universe: float  # variance of the objects' own values
    relative: float  # error variance of differences
    absolute: float  # error variance of values
    generalisability: float  # universe / (universe + relative)
    dependability: float  # universe / (universe + absolute)

    @property
    def error_of_mean(self) -> float:
        """Standard error of one object's value, over other annotators and sources."""
        return sqrt(self.absolute)

    @property
    def error_of_difference(self) -> float:
        """Standard error of the difference of two objects' values."""
        return sqrt(2 * self.relative)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCeiling:
    """Pearson correlations between annotators that the variance components imply."""

    level: CeilingLevel
    annotators: int
    one_with_others: float  # one annotator with the mean of the others
    means: float  # the mean of so many annotators with that of as many others


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
    v = _Shares(components)
    universe = v.systems
    found = []
    for k in annotators:
        for n in sources:
            relative = v.cell / n + v.question / (n * v.slots) + v.pair / k
            relative += v.residual / (n * v.slots * k)
            absolute = relative + v.source / n + v.annotator / k
            found.append(_dependability("systems", k, n, universe, relative, absolute))
    return found


def questions_apart(components: Components, *, annotators: Sequence[int]) -> list[Dependability]:
    """D study of questions, all systems' questions on all sources together.

    Notes
    -----
    relative = (v(annotator:system) (s - 1) / s + v(residual)) / k, absolute = relative +
    v(annotator) / k. The universe is the variance of questions' own values: of the s systems'
    means, sources and questions. The share (s - 1) / s is that of a difference between systems
    that shows among s of them.

    Raises
    ------
    NotGeneralisable
        As `systems_apart`.
    """
    v = _Shares(components)
    true, error, n = v.true("pooled"), v.error("pooled"), components.sources
    errors = [(k, error / k, (error + v.annotator) / k) for k in annotators]
    return [_dependability("questions", k, n, true, *each) for k, *each in errors]


def expected_ceiling(
    components: Components,
    *,
    annotators: int,
    level: CeilingLevel,
) -> ExpectedCeiling:
    """Return the highest correlation with people that people themselves reach, by the model.

    Parameters
    ----------
    annotators : how many judged; one of them is compared with the mean of the others
    level : "within_source" across systems on one source, "pooled" over all questions, "systems"
        across the systems' means

    Notes
    -----
    With T the variance that annotators share and E that of one annotator alone, one annotator and
    the mean of k others correlate at T / sqrt((T + E) (T + E / k)), the means of k and k others
    at T / (T + E / k). Constant severity does not enter. T and E are

    ============= ============================= =====================================
    level         T                             E
    ============= ============================= =====================================
    within_source system + cell + question      annotator:system + residual
    pooled        system (s-1)/s + source +     annotator:system (s-1)/s + residual
                  cell + question
    systems       system + cell / n +           annotator:system + residual / (n m)
                  question / (n m)
    ============= ============================= =====================================

    with cell the variance of source:system. This is Pearson's correlation; ranks of a short scale
    correlate less, and the mean of correlations over few systems is somewhat lower than its
    expectation here. `analysis.stats.ceiling` has the observed one.

    Raises
    ------
    NotGeneralisable
        As `systems_apart`, or fewer than two annotators.
    """
    if level not in get_args(CeilingLevel):
        raise ValueError(f"level: {level!r} is none of {', '.join(get_args(CeilingLevel))}")
    if annotators < 2:
        raise NotGeneralisable("one annotator has no others to agree with")
    if level != "pooled" and len(components.systems) < 2:
        raise NotGeneralisable("one system: there is nothing to correlate across")
    if level == "within_source" and "source" not in components.variances:
        raise NotGeneralisable("every source has one question: nothing to correlate within it")
    v = _Shares(components)
    true, error = v.true(level), v.error(level)
    others = true + error / (annotators - 1)
    return ExpectedCeiling(
        level=level,
        annotators=annotators,
        one_with_others=_ratio(true, sqrt((true + error) * others)),
        means=_ratio(true, true + error / annotators),
    )


class _Shares:
    """The variances by name, 0 where a design has none."""

    def __init__(self, components: Components) -> None:
        variances = components.variances
        if not components.random:
            raise NotGeneralisable("annotators are fixed, or there is one: others are unknown")
        if "question" not in variances:
            raise NotGeneralisable("every question has one rating: annotators cannot be compared")
        self.source = variances.get("source", 0.0)
        self.cell = variances.get("source:system", 0.0)
        self.question = variances["question"]
        self.annotator = variances["annotator"]
        self.pair = variances.get("annotator:system", 0.0)
        self.residual = variances["residual"] + variances.get("question:annotator", 0.0)
        self.sources = components.sources
        self.slots = components.questions / int((components.judged > 0).sum())
        self.systems = variance_of_systems(components)
        self.share = 1 - 1 / len(components.systems)

    def true(self, level: CeilingLevel) -> float:
        """Return the variance that annotators share."""
        if level == "systems":
            own = self.cell / self.sources + self.question / (self.sources * self.slots)
            return self.systems + own
        if level == "pooled":
            return self.systems * self.share + self.source + self.cell + self.question
        return self.systems + self.cell + self.question

    def error(self, level: CeilingLevel) -> float:
        """Return the variance of one annotator's ratings that others do not share."""
        if level == "systems":
            return self.pair + self.residual / (self.sources * self.slots)
        return self.pair * (self.share if level == "pooled" else 1) + self.residual


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


def _dependability(
    objects: Objects, k: int, n: int, universe: float, relative: float, absolute: float
) -> Dependability:
    return Dependability(
        objects=objects,
        annotators=k,
        sources=n,
        universe=universe,
        relative=relative,
        absolute=absolute,
        generalisability=_ratio(universe, universe + relative),
        dependability=_ratio(universe, universe + absolute),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else nan
