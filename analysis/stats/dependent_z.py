"""Fisher-z tests of two correlations that share a variable, for comparison with papers: Steiger,
Meng, and Zou's interval. Notation and warning as in `analysis.stats.dependent`."""

from math import atanh, sqrt

from analysis.stats.correlation import fisher_interval
from analysis.stats.dependent import Alternative, checked_alternative, unusable
from analysis.stats.estimate import Estimate, Tested, undefined, untested

PERFECT = "a correlation is perfect: its Fisher z is infinite"


def steiger(
    r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided"
) -> Tested:
    """Steiger's z (1980): Dunn and Clark's with the mean correlation in the covariance.

    Notes
    -----
    z = (z12 - z13) sqrt(n - 3) / sqrt(2 - 2 s), with s the covariance of z12 and z13 where both
    correlations are a, the mean of r12 and r13.

    >>> round(steiger(0.4, 0.5, 0.1, 103).statistic, 4)
    -0.8887
    """
    method = f"Steiger's z, {alternative}"
    if reason := _unusable(r12, r13, r23, n):
        return untested(method, reason, n=n)
    a = (r12 + r13) / 2
    spare = 1 - a**2 - a**2
    s = (r23 * spare - a * a / 2 * (spare - r23**2)) / ((1 - a**2) * (1 - a**2))
    z = (atanh(r12) - atanh(r13)) * sqrt(n - 3) / sqrt(2 - 2 * s)
    return Tested(value=r12 - r13, n=n, method=method, statistic=z, p=_p_of_z(z, alternative))


def meng(
    r12: float,
    r13: float,
    r23: float,
    n: int,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Tested:
    """Meng, Rosenthal and Rubin's z (1992); ``value``, ``low`` and ``high`` are the difference of
    Fisher z.

    >>> found = meng(0.63, -0.03, -0.19, 15, alternative="greater")
    >>> round(found.statistic, 2), round(found.p, 3), round(found.low, 3), round(found.high, 3)
    (1.68, 0.047, -0.129, 1.672)
    """
    from scipy import special

    method = f"Meng's z, {alternative}, difference of Fisher z"
    if reason := _unusable(r12, r13, r23, n):
        return untested(method, reason, n=n)
    mean_square = (r12**2 + r13**2) / 2
    f = min(1.0, (1 - r23) / (2 * (1 - mean_square)))
    h = (1 - f * mean_square) / (1 - mean_square)
    error = sqrt(2 * (1 - r23) * h / (n - 3))
    gap = atanh(r12) - atanh(r13)
    reach = float(special.ndtri((1 + confidence) / 2)) * error
    z, p = gap / error, _p_of_z(gap / error, alternative)
    return Tested(
        value=gap, low=gap - reach, high=gap + reach, n=n, method=method, statistic=z, p=p
    )


def zou(r12: float, r13: float, r23: float, n: int, *, confidence: float = 0.95) -> Estimate:
    """Zou's interval (2007) of r12 - r13, from the Fisher intervals of both.

    >>> found = zou(0.396, 0.179, 0.088, 66)
    >>> round(found.low, 3), round(found.high, 3)
    (-0.093, 0.517)
    """
    method = f"Zou's interval, {confidence:.0%}"
    if reason := _unusable(r12, r13, r23, n):
        return undefined(method, reason, n=n)
    l1, u1 = fisher_interval(r12, n, method="pearson", confidence=confidence)
    l2, u2 = fisher_interval(r13, n, method="pearson", confidence=confidence)
    spare = 1 - r12**2 - r13**2 - r23**2
    c = ((r23 - r12 * r13 / 2) * spare + r23**3) / ((1 - r12**2) * (1 - r13**2))
    down = (r12 - l1) ** 2 + (u2 - r13) ** 2 - 2 * c * (r12 - l1) * (u2 - r13)
    up = (u1 - r12) ** 2 + (r13 - l2) ** 2 - 2 * c * (u1 - r12) * (r13 - l2)
    gap = r12 - r13
    return Estimate(
        value=gap, low=gap - sqrt(max(down, 0)), high=gap + sqrt(max(up, 0)), n=n, method=method
    )


def _unusable(r12: float, r13: float, r23: float, n: int) -> str:
    if reason := unusable(r12, r13, r23, n, fewest=5):
        return reason
    if max(abs(r12), abs(r13)) >= 1:
        return PERFECT
    return "the two metrics order the items alike: nothing to test" if r23 >= 1 - 1e-12 else ""


def _p_of_z(z: float, alternative: Alternative) -> float:
    from scipy import special

    checked_alternative(alternative)
    return float(special.ndtr(-z) if alternative == "greater" else 2 * special.ndtr(-abs(z)))
