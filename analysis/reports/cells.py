"""Cells of tables that many sections have."""

from collections.abc import Callable

from analysis.reports.layout import Cell
from analysis.reports.numerals import interval_text, or_dash
from quaestor_stats._result import Result


def estimate_cell(estimate: Result | None, write: Callable[[float], str] = or_dash) -> Cell:
    """Return an estimate with its interval and n below; a dash if there is none. `write` formats
    its numbers."""
    if estimate is None:
        return Cell("–")
    under = ", ".join(filter(None, [interval_text(estimate, write), f"n = {estimate.n:,}"]))
    return Cell(write(estimate.value), under)
