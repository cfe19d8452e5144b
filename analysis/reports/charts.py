"""Figures as SVG, light and dark, drawn in the worker; a page shows them as images beside their
tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias

from analysis.reports.layout import Chart, Figure
from analysis.reports.numerals import coefficient
from analysis.reports.rows import Record
from quaestor_stats._result import Result

if TYPE_CHECKING:
    import altair as alt

ChartPoint: TypeAlias = tuple[str, Result]
INKS: Mapping[str, Mapping[str, str]] = {
    "light": {
        "ink": "#1d1c1a",
        "quiet": "#5f5b53",
        "line": "#dedad1",
        "accent": "#14507a",
        "card": "#ffffff",
    },
    "dark": {
        "ink": "#ece9e2",
        "quiet": "#aca79c",
        "line": "#34383e",
        "accent": "#8cc4ee",
        "card": "#1e2125",
    },
}
IN_THE_DARK = {colour: INKS["dark"][use] for use, colour in INKS["light"].items()}
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
PRINTED = {"pdf": "application/pdf", "png": "image/png"}
MANY_POINTS = 12
NOT_DRAWN = "Not drawn:"
DRAWN_VALUES = 4_000  # values of a figure: more are unreadable, and altair accepts 5,000 rows
DRAWN_MEANS = 1_000  # each is a line: 25 panels of 40 systems are a picture of five metres
LIGHTEST, DARKEST = (222, 235, 247), (8, 48, 107)  # of the values of a scale
PANEL = 185  # two panels with their labels fit half a page at the size of its text
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # an image has only the reader's own fonts


def not_drawn(marks: int, most: int = DRAWN_VALUES) -> list[str]:
    """Return why a figure of so many bars, points or cells is omitted; empty if it is drawn."""
    if marks <= most:
        return []
    return [f"{NOT_DRAWN} {marks:,} values are more than a figure shows ({most:,})."]


def drawn(figures: Sequence[Figure]) -> dict[str, bytes]:
    """Return every figure in each ink, by name and ink."""
    charts = {each.name: chart for each in figures if (chart := each.chart()) is not None}
    return {
        f"{name}-{ink}": drawing
        for name, chart in charts.items()
        for ink, drawing in svg(chart).items()
    }


def printed(figures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the light figures for print, by name and ending: PDF with embedded fonts, PNG at 200
    dots an inch."""
    import vl_convert

    made: dict[str, bytes] = {}
    for name, drawing in figures.items():
        if name.endswith("-light"):
            text = drawing.decode()
            made[f"{name.removesuffix('-light')}.pdf"] = vl_convert.svg_to_pdf(text)
            made[f"{name.removesuffix('-light')}.png"] = vl_convert.svg_to_png(text, ppi=200)
    return made


def svg(chart: Chart) -> dict[str, bytes]:
    """Return a chart as SVG for light and dark pages: it is drawn for light ones, and the colours
    are replaced for dark ones, which gives the same without drawing twice."""
    import vl_convert

    drawing = drawable(chart.to_dict())
    colours, standing = INKS["light"], drawing.get("config", {})
    drawing["config"] = standing | {
        "background": colours["card"],
        "font": FONT,
        "padding": {"left": 28, "right": 12, "top": 8, "bottom": 8},
        "view": standing.get("view", {}) | {"stroke": None},
        "mark": {"color": colours["accent"]},
        "rule": {"color": colours["accent"]},
        "axis": {
            "labelColor": colours["ink"],
            "titleColor": colours["quiet"],
            "gridColor": colours["line"],
            "domainColor": colours["line"],
            "tickColor": colours["line"],
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 220,
        },
        "legend": {
            "labelColor": colours["ink"],
            "titleColor": colours["quiet"],
            "labelFontSize": 12,
            "labelLimit": 260,
        },
        "header": {"labelColor": colours["ink"], "labelFontSize": 13, "labelFontWeight": "bold"},
    }
    light = vl_convert.vegalite_to_svg(drawing)
    dark = re.sub(
        r'"(#[0-9a-f]{6})"', lambda colour: f'"{IN_THE_DARK.get(colour[1], colour[1])}"', light
    )
    return {"light": light.encode(), "dark": dark.encode()}


def drawable(spec: Any) -> Any:
    """Return a drawing's specification without the characters that SVG, being XML, cannot contain.
    A name from a spreadsheet may contain one, and would crash the whole process that draws it."""
    if isinstance(spec, str):
        return NO_XML.sub(_pictured, spec)
    if isinstance(spec, dict):
        return {drawable(key): drawable(value) for key, value in spec.items()}
    return [drawable(each) for each in spec] if isinstance(spec, list) else spec


def _pictured(character: re.Match[str]) -> str:
    """Return the picture that Unicode has of a control character, so that two names stay two."""
    code = ord(character[0])
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"


def intervals(
    points: Sequence[ChartPoint],
    *,
    title: str,
    width: int = 420,
    domain: tuple[float, float] | None = None,
) -> Chart | None:
    """Draw values with their intervals, one a line in the order given; `domain`: the ends of an
    axis that is shared."""
    import altair as alt
    import pandas as pd

    if not points:
        return None
    rows = [
        {
            "name": name,
            "value": each.value,
            "low": _end(each.ci.low, each),
            "high": _end(each.ci.high, each),
        }
        for name, each in points
    ]
    base = alt.Chart(pd.DataFrame(rows)).encode(y=alt.Y("name:N", title=None, sort=None))
    scale = alt.Scale(domain=list(domain), nice=False) if domain else alt.Scale(zero=False)
    axis = alt.X("low:Q", title=title, scale=scale)
    spread = base.mark_rule(strokeWidth=5, opacity=0.4).encode(x=axis, x2="high:Q")
    point = base.mark_point(filled=True, size=90, opacity=1).encode(x="value:Q")
    return alt.layer(spread, point).properties(width=width, height=alt.Step(30))


def means(panels: Sequence[tuple[str, Sequence[ChartPoint], tuple[float, float]]]) -> Chart | None:
    """Draw each system's mean with its interval, a panel for each criterion, its systems in the
    order given.

    Panels whose scales have the same ends share their axis, so that they can be compared by eye.
    """
    import altair as alt

    if not_drawn(sum(len(points) for _name, points, _scale in panels), DRAWN_MEANS):
        return None
    reach: dict[tuple[float, float], tuple[float, float]] = {}
    for _name, points, scale in panels:
        ends = [
            end for _, each in points for end in (_end(each.ci.low, each), _end(each.ci.high, each))
        ]
        if ends:
            low, high = reach.get(scale, (scale[1], scale[0]))
            reach[scale] = (min(low, *ends), max(high, *ends))
    drawn = [
        chart.properties(title=name)
        for name, points, scale in panels
        if (chart := intervals(points, title="mean", width=PANEL, domain=_apart(reach.get(scale))))
        is not None
    ]
    return alt.concat(*drawn, columns=2) if drawn else None


def _apart(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the ends of an axis with a margin; None if they do not differ."""
    if ends is None or ends[0] >= ends[1]:
        return None
    room = 0.05 * (ends[1] - ends[0])
    return ends[0] - room, ends[1] + room


def _end(value: float, estimate: Result) -> float:
    return estimate.value if isnan(value) else value


def distributions(rows: Sequence[Record], names: Sequence[str]) -> Chart | None:
    """Draw each system's rating distribution; None for scales of many points, and for too many
    systems and criteria to be readable: these are only in the table."""
    import altair as alt
    import pandas as pd

    kept = [{**row, "point": str(row["value"])} for row in rows]
    is_many = len({row["point"] for row in kept}) > MANY_POINTS
    if not kept or is_many or not_drawn(len(kept)):
        return None
    percents = alt.Axis(format="%", tickCount=3)
    bars = (
        alt.Chart(pd.DataFrame(kept))
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q", title="share of ratings", axis=percents, scale=alt.Scale(domain=[0, 1])
            ),
            y=alt.Y("system:N", title=None),
            color=alt.Color(
                "point:O", title="value", scale=_steps(kept), legend=alt.Legend(orient="top")
            ),
            order=alt.Order("value:Q"),
        )
    )
    panel = bars.properties(width=PANEL, height=alt.Step(26))
    panels: Chart = panel.facet(facet=alt.Facet("name:N", title=None, sort=list(names)), columns=2)
    return panels


def _steps(rows: Sequence[Record]) -> alt.Scale:
    """Return blues from light to dark in even steps, so that neighbouring values differ in grey
    too."""
    import altair as alt

    values = sorted({row["value"] for row in rows})
    shares = [place / max(1, len(values) - 1) for place in range(len(values))]
    colours = [
        "#"
        + "".join(
            f"{round(a + share * (b - a)):02x}" for a, b in zip(LIGHTEST, DARKEST, strict=True)
        )
        for share in shares
    ]
    return alt.Scale(domain=[str(value) for value in values], range=colours)


def correlations(rows: Sequence[Record]) -> Chart | None:
    """A heat map of coefficients: a row for each human column, a column for each metric. Those too
    many to be read are left to the table."""
    import altair as alt
    import pandas as pd

    kept = [{**row, "text": coefficient(row["value"])} for row in rows]
    if not kept or not_drawn(len(kept)):
        return None
    x = alt.X("metric:N", title=None, sort=None, axis=alt.Axis(labelAngle=-35))
    base = alt.Chart(pd.DataFrame(kept)).encode(x=x, y=alt.Y("name:N", title=None, sort=None))
    scale = alt.Scale(scheme="blueorange", domain=[-1, 1], domainMid=0, reverse=True)
    cells = base.mark_rect(stroke=None).encode(color=alt.Color("value:Q", title="ρ", scale=scale))
    ink = alt.condition("abs(datum.value) > 0.6", alt.value("white"), alt.value("black"))
    chart: Chart = alt.layer(cells, base.mark_text(fontSize=12).encode(text="text:N", color=ink))
    return chart.properties(width=alt.Step(74), height=alt.Step(40))
