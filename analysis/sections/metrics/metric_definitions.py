"""The metrics of a study: how many scores, between which values, and how each was made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from analysis.reports import making
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import or_dash, two
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import MISSING, ReportColumn, ReportTable, draw
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.datasets.models.score import Metric


@table_row
class MetricFacts:
    """A metric with how it was made, or the reason why it could not be computed."""

    name: str = row_field("name of the metric")
    kind: str = row_field("imported, computed, human_mean or not computed")
    direction: str = row_field("which end is better: higher or lower")
    scale: str = row_field("fraction, percent or another")
    n: int = row_field("scores")
    min: float = row_field("the lowest")
    mean: float = row_field("their mean")
    max: float = row_field("the highest")
    fingerprint: str = row_field("hash of everything that a score depends on")
    reason: str = row_field("why it could not be computed")
    made: dict[str, Any] = row_field(
        "its recipe: identity, version, parameters, preparation; or the column of the file"
    )
    same_as: str = row_field(
        "for an imported column, the computed metric with the same scores, which represents both "
        "in all other tables",
        default="",
    )
    largest_difference: float = row_field("between the two", default=nan)
    tolerance: float = row_field(
        "half a unit of the last digit of the imported scores", default=nan
    )


class MetricDefinitions(Section[MetricFacts]):
    """Metric definitions."""

    key = "metric_definitions"
    title = "Metric definitions"
    identity = ("name", "fingerprint")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricFacts]:
        material = inputs.said
        scores = material.scores.groupby("metric")["value"]
        counted: dict[Any, dict[Any, float]] = scores.agg(["count", "min", "mean", "max"]).to_dict(
            "index"
        )
        doubled = {pair.imported: pair for pair in material.doubled}
        rows = []
        for metric in (*material.metrics, *doubled):
            row = _facts(metric, counted.get(metric.pk, {}))
            if twin := doubled.get(metric):
                row = replace(
                    row,
                    same_as=twin.computed.name,
                    largest_difference=twin.largest,
                    tolerance=twin.tolerance,
                )
            rows.append(row)
        for name, reason in sorted(inputs.failures.items()):
            rows.append(MetricFacts(name, "not computed", "", "", 0, nan, nan, nan, "", reason, {}))
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(MetricDefinitions)
        table = ReportTable[MetricFacts](
            title="Metrics",
            where=lambda row: not row.same_as,
            lines="name",
            first="Metric",
            under=_kind,
            chip=lambda row: "not available" if row.reason else "",
            columns=[
                ReportColumn("Scores", lambda row: MISSING if row.reason else Cell(f"{row.n:,}")),
                ReportColumn("Mean", lambda row: MISSING if row.reason else _mean_cell(row)),
            ],
            last=("Definition", lambda row: row.reason or _definition(row, rows)),
        )
        return draw(table, rows, found.names)


def _facts(metric: Metric, scores: Mapping[Any, float]) -> MetricFacts:
    """Return a metric with the number, the range and the mean of its scores."""
    return MetricFacts(
        name=metric.name,
        kind=metric.kind,
        direction=metric.direction,
        scale=metric.scale,
        n=int(scores.get("count", 0)),
        min=float(scores.get("min", nan)),
        mean=float(scores.get("mean", nan)),
        max=float(scores.get("max", nan)),
        fingerprint=metric.fingerprint,
        reason="",
        made=metric.made,
    )


def _kind(row: MetricFacts) -> str:
    kind = making.KINDS.get(row.kind, row.kind)
    if row.reason:
        return ""
    return f"{kind}, lower is better" if row.direction == "lower" else kind


def _mean_cell(row: MetricFacts) -> Cell:
    return Cell(or_dash(row.mean), f"{two(row.min)} to {two(row.max)}" if row.n else "")


def _definition(metric: MetricFacts, rows: Sequence[MetricFacts]) -> str:
    """Return how a metric was made, and the imported columns with the same scores, which have no
    line of their own."""
    columns = [
        f"the imported column {row.name} is the same: {row.n:,} scores, largest difference "
        f"{row.largest_difference:.2g}, within the {row.tolerance:.2g} that its digits leave open"
        for row in rows
        if row.same_as == metric.name and metric.kind == "computed"
    ]
    return "; ".join(filter(None, [making.describe_making(metric.made), *columns]))
