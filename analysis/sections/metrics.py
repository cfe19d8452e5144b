"""The metrics of a study: how many scores, between which values, and how each was made."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from analysis.reports import making
from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import or_dash, two
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
    same_as: for an imported column, the computed metric with the same scores, which represents both
      in all other tables
    largest_difference: between the two
    tolerance: half a unit of the last digit of the imported scores
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
    same_as: str = ""
    largest_difference: float = nan
    tolerance: float = nan


class MetricsMade(Section[MetricFacts]):
    """Metric definitions."""

    key = "metrics"
    title = "Metric definitions"
    identity = ("name", "fingerprint")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricFacts]:
        material = inputs.said
        counted = material.scores.groupby("metric")["value"].agg(["count", "min", "mean", "max"])
        doubled = {each.imported.pk: each for each in material.doubled}
        rows = []
        for metric in (*material.metrics, *(each.imported for each in material.doubled)):
            row = counted.loc[metric.pk].to_dict() if metric.pk in counted.index else {}
            twin = doubled.get(metric.pk)
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
                    same_as=twin.computed.name if twin else "",
                    largest_difference=twin.largest if twin else nan,
                    tolerance=twin.tolerance if twin else nan,
                )
            )
        for name, reason in sorted(inputs.failures.items()):
            rows.append(MetricFacts(name, "not computed", "", "", 0, nan, nan, nan, "", reason, {}))
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(MetricsMade)
        lines = [
            _line(
                row, [each for each in rows if each.same_as == row.name and row.kind == "computed"]
            )
            for row in rows
            if not row.same_as
        ]
        heads = ["Scores", "Mean"]
        title = "Metrics"
        return [PageTable(title, heads, lines, first="Metric", last="Definition")] if lines else []


def _line(row: MetricFacts, repeats: Sequence[MetricFacts]) -> Line:
    """Return a metric's line, which names the imported columns with the same scores; these have no
    line of their own."""
    if row.reason:
        return Line(row.name, [Cell("–"), Cell("–")], row.reason, chip="not available")
    spread = f"{two(row.min)} to {two(row.max)}" if row.n else ""
    kind = making.KINDS.get(row.kind, row.kind)
    under = f"{kind}, lower is better" if row.direction == "lower" else kind
    told = [
        f"the imported column {each.name} is the same: {each.n:,} scores, largest difference "
        f"{each.largest_difference:.2g}, within the {each.tolerance:.2g} that its digits leave open"
        for each in repeats
    ]
    return Line(
        row.name,
        [Cell(f"{row.n:,}"), Cell(or_dash(row.mean), spread)],
        "; ".join(filter(None, [making.how(row.made), *told])),
        under=under,
    )
