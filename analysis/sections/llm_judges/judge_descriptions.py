"""LLM judges: their facts, and their values beside the human ratings, of which they are no part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis import frames
from analysis.frames import Material
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import format_count
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.metrics.columns import clusters_of, criterion_slots
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.llm_judges.models.llm_judge import LLMJudge
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._design import ClusterUnit
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._llm_judges import jury

if TYPE_CHECKING:
    import pandas as pd

JURY = "jury"


def has_judges(inputs: Inputs) -> bool:
    """Return whether a campaign has LLM judges."""
    return LLMJudge.objects.filter(campaign=inputs.said.campaign).exists()


@table_row
class LLMJudgeRow:
    """An LLM judge."""

    judge: str = row_field("name of the judge")
    model: str = row_field("id of the model")
    version: str = row_field("its version")
    prompt_sha256: str = row_field("hash of the prompt, word for word")
    temperature: float = row_field("sampling temperature")
    judged_on: str = row_field("day on which it judged")
    cost: float = row_field("what its answers cost")
    currency: str = row_field("of the cost")
    own_systems: list[str] = row_field("systems of its own model family")
    items: int = row_field("units that it judged")
    judgments: int = row_field("values that it gave")
    repeated: int = row_field("values given again to the same unit")
    problems: int = row_field("rows or values of its table that could not be imported")


class JudgeDescriptions(Section[LLMJudgeRow]):
    """The LLM judges of the campaign and how they were asked."""

    key = "judge_descriptions"
    title = "LLM judges"
    identity = ("judge",)
    beside = (("judged_items", "LLM judgments beside mean human ratings"),)
    note = (
        "An LLM judge is no annotator: no mean, no agreement and no comparison of systems in this report "
        "uses its verdicts."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[LLMJudgeRow]:
        said = frames.llm_judgments(inputs.said)
        rows = []
        for judge in LLMJudge.objects.filter(campaign=inputs.said.campaign).order_by("pk"):
            own = said[said["judge"] == judge.name]
            rows.append(
                LLMJudgeRow(
                    judge=judge.name,
                    model=judge.model,
                    version=judge.version,
                    prompt_sha256=judge.prompt_sha256,
                    temperature=float("nan") if judge.temperature is None else judge.temperature,
                    judged_on=judge.judged_on.isoformat() if judge.judged_on else "",
                    cost=float("nan") if judge.cost is None else float(judge.cost),
                    currency=judge.currency,
                    own_systems=sorted(judge.own_systems),
                    items=int(own["unit"].nunique()),
                    judgments=len(own),
                    repeated=int((own["repeat"] > 1).sum()),
                    problems=len(judge.problems),
                )
            )
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[LLMJudgeRow](
            title=self.title,
            lines="judge",
            chip=lambda row: "LLM judge",
            columns=[
                ReportColumn("Items", lambda row: Cell(f"{row.items:,}")),
                ReportColumn("Judgments", lambda row: Cell(f"{row.judgments:,}")),
            ],
            last=("Made by", _made),
        )
        return draw(table, found.of(JudgeDescriptions), found.names)


def _made(row: LLMJudgeRow) -> str:
    parts = [
        f"{row.model}{', ' + row.version if row.version else ''}",
        f"temperature {row.temperature:g}" if row.temperature == row.temperature else "",
        f"prompt SHA-256 {row.prompt_sha256[:8]}…" if row.prompt_sha256 else "prompt not given",
        row.judged_on,
        f"cost {row.cost:g} {row.currency}".strip() if row.cost == row.cost else "",
        f"{format_count(row.problems, 'problem')} in its table" if row.problems else "",
    ]
    return "; ".join(filter(None, parts))


@dataclass(frozen=True)
class Judged:
    """One criterion: the values of the annotators and of each judge, unit by unit."""

    criterion: ProtocolCriterion
    units: pd.Index[int]
    people: FloatArray  # (n_units, n_people)
    names: list[str]
    # (n_units,) of each judge, its first value if it was asked again; and of the jury
    judges: dict[str, FloatArray]
    sources: Labels
    clusters: Labels  # the clusters of the sources
    unit: ClusterUnit
    systems: Labels
    answers: pd.DataFrame  # all answers of the judges: judge, unit, repeat, value

    def clusters_of(self, units: pd.Index[int]) -> Labels:
        """Return the cluster of the source of each of these units."""
        return np.asarray(self.clusters, dtype=object)[self.units.get_indexer(units)]


def judged_criteria(material: Material) -> list[Judged]:
    """Return the criteria that annotators and at least one LLM judge judged."""
    answers = frames.llm_judgments(material)
    judged = (
        _judged(material, criterion, answers[answers["criterion"] == criterion.key])
        for criterion in material.protocol.criteria
    )
    return [values for values in judged if values]


def _judged(
    material: Material, criterion: ProtocolCriterion, answers: pd.DataFrame
) -> Judged | None:
    """Return the values of annotators and judges on a criterion; None if either gave none."""
    ratings = material.ratings(criterion.key)
    if answers.empty or ratings.empty:
        return None
    repeat = answers.groupby(["judge", "unit"])["repeat"].transform("min")
    first = answers[answers["repeat"] == repeat]
    slots = criterion_slots(material, criterion).set_index("unit")
    slots = slots[slots.index.isin(first["unit"])]
    judges = {
        str(name): rows.set_index("unit")["value"].reindex(slots.index).to_numpy("float64")
        for name, rows in first.groupby("judge", sort=False)
    }
    return Judged(
        criterion,
        slots.index,
        ratings.reindex(slots.index).to_numpy("float64"),
        list(map(str, ratings.columns)),
        judges | _jury(list(judges.values()), criterion),
        slots["source"].to_numpy(dtype=object),
        clusters_of(material, slots.index),
        material.cluster_unit,
        slots["system"].fillna("").to_numpy(dtype=object),
        answers,
    )


def repeated_answers(judged: Judged, judge: str) -> pd.DataFrame:
    """Return a judge's answers with values about the units, each with its `time` among those about
    its unit, from 0."""
    answers = judged.answers[judged.answers["judge"] == judge].dropna(subset=["value"])
    answers = answers[answers["unit"].isin(judged.units)].sort_values("repeat")
    return answers.assign(time=answers.groupby("unit").cumcount())


def mean_of_people(ratings: FloatArray) -> FloatArray:
    """Return the mean human rating of each unit (n_units, n_people); nan if it has none."""
    count = (~np.isnan(ratings)).sum(axis=1)
    return np.where(count > 0, np.nansum(ratings, axis=1) / np.maximum(count, 1), np.nan)


def _jury(judges: Sequence[FloatArray], criterion: ProtocolCriterion) -> dict[str, FloatArray]:
    """Return the jury's values: the mean of its judges, or on a nominal scale the most frequent."""
    if len(judges) < 2:
        return {}
    values = jury(np.stack(judges, axis=1), nominal=criterion.level == "nominal")
    return {} if np.isnan(values).all() else {f"{JURY} of {len(judges)}": values}
