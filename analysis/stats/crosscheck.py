"""Compare each coefficient with the same coefficient of a reference library, if it can compute it.

The report prints library, version and difference. If a library does not define a coefficient or
cannot process the data, it is not called and the check says so: `krippendorff` allocates a
units x values x values array, `statsmodels` requires as many raters on every unit, `scipy` pairs
without gaps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.alpha import Level
from analysis.stats.arrays import FloatArray
from analysis.stats.columns import complete, constant
from analysis.stats.correlation import Method
from analysis.stats.kappa import Weights
from analysis.stats.ratings import RatingScale, checked, checked_scale, coded
from judging.limits import MAX_RATING_CELLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Another library's value of a coefficient, or the reason for not computing it.

    library: library that computed the same coefficient
    version: its version
    value: its value
    difference: ours minus theirs
    reason: why no other library was asked
    """

    library: str = ""
    version: str = ""
    value: float = nan
    difference: float = nan
    reason: str = ""


NOT_ASKED = Check()


def check_alpha(ratings: ArrayLike, *, level: Level, ours: float) -> Check:
    """Compare an alpha with that of `krippendorff`."""
    import krippendorff

    table = checked(ratings)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    distinct = np.unique(table[~np.isnan(table)]).size
    if distinct < 2:
        return _unasked("krippendorff", "undefined here; the library raises an error")
    # krippendorff holds units x values x values
    if len(table) * distinct**2 > MAX_RATING_CELLS:
        return _unasked(
            "krippendorff",
            f"{len(table)} units with {distinct} values are too many for the library",
        )
    return _asked(
        "krippendorff", lambda: krippendorff.alpha(table.T, level_of_measurement=level), ours
    )


def check_fleiss(
    ratings: ArrayLike, *, scale: RatingScale, ours: float, randolph: bool = False
) -> Check:
    """Compare Fleiss' (or Randolph's) kappa with that of `statsmodels`."""
    from statsmodels.stats import inter_rater

    table, values = checked(ratings), checked_scale(scale)
    sizes = (~np.isnan(table)).sum(axis=1)
    table = table[sizes > 0]
    if len(table) == 0 or np.ptp(sizes[sizes > 0]) > 0:
        return _unasked(
            "statsmodels", "units with different numbers of raters; the library needs equal ones"
        )
    if np.isnan(ours):
        return _unasked("statsmodels", "undefined here; the library returns nan")
    codes = coded(table, values)
    counts = np.stack([(codes == point).sum(axis=1) for point in range(values.size)], axis=1)
    method = "randolph" if randolph else "fleiss"
    return _asked("statsmodels", lambda: inter_rater.fleiss_kappa(counts, method=method), ours)


def check_cohen(
    first: ArrayLike, second: ArrayLike, *, scale: RatingScale, weights: Weights, ours: float
) -> Check:
    """Compare Cohen's kappa with that of `statsmodels`, on the full scale."""
    from statsmodels.stats import inter_rater

    items, values = complete([first, second], names=["first", "second"]), checked_scale(scale)
    if np.isnan(ours):
        return _unasked("statsmodels", "undefined here; the library returns nan")
    if weights != "unweighted" and np.ptp(np.diff(values)) > 1e-12:
        return _unasked(
            "statsmodels", "the library weighs by position, and this scale is not evenly spaced"
        )
    codes = coded(items.columns, values)
    joint = np.zeros((values.size, values.size))
    np.add.at(joint, (codes[:, 0], codes[:, 1]), 1)
    wt = None if weights == "unweighted" else weights
    return _asked(
        "statsmodels", lambda: inter_rater.cohens_kappa(joint, wt=wt, return_results=False), ours
    )


def check_correlation(first: ArrayLike, second: ArrayLike, *, method: Method, ours: float) -> Check:
    """Compare a correlation with that of `scipy`."""
    from scipy import stats

    a, b = complete([first, second]).columns.T
    if np.isnan(ours) or constant(a) or constant(b):
        return _unasked("scipy", "undefined here; the library returns nan")
    asks: dict[Method, Callable[[], float]] = {
        "pearson": lambda: stats.pearsonr(a, b).statistic,
        "spearman": lambda: stats.spearmanr(a, b).statistic,
        "kendall": lambda: stats.kendalltau(a, b).statistic,
    }
    return _asked("scipy", asks[method], ours)


def _asked(library: str, ask: Callable[[], FloatArray | float], ours: float) -> Check:
    theirs = float(ask())
    return Check(library=library, version=version(library), value=theirs, difference=ours - theirs)


@cache
def version(library: str) -> str:
    """Return a library's version; to read it from its package takes longer than most of what is
    compared."""
    return metadata.version(library)


def _unasked(library: str, reason: str) -> Check:
    return Check(library=library, version=version(library), reason=reason)
