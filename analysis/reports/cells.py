"""Cells of tables that many sections have."""

from analysis.reports.layout import Cell
from analysis.reports.numerals import interval_text, or_dash
from analysis.stats.estimate import Estimate


def estimate_cell(estimate: Estimate | None) -> Cell:
    """Return an estimate with its interval and n below; a dash where there is none."""
    if estimate is None:
        return Cell("–")
    under = ", ".join(filter(None, [interval_text(estimate), f"n = {estimate.n:,}"]))
    return Cell(or_dash(estimate.value), under)
