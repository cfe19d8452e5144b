"""Krippendorff's alpha: nominal, ordinal, interval and ratio, with missing ratings and an interval
over units.

Three ways to the same number, by what the data are:
few values      sums of coincidences, units with the same counts counted once (`_from_coincidences`)
interval, many  sums of moments per unit (`_from_moments`)
other, many     pairs within units and ranks over all of them (`quaestor_stats._alpha_many`)
"""

from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats import _alpha_many as alpha_many
from quaestor_stats._arrays import FloatArray, IntArray, Labels
from quaestor_stats._informative_clusters import guarded, guarded_table
from quaestor_stats._ratings import (
    Patterns,
    RatingScale,
    checked,
    checked_scale,
    cluster_codes,
    coded,
    memberships,
    observed_scale,
    patterns,
    short_scale,
)
from quaestor_stats._resampling import Interval, Jackknife, estimated, unit_of, with_spread
from quaestor_stats._result import Result, undefined

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
FEW = 12  # values up to which a V x V table per unit is the cheapest way


def krippendorff_alpha(
    ratings: ArrayLike | Patterns,
    *,
    level: Level,
    scale: RatingScale | None = None,
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Krippendorff's alpha, one minus observed over expected disagreement.

    Parameters
    ----------
    ratings : (n_units, n_raters), NaN where not judged; or value counts per kind of unit (`value_counts`)
    level : the scale's level of measurement; it sets the squared distance between two values
    scale : the points of the scale, to refuse values that are not on it; alpha itself does not depend on it
    clusters : (n_units,) labels of what was sampled as a whole, as a rule the source; the interval
        then leaves out or draws whole clusters. None takes units as independent
    interval : `Jackknife` (default), `Bootstrap` with its generator, or None

    Returns
    -------
    Result
        ``n`` units with two or more ratings, ``dropped`` the units with one or none. Undefined if fewer than two
        different values were given: agreement then cannot be distinguished from chance.

    Raises
    ------
    ValueError
        Not numbers, not a table, a rating off the scale, negative values on a ratio scale.

    Notes
    -----
    alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck over the coincidences o of pairable values
    (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"). The ordinal distance between two values is the
    squared difference of their mid-ranks among all pairable values, so ordinal alpha is interval alpha of mid-ranks.

    Examples
    --------
    Krippendorff's four observers and twelve units: nominal .743, ordinal .815, interval .849, ratio .797.

    >>> import numpy as np
    >>> table = np.array([[1, 1], [2, 2], [3, 2], [3, 3]], float)
    >>> round(krippendorff_alpha(table, level="interval", interval=None).value, 4)
    0.8205
    """
    method = f"Krippendorff's alpha, {level}"
    if level not in LEVELS:
        raise ValueError(f"level: {level!r} is none of {', '.join(LEVELS)}")
    if isinstance(ratings, Patterns):
        counted = patterns(ratings, clusters=clusters)
        return _of_patterns(counted, level, interval, method, ratings.n)
    table = checked(ratings)
    if level == "ratio" and (table < 0).any():
        raise ValueError("ratings: a ratio scale has no negative values")
    values = _values(table, level) if scale is None else checked_scale(scale)
    if values is not None and values.size <= FEW:
        counted = patterns(table, scale=values, clusters=clusters)
        return _of_patterns(counted, level, interval, method, len(table))
    if values is not None and scale is not None:
        coded(table, values)  # refuses what is off the scale
    return _of_many(table, level, interval, method, clusters)


def _values(table: FloatArray, level: Level) -> FloatArray | None:
    """Return the values given; None where they are many and the interval level need not know
    them."""
    short = short_scale(table)
    return observed_scale(table) if short is None and level != "interval" else short


def _of_patterns(
    counted: Patterns, level: Level, interval: Interval | None, method: str, n_units: int
) -> Result:
    pairable = counted.with_at_least(2)
    dropped = n_units - pairable.n
    if reason := _nothing_to_tell((pairable.times @ pairable.counts > 0).sum()):
        return undefined(method, reason, n=pairable.n, dropped=dropped)
    features = np.hstack([_coincidences(pairable.counts), pairable.counts])
    statistic = partial(_from_coincidences, values=pairable.values, level=level)
    found = estimated(
        features,
        pairable.times,
        statistic,
        interval,
        method=method,
        dropped=dropped,
        at_most=1.0,
        clusters=pairable.clusters,
    )
    return guarded(found, pairable.counts, pairable.clusters, unit_of(interval))


def _of_many(
    table: FloatArray, level: Level, interval: Interval | None, method: str, clusters: Labels | None
) -> Result:
    kept = np.asarray((~np.isnan(table)).sum(axis=1) >= 2)
    pairable, held = table[kept], None if clusters is None else cluster_codes(clusters, kept)
    n, dropped = len(pairable), len(table) - len(pairable)
    low, high = (
        np.fmin.reduce(pairable, axis=None, initial=np.inf),
        np.fmax.reduce(pairable, axis=None, initial=-np.inf),
    )
    if reason := _nothing_to_tell(int(low <= high) + int(low < high)):
        return undefined(method, reason, n=n, dropped=dropped)
    if level == "interval":
        found = _of_moments(pairable, interval, method, dropped, held)
    else:
        value, spread = alpha_many.alpha(pairable, level=level, interval=interval, clusters=held)
        if spread is None:
            return Result(value=value, n=n, dropped=dropped, method=method)
        found = with_spread(value, spread, n=n, dropped=dropped, method=method, at_most=1.0)
    return guarded_table(found, pairable, held, unit_of(interval))


def _of_moments(
    table: FloatArray, interval: Interval | None, method: str, dropped: int, held: IntArray | None
) -> Result:
    once = np.ones(len(table))
    members = None if held is None else memberships(held, np.arange(len(table)), once, len(table))
    return estimated(
        _moments(table),
        once,
        _from_moments,
        interval,
        method=method,
        dropped=dropped,
        at_most=1.0,
        clusters=members,
    )


def _nothing_to_tell(different: int) -> str:
    """Return why alpha is undefined where no value, or only one, was given."""
    if different == 0:
        return "no unit has two ratings"
    return (
        "every rating has the same value: agreement cannot be told from chance"
        if different == 1
        else ""
    )


def _coincidences(counts: FloatArray) -> FloatArray:
    """Return each unit's V x V table of ordered pairs, every pair weighing 1 / (m_u - 1),
    flattened."""
    size = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    coincidences: FloatArray = pairs / (counts.sum(axis=1) - 1)[:, None, None]
    return coincidences.reshape(len(counts), size * size)


def _from_coincidences(sums: FloatArray, values: FloatArray, level: Level) -> FloatArray:
    size = values.size
    o_ck = sums[..., : size * size].reshape(*sums.shape[:-1], size, size)
    n_c = sums[..., size * size :]
    d_ck = squared_distance(level, values, n_c)
    observed = (o_ck * d_ck).sum(axis=(-2, -1))
    expected = (n_c[..., :, None] * n_c[..., None, :] * d_ck).sum(axis=(-2, -1))
    varied = (n_c > 0.5).sum(axis=-1) > 1
    alpha: FloatArray = 1 - (n_c.sum(axis=-1) - 1) * observed / np.where(varied, expected, np.nan)
    return alpha


def squared_distance(level: Level, values: FloatArray, n_c: FloatArray) -> FloatArray:
    """Return the squared distances (..., V, V) between values that were given ``n_c`` times."""
    if level == "nominal":
        return 1 - np.eye(values.size)
    if level == "ordinal":
        rank = np.cumsum(n_c, axis=-1) - n_c / 2
        return (rank[..., :, None] - rank[..., None, :]) ** 2
    gap = values[:, None] - values[None, :]
    if level == "interval":
        return gap**2
    total = values[:, None] + values[None, :]
    return (gap / np.where(total == 0, 1, total)) ** 2


def _moments(table: FloatArray) -> FloatArray:
    """Return per unit: sum over ordered pairs of squared differences / (m - 1), m, sum and sum of
    squares."""
    size = (~np.isnan(table)).sum(axis=1).astype(np.float64)
    centred = table - np.nanmean(table)
    first, second = np.nansum(centred, axis=1), np.nansum(centred**2, axis=1)
    within = np.nansum((centred - (first / size)[:, None]) ** 2, axis=1)
    return np.column_stack([2 * size * within / (size - 1), size, first, second])


def _from_moments(sums: FloatArray) -> FloatArray:
    observed, n, first, second = np.moveaxis(sums, -1, 0)
    expected = 2 * (n * second - first**2)
    alpha: FloatArray = 1 - (n - 1) * observed / np.where(
        expected > 1e-12 * n * second, expected, np.nan
    )
    return alpha
