"""The matching of questions with references: the matrix of pair scores as a figure and as a
table."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.charts import svg
from analysis.reports.layout import Cell, Chart, Line, PageTable
from analysis.reports.making import how
from analysis.reports.rows import Record
from judging.limits import MAX_EXCERPT_CHARACTERS, MAX_PAGE_CELLS, MAX_PAGE_ROWS
from judging.long_texts import shortened

DRAWN_TEXTS = 20  # questions or references that a drawing has room for
MATCHED = "#d1590a"
LISTED_REFERENCES = MAX_PAGE_CELLS // MAX_PAGE_ROWS  # a column each
CELL = 100  # characters of a long text that count as one
NUMBERS = ("value", "total", "precision", "recall")
SCALES = {"fraction": "a fraction", "percent": "percent", "other": "on its own scale"}


def drawn(one: Record) -> dict[str, bytes]:
    """Return the matrix of one set in both inks; a single pair, or what is too large to read, is
    left to the table."""
    sizes = (len(one["questions"]), len(one["references"]))
    if not one["pairs"] or max(sizes) > DRAWN_TEXTS or max(sizes) == 1:
        return {}
    chart = _matrix(_cells(one))
    return svg(chart)


def _cells(one: Record) -> list[Record]:
    questions, references = _numbered(one["questions"]), _numbered(one["references"])
    pairs = _pairs(one)
    return [
        {
            "question": asked,
            "reference": given,
            "score": score,
            "text": written(score),
            "matched": (i, j) in pairs,
        }
        for i, (asked, row) in enumerate(zip(questions, one["scores"], strict=True), 1)
        for j, (given, score) in enumerate(zip(references, row, strict=True), 1)
    ]


def _numbered(texts: Sequence[str]) -> list[str]:
    """Number texts, so that one which comes twice keeps its two places."""
    return [f"{place}. {text}" for place, text in enumerate(texts, 1)]


def _pairs(one: Record) -> set[tuple[int, int]]:
    return {(pair["question"], pair["reference"]) for pair in one["pairs"]}


def _matrix(cells: Sequence[Record]) -> Chart:
    """Return every pair's score, questions down and references across, the matched ones framed and
    in bold."""
    import altair as alt
    import pandas as pd

    axis = alt.Axis(labelAngle=-30, labelLimit=260, orient="top")
    base = alt.Chart(pd.DataFrame(cells)).encode(
        x=alt.X("reference:N", title=None, sort=None, axis=axis),
        y=alt.Y("question:N", title=None, sort=None, axis=alt.Axis(labelLimit=300)),
    )
    dark = 0.6 * max(cell["score"] for cell in cells)
    shades = base.mark_rect(stroke=None).encode(
        color=alt.Color("score:Q", legend=None, scale=alt.Scale(scheme="blues", domainMin=0))
    )
    matched = base.transform_filter("datum.matched")
    frames = matched.mark_rect(fill=None, stroke=MATCHED, strokeWidth=3)
    ink = alt.condition(f"datum.score > {dark}", alt.value("#ffffff"), alt.value("#1d1c1a"))
    plain = (
        base.transform_filter("!datum.matched")
        .mark_text(fontSize=12)
        .encode(text="text:N", color=ink)
    )
    bold = matched.mark_text(fontSize=13, fontWeight="bold").encode(text="text:N", color=ink)
    chart: Chart = alt.layer(shades, frames, plain, bold)
    return chart.properties(width=alt.Step(74), height=alt.Step(40))


def written(score: float) -> str:
    """Write a pair's score with the digits that Figure 3 of Ray Chowdhury et al. (2022) has, in its
    own scale."""
    return f"{score:.2f}" if score >= 1 else f"{score:.4f}".removeprefix("0")


def page(result: Mapping[str, Any]) -> dict[str, Any]:
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
        "how": how(result["made"]),
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
            name: "–" if one[name] is None else written(one[name])
            for name in ("value", "total", "precision", "recall")
        },
    }


def _pair(one: Record, pair: Record) -> dict[str, str]:
    return {
        "question": shortened(one["questions"][pair["question"] - 1], MAX_EXCERPT_CHARACTERS),
        "reference": shortened(one["references"][pair["reference"] - 1], MAX_EXCERPT_CHARACTERS),
        "score": written(pair["score"]),
    }


def _table(one: Record, short: Record) -> PageTable:
    rows = [
        Line(
            name,
            [
                Cell(written(score), best=(i, j) in short["matched"])
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
