"""The metrics of a study: how many scores, between which values, and how each was made."""

from dataclasses import dataclass
from math import nan
from typing import Any

from analysis.reports import making
from analysis.reports.layout import Cell, Line, Table
from analysis.reports.written import or_dash, two
from analysis.sections.section import Chance, Found, Inputs, Section


@dataclass(frozen=True)
class MetricFacts:
    """A metric with how it was made, or the reason why it could not be computed.

    name: name of the metric
    kind: imported, computed, human_mean or not computed
    direction: which end is better: higher or lower
    scale: fraction, percent or another
    n: scores
    min: the lowest
    mean: their mean
    max: the highest
    fingerprint: hash of everything that a score depends on
    reason: why it could not be computed
    made: its recipe: identity, version, parameters, preparation; or the column of the file
    """

    name: str
    kind: str
    direction: str
    scale: str
    n: int
    min: float
    mean: float
    max: float
    fingerprint: str
    reason: str
    made: dict[str, Any]


class MetricsMade(Section[MetricFacts]):
    """Metrics and how they were made."""

    key = "metrics"
    title = "Metrics and how they were made"
    identity = ("name", "fingerprint")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricFacts]:
        material = inputs.said
        counted = material.scores.groupby("metric")["value"].agg(["count", "min", "mean", "max"])
        rows = []
        for metric in material.metrics:
            row = counted.loc[metric.pk].to_dict() if metric.pk in counted.index else {}
            rows.append(
                MetricFacts(
                    name=metric.name,
                    kind=metric.kind,
                    direction=metric.direction,
                    scale=metric.scale,
                    n=int(row.get("count", 0)),
                    min=float(row.get("min", nan)),
                    mean=float(row.get("mean", nan)),
                    max=float(row.get("max", nan)),
                    fingerprint=metric.fingerprint,
                    reason="",
                    made=metric.made,
                )
            )
        for name, reason in sorted(inputs.failures.items()):
            rows.append(MetricFacts(name, "not computed", "", "", 0, nan, nan, nan, "", reason, {}))
        return rows

    def tables(self, found: Found) -> list[Table]:
        lines = [_line(row) for row in found.of(MetricsMade)]
        heads = ["Scores", "Mean"]
        title = "Metrics"
        return [Table(title, heads, lines, first="Metric", last="Made by")] if lines else []


def _line(row: MetricFacts) -> Line:
    if row.reason:
        return Line(row.name, [Cell("–"), Cell("–")], row.reason, chip="not available")
    spread = f"{two(row.min)} to {two(row.max)}" if row.n else ""
    kind = making.KINDS.get(row.kind, row.kind)
    under = f"{kind}, lower is better" if row.direction == "lower" else kind
    return Line(
        row.name,
        [Cell(f"{row.n:,}"), Cell(or_dash(row.mean), spread)],
        making.how(row.made),
        under=under,
    )
