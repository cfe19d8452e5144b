"""Figures by measure: neighbouring colours differ in grey and for eyes without red or green cones;
axes are shared."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from analysis.reports import charts
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


def bars(points: int, ink: str) -> list[str]:
    """Return the colours of a scale's values as they are drawn, lowest first."""
    rows = [
        {"name": "Clarity", "system": "A", "value": value, "share": 1 / points}
        for value in range(1, points + 1)
    ]
    chart = charts.distributions(rows, ["Clarity"])
    assert chart is not None
    drawn = charts.svg(chart)[ink].decode()
    bar = r'<path[^>]*aria-roledescription="bar"[^>]*fill="(#[0-9a-f]{6}|rgb\([^)]*\))"'
    found = list(dict.fromkeys(re.findall(bar, drawn)))
    assert len(found) == points
    return found


@pytest.mark.parametrize("ink", ["light", "dark"])
@pytest.mark.parametrize("points", [2, 3, 5, 7, 12])
def test_neighbouring_values_are_told_apart_in_grey_and_without_red_or_green_cones(
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


def test_every_cell_of_the_heat_map_has_its_number_for_sign_is_lost_in_grey() -> None:
    rows = [
        {"name": "Clarity", "metric": "m", "value": 0.6},
        {"name": "Ease", "metric": "m", "value": -0.6},
    ]
    chart = charts.correlations(rows)
    assert chart is not None
    assert re.findall(r">(−?\.\d+)</text>", charts.svg(chart)["light"].decode())[:2] == [
        ".60",
        "−.60",
    ]


def test_the_dark_figure_is_the_light_one_in_other_colours() -> None:
    chart = charts.correlations([{"name": "#14507a", "metric": "m", "value": 0.6}])
    assert chart is not None
    light, dark = (charts.svg(chart)[ink].decode() for ink in ("light", "dark"))
    for use in ("ink", "quiet", "line", "card"):
        colours = [f'"{charts.INKS[ink][use]}"' for ink in ("light", "dark")]
        assert [text.count(colours[0]) for text in (light, dark)] == [dark.count(colours[1]), 0]
        assert colours[1] not in light
    assert light.count("#14507a") == dark.count("#14507a") > 0  # a name is no colour
    assert dark.count('fill="black"') == light.count('fill="black"') > 0  # on the cell's own colour


def test_names_that_no_xml_can_hold_are_drawn_all_the_same() -> None:
    """What draws them ends its process where it meets one, and with it whatever is done there."""
    at = Result(value=1.0, ci=ConfidenceInterval(0.5, 1.5))
    points = [(f"a{code}", at) for code in "\x00\x07\x0b\x1f\ufffe"]
    drawn = charts.svg(charts.intervals(points, title="b\x1b"))["light"].decode()
    for name in ("a\u2400", "a\u2407", "a\u240b", "a\u241f", "a\ufffd", "b\u241b"):
        assert f">{name}<" in drawn
    assert charts.drawable({"a\x07": ["b\x7f\t", 1, None]}) == {"a\u2407": ["b\x7f\t", 1, None]}


def test_panels_of_scales_with_the_same_ends_share_their_axis_and_others_do_not() -> None:
    def point(name: str, value: float) -> tuple[str, Result]:
        return name, Result(value=value, ci=ConfidenceInterval(value - 0.5, value + 0.5), n=9)

    chart = charts.means(
        [
            ("Clarity", [point("A", 2.0)], (1.0, 3.0)),
            ("Ease", [point("A", 1.5)], (1.0, 3.0)),
            ("Variety", [point("A", 4.5)], (1.0, 5.0)),
        ]
    )
    assert chart is not None
    panels = chart.to_dict()["concat"]
    domains = [each["layer"][0]["encoding"]["x"]["scale"]["domain"] for each in panels]
    assert domains[0] == domains[1] == pytest.approx([0.925, 2.575])
    assert domains[2] == pytest.approx([3.95, 5.05])


def test_correlations_are_written_as_in_their_table() -> None:
    rows = [
        {"name": "Clarity", "metric": metric, "value": value}
        for metric, value in (("BLEU", -0.001), ("METEOR", -0.456), ("TER", 1.0))
    ]
    chart = charts.correlations(rows)
    assert chart is not None
    drawn = charts.svg(chart)["light"].decode()
    assert {".00", "−.46", "1.00"} <= set(re.findall(r">([^<>]+)</text>", drawn))


def test_a_figure_of_more_values_than_can_be_read_is_left_out_and_loses_no_run() -> None:
    spread = [
        {"name": f"C{c}", "system": f"S{s}", "value": v, "share": 0.2}
        for c in range(21)
        for s in range(50)
        for v in range(1, 6)
    ]
    names = [f"C{c}" for c in range(21)]
    assert charts.distributions(spread, names) is None
    assert charts.distributions(spread[:4_000], names) is not None
    cells = [
        {"name": f"C{c}", "metric": f"M{m}", "value": 0.5} for c in range(67) for m in range(60)
    ]
    assert charts.correlations(cells) is None
    assert charts.correlations(cells[:4_000]) is not None
    points = [(f"S{place}", Result(value=2.0, n=3)) for place in range(50)]
    assert charts.means([(f"C{c}", points, (1.0, 5.0)) for c in range(21)]) is None
    assert charts.means([(f"C{c}", points, (1.0, 5.0)) for c in range(20)]) is not None


def test_why_a_figure_is_left_out_is_said() -> None:
    assert charts.not_drawn(4_000) == []
    assert charts.not_drawn(12_500) == [
        "Not drawn: 12,500 values are more than a figure shows (4,000)."
    ]
