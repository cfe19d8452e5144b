"""Figures by measure: contrast, colours for all eyes, shared axes, equal bytes, fitted lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from analysis.reports import charts
from analysis.reports.layout import Chart
from quaestor_stats._result import ConfidenceInterval, Result

# Vienot, Brettel and Mollon 1999, on linear RGB
EYES = {
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
IN_GREY, TOLD_APART = 6.0, 6.0  # in CIELAB, where about 2 is the least that is seen side by side


def linear(colour: str) -> np.ndarray:
    parts = (
        [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        if colour.startswith("#")
        else re.findall(r"\d+", colour)
    )
    rgb = np.array(parts, dtype=float) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    t = (TO_XYZ @ np.clip(rgb, 0, 1)) / WHITE
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def drawing(draw: Callable[[], Chart | None], ink: str = "light") -> str:
    return charts.svg(draw, title="a figure")[ink].decode()


def bars(points: int, ink: str) -> list[str]:
    """Return the colours of a scale's values as they are drawn, lowest first."""
    rows = [
        {"name": "Clarity", "system": "A", "value": value, "share": 1 / points}
        for value in range(1, points + 1)
    ]
    drawn = drawing(lambda: charts.distributions(rows, ["Clarity"]), ink)
    edge = {"light": "#5f5b53", "dark": "#aca79c"}[ink]
    found = list(dict.fromkeys(re.findall(f"fill: (#[0-9a-f]{{6}}); stroke: {edge}", drawn)))
    assert len(found) == points
    return found


@pytest.mark.parametrize("ink", ["light", "dark"])
@pytest.mark.parametrize("points", [2, 3, 5, 7, 12])
def test_neighbouring_values_differ_in_grey_and_without_red_or_green_cones(
    points: int, ink: str
) -> None:
    colours = [linear(each) for each in bars(points, ink)]
    light = [lab(each)[0] for each in colours]
    assert light == sorted(light, reverse=True)
    assert min(abs(a - b) for a, b in pairs(light)) >= IN_GREY
    for eye in EYES.values():
        seen = [lab(np.array(eye) @ each) for each in colours]
        assert min(float(np.linalg.norm(a - b)) for a, b in pairs(seen)) >= TOLD_APART


def pairs(values: Sequence[object]) -> list[tuple[object, object]]:
    return list(pairwise(values))


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((float(TO_XYZ[1] @ linear(each)) for each in (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize(("ink", "card"), [("light", "#ffffff"), ("dark", "#1e2125")])
def test_texts_and_marks_contrast_with_the_card(ink: str, card: str) -> None:
    drawn = drawing(lambda: means_of("A", "B"), ink)
    assert f"fill: {card}" in drawn
    texts = set(re.findall(r"<text [^>]*fill: (#[0-9a-f]{6})", drawn))
    assert len(texts) == 2
    assert min(contrast(each, card) for each in texts) >= 4.5
    mark = {"light": "#14507a", "dark": "#8cc4ee"}[ink]
    assert contrast(mark, card) >= 3
    assert f"stroke: {mark}" in drawn


def test_the_dark_figure_is_the_light_one_in_other_colours() -> None:
    light, dark = (drawing(lambda: means_of("#14507a"), ink) for ink in ("light", "dark"))
    for before, after in charts.IN_THE_DARK.items():
        found = [text.count(f": {colour}") for text in (light, dark) for colour in (before, after)]
        assert found in ([found[0], 0, 0, found[0]], [0, 0, 0, 0])
    assert light.count(">#14507a<") == dark.count(">#14507a<") == 1  # a name is no colour


def test_equal_figures_are_equal_bytes_with_a_title_and_their_texts() -> None:
    drawn = [drawing(lambda: means_of("a & b", "$x_1$")) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert "<title>a figure</title>" in drawn[0]
    assert "<dc:date>" not in drawn[0]
    assert ">a &amp; b<" in drawn[0]
    assert ">$x_1$<" in drawn[0]


def test_names_that_no_xml_can_hold_are_drawn_all_the_same() -> None:
    drawn = drawing(lambda: means_of(*(f"a{code}" for code in "\x00\x07\x0b\x1f\ufffe")))
    assert drawn.count(">a\ufffd<") == 5
    ElementTree.fromstring(drawn)


def means_of(*systems: str) -> Chart | None:
    at = Result(value=1.0, ci=ConfidenceInterval(0.5, 1.5))
    return charts.intervals([("Clarity", dict.fromkeys(systems, at), (1.0, 3.0))], label="mean")


def test_panels_of_scales_with_the_same_ends_share_their_axis_and_others_do_not() -> None:
    def at(value: float) -> dict[str, Result]:
        return {"A": Result(value=value, ci=ConfidenceInterval(value - 0.5, value + 0.5), n=9)}

    chart = charts.intervals(
        [("Clarity", at(2.0), (1, 3)), ("Ease", at(1.5), (1, 3)), ("Variety", at(4.5), (1, 5))],
        label="mean",
    )
    assert chart is not None
    ends = [axes.get_xlim() for axes in chart.axes]
    assert ends[0] == ends[1] == pytest.approx((0.88, 2.62))
    assert ends[2] == pytest.approx((3.92, 5.08))


def test_scatter_has_the_line_of_least_squares_with_the_band_of_its_mean() -> None:
    x, y = np.array([0.1, 0.2, 0.4, 0.5]), np.array([1.0, 1.6, 2.1, 2.0])
    means = {
        system: (score, Result(value=mean))
        for system, score, mean in zip("ABCD", x, y, strict=True)
    }
    chart = charts.scatter({"Clarity": {"BLEU": means}})
    assert chart is not None
    (axes,) = chart.axes
    assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
    line, low, high = (each.get_xydata() for each in axes.lines[1:])
    theirs = OLS(y, add_constant(x)).fit().get_prediction(add_constant(line[:, 0]))
    assert line[:, 1] == pytest.approx(theirs.predicted)
    assert np.column_stack([low[:, 1], high[:, 1]]) == pytest.approx(theirs.conf_int())


def test_scatter_of_two_systems_or_of_equal_scores_has_no_line() -> None:
    at = Result(value=2.0)
    for scores in ((0.1, 0.2), (0.3, 0.3, 0.3)):
        means = {str(place): (score, at) for place, score in enumerate(scores)}
        chart = charts.scatter({"Clarity": {"BLEU": means}})
        assert chart is not None
        assert len(chart.axes[0].lines) == 1


def test_a_figure_of_more_values_than_can_be_read_is_excluded_and_loses_no_run() -> None:
    spread = [
        {"name": f"C{c}", "system": f"S{s}", "value": v, "share": 0.2}
        for c in range(21)
        for s in range(50)
        for v in range(1, 6)
    ]
    assert charts.distributions(spread, [f"C{c}" for c in range(21)]) is None
    assert charts.distributions(spread[:250], ["C0"]) is not None
    points = {f"S{place}": Result(value=2.0, n=3) for place in range(50)}
    assert charts.intervals([(f"C{c}", points, (1, 5)) for c in range(21)], label="") is None
    assert charts.intervals([("C", points, (1, 5))], label="") is not None
    scored = {name: (1.0, mean) for name, mean in points.items()}
    assert charts.scatter({"C": {"BLEU": scored}}) is None
    assert charts.svg(lambda: charts.scatter({"C": {"BLEU": scored}}), title="") == {}


def test_why_a_figure_is_excluded_is_said() -> None:
    assert charts.not_drawn(4_000) == []
    assert charts.not_drawn(12_500) == [
        "Not drawn: 12,500 values are more than a figure shows (4,000)."
    ]
