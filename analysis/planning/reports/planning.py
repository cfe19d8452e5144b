"""A plan as a page shows it: power drawn over the number of items, and the items needed in
words."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Any

from analysis.reports.charts import svg
from analysis.reports.layout import Cell, Chart, Line, PageTable
from analysis.reports.numerals import two
from analysis.reports.rows import Record
from judging.base.percentages import percent

MARKERS = "osD^vPX*"
SHOWN = (20, 50, 100, 200, 400, 800)


def draw_power(curve: Sequence[Record], *, target: float) -> dict[str, bytes]:
    """Return the chart of power in both inks."""
    return svg(partial(_chart, curve, target), title="Power by items")


def _chart(curve: Sequence[Record], target: float) -> Chart:
    from matplotlib.figure import Figure

    chart = Figure((5.4, 3.2), layout="constrained")
    axes = chart.subplots()
    for annotators, marker in zip(
        dict.fromkeys(row["annotators"] for row in curve), cycle(MARKERS)
    ):
        rows = [row for row in curve if row["annotators"] == annotators]
        items = [row["items"] for row in rows]
        power = [row["power"] for row in rows]
        axes.plot(items, power, marker=marker, label=str(annotators), clip_on=False)
    axes.axhline(target, linestyle=":")
    axes.set(xscale="log", xlabel="items", ylabel="power", ylim=(0, 1))
    axes.set_xticks(SHOWN, [str(items) for items in SHOWN], minor=False)
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.grid(visible=False, axis="x")
    chart.legend(title="annotators", loc="outside upper left", ncols=len(MARKERS))
    return chart


def plan_page(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything the page lays out of a finished plan."""
    return {
        "needed": [_needed(row) for row in result["needed"]],
        "power": _power(result["curve"]),
        "source": result["source"],
        "fixed": result["fixed"],
        "question": two(result["question"] if "question" in result else result["system_item"]),
        "residual": two(result["residual"]),
        "level": f"{result['level']:.3g}",
        "code": result["code"],
        "versions": ", ".join(f"{name} {version}" for name, version in result["versions"].items()),
    }


def _needed(row: Record) -> dict[str, Any]:
    if row["items"] is None:
        return {"annotators": row["annotators"], "reason": row["reason"]}
    others = row.get("half_width_others")
    return {
        "annotators": row["annotators"],
        "items": f"{row['items']:,}",
        "power": percent(row["power"]),
        "half_width": f"± {two(row['half_width'])}",
        "half_width_others": "–" if others is None else f"± {two(others)}",
        "ratings": f"{row['ratings_a_system']:,}",
    }


def _power(curve: Sequence[Record]) -> PageTable:
    by_place = {(row["items"], row["annotators"]): row for row in curve}
    annotators = list(dict.fromkeys(row["annotators"] for row in curve))
    rows = [
        Line(f"{items:,}", [_cell(by_place[items, judges]) for judges in annotators])
        for items in dict.fromkeys(row["items"] for row in curve)
    ]
    return PageTable(
        "Power by items and annotators",
        [f"{judges} each" for judges in annotators],
        rows,
        first="Items",
    )


def _cell(row: Record) -> Cell:
    return Cell(percent(row["power"]), f"± {two(row['half_width'])}")
