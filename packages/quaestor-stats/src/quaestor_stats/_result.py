"""The result of every function: a number, its interval and test, and what they rest on."""

from dataclasses import dataclass, field
from math import isnan, nan
from typing import NamedTuple

NO_SPREAD = "no interval can be estimated"  # ends the reason if leaving out a unit changes nothing
ON_THE_SCALE = ("mean", "difference")  # symbols of numbers on the scale of the ratings


class ConfidenceInterval(NamedTuple):
    """The limits of an interval at a level of confidence, nan where there is none.

    Parameters
    ----------
    low, high : float
        Limits in the unit of the value.
    level : float
        Level of confidence, between 0 and 1.

    Examples
    --------
    >>> ConfidenceInterval(0.68, 0.84).level
    0.95
    """

    low: float = nan
    high: float = nan
    level: float = 0.95

    @property
    def defined(self) -> bool:
        return not isnan(self.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A number with its interval, its test and the amount of data behind it.

    If the value cannot be computed it is ``nan`` and ``reason`` says why. If only the interval
    cannot, ``reason`` says why the interval is missing.

    Attributes
    ----------
    value : float
    ci : ConfidenceInterval
        ``ci.low``, ``ci.high`` and ``ci.level``.
    pvalue, statistic : float
        Two-sided unless ``method`` says otherwise; nan if nothing is tested.
    df : float
        Degrees of freedom of ``statistic``, or of a jackknife-t interval over clusters.
    n : int
        Units (items, sources, pairs) that the value rests on.
    dropped : int
        Units that could not be used.
    clusters : int
        Clusters (as a rule sources) that the interval rests on; 0 if units are independent.
    method, reason, caution : str
        How it was computed, why something is missing, and what makes it less certain.
    symbol, signature : str
        The letter of the coefficient, and every choice that the number depends on in one line.

    Examples
    --------
    >>> print(Result(value=0.76, ci=ConfidenceInterval(0.68, 0.84), symbol="α"))
    α = .76, 95% CI [.68, .84]
    """

    value: float
    ci: ConfidenceInterval = field(default_factory=ConfidenceInterval)
    pvalue: float = nan
    statistic: float = nan
    df: float = nan
    n: int = 0
    dropped: int = 0
    clusters: int = 0
    method: str = ""
    reason: str = ""
    caution: str = ""
    symbol: str = ""
    signature: str = ""

    @property
    def defined(self) -> bool:
        return not isnan(self.value)

    def __str__(self) -> str:
        if not self.defined:
            return f"{self.symbol or 'value'} is undefined: {self.reason}"
        write = with_zero if self.symbol in ON_THE_SCALE else decimal
        text = f"{self.symbol or 'value'} = {write(self.value)}"
        if self.ci.defined:
            low, high = write(self.ci.low), write(self.ci.high)
            text += f", {self.ci.level:.0%} CI [{low}, {high}]"
        if not isnan(self.pvalue):
            text += f", p {p_with_relation(self.pvalue)}"
        notes = "; ".join(note for note in (self.method, self.reason, self.caution) if note)
        return f"{text} ({notes})" if notes else text


def decimal(value: float) -> str:
    """Return a number with two decimals, without the zero before the point.

    Examples
    --------
    >>> decimal(0.7612), decimal(-0.05), decimal(2.9)
    ('.76', '−.05', '2.90')
    """
    sign = "−" if round(value, 2) < 0 else ""
    return sign + f"{abs(value):.2f}".removeprefix("0")


def with_zero(value: float) -> str:
    """Return a number with two decimals, with the zero before the point."""
    sign = "−" if round(value, 2) < 0 else ""
    return f"{sign}{abs(value):.2f}"


def p_with_relation(p: float) -> str:
    """Return a p with its relation, to three decimals.

    Examples
    --------
    >>> p_with_relation(0.0123), p_with_relation(0.0002)
    ('= .012', '< .001')
    """
    return "< .001" if p < 0.001 else "= " + f"{p:.3f}".removeprefix("0")


def undefined_result(method: str, reason: str, *, n: int = 0, dropped: int = 0) -> Result:
    """Return a result without a value, with the reason."""
    return Result(value=nan, n=n, dropped=dropped, method=method, reason=reason)
