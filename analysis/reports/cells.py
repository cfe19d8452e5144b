"""Cells of tables that many sections have."""

from collections.abc import Callable

from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell
from analysis.reports.numerals import format_signed, interval_text, or_dash
from quaestor_stats._result import Result


def estimate_cell(
    estimate: Result | None,
    write: Callable[[float], str] = or_dash,
    *,
    with_n: bool = True,
    items: ItemQuery | None = None,
) -> Cell:
    """Return an estimate with its interval and n below; a dash if there is none. `write` formats
    its numbers."""
    if estimate is None:
        return Cell("–")
    n = f"n = {estimate.n:,}" if with_n else ""
    under = ", ".join(filter(None, [interval_text(estimate, write), n]))
    return Cell(write(estimate.value), under, items=items)


def difference_cell(estimate: Result) -> Cell:
    """Return a difference with its sign, and with its interval below."""
    return Cell(format_signed(estimate.value), interval_text(estimate))
