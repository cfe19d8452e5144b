"""Figures as SVG, light and dark, drawn in the worker; a page shows them as images beside their
tables."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from analysis.reports.layout import Chart, Figure
from analysis.reports.rows import Record
from judging.base.long_texts import shortened
from quaestor_stats._result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

MeansByScore: TypeAlias = Mapping[str, tuple[float, Result]]  # by system
IN_THE_DARK = {  # colours of the style, and those of dark pages (static/css/tokens.css)
    "#1d1c1a": "#ece9e2",
    "#5f5b53": "#aca79c",
    "#dedad1": "#34383e",
    "#14507a": "#8cc4ee",
    "#ffffff": "#1e2125",
}
COLOUR = re.compile("(?<=fill: |roke: )#[0-9a-f]{6}")  # as a style names it; texts hold none
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
MANY_POINTS = 12
DRAWN_VALUES = 4_000  # values of a figure: more are unreadable
DRAWN_MEANS = 1_000  # each is a line: 25 panels of 40 systems are a picture of five metres
DRAWN_SYSTEMS = 30  # numbered points of a panel
LIGHTEST, DARKEST = "#deebf7", "#08306b"  # of the values of a scale
COLUMNS = 3  # panels side by side, which fit a page of paper at the size of its text
ABOVE, BELOW = 0.42, 0.46  # inches around a panel: a title of two lines, numbers and a label
LONG_NAME, TITLE_LINE, WHOLE_LINE = 28, 20, 80  # characters
STYLE = Path(__file__).with_name("figures.mplstyle")
CJK = "Noto Sans CJK"  # the server's, for letters that the fonts of the style lack


def not_drawn(marks: int, most: int = DRAWN_VALUES) -> list[str]:
    """Return why a figure of so many bars, points or cells is omitted; empty if it is drawn."""
    if marks <= most:
        return []
    return [f"Not drawn: {marks:,} values are more than a figure shows ({most:,})."]


def draw_figures(figures: Sequence[Figure]) -> dict[str, bytes]:
    """Return every figure in each ink, by name and ink."""
    return {
        f"{figure.name}-{ink}": drawing
        for figure in figures
        for ink, drawing in svg(figure.chart, title=figure.alt).items()
    }


def light(figures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the figures for light pages, by name."""
    return {
        name.removesuffix("-light"): drawing
        for name, drawing in figures.items()
        if name.endswith("-light")
    }


def svg(draw: Callable[[], Chart | None], *, title: str) -> dict[str, bytes]:
    """Return a chart as SVG for light and dark pages; empty if there is nothing to draw.

    It is drawn for light pages, and the colours are replaced for dark ones.
    """
    from matplotlib import font_manager, rc_context

    cjk = [name for name in font_manager.get_font_names() if name.startswith(CJK)]
    with rc_context({"font.family": ["sans-serif", *cjk]}, fname=STYLE):
        chart = draw()
        if chart is None:
            return {}
        written = io.StringIO()
        chart.savefig(written, format="svg", metadata={"Title": title, "Date": None})
    drawing = NO_XML.sub("\N{REPLACEMENT CHARACTER}", written.getvalue())
    in_the_dark = COLOUR.sub(lambda colour: IN_THE_DARK.get(colour[0], colour[0]), drawing)
    return {"light": drawing.encode(), "dark": in_the_dark.encode()}


def _grid(rows: int, columns: int, *, height: float, below: float) -> tuple[Chart, NDArray[Any]]:
    """Return a figure with its panels. `height` of a panel and the room `below` all of them are in
    inches. The margins are set here: the library's own layouts take as long as the drawing."""
    from matplotlib.figure import Figure as Drawing

    width, tall = 2.8 + columns, rows * (ABOVE + height + BELOW) + below
    chart = Drawing((width, tall))
    chart.subplots_adjust(
        right=1 - 0.15 / width,
        top=1 - ABOVE / tall,
        bottom=(BELOW + below) / tall,
        wspace=0.12,
        hspace=(ABOVE + BELOW) / height,
    )
    return chart, chart.subplots(rows, columns, sharey="row", squeeze=False)


def _fit_names(chart: Chart, axes: Sequence[Axes]) -> None:
    """Give the names on the left of some panels the room that they need."""
    widest = max(axis.yaxis.get_tightbbox().width for axis in axes)
    chart.subplots_adjust(left=widest / chart.bbox.width + 0.02)


def _panels(
    titles: Sequence[str], names: Sequence[str], *, line: float, below: float = 0
) -> tuple[Chart, list[Axes]]:
    """Return a figure with a panel for each title, whose lines are named from the top. `line`: the
    height of a line in inches."""
    columns = min(len(titles), COLUMNS)
    height = line * len(names)
    chart, grid = _grid(-(-len(titles) // columns), columns, height=height, below=below)
    for spare in grid.flat[len(titles) :]:
        spare.remove()
    panels = list(grid.flat[: len(titles)])
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(_wrapped(title))
        axes.set_yticks(range(len(names)), [shortened(name, LONG_NAME) for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
    _fit_names(chart, panels[:1])
    return chart, panels


def _wrapped(title: str) -> str:
    return fill(title, TITLE_LINE, max_lines=2, placeholder="…")


def intervals(
    given: Sequence[tuple[str, Mapping[str, Result], tuple[float, float] | None]], *, label: str
) -> Chart | None:
    """Draw values with their intervals: a panel for each title, a line for each name. Panels whose
    scales have the same ends share their axis, so that they can be compared by eye."""
    names = list(dict.fromkeys(name for _title, points, _scale in given for name in points))
    if not names or not_drawn(len(given) * len(names), DRAWN_MEANS):
        return None
    titles = [title for title, _points, _scale in given]
    chart, panels = _panels(titles, names, line=0.3)
    of_scale: dict[tuple[float, float] | None, Axes] = {}
    for axes, (_title, points, scale) in zip(panels, given, strict=True):
        first = of_scale.setdefault(scale, axes)
        if first is not axes:
            axes.sharex(first)
        _dot_and_whisker(axes, points, names)
        axes.set_xlabel(label)
    return chart


def _dot_and_whisker(axes: Axes, points: Mapping[str, Result], names: Sequence[str]) -> None:
    lines = [names.index(name) for name in points]
    axes.hlines(lines, *_ends(points.values()))
    axes.plot([point.value for point in points.values()], lines, "o")
    axes.margins(x=0.08)


def _ends(estimates: Iterable[Result]) -> tuple[list[float], list[float]]:
    """Return the lower and the upper ends of intervals; without an interval, the estimates."""
    lows, highs = [], []
    for estimate in estimates:
        lows.append(estimate.value if isnan(estimate.ci.low) else estimate.ci.low)
        highs.append(estimate.value if isnan(estimate.ci.high) else estimate.ci.high)
    return lows, highs


def distributions(rows: Sequence[Record], names: Sequence[str]) -> Chart | None:
    """Draw each system's rating distribution; None for scales of many points, and for too many
    systems and criteria to be readable: these are only in the table."""
    from matplotlib.patches import Patch

    values = sorted({row["value"] for row in rows})
    if not rows or len(values) > MANY_POINTS or not_drawn(len(rows)):
        return None
    colours = _blues(values)
    systems = list(dict.fromkeys(row["system"] for row in rows))
    of_criterion = {name: [row for row in rows if row["name"] == name] for name in names}
    rated = [name for name in names if of_criterion[name]]
    chart, panels = _panels(rated, systems, line=0.26, below=0.3)
    for axes, name in zip(panels, rated, strict=True):
        _stack_shares(axes, of_criterion[name], systems, colours)
        axes.set_xlabel("share of ratings")
        axes.set_xticks([0.25, 0.5, 0.75], ["25%", "50%", "75%"])
        axes.set_xlim(0, 1)
    parts = [Patch(facecolor=colour, label=str(value)) for value, colour in colours.items()]
    chart.legend(handles=parts, loc="lower left", ncols=MANY_POINTS)
    return chart


def _blues(values: Sequence[int]) -> dict[int, Any]:
    """Return blues from light to dark in even steps, so that neighbouring values differ in grey
    too."""
    from matplotlib.colors import LinearSegmentedColormap

    blues = LinearSegmentedColormap.from_list("blues", (LIGHTEST, DARKEST), N=max(2, len(values)))
    return {value: blues(place) for place, value in enumerate(values)}


def _stack_shares(
    axes: Axes, rows: Sequence[Record], systems: Sequence[str], colours: Mapping[int, Any]
) -> None:
    """Draw a bar for each system, the lowest value first."""
    ends = dict.fromkeys(systems, 0.0)
    for row in sorted(rows, key=lambda row: row["value"]):
        system, share = row["system"], row["share"]
        colour = colours[row["value"]]
        axes.barh(systems.index(system), share, left=ends[system], color=colour)
        ends[system] += share


def scatter(rows: Mapping[str, Mapping[str, MeansByScore]]) -> Chart | None:
    """Draw the systems' mean ratings over their mean scores: a row for each criterion, a panel for
    each of its metrics, with the line of least squares and its 95% band over the systems."""
    drawn = [means for row in rows.values() for means in row.values()]
    systems = list(dict.fromkeys(system for means in drawn for system in means))
    if len(systems) < 2 or not_drawn(len(systems), DRAWN_SYSTEMS):
        return None
    numbers = {system: str(number) for number, system in enumerate(systems, 1)}
    named = [f"{numbers[system]} {shortened(system, LONG_NAME)}" for system in systems]
    key = wrap("; ".join(named), WHOLE_LINE)
    columns = max(map(len, rows.values()))
    chart, grid = _grid(len(rows), columns, height=1.3, below=0.17 * len(key))
    for (criterion, row), panels in zip(rows.items(), grid, strict=True):
        panels[0].set_ylabel(_wrapped(f"{criterion}, mean"))
        _scatter_row(panels, row, numbers)
    chart.supxlabel("\n".join(key), x=0.02, ha="left", size="medium")
    _fit_names(chart, list(grid[:, 0]))
    return chart


def _scatter_row(
    panels: Sequence[Axes], row: Mapping[str, MeansByScore], numbers: Mapping[str, str]
) -> None:
    for axes, (metric, means) in zip(panels, row.items(), strict=False):
        axes.set_title(_wrapped(metric))
        _mark_systems(axes, means, numbers)
    for spare in panels[len(row) :]:
        spare.remove()


def _mark_systems(axes: Axes, means: MeansByScore, numbers: Mapping[str, str]) -> None:
    """Draw each system as a numbered point with the interval of its mean, and the line."""
    x = [score for score, _mean in means.values()]
    y = [mean.value for _score, mean in means.values()]
    axes.vlines(x, *_ends(mean for _score, mean in means.values()))
    axes.plot(x, y, "o")
    for system, (score, mean) in means.items():
        axes.annotate(numbers[system], (score, mean.value), (4, 3), textcoords="offset points")
    axes.margins(x=0.15, y=0.15)
    if len(set(x)) > 2:
        _fit(axes, x, y)


def _fit(axes: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw the line of least squares with the 95% band of its mean, and keep the ends of the
    axes."""
    import numpy as np
    from scipy.stats import linregress, t

    (left, right), ends = axes.get_xlim(), axes.get_ylim()
    along = np.linspace(left, right, 20)
    line = linregress(x, y)
    predicted = line.intercept + line.slope * along
    # the error of the line at the mean score, and that of its slope away from there
    center = np.mean(x)
    residuals = np.asarray(y) - line.intercept - line.slope * np.asarray(x)
    freedom = len(x) - 2
    error_at_center = np.sqrt(residuals @ residuals / freedom / len(x))
    error = np.hypot(error_at_center, line.stderr * (along - center))
    half_width = t.ppf(0.975, freedom) * error
    band = (predicted - half_width, predicted + half_width)
    axes.plot(along, predicted)
    axes.plot(along, np.transpose(band), linestyle="--", linewidth=0.8)
    axes.fill_between(along, *band, alpha=0.12, linewidth=0)
    axes.set(xlim=(left, right), ylim=ends)
