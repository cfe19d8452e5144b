"""Result types of the functions of this package."""

from dataclasses import dataclass
from math import isnan, nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval and the amount of data behind it.

    If the value cannot be computed it is ``nan`` and ``reason`` says why. If only the interval
    cannot, ``reason`` says why the interval is missing.
    """

    value: float
    low: float = nan
    high: float = nan
    n: int = 0  # units (or items, or sources) the value rests on
    dropped: int = 0  # those that could not be used
    clusters: int = 0  # those (as a rule sources) the interval rests on; 0: units are independent
    df: float = nan  # degrees of freedom of a jackknife-t over clusters; over units they are n - 1
    method: str = ""
    reason: str = ""
    caution: str = ""  # what makes the number less sure

    @property
    def defined(self) -> bool:
        return not isnan(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested(Estimate):
    """An estimate with the test that it, or the difference it is, might be chance."""

    statistic: float = nan
    p: float = nan


def undefined(method: str, reason: str, *, n: int = 0, dropped: int = 0) -> Estimate:
    return Estimate(value=nan, n=n, dropped=dropped, method=method, reason=reason)


def untested(method: str, reason: str, *, n: int = 0, dropped: int = 0) -> Tested:
    return Tested(value=nan, n=n, dropped=dropped, method=method, reason=reason)
