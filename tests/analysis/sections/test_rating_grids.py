"""The grids of values on the page, worked by hand."""

from analysis.sections.rating_grids import RatingGrids
from tests.analysis.sections import stored


def grid(first: str, second: str, *counts: int) -> list[dict]:
    """Return the cells of a grid of three values, row by row."""
    cells = zip(((a, b) for a in (1, 2, 3) for b in (1, 2, 3)), counts, strict=True)
    return [
        {
            "criterion": "clarity",
            "first": first,
            "second": second,
            "first_value": a,
            "second_value": b,
            "count": count,
        }
        for (a, b), count in cells
    ]


def test_grids_stand_with_their_pairs_and_shades() -> None:
    """Of all annotators each pair stands in both directions: 1,204 cells are 602 pairs."""
    rows = [
        *grid("", "", 600, 1, 0, 1, 400, 0, 0, 0, 202),
        *grid("A1", "A2", 20, 5, 0, 0, 10, 0, 5, 0, 0),
    ]
    pair = {"criterion": "clarity", "first": "A1", "second": "A2", "value": 0.512, "n": 40}
    pairs = [{**pair, "weights": "linear", "value": 0.9}, {**pair, "weights": "unweighted"}]
    every, two = RatingGrids().tables(stored.found(rating_grids=rows, pairs=pairs))
    assert (every.title, every.first, every.folded) == ("Clarity, all annotators", "Value", False)
    assert every.caption == "602 pairs of ratings, percent agreement > 99%."
    assert (every.columns, every.notes) == (["1", "2", "3"], ["no", "nearly", "yes"])
    assert [(line.name, line.under) for line in every.lines] == [
        ("1", "no"),
        ("2", "nearly"),
        ("3", "yes"),
    ]
    assert [[cell.text for cell in line.cells] for line in every.lines] == [
        ["600", "1", "0"],
        ["1", "400", "0"],
        ["0", "0", "202"],
    ]
    assert (two.title, two.first, two.folded) == ("Clarity, A1 and A2", "A1 ↓, A2 →", True)
    assert two.caption == "40 pairs of ratings, percent agreement 75%, Cohen's κ = .51."
    # the largest count has the darkest of twenty shades
    assert [[cell.shade for cell in line.cells] for line in two.lines] == [
        [20, 5, 0],
        [0, 10, 0],
        [5, 0, 0],
    ]
