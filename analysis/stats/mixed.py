"""Systems compared with severity of judges and difficulty of items as crossed random effects.

y = X b + Z_r u + Z_i v + e, with one mean per system in b, u ~ N(0, s_r^2) by rater and v ~ N(0, s_i^2) by item. Items
are many but each meets few ratings, so they are eliminated by arithmetic (each is one number); what is left is a dense
system of systems + raters, and one evaluation costs items x (systems + raters)^2. That bounds the time: 45,000
judgments by 20 raters of 6 systems take well under a second.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from analysis.stats.arrays import FloatArray, IntArray, Labels, grouped, numeric, same_length
from analysis.stats.estimate import Tested

MOST_COLUMNS = 2_000  # systems + raters


class Unfit(ValueError):
    """Ratings that a mixed model cannot be fitted to."""


class Stopped(Unfit):
    """The search was stopped by whoever asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedModel:
    """Means per system and the variances beside them, by restricted maximum likelihood."""

    systems: list[Hashable]
    means: FloatArray  # (n_systems,)
    covariance: FloatArray  # (n_systems, n_systems) of the means
    rater_variance: float
    item_variance: float
    residual_variance: float
    n: int
    method: str

    def difference(self, first: Hashable, second: Hashable, *, confidence: float = 0.95) -> Tested:
        """Return the difference of two systems' means with its large-sample interval and two-sided p."""
        contrast = np.zeros(len(self.systems))
        contrast[self.systems.index(first)], contrast[self.systems.index(second)] = 1, -1
        value, error = float(contrast @ self.means), sqrt(contrast @ self.covariance @ contrast)
        reach, z = float(special.ndtri((1 + confidence) / 2)) * error, value / error
        p = float(2 * special.ndtr(-abs(z)))
        return Tested(
            value=value, low=value - reach, high=value + reach, n=self.n, method=self.method, statistic=z, p=p
        )


@dataclass(frozen=True, slots=True)
class _Products:
    """What the likelihood needs of the data: sums over ratings and over items."""

    whole: FloatArray  # (q, q) M' M of M = [X Z_r y]
    by_item: FloatArray  # (n_items, q) Z_i' M
    sizes: FloatArray  # (n_items,)
    n: int
    fixed: int
    raters: int


def mixed_model(
    ratings: ArrayLike,
    *,
    systems: Labels,
    raters: Labels,
    items: Labels,
    stop: Callable[[], bool] = lambda: False,
) -> MixedModel:
    """Fit the model to long-form ratings, one per row; rows without a rating are left out.

    Parameters
    ----------
    ratings : (n,) values, NaN where not judged
    systems, raters, items : (n,) labels; the item is what raters and systems share, as a rule the source
    stop : asked before every evaluation of the likelihood; True ends the search

    Raises
    ------
    Unfit
        Fewer than two raters or items, ratings that do not vary, or more columns than the method is made for.
    Stopped
        ``stop`` said so.

    Notes
    -----
    Treats the scale as having equal steps. For short ordinal scales a cumulative-link model is the better one.
    """
    values = numeric(ratings, name="ratings", ndim=1)
    columns = [grouped(x, name=n) for x, n in ((systems, "systems"), (raters, "raters"), (items, "items"))]
    same_length(ratings=values, systems=columns[0][1], raters=columns[1][1], items=columns[2][1])
    judged = ~np.isnan(values)
    names = [columns[0][0][i] for i in np.unique(columns[0][1][judged])]
    codes = [np.unique(code[judged], return_inverse=True)[1] for _, code in columns]
    y = values[judged]
    sizes = [len(np.unique(code)) for code in codes]
    _check(y, sizes)
    data = _products(y, codes, sizes)
    theta = _best(data, stop)
    beta, covariance, residual = _solution(data, theta)
    return MixedModel(
        systems=names,
        means=beta,
        covariance=covariance,
        rater_variance=float(theta[0]) * residual,
        item_variance=float(theta[1]) * residual,
        residual_variance=residual,
        n=len(y),
        method="mixed model, REML, crossed rater and item effects",
    )


def _check(y: FloatArray, sizes: list[int]) -> None:
    if y.size == 0:
        raise Unfit("no ratings")
    if min(sizes[1], sizes[2]) < 2:
        raise Unfit(f"{sizes[1]} rater(s) and {sizes[2]} item(s): two of each are needed")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():
        raise Unfit("every rating has the same value")
    if y.size <= sizes[0] + 2:
        raise Unfit(f"{y.size} ratings are too few for {sizes[0]} systems")
    if sizes[0] + sizes[1] > MOST_COLUMNS:
        raise Unfit(f"{sizes[0]} systems and {sizes[1]} raters are more than {MOST_COLUMNS} columns")


def _products(y: FloatArray, codes: list[IntArray], sizes: list[int]) -> _Products:
    system, rater, item = codes
    fixed, raters, items = sizes
    width = fixed + raters + 1
    by_item = np.zeros((items, width))
    np.add.at(by_item, (item, system), 1)
    np.add.at(by_item, (item, fixed + rater), 1)
    by_item[:, -1] = np.bincount(item, y, items)
    whole = np.zeros((width, width))
    np.add.at(whole, (system, fixed + rater), 1)
    whole[:fixed, -1] = np.bincount(system, y, fixed)
    whole[fixed:-1, -1] = np.bincount(rater, y, raters)
    whole += whole.T
    whole[np.diag_indices(width)] = [
        *np.bincount(system, minlength=fixed),
        *np.bincount(rater, minlength=raters),
        y @ y,
    ]
    return _Products(whole, by_item, np.bincount(item, minlength=items).astype(float), y.size, fixed, raters)


def _eliminated(data: _Products, theta: FloatArray) -> tuple[FloatArray, float]:
    """Return [X y]' V^-1 [X y] and log |V|, V in units of the residual variance, for the ratios theta (rater, item)."""
    rater, item = theta
    shrunk = item / (1 + item * data.sizes)
    s = data.whole - data.by_item.T @ (shrunk[:, None] * data.by_item)
    keep = np.r_[: data.fixed, -1]
    middle = s[data.fixed : -1, data.fixed : -1]
    across = s[data.fixed : -1][:, keep]
    core = np.eye(data.raters) + rater * middle
    rest = s[np.ix_(keep, keep)] - rater * across.T @ np.linalg.solve(core, across)
    return rest, float(np.log1p(item * data.sizes).sum() + np.linalg.slogdet(core)[1])


def _deviance(log_theta: FloatArray, data: _Products) -> float:
    rest, log_det = _eliminated(data, np.exp(log_theta))
    xx, xy = rest[:-1, :-1], rest[:-1, -1]
    left = rest[-1, -1] - xy @ np.linalg.solve(xx, xy)
    free = data.n - data.fixed
    if left <= 0:
        return nan
    return float(free * log(left / free) + log_det + np.linalg.slogdet(xx)[1])


def _best(data: _Products, stop: Callable[[], bool]) -> FloatArray:
    """Return the variance ratios of highest restricted likelihood, by bounded search on the log scale."""
    starts = ([-2.0, -2.0], [-6.0, 0.0], [0.0, -6.0])

    def deviance(log_theta: FloatArray) -> float:
        if stop():
            raise Stopped("the search for the best variances was stopped")
        return _deviance(log_theta, data)

    found = [
        optimize.minimize(deviance, start, method="L-BFGS-B", bounds=[(-16, 10)] * 2, options={"maxiter": 200})
        for start in starts
    ]
    return np.exp(min(found, key=lambda fit: fit.fun).x)


def _solution(data: _Products, theta: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    rest, _ = _eliminated(data, theta)
    xx, xy = rest[:-1, :-1], rest[:-1, -1]
    beta = np.asarray(np.linalg.solve(xx, xy), dtype=np.float64)
    residual = float((rest[-1, -1] - xy @ beta) / (data.n - data.fixed))
    return beta, np.asarray(residual * np.linalg.inv(xx), dtype=np.float64), residual
