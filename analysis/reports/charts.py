"""Figures as SVG, light and dark, drawn in the worker; a page shows them as images beside their tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt
import pandas as pd

from analysis.reports.records import Record
from analysis.reports.sentences import level_of

Chart: TypeAlias = alt.FacetChart | alt.LayerChart
INKS: Mapping[str, Mapping[str, str]] = {
    "light": {"ink": "#1d1c1a", "quiet": "#5f5b53", "line": "#dedad1", "accent": "#14507a", "card": "#ffffff"},
    "dark": {"ink": "#ece9e2", "quiet": "#aca79c", "line": "#34383e", "accent": "#8cc4ee", "card": "#1e2125"},
}
MANY_POINTS = 12
PANEL = 185  # two panels with their labels fit half a page at the size of its text
FONT = "Inter, system-ui, sans-serif"


def drawn(tables: Mapping[str, Any]) -> dict[str, bytes]:
    """Return every figure that the tables give rise to, by name and ink."""
    names = {row["criterion"]: row["name"] for row in tables["criteria"]}
    plans: Mapping[str, Callable[[], Chart | None]] = {
        "agreement": lambda: agreement(tables, names),
        "systems": lambda: systems(tables["systems"], names),
        "distributions": lambda: distributions(tables["distributions"], names),
        "correlations": lambda: correlations(tables["correlations"], names),
    }
    found = {}
    for name, plan in plans.items():
        if (chart := plan()) is not None:
            for ink in INKS:
                found[f"{name}-{ink}"] = svg(chart, ink=ink)
    return found


def svg(chart: Chart, *, ink: str) -> bytes:
    """Return a chart as SVG in one of the two inks."""
    import vl_convert

    colours = INKS[ink]
    dressed = chart.configure(background=colours["card"], font=FONT, padding=8)
    dressed = dressed.configure_view(stroke=None).configure_mark(color=colours["accent"])
    dressed = dressed.configure_rule(color=colours["accent"])
    dressed = dressed.configure_axis(
        labelColor=colours["ink"], titleColor=colours["quiet"], gridColor=colours["line"], domainColor=colours["line"],
        tickColor=colours["line"], labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=220,
    )  # fmt: skip
    dressed = dressed.configure_legend(
        labelColor=colours["ink"], titleColor=colours["quiet"], labelFontSize=12, labelLimit=260
    )
    dressed = dressed.configure_header(labelColor=colours["ink"], labelFontSize=13, labelFontWeight="bold")
    return vl_convert.vegalite_to_svg(dressed.to_dict()).encode()


def agreement(tables: Mapping[str, Any], names: Mapping[str, str]) -> Chart | None:
    """Alpha of each criterion, at the level of its scale, with its interval."""
    levels = {row["criterion"]: level_of(row) for row in tables["criteria"]}
    kept = [
        row
        for row in tables["agreement"]
        if (row["coefficient"], row["level"]) == ("krippendorff_alpha", levels[row["criterion"]])
        and row["basis"] == "all"
    ]
    return _dots(_named(kept, names), y="name:N", title="Krippendorff's alpha")


def systems(rows: Sequence[Record], names: Mapping[str, str]) -> Chart | None:
    """Each system's mean with its interval, a panel for each criterion."""
    panel = _dots(_named(rows, names), y="system:N", title="mean", width=PANEL)
    if panel is None:
        return None
    panels: Chart = _panels(panel, names).resolve_scale(x="independent")
    return panels


def _named(rows: Sequence[Record], names: Mapping[str, str]) -> list[Record]:
    """Return the defined rows with the name that people read."""
    return [{**row, "name": names.get(row["criterion"], row["criterion"])} for row in rows if row["value"] is not None]


def _dots(rows: Sequence[Record], *, y: str, title: str, width: int = 420) -> Chart | None:
    if not rows:
        return None
    base = alt.Chart(pd.DataFrame(rows)).encode(y=alt.Y(y, title=None, sort=None))
    axis = alt.X("low:Q", title=title, scale=alt.Scale(zero=False))
    spread = base.mark_rule(strokeWidth=5, opacity=0.4).encode(x=axis, x2="high:Q")
    point = base.mark_point(filled=True, size=90, opacity=1).encode(x="value:Q")
    return alt.layer(spread, point).properties(width=width, height=alt.Step(30))


def _panels(panel: alt.Chart | Chart, names: Mapping[str, str]) -> Chart:
    """Return a panel for each criterion, two in a row, in the rubric's order."""
    panels: Chart = panel.facet(facet=alt.Facet("name:N", title=None, sort=list(names.values())), columns=2)
    return panels


def distributions(rows: Sequence[Record], names: Mapping[str, str]) -> Chart | None:
    """How each system's ratings spread over the scale; scales of many points are left to the table."""
    kept = [{**row, "point": str(row["value"])} for row in _named(rows, names) if row["share"] is not None]
    if not kept or len({row["point"] for row in kept}) > MANY_POINTS:
        return None
    percents = alt.Axis(format="%", tickCount=3)
    bars = alt.Chart(pd.DataFrame(kept)).mark_bar().encode(
        x=alt.X("share:Q", title="share of ratings", axis=percents, scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("system:N", title=None),
        color=alt.Color("point:O", title="value", scale=alt.Scale(scheme="blues"), legend=alt.Legend(orient="top")),
        order=alt.Order("value:Q"),
    )  # fmt: skip
    return _panels(bars.properties(width=PANEL, height=alt.Step(26)), names)


def correlations(rows: Sequence[Record], names: Mapping[str, str]) -> Chart | None:
    """Spearman's rho of every metric with every human column."""
    kept = [{**row, "text": f"{row['value']:.2f}"} for row in _named(rows, names) if row["coefficient"] == "spearman"]
    if not kept:
        return None
    x = alt.X("metric:N", title=None, sort=None, axis=alt.Axis(labelAngle=-35))
    base = alt.Chart(pd.DataFrame(kept)).encode(x=x, y=alt.Y("name:N", title=None, sort=None))
    scale = alt.Scale(scheme="blueorange", domain=[-1, 1], domainMid=0, reverse=True)
    cells = base.mark_rect(stroke=None).encode(color=alt.Color("value:Q", title="rho", scale=scale))
    ink = alt.condition("abs(datum.value) > 0.6", alt.value("#ffffff"), alt.value("#1d1c1a"))
    chart: Chart = alt.layer(cells, base.mark_text(fontSize=12).encode(text="text:N", color=ink))
    return chart.properties(width=alt.Step(74), height=alt.Step(40))
