"""How a report writes numbers and lists of names, in tables and in sentences alike."""

from collections.abc import Sequence

from analysis.reports.records import Record

MINUS = "−"


def two(value: float | None) -> str:
    """Write a number with two decimals and no needless minus."""
    return "undefined" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", MINUS)


def plain(value: float | None) -> str:
    """Write a sum or a mean with at most two decimals."""
    return "–" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", MINUS)


def coefficient(value: float) -> str:
    """Write a correlation as papers do, without the zero before the point."""
    return two(value).replace("0.", ".", 1)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def p_value(p: float | None) -> str:
    """Write p as papers do."""
    return "p undefined" if p is None else ("p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", "."))


def between(row: Record) -> str:
    """Write a row's interval; empty where it has none."""
    return "" if row.get("low") is None or row.get("high") is None else f"{two(row['low'])} to {two(row['high'])}"


def bracketed(row: Record) -> str:
    """Write a value with its interval in brackets, or why it is undefined."""
    if row["value"] is None:
        return f"undefined: {row['reason']}"
    return f"{two(row['value'])} ({between(row)})" if between(row) else two(row["value"])


def listed(words: Sequence[str]) -> str:
    """Write a list as people say it: a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def inside(name: str) -> str:
    """Write a name as it stands inside a sentence; one that begins with two capitals keeps them."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]
