"""Two models of annotators, without tests: Dawid and Skene's, and many-facet severities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, format_signed, or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportColumn, ReportTable, draw
from analysis.sections.metrics.columns import averaged_criteria, placed_ratings
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.limits import MAX_RATING_CELLS
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._dawid_skene import Competence, dawid_skene
from quaestor_stats._many_facet import annotator_severities

if TYPE_CHECKING:
    import pandas as pd

ONE_ANNOTATOR = "one annotator has nobody to be compared with"
TOO_LARGE = "too many ratings for the model"
NO_ORDER = "the values have no better end and are not averaged"


@table_row
class DawidSkeneRow:
    """A system's mean after Dawid and Skene's aggregation."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    mean: float = row_field("mean over the system's questions of the expected true value")
    n: int = row_field("questions")
    reason: str = row_field("why there is no mean")


@table_row
class AnnotatorModelRow:
    """One annotator on one criterion under both models."""

    criterion: str = row_field("key of the criterion")
    annotator: str = row_field("label of the annotator")
    n: int = row_field("values given")
    severity: float = row_field(
        "severity in logits by a many-facet rating scale model of systems, sources and annotators; "
        "above 0: lower values than the others give"
    )
    severity_reason: str = row_field("why there is no severity")
    accuracy: float = row_field(
        "probability that the annotator gives the true value, by Dawid and Skene's model"
    )
    accuracy_reason: str = row_field("why there is no accuracy")


class DawidSkene(Section[DawidSkeneRow]):
    """Systems' means after an aggregation that weighs annotators by how they err."""

    key = "dawid_skene"
    title = "Dawid–Skene aggregation"
    identity = ("criterion", "system")
    by_reading = True
    note = (
        "Dawid and Skene's model estimates each question's true value and each annotator's errors together. It takes "
        "annotators' errors as independent. No test uses these means."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[DawidSkeneRow]:
        rows: list[DawidSkeneRow] = []
        place = inputs.counted.slots.set_index("unit")["system"]
        for criterion in averaged_criteria(inputs.counted):
            chance.step(f"Dawid–Skene aggregation of {criterion.key}")
            ratings = inputs.counted.ratings(criterion.key)
            if not ratings.empty:
                rows += _aggregated(ratings, place, criterion)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[DawidSkeneRow](
            title=self.title,
            lines="system",
            columns=Pivot("criterion", lambda row: Cell(or_dash(row.mean), f"n = {row.n:,}")),
            reasons=lambda rows: sorted({row.reason for row in rows} - {""}),
            folded=True,
        )
        rows = sorted(found.of(DawidSkene), key=lambda row: row.system)
        return draw(table, rows, found.names)


class AnnotatorModels(Section[AnnotatorModelRow]):
    """Each annotator's severity and accuracy by a model."""

    key = "annotator_models"
    title = "Severity and accuracy of annotators by models"
    identity = ("criterion", "annotator")
    people = ("annotator",)
    note = (
        "Severity: logits of a many-facet rating scale model with systems, sources and annotators; above 0 the "
        "annotator gives lower values than the others. Accuracy: the probability of the true value by Dawid and "
        "Skene's model, which takes annotators' errors as independent. Both describe; neither is tested."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[AnnotatorModelRow]:
        rows: list[AnnotatorModelRow] = []
        for criterion in inputs.said.protocol.criteria:
            chance.step(f"Models of annotators on {criterion.key}")
            rows += _of_annotators(inputs, criterion)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        def reasons(rows: Sequence[AnnotatorModelRow]) -> list[str]:
            severity = {row.severity_reason for row in rows}
            return sorted((severity | {row.accuracy_reason for row in rows}) - {""})

        table = ReportTable[AnnotatorModelRow](
            split="criterion",
            lines="annotator",
            columns=[
                ReportColumn("severity", lambda row: Cell(format_signed(row.severity)), "logits"),
                ReportColumn(
                    "accuracy", lambda row: Cell(coefficient(row.accuracy)), "Dawid–Skene"
                ),
                ReportColumn("ratings", lambda row: Cell(f"{row.n:,}")),
            ],
            reasons=reasons,
            folded=True,
        )
        return draw(table, found.of(AnnotatorModels), found.names)


def _aggregated(
    ratings: pd.DataFrame, system_of: pd.Series[str], criterion: ProtocolCriterion
) -> Iterator[DawidSkeneRow]:
    """Yield each system's mean of expected true values."""
    import pandas as pd

    model, reason = _competence(ratings, criterion)
    values = np.full(len(ratings), nan)
    if model is not None:
        values = model.chances @ model.scale
    means = pd.Series(values, index=ratings.index).groupby(system_of.reindex(ratings.index))
    for system, own in means:
        mean = nan if reason else float(own.mean())
        yield DawidSkeneRow(criterion.key, str(system), mean, int(own.count()), reason)


def _competence(
    ratings: pd.DataFrame, criterion: ProtocolCriterion
) -> tuple[Competence | None, str]:
    """Return Dawid and Skene's model of the ratings (units, annotators), or why there is none."""
    table, scale = ratings.to_numpy(dtype="float64"), criterion.values()
    if table.shape[1] < 2:
        return None, ONE_ANNOTATOR
    if table.size * len(scale) > MAX_RATING_CELLS:
        return None, TOO_LARGE
    return dawid_skene(table, scale=scale), ""


def _of_annotators(inputs: Inputs, criterion: ProtocolCriterion) -> Iterator[AnnotatorModelRow]:
    """Yield every annotator of a criterion under both models."""
    ratings = inputs.said.ratings(criterion.key)
    if ratings.empty:
        return
    model, reason = _competence(ratings, criterion)
    accuracy = np.full(ratings.shape[1], nan) if model is None else model.accuracy
    severities, severity_reason = _severities(inputs, criterion)
    for place, label in enumerate(ratings.columns):
        yield AnnotatorModelRow(
            criterion=criterion.key,
            annotator=str(label),
            n=int(ratings[label].count()),
            severity=severities.get(str(label), nan),
            severity_reason=severity_reason,
            accuracy=float(accuracy[place]),
            accuracy_reason=reason,
        )


def _severities(inputs: Inputs, criterion: ProtocolCriterion) -> tuple[dict[str, float], str]:
    """Return annotators' severities in logits, or why there are none."""
    if not criterion.is_averaged:
        return {}, NO_ORDER
    rows = placed_ratings(inputs.said, criterion)
    found = annotator_severities(
        rows["value"].to_numpy(dtype="float64"),
        systems=rows["system"].to_numpy(dtype=object),
        sources=rows["source"].to_numpy(dtype=object),
        annotators=rows["annotator"].to_numpy(dtype=object),
    )
    if found.reason:
        return {}, found.reason
    return dict(zip(map(str, found.annotators), found.values.tolist(), strict=True)), ""
