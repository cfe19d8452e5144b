"""The matching of questions with references: the matrix of pair scores as a figure and as a
table."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from analysis.reports.charts import svg
from analysis.reports.layout import Cell, Chart, Line, PageTable
from analysis.reports.making import describe_making
from analysis.reports.rows import Record
from judging.base.limits import MAX_EXCERPT_CHARACTERS, MAX_PAGE_CELLS, MAX_PAGE_ROWS
from judging.base.long_texts import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN_TEXTS = 20  # questions or references that a drawing has room for
LONG_NAME = 30  # characters
MATCHED = "#d1590a"
# Text on coloured cells, in colours that do not change in the dark
BRIGHT, BLACK = "#fefefe", "#010101"
LISTED_REFERENCES = MAX_PAGE_CELLS // MAX_PAGE_ROWS  # a column each
CELL = 100  # characters of a long text that count as one
NUMBERS = ("value", "total", "precision", "recall")
SCALES = {"fraction": "a fraction", "percent": "percent", "other": "on its own scale"}


def draw_matrix(one: Record) -> dict[str, bytes]:
    """Return the matrix of one set in both inks; a single pair, or what is too large to read, is
    left to the table."""
    sizes = (len(one["questions"]), len(one["references"]))
    if not one["pairs"] or max(sizes) > DRAWN_TEXTS or max(sizes) == 1:
        return {}
    return svg(partial(_matrix, one), title="Scores of all pairs, matched ones framed")


def _numbered(texts: Sequence[str]) -> list[str]:
    """Number texts, so that one which comes twice keeps its two places."""
    return [f"{place}. {text}" for place, text in enumerate(texts, 1)]


def _pairs(one: Record) -> set[tuple[int, int]]:
    return {(pair["question"], pair["reference"]) for pair in one["pairs"]}


def _matrix(one: Record) -> Chart:
    """Return every pair's score, questions down and references across, the matched ones framed and
    in bold."""
    from matplotlib.figure import Figure

    rows, columns = len(one["questions"]), len(one["references"])
    chart = Figure((4.4 + 0.75 * columns, 1.4 + 0.4 * rows), layout="constrained")
    axes = chart.subplots()
    shades = axes.pcolormesh(one["scores"], cmap="Blues", vmin=0)
    matched = _pairs(one)
    for row, scores in enumerate(one["scores"]):
        for column, score in enumerate(scores):
            ink = BRIGHT if shades.norm(score) > 0.6 else BLACK
            _write_score(axes, (column, row), score, ink, (row + 1, column + 1) in matched)
    _name_cells(axes, one)
    axes.grid(visible=False)
    axes.invert_yaxis()
    return chart


def _write_score(
    axes: "Axes", corner: tuple[int, int], score: float, ink: str, is_matched: bool
) -> None:
    """Write a score into its cell, with a frame if the pair is matched."""
    from matplotlib.patches import Rectangle

    if is_matched:
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=MATCHED, linewidth=2.5))
    middle = corner[0] + 0.5, corner[1] + 0.5
    weight = "bold" if is_matched else "normal"
    axes.text(*middle, format_score(score), color=ink, weight=weight, ha="center", va="center")


def _name_cells(axes: "Axes", one: Record) -> None:
    """Name questions on the left and references on top, each at the middle of its cells."""
    for axis, side in ((axes.yaxis, "questions"), (axes.xaxis, "references")):
        names = [shortened(name, LONG_NAME) for name in _numbered(one[side])]
        axis.set_ticks([place + 0.5 for place in range(len(names))], names)
    axes.tick_params(axis="x", labeltop=True, labelbottom=False, top=False, bottom=False)
    for name in axes.get_xticklabels():
        name.set(rotation=30, ha="left", rotation_mode="anchor")


def format_score(score: float) -> str:
    """Write a pair's score with the digits that Figure 3 of Ray Chowdhury et al. (2022) has, in its
    own scale."""
    return f"{score:.2f}" if score >= 1 else f"{score:.4f}".removeprefix("0")


def matching_page(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything the page lays out of a finished matching: the first sets, as many as one
    page shows."""
    sets: list[dict[str, Any]] = []
    written = 0
    for place, one in enumerate(result["sets"]):
        short = _short(one)
        written += _size(short)
        if sets and written > MAX_PAGE_CELLS:
            break
        sets.append(_set(place, one, short, result["figures"]))
    return {
        "source": result["source"],
        "metric": result["metric"],
        "how": describe_making(result["made"]),
        "scale": SCALES[result["scale"]],
        "sets": sets,
        "not_shown": len(result["sets"]) - len(sets),
    }


def _short(one: Record) -> Record:
    """Return the part of a set that the page shows: its first pairs and the beginnings of texts."""
    pairs = one["pairs"][:MAX_PAGE_ROWS]
    return {
        "pairs": [_pair(one, pair) for pair in pairs],
        "matched": _pairs(one),
        "questions": [
            shortened(text, MAX_EXCERPT_CHARACTERS) for text in one["questions"][:MAX_PAGE_ROWS]
        ],
        "references": [
            shortened(text, MAX_EXCERPT_CHARACTERS)
            for text in one["references"][:LISTED_REFERENCES]
        ],
        "scores": [row[:LISTED_REFERENCES] for row in one["scores"][:MAX_PAGE_ROWS]],
    }


def _size(short: Record) -> int:
    """Count the cells of what is shown of a set, long texts as several."""
    texts = [*short["questions"], *short["references"]]
    texts += [text for pair in short["pairs"] for text in (pair["question"], pair["reference"])]
    cells = len(short["questions"]) * len(short["references"])
    return 10 + cells + len(texts) + sum(map(len, texts)) // CELL


def _set(place: int, one: Record, short: Record, figures: Mapping[str, str]) -> dict[str, Any]:
    return {
        "place": place,
        "system": one["system"],
        "figure": f"{place}-light" in figures,
        "reason": one["reason"],
        "pairs": short["pairs"],
        "pairs_not_shown": len(one["pairs"]) - len(short["pairs"]),
        "matrix": _table(one, short) if one["pairs"] else None,
        "m": len(one["questions"]),
        "n": len(one["references"]),
        **{
            name: "–" if one[name] is None else format_score(one[name])
            for name in ("value", "total", "precision", "recall")
        },
    }


def _pair(one: Record, pair: Record) -> dict[str, str]:
    return {
        "question": shortened(one["questions"][pair["question"] - 1], MAX_EXCERPT_CHARACTERS),
        "reference": shortened(one["references"][pair["reference"] - 1], MAX_EXCERPT_CHARACTERS),
        "score": format_score(pair["score"]),
    }


def _table(one: Record, short: Record) -> PageTable:
    rows = [
        Line(
            name,
            [
                Cell(format_score(score), best=(i, j) in short["matched"])
                for j, score in enumerate(row, 1)
            ],
        )
        for i, (name, row) in enumerate(
            zip(_numbered(short["questions"]), short["scores"], strict=True), 1
        )
    ]
    across = len(one["references"])
    table = PageTable(
        "Pair scores",
        _numbered(short["references"]),
        rows,
        first="Generated question",
        reasons=[
            f"The first {LISTED_REFERENCES} of {across:,} references; the JSON has all of them."
        ]
        if across > LISTED_REFERENCES
        else [],
    )
    return table.cut(whole=len(one["questions"]), files="JSON")
