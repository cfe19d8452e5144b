"""The human ceiling: how well one annotator follows the others, by the coefficients that metrics
are measured by."""

from itertools import product
from typing import get_args

from analysis.reports.rows import row_field, table_row
from analysis.sections.metrics.columns import averaged_criteria
from analysis.sections.section import Chance, Found, Inputs, Section
from quaestor_stats._correlation import METHODS
from quaestor_stats._human_ceiling import CeilingLevel, ceiling_of_arrays
from quaestor_stats._result import Result

LEVELS: tuple[CeilingLevel, ...] = get_args(CeilingLevel)


@table_row
class CeilingRow:
    """Correlation of one annotator with the mean of the others."""

    criterion: str = row_field("key of the criterion")
    level: str = row_field("pooled, within_source or systems")
    coefficient: str = row_field("pearson, spearman or kendall")
    ceiling: Result = row_field(
        "the coefficient, a mean over annotators, with its interval over sources"
    )


class Ceiling(Section[CeilingRow]):
    """The ceiling of each criterion at each level; a metric above it follows the mean better than a
    person does."""

    key = "ceiling"
    title = "Human ceiling"
    identity = ("criterion", "level", "coefficient")
    by_reading = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CeilingRow]:
        material, rows = inputs.differing, []
        for criterion in averaged_criteria(material):
            judged = material.judgments[material.judgments["criterion"] == criterion.key]
            judged = judged.dropna(subset=["value"]).join(material.places, on="unit")
            if judged["annotator"].nunique() < 2:
                continue
            labels = {
                "systems": judged["system"].to_numpy(dtype=object),
                "sources": judged["source"].to_numpy(dtype=object),
                "annotators": judged["annotator"].to_numpy(dtype=object),
                "questions": judged["unit"].to_numpy(),
                "clusters": judged["cluster"].to_numpy(dtype=object),
            }
            for level, method in product(LEVELS, METHODS):
                chance.step(f"Human ceiling of {criterion.key}")
                ceiling = ceiling_of_arrays(
                    judged["value"].to_numpy(dtype="float64"),
                    **labels,
                    unit=material.cluster_unit,
                    method=method,
                    level=level,
                )
                rows.append(CeilingRow(criterion.key, level, method, ceiling))
        return rows
