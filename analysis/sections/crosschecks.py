"""Sentences of a report about coefficients that another library computed too."""

from collections.abc import Iterable
from math import isnan

from analysis.stats.crosscheck import Check


def largest_differences(checks: Iterable[Check]) -> list[str]:
    """Return a sentence for each library that was asked."""
    by_library: dict[str, list[float]] = {}
    for each in checks:
        if not isnan(each.difference):
            name = f"{each.library} {each.version}"
            by_library.setdefault(name, []).append(abs(each.difference))
    return [
        f"{len(gaps)} coefficients were checked against {name}: largest difference {max(gaps):.1g}."
        for name, gaps in by_library.items()
    ]
