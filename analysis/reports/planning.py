"""A plan as a page shows it: power drawn over the number of items, and the items needed in
words."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.charts import svg
from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import percent, two
from analysis.reports.rows import Record

SHOWN = (20, 50, 100, 200, 400, 800)


def drawn(curve: Sequence[Record], *, target: float) -> dict[str, bytes]:
    """Return the chart of power in both inks."""
    import altair as alt
    import pandas as pd

    rows = [{**row, "annotators": str(row["annotators"])} for row in curve]
    items = alt.X(
        "items:Q",
        title="items",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(values=list(SHOWN), grid=False),
    )
    power = alt.Y(
        "power:Q", title="power", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")
    )
    base = alt.Chart(pd.DataFrame(rows)).encode(
        x=items, color=alt.Color("annotators:N", title="annotators", sort=None)
    )
    spread = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(point=True).encode(y=power)
    rule = (
        alt.Chart(pd.DataFrame([{"target": target}]))
        .mark_rule(strokeDash=[4, 4])
        .encode(y="target:Q")
    )
    chart = alt.layer(line, spread, rule).properties(width=560, height=260)
    return svg(chart)


def page(result: Mapping[str, Any]) -> dict[str, Any]:
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
