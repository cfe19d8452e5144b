"""Other ways from annotators' ratings to a system's number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import or_dash
from analysis.reports.system_names import system_name
from analysis.sections.columns import averaged_criteria, clusters_of
from analysis.sections.criteria import criterion_rows
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.stats.aggregation import (
    min_max,
    rank_scores,
    unit_majorities,
    unit_means,
    unit_medians,
    z_scores,
)
from analysis.stats.arrays import FloatArray
from analysis.stats.estimate import Estimate
from analysis.stats.systems import system_means

OfUnits: TypeAlias = Callable[[FloatArray], FloatArray]
WAYS: Mapping[str, tuple[str, OfUnits]] = {
    "mean": ("mean", unit_means),
    "median": ("median", unit_medians),
    "majority": ("majority", lambda table: unit_majorities(table).values),
    "z_scores": ("z per annotator", lambda table: unit_means(z_scores(table))),
    "min_max": ("0–1 per annotator", lambda table: unit_means(min_max(table))),
    "ranks": ("ranks per annotator", lambda table: unit_means(rank_scores(table))),
}

SHOWN = {way: words for way, (words, _) in WAYS.items() if way != "mean"}  # Systems has the means


@dataclass(frozen=True)
class AggregationRow:
    """One system's mean under one way from ratings to a number per question.

    criterion: key of the criterion
    system: name of the system
    aggregation: mean, median or majority of a question's ratings; or the mean after z_scores, min_max (0 to 1) or
      ranks within each annotator
    mean: mean over the system's questions
    tied: questions whose majority is tied, which have none; empty for the other ways
    """

    criterion: str
    system: str
    aggregation: str
    mean: Estimate
    tied: int | None


class Aggregations(Section[AggregationRow]):
    """Each system's mean under every way from ratings to one number per unit."""

    key = "aggregations"
    title = "Alternative aggregations"
    identity = ("criterion", "system", "aggregation")
    by_reading = True
    note = (
        "A question without a unique majority is excluded from the column of majorities. z scores, 0–1 scaling and "
        "ranks are computed within each annotator first."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[AggregationRow]:
        material, rows = inputs.counted, []
        system_of = material.slots.set_index("unit")["system"]
        for criterion in averaged_criteria(material):
            ratings = material.ratings(criterion.key)
            if ratings.empty:
                continue
            table = ratings.to_numpy()
            names = system_of.loc[ratings.index].to_numpy()
            clusters = clusters_of(material, ratings.index)
            tied = unit_majorities(table).tied
            for way, (_, of_units) in WAYS.items():
                means = system_means(
                    of_units(table), systems=names, sources=clusters, unit=material.cluster_unit
                )
                for system, mean in means.items():
                    ties = int(tied[names == system].sum()) if way == "majority" else None
                    rows.append(AggregationRow(criterion.key, str(system), way, mean, ties))
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        tables = []
        for each in criterion_rows(found):
            rows = found.on(Aggregations, each.criterion)
            by_place = {(row.system, row.aggregation): row for row in rows}
            lines = [
                Line(system_name(name), [_cell(by_place[name, way]) for way in SHOWN])
                for name in sorted({row.system for row in rows})
            ]
            if lines:
                heads = list(SHOWN.values())
                tables.append(PageTable(each.name, heads, lines, first="System", folded=True))
        return tables


def _cell(row: AggregationRow) -> Cell:
    under = f"{row.tied} tied" if row.tied else f"n = {row.mean.n:,}"
    return Cell(or_dash(row.mean.value), under)
