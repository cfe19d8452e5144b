"""Confusion matrices of two annotators: their ratings of the same units, value by value."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import coefficient, percent
from analysis.sections.annotators import MANY_POINTS, Pairs
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.levels import SHADES
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.stats.arrays import IntArray
from analysis.stats.raters import rating_grid, rating_grid_of_all
from judging.protocols.rubric_schema import RubricCriterion

ANNOTATORS_PAIRED = 6  # annotators up to which each pair has a grid of its own


@dataclass(frozen=True)
class RatingGridCell:
    """Number of times that one annotator gave one value and another annotator another value.

    criterion: key of the criterion
    first: label of one annotator; empty in the grid of all annotators
    second: label of the other; empty in the grid of all annotators
    first_value: what the first gave
    second_value: what the second gave
    count: times this happened; in the grid of all annotators every pair of ratings counts in both
      directions
    """

    criterion: str
    first: str
    second: str
    first_value: int
    second_value: int
    count: int


class RatingGrids(Section[RatingGridCell]):
    """The values of pairs of annotators beside each other; scales of many points have none."""

    key = "rating_grids"
    title = "Confusion matrices"
    identity = ("criterion", "first", "second", "first_value", "second_value")
    people = ("first", "second")
    note = (
        "How often two annotators gave each pair of values to the same question; cells off the diagonal "
        "are disagreements. In the matrix of all annotators, each pair of ratings counts in both "
        f"directions. With up to {ANNOTATORS_PAIRED} annotators, each pair has a matrix of its own."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[RatingGridCell]:
        rows: list[RatingGridCell] = []
        for criterion in inputs.said.rubric.criteria:
            ratings = inputs.said.ratings(criterion.key)
            if len(criterion.points) > MANY_POINTS or ratings.shape[1] < 2:
                continue
            table, labels = ratings.to_numpy(), [str(label) for label in ratings.columns]
            values = criterion.values()
            rows += _cells(criterion, ("", ""), rating_grid_of_all(table, scale=values))
            if len(labels) <= ANNOTATORS_PAIRED:
                for i, j in combinations(range(len(labels)), 2):
                    grid = rating_grid(table[:, i], table[:, j], scale=values)
                    rows += _cells(criterion, (labels[i], labels[j]), grid)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        grids: dict[tuple[str, str, str], list[RatingGridCell]] = {}
        for row in found.of(RatingGrids):
            grids.setdefault((row.criterion, row.first, row.second), []).append(row)
        has_pairs = any(first for _criterion, first, _second in grids)
        kappas = {
            (row.criterion, row.first, row.second): row.value
            for row in (found.of(Pairs) if has_pairs else ())
            if row.weights == "unweighted"
        }
        criteria = {each.criterion: each for each in criterion_rows(found)}
        return [
            _table(criteria[key[0]], rows, kappas.get(key), folded=place > 0)
            for place, (key, rows) in enumerate(grids.items())
            if key[0] in criteria
        ]


def _cells(
    criterion: RubricCriterion, pair: tuple[str, str], grid: IntArray
) -> Iterator[RatingGridCell]:
    """Yield the cells of a grid, none of one that is empty: the two judged nothing in common."""
    values = criterion.values()
    if grid.any():
        for place, count in np.ndenumerate(grid):
            yield RatingGridCell(
                criterion.key, *pair, int(values[place[0]]), int(values[place[1]]), int(count)
            )


def _table(
    criterion: CriterionRow, rows: list[RatingGridCell], kappa: float | None, *, folded: bool
) -> PageTable:
    counts = {(row.first_value, row.second_value): row.count for row in rows}
    values = list(dict.fromkeys(row.first_value for row in rows))
    first, second = rows[0].first, rows[0].second
    most, total = max(counts.values()), sum(counts.values())
    equal = sum(counts.get((value, value), 0) for value in values) / total
    pairs = total if first else total // 2  # of all annotators, each counts in both directions
    pair = f"{first} and {second}" if first else "all annotators"
    told = [f"{pairs:,} pairs of ratings, percent agreement {percent(equal)}"]
    if kappa is not None:
        told.append(f"Cohen's κ = {coefficient(kappa)}")
    labels = criterion.labels
    return PageTable(
        f"{criterion.name}, {pair}",
        [str(value) for value in values],
        [
            Line(
                str(value),
                [
                    Cell(f"{count:,}", shade=round(SHADES * count / most))
                    for other in values
                    for count in [counts.get((value, other), 0)]
                ],
                under=labels.get(value, ""),
            )
            for value in values
        ],
        first=f"{first} ↓, {second} →" if first else "Value",
        notes=[labels.get(value, "") for value in values],
        caption=", ".join(told) + ".",
        heat=True,
        folded=folded,
    )
