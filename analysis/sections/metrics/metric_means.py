"""Scores of systems by every metric: means over questions and sets, and scores of whole systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.frames import Material, align_values
from analysis.reports.layout import Cell, PageTable
from analysis.reports.making import KINDS
from analysis.reports.metric_names import metric_names
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.datasets.models.score import Metric

if TYPE_CHECKING:
    import pandas as pd

TITLES = {
    "system": "Scores of a system as a whole",
    "question": "Mean scores of questions",
    "set": "Mean scores of sets (within each source, then over sources)",
}


@table_row
class SystemScore:
    """The score of one system by one metric."""

    metric: str = row_field("name of the metric")
    kind: str = row_field("imported, computed or human_mean")
    level: str = row_field(
        "question (mean over its questions), set (mean over its sets within a source, then over "
        "sources) or system (one score of the system as a whole)"
    )
    system: str = row_field("name of the system")
    value: float = row_field("the score")
    n: int = row_field("questions or sets averaged; 1 for a score of the system as a whole")


class MetricMeans(Section[SystemScore]):
    """Every system by every metric."""

    key = "metric_means"
    title = "Metric means by system"
    identity = ("metric", "level", "system")
    note = (
        "A score of a system as a whole, such as corpus BLEU, sums counts before the formula is applied. It differs "
        "from the mean score of the questions and can rank systems differently. State which one you report."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemScore]:
        material, names = inputs.counted, metric_names(inputs.counted.metrics)
        rows = [
            SystemScore(names[metric.pk], metric.kind, level, system, value, n)
            for metric in material.metrics
            for level, values in _of_systems(material, metric)
            for system, (value, n) in values.items()
        ]
        return sorted(rows, key=lambda row: ("question", "set", "system").index(row.level))

    def tables(self, found: Found) -> list[PageTable]:
        levels = list(TITLES)
        rows = sorted(found.of(MetricMeans), key=lambda row: levels.index(row.level))
        table = ReportTable[SystemScore](
            split="level",
            title=lambda scores: TITLES[scores[0].level],
            lines="metric",
            columns=Pivot(
                "system",
                lambda row: Cell(f"{row.value:.4g}", f"n = {row.n:,}"),
                order=lambda row: row.system,
            ),
            last=("Origin", lambda row: KINDS[row.kind]),
            folded=lambda scores: scores[0].level != rows[0].level,
        )
        return draw(table, rows, found.names)


def sets_of(material: Material) -> pd.DataFrame:
    """Return the question sets as a whole."""
    return material.slots[material.slots["position"] == 0].reset_index(drop=True)


def _of_systems(
    material: Material, metric: Metric
) -> Iterator[tuple[str, dict[str, tuple[float, int]]]]:
    scores = material.score(metric)
    for level, slots in (("question", material.questions), ("set", sets_of(material))):
        values = slots.assign(value=align_values(slots["unit"], scores)).dropna(subset=["value"])
        if len(values):
            by = values.set_index("system")["value"]
            if level == "set":
                by = values.groupby(["system", "source"])["value"].mean()
            means = by.groupby(level="system").mean()
            counts = values["system"].value_counts().to_dict()
            yield level, {str(s): (float(value), int(counts[s])) for s, value in means.items()}
    if whole := material.scores_of_systems(metric):
        yield "system", {name: (value, 1) for name, value in whole.items()}
