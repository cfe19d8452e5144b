"""Equivalence of two systems: two one-sided tests of the difference of their means."""

from dataclasses import dataclass
from math import nan

from quaestor_stats._result import NO_SPREAD, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests of a difference, with its 90% interval."""

    value: float
    low: float = nan
    high: float = nan
    df: float = nan
    p_lower: float = nan  # that the difference is -margin or less
    p_upper: float = nan  # that the difference is margin or more
    reason: str = ""

    @property
    def p(self) -> float:
        """p of equivalence: the larger of the two."""
        return max(self.p_lower, self.p_upper)


def two_one_sided(difference: Result, *, margin: float) -> Equivalence:
    """Test whether a difference lies within a margin around 0 (TOST).

    Parameters
    ----------
    difference : Result
        A difference with a 95% Student's t interval. If it has no ``df``, there are ``n - 1``
        degrees of freedom.
    margin : float
        The largest difference without practical meaning, above 0, in the unit of the difference.

    Returns
    -------
    Equivalence
        ``p_lower`` and ``p_upper`` of the two tests, ``p``, the larger of them, and the 90%
        interval ``low`` to ``high``. The interval lies within the margin exactly if both p are
        below .05. If the difference has no interval, they are nan and ``reason`` says why.

    Raises
    ------
    ValueError
        The margin is not above 0.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power
    approach. Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    Examples
    --------
    >>> from quaestor_stats._result import ConfidenceInterval
    >>> gap = Result(value=0.1, ci=ConfidenceInterval(-0.1, 0.3), n=21)
    >>> test = two_one_sided(gap, margin=0.3)
    >>> round(test.p_lower, 4), round(test.p_upper, 4), round(test.high, 3)
    (0.0002, 0.025, 0.265)
    """
    from scipy import special

    if margin <= 0:
        raise ValueError("margin: above 0")
    if difference.value == 0 and difference.reason.endswith(NO_SPREAD):  # identical scores
        return Equivalence(value=0.0, low=0.0, high=0.0, p_lower=0.0, p_upper=0.0)
    error, df = standard_error(difference)
    if not error > 0:
        why = difference.reason or "the difference has no interval"
        return Equivalence(value=difference.value, reason=why)
    reach_90 = error * float(special.stdtrit(df, 0.95))
    return Equivalence(
        value=difference.value,
        low=difference.value - reach_90,
        high=difference.value + reach_90,
        df=df,
        p_lower=float(special.stdtr(df, -(difference.value + margin) / error)),
        p_upper=float(special.stdtr(df, (difference.value - margin) / error)),
    )


def t_test(difference: Result) -> float:
    """Return the two-sided p of a difference by the Student's t of its 95% interval; nan without
    one."""
    from scipy import special

    error, df = standard_error(difference)
    if not error > 0:
        return nan
    return float(2 * special.stdtr(df, -abs(difference.value) / error))


def standard_error(difference: Result) -> tuple[float, float]:
    """Return the standard error and the degrees of freedom of a difference with a 95% interval."""
    from scipy import special

    df = difference.df if difference.df > 0 else difference.n - 1.0
    reach = (difference.ci.high - difference.ci.low) / 2
    return reach / float(special.stdtrit(df, 0.975)), df
