"""Means of an LLM judge's large sample corrected by a small sample of human ratings, and the human
ratings that this saves."""

from collections.abc import Iterator

import numpy as np

from analysis.reports.cells import estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import is_defined, or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.llm_judges.alternative_annotator_test import level_for
from analysis.sections.llm_judges.judge_descriptions import Judged, judged_criteria, mean_of_people
from analysis.sections.section import Chance, Found, Inputs, Section
from quaestor_stats._prediction_powered import ALL_JUDGED, corrected_mean
from quaestor_stats._result import Result


@table_row
class CorrectedMeanRow:
    """The mean of one system, or of all, by human ratings alone and with one judge."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    system: str = row_field("name of the system; empty for all that the judge judged")
    items: int = row_field("units that the judge has")
    judged: int = row_field("units of these that annotators judged")
    tuning: float = row_field("trust in the judge: lambda, from 0 (none) to 1 (full)")
    saves: float = row_field(
        "factor by which annotators alone would need more items for an interval as narrow"
    )
    people: Result = row_field(
        "mean of the mean human ratings over the units that annotators judged", prefix="people_"
    )
    corrected: Result = row_field(
        "mean of the judge over all its units, corrected by the human ratings", prefix="corrected_"
    )


class PredictionPoweredMeans(Section[CorrectedMeanRow]):
    """Prediction-powered means, if a judge has judged items that annotators have not."""

    key = "prediction_powered_means"
    title = "Prediction-powered means"
    identity = ("criterion", "judge", "system")
    note = (
        "If annotators judged some of the items that an LLM judge judged, their ratings correct its mean over all "
        "items (Angelopoulos and others 2023), with the weight of the judge that makes the interval narrowest. "
        "This is valid only if the sources that annotators judged are a random part of all. These means are used "
        "only here; all other means of the report are of the annotators' ratings."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CorrectedMeanRow]:
        return [
            row
            for judged in judged_criteria(inputs.said)
            if level_for(judged.criterion) == "ordinal"
            for name in judged.judges
            for row in _rows(judged, name)
        ]

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[CorrectedMeanRow](
            split=("criterion", "judge"),
            lines="system",
            name=lambda row: row.system or "all that it judged",
            under=lambda row: f"{row.judged:,} of {row.items:,} items",
            columns=[
                ReportColumn("People alone", lambda row: estimate_cell(row.people, with_n=False)),
                ReportColumn(
                    "With the LLM judge", lambda row: estimate_cell(row.corrected, with_n=False)
                ),
                ReportColumn("Trust", lambda row: Cell(or_dash(row.tuning))),
                ReportColumn(
                    "Saves",
                    lambda row: Cell(f"× {row.saves:.1f}" if is_defined(row.saves) else "–"),
                ),
            ],
            reasons=lambda rows: dict.fromkeys(
                row.corrected.reason for row in rows if row.corrected.reason
            ),
        )
        return draw(table, found.of(PredictionPoweredMeans), found.names)


def _rows(judged: Judged, name: str) -> Iterator[CorrectedMeanRow]:
    """Yield a judge's means of all systems together and of each, if it judged more than annotators
    did."""
    people, values = mean_of_people(judged.people), judged.judges[name]
    systems = np.asarray(judged.systems, dtype=object)
    clusters = np.asarray(judged.clusters, dtype=object)
    names = set(systems[~np.isnan(values)].tolist())
    together = [""] if len(names) != 1 else []
    for system in (*together, *sorted(names - set(together))):
        part = (systems == system) | (system == "")
        mean = corrected_mean(people[part], values[part], sources=clusters[part], unit=judged.unit)
        if mean.corrected.reason != ALL_JUDGED:
            yield CorrectedMeanRow(
                criterion=judged.criterion.key,
                judge=name,
                system=system,
                items=mean.items,
                judged=mean.judged,
                tuning=mean.tuning,
                saves=mean.saves,
                people=mean.people,
                corrected=mean.corrected,
            )
