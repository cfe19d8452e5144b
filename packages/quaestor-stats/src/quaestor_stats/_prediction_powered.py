"""Prediction-powered means: a small sample of human ratings corrects an LLM judge's large one
(Angelopoulos et al. 2023, both papers)."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import FloatArray, IntArray, Labels, numeric, source_codes
from quaestor_stats._resampling import Jackknife, Resampled, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined

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
    said, own = numeric(people, name="people", ndim=1), numeric(judge, name="judge", ndim=1)
    codes = source_codes(sources, len(own))
    has = ~np.isnan(own)
    judged = has & ~np.isnan(said)
    items, n = int(has.sum()), int(judged.sum())
    of: Resampled = "cluster" if sources is not None else "unit"
    reason = _cannot(items, n, len(np.unique(codes[judged])), unit)
    if reason:
        nothing = undefined(CORRECTED, reason, n=n)
        return Corrected(
            people=nothing, corrected=nothing, tuning=nan, saves=nan, items=items, judged=n
        )
    y, f = _terms(np.where(judged, said, nan)[has], own[has], codes[has])
    tuning = 0.0
    if f.gap @ f.gap > 0:
        tuning = float(np.clip(-(y.gap @ f.gap) / float(f.gap @ f.gap), 0, 1))
    theta = _Term(y.value + tuning * f.value, y.left + tuning * f.left)
    gap = y.gap + tuning * f.gap
    by_people, helped = (
        jackknife_interval(
            each.value, each.left, np.ones(len(each.left)), Jackknife(unit=unit), of=of
        )
        for each in (y, theta)
    )
    method = f"{CORRECTED}, lambda {tuning:.2f}"
    return Corrected(
        people=with_spread(y.value, by_people, n=n, dropped=0, method=PEOPLE),
        corrected=with_spread(theta.value, helped, n=items, dropped=0, method=method),
        tuning=tuning,
        saves=float((y.gap @ y.gap) / (gap @ gap)) if gap @ gap > 0 else nan,
        items=items,
        judged=n,
    )


def _cannot(items: int, n: int, units: int, unit: ClusterUnit) -> str:
    if not n:
        return "nobody judged an item of the judge"
    if n == items:
        return ALL_JUDGED
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


def _terms(people: FloatArray, judge: FloatArray, codes: IntArray) -> tuple[_Term, _Term]:
    """Return mean_n(Y), and mean_N(f) - mean_n(f); human means are NaN where not judged."""
    _, source = np.unique(codes, return_inverse=True)
    judged = ~np.isnan(people)
    parts = (np.where(judged, people, 0.0), judge * judged, judged * 1.0, judge)
    by_source = np.stack([np.bincount(source, weights=part) for part in parts], axis=1)
    count = np.bincount(source)
    whole = by_source.sum(axis=0)
    sums = np.vstack([whole, whole - by_source])  # of all, then without each source
    y, f, n, every_f = sums.T
    mean, gain = y / n, every_f / (len(judge) - np.append(0, count)) - f / n
    return _Term(float(mean[0]), mean[1:]), _Term(float(gain[0]), gain[1:])
