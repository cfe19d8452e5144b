"""Formats of numbers and lists of names in a report, in tables and in sentences alike."""

import re
from collections.abc import Callable, Sequence
from math import isnan

from quaestor_stats._result import Result

MINUS = "−"
LEADING_ZERO = re.compile(r"(?<![0-9])0\.")
EQUAL = 1e-9  # numbers no further apart are equal but for rounding
NAMED_IN_FULL, NAMED_FIRST = (
    12,
    8,
)  # names of a list that a sentence gives whole, and of a longer one
MAX_NAMES = 3  # names that a sentence of a report lists; more become a count


def is_defined(value: float | None) -> bool:
    """Return whether there is a number."""
    return value is not None and not isnan(value)


def two(value: float | None) -> str:
    """Write a number with two decimals and no needless minus."""
    if value is None or isnan(value):
        return "undefined"
    return f"{round(value, 2) + 0.0:.2f}".replace("-", MINUS)


def or_dash(value: float | None) -> str:
    """Write a number with two decimals, a dash where there is none."""
    return two(value) if is_defined(value) else "–"


def format_signed(value: float | None) -> str:
    """Write a difference with its sign."""
    if value is None or isnan(value):
        return "–"
    return ("+" if value >= 0.005 else "") + two(value)


def format_number(value: float | None) -> str:
    """Write a sum or a mean with at most two decimals."""
    if value is None or isnan(value):
        return "–"
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", MINUS)


def coefficient(value: float | None) -> str:
    """Write a correlation as papers do, without the zero before the point."""
    return LEADING_ZERO.sub(".", two(value), count=1) if is_defined(value) else "–"


def format_p(p: float | None) -> str:
    """Write p as papers do: never 0, never 1."""
    if p is None or isnan(p):
        return "p undefined"
    if p < 0.001:
        return "p < .001"
    return "p > .999" if p > 0.999 else f"p = {p:.3f}".replace("0.", ".")


def p_alone(p: float | None) -> str:
    """Write p for a column of its own."""
    return format_p(p).removeprefix("p = ").removeprefix("p ") if is_defined(p) else "–"


def interval_text(estimate: Result, write: Callable[[float], str] = two) -> str:
    """Write an interval as `[.68, .84]`; empty if there is none. `write` formats its limits."""
    if isnan(estimate.ci.low) or isnan(estimate.ci.high):
        return ""
    return f"[{write(estimate.ci.low)}, {write(estimate.ci.high)}]"


def with_interval(estimate: Result, write: Callable[[float], str] = two) -> str:
    """Write a value with its interval, `2.90 [2.81, 2.99]`, or why it is undefined."""
    if not estimate.defined:
        return f"undefined: {estimate.reason}"
    return " ".join(filter(None, [write(estimate.value), interval_text(estimate, write)]))


def effect(
    what: str, estimate: Result, p: float, write: Callable[[float], str] = format_signed
) -> str:
    """Write an effect with its interval and p: difference +0.05, 95% CI [−0.08, 0.18], p = .310."""
    limits = interval_text(estimate, two if write is format_signed else write)
    interval = f", 95% CI {limits}" if limits else ""
    return f"{what} {write(estimate.value)}{interval}, {format_p(p)}"


def format_count(n: int, one: str, many: str = "") -> str:
    """Write a count with its noun: 1 source, 2 sources."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def format_list(words: Sequence[str]) -> str:
    """Write a list in words: a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def format_short_list(words: Sequence[str]) -> str:
    """Write a list in a sentence: of many only the first, and how many others there are."""
    if len(words) <= NAMED_IN_FULL:
        return format_list(words)
    return f"{', '.join(words[:NAMED_FIRST])} and {len(words) - NAMED_FIRST} others"


def listed_or_counted(words: Sequence[str], noun: str) -> str:
    """Write up to three names as a list, and more as their number: 4 metrics."""
    return format_list(words) if len(words) <= MAX_NAMES else f"{len(words):,} {noun}"


def inside_sentence(name: str) -> str:
    """Write a name for use inside a sentence; one that begins with two capitals keeps them."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]
