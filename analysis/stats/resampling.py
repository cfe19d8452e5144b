"""Intervals over whole units, for any coefficient that is a function of sums over units.

A coefficient is written as ``statistic(sums)``: per unit a row of features, added up over units, then the formula.
Units with the same features are one row with a multiplicity (`times`), so the cost does not grow with the number of
units but with the number of different ones. The statistic takes sums of shape (..., n_features) and answers (...).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import TypeAlias

import numpy as np
from scipy import special

from analysis.stats.arrays import FloatArray
from analysis.stats.estimate import Estimate

Statistic: TypeAlias = Callable[[FloatArray], FloatArray]
_BLOCK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Delete one unit at a time; Student's t on the jackknife standard error."""

    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Draw whole units with replacement; percentiles of the coefficient."""

    rng: np.random.Generator
    resamples: int = 1000
    confidence: float = 0.95


Interval: TypeAlias = Jackknife | Bootstrap


@dataclass(frozen=True, slots=True)
class Spread:
    """An interval, or why there is none."""

    low: float
    high: float
    words: str
    reason: str = ""


def estimated(
    features: FloatArray,
    times: FloatArray,
    statistic: Statistic,
    interval: Interval | None,
    *,
    method: str,
    dropped: int = 0,
    at_most: float = inf,
) -> Estimate:
    """Return the statistic of all units and its interval, which is cut at the largest value it can take."""
    n = int(times.sum())
    value = float(statistic(times @ features))
    if interval is None:
        return Estimate(value=value, n=n, dropped=dropped, method=method)
    found = spread(features, times, statistic, interval)
    return with_spread(value, found, n=n, dropped=dropped, method=method, at_most=at_most)


def with_spread(value: float, found: Spread, *, n: int, dropped: int, method: str, at_most: float = inf) -> Estimate:
    high = at_most if found.high > at_most else found.high  # nan stays nan
    words = f"{method}; {found.words}"
    return Estimate(value=value, low=found.low, high=high, n=n, dropped=dropped, method=words, reason=found.reason)


def spread(features: FloatArray, times: FloatArray, statistic: Statistic, interval: Interval) -> Spread:
    """Return the interval of ``statistic(times @ features)`` over units."""
    if isinstance(interval, Bootstrap):
        return _percentiles(features, times, statistic, interval)
    totals = times @ features
    return jackknife(float(statistic(totals)), statistic(totals - features), times, interval)


def jackknife(value: float, left_out: FloatArray, times: FloatArray, interval: Jackknife) -> Spread:
    """Return ``value`` plus and minus t times the jackknife standard error.

    ``left_out[i]`` is the coefficient without one unit of kind i, of which there are ``times[i]``.
    """
    words = f"unit jackknife-t, {interval.confidence:.0%}"
    n = times.sum()
    if n < 3:
        return Spread(nan, nan, words, "fewer than three units: no interval")
    if np.isnan(left_out).any():
        return Spread(nan, nan, words, "the coefficient rests on a single unit: no interval")
    centre = times @ left_out / n
    error = sqrt((n - 1) / n * (times @ (left_out - centre) ** 2))
    if error <= 1e-12:
        return Spread(nan, nan, words, "all units say the same: no interval can be estimated")
    reach = float(special.stdtrit(n - 1, (1 + interval.confidence) / 2)) * error
    return Spread(value - reach, value + reach, words)


def mean_statistic(sums: FloatArray) -> FloatArray:
    """Return the mean from features (sum, count); nan where nothing is counted."""
    mean: FloatArray = sums[..., 0] / np.where(sums[..., 1] > 0, sums[..., 1], nan)
    return mean


def _percentiles(features: FloatArray, times: FloatArray, statistic: Statistic, how: Bootstrap) -> Spread:
    draws = np.concatenate([statistic(weights @ features) for weights in redrawn(times, how)])
    return percentiles(draws, f"unit bootstrap of {how.resamples}", how.confidence)


def redrawn(times: FloatArray, how: Bootstrap) -> Iterator[FloatArray]:
    """Yield, in blocks of bounded size, how often each kind of unit comes in each resample."""
    n = int(times.sum())
    step = max(1, _BLOCK_CELLS // max(1, times.size))
    for start in range(0, how.resamples, step):
        size = min(step, how.resamples - start)
        yield how.rng.multinomial(n, times / n, size=size).astype(np.float64)


def percentiles(draws: FloatArray, words: str, confidence: float) -> Spread:
    """Return the central ``confidence`` share of the resampled values; undefined resamples are told, not hidden."""
    words = f"{words}, percentiles, {confidence:.0%}"
    missing = int(np.isnan(draws).sum())
    if missing > 0.05 * draws.size:
        return Spread(nan, nan, words, f"undefined in {missing} of {draws.size} resamples: no interval")
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(draws, [tail, 1 - tail])
    if high - low <= 1e-12:
        return Spread(nan, nan, words, "all resamples say the same: no interval can be estimated")
    return Spread(float(low), float(high), words)
