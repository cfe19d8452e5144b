"""Prediction-powered means: a small sample of human ratings corrects an LLM judge's large one
(Angelopoulos et al. 2023, both papers)."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, Labels, numeric, source_codes
from quaestor_stats._resampling import Jackknife, Resampled, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined_result

REQUIRED_SOURCES = 10  # with human ratings; with fewer the interval does not keep its level
PEOPLE = "mean of the annotators' values"
CORRECTED = "mean of the judge, corrected by people where they judged"
ALL_JUDGED = "people judged every item of the judge: nothing is left to predict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The mean of human ratings alone, and combined with the judge's values.

    `tuning` is lambda: 0 ignores the judge, 1 trusts it as the first paper does. `saves` is the
    factor by which the human mean alone would need more items for an interval as narrow.
    """

    people: Result
    corrected: Result
    tuning: float
    saves: float
    items: int
    judged: int


def corrected_mean(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    sources: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> Corrected:
    """Correct a judge's mean over all items by human ratings of some of them.

    Parameters
    ----------
    people : (n_items,) mean human rating of each item, NaN if no annotator judged it; the judged
        sources must be a random part
    judge : (n_items,), NaN where the judge has none; only its items count
    sources : (n_items,) labels; a source, or a cluster of them, is left out as a whole
    unit : the name of what is left out, and how many an interval needs

    Notes
    -----
    theta = mean_n(Y) + lambda (mean_N(f) - mean_n(f)) for the judge f on all N items and the human
    means Y on n of them; with lambda 1 this is mean_N(f) + mean_n(Y - f). Lambda minimises the
    variance, -Cov(A, B) / Var(B) of the two terms, cut to 0 ... 1. Variance and covariance come
    from leaving out one source at a time, which allows for the n items being among the N.
    """
    judged_items = _JudgedItems.of(people, judge, sources)
    items, n = judged_items.n, judged_items.n_by_people
    if reason := _cannot(judged_items, unit):
        nothing = undefined_result(CORRECTED, reason, n=n)
        return Corrected(
            people=nothing, corrected=nothing, tuning=nan, saves=nan, items=items, judged=n
        )
    y, f = _terms(judged_items)
    tuning = _best_tuning(y, f)
    theta = _Term(y.value + tuning * f.value, y.left + tuning * f.left)
    resampled: Resampled = "cluster" if sources is not None else "unit"
    method = f"{CORRECTED}, lambda {tuning:.2f}"
    return Corrected(
        people=y.result(n, PEOPLE, unit, resampled),
        corrected=theta.result(items, method, unit, resampled),
        tuning=tuning,
        saves=_variance_ratio(y.gap, y.gap + tuning * f.gap),
        items=items,
        judged=n,
    )


def _best_tuning(y: _Term, f: _Term) -> float:
    """Return the lambda at which y + lambda f varies least, within 0 and 1."""
    if not f.gap @ f.gap > 0:
        return 0.0
    return float(np.clip(-(y.gap @ f.gap) / float(f.gap @ f.gap), 0, 1))


def _variance_ratio(above: FloatArray, below: FloatArray) -> float:
    """Return the ratio of two jackknife variances, nan if the lower one is 0."""
    return float((above @ above) / (below @ below)) if below @ below > 0 else nan


@dataclass(frozen=True, slots=True)
class _JudgedItems:
    """The items that the judge judged."""

    people: FloatArray  # (n_items,), nan where no annotator judged
    judge: FloatArray  # (n_items,)
    source: IntArray  # (n_items,)

    @classmethod
    def of(cls, people: ArrayLike, judge: ArrayLike, sources: Labels | None) -> Self:
        by_people = numeric(people, name="people", ndim=1)
        by_judge = numeric(judge, name="judge", ndim=1)
        codes = source_codes(sources, len(by_judge))
        has = ~np.isnan(by_judge)
        return cls(by_people[has], by_judge[has], codes[has])

    @property
    def by_people(self) -> BoolArray:
        """Whether an annotator judged each item, too."""
        return ~np.isnan(self.people)

    @property
    def n(self) -> int:
        return len(self.judge)

    @property
    def n_by_people(self) -> int:
        return int(self.by_people.sum())


def _cannot(items: _JudgedItems, unit: ClusterUnit) -> str:
    """Return why the mean cannot be corrected, or an empty string."""
    if not items.n_by_people:
        return "nobody judged an item of the judge"
    if items.n_by_people == items.n:
        return ALL_JUDGED
    units = len(np.unique(items.source[items.by_people]))
    if units < REQUIRED_SOURCES:
        return f"people judged {unit.counted(units)}: at least {REQUIRED_SOURCES} are needed for an interval that holds"
    return ""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of theta, and what it is without each source."""

    value: float
    left: FloatArray  # (sources,)

    @property
    def gap(self) -> FloatArray:
        return np.asarray(self.left - self.left.mean())

    def result(self, n: int, method: str, unit: ClusterUnit, resampled: Resampled) -> Result:
        """Return the term with its interval."""
        spread = jackknife_interval(
            self.value, self.left, np.ones(len(self.left)), Jackknife(unit=unit), of=resampled
        )
        return with_spread(self.value, spread, n=n, dropped=0, method=method)


def _terms(items: _JudgedItems) -> tuple[_Term, _Term]:
    """Return mean_n(Y), and mean_N(f) - mean_n(f)."""
    _, source = np.unique(items.source, return_inverse=True)
    people, judge, judged = items.people, items.judge, items.by_people
    parts = (np.where(judged, people, 0.0), judge * judged, judged * 1.0, judge)
    by_source = np.stack([np.bincount(source, weights=part) for part in parts], axis=1)
    count = np.bincount(source)
    whole = by_source.sum(axis=0)
    sums = np.vstack([whole, whole - by_source])  # of all, then without each source
    y, f, n, every_f = sums.T
    mean, gain = y / n, every_f / (len(judge) - np.append(0, count)) - f / n
    return _Term(float(mean[0]), mean[1:]), _Term(float(gain[0]), gain[1:])
