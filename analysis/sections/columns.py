"""Columns of a study as sections compare them: the units of a criterion, human columns, metrics'
columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.frames import Material, aligned
from analysis.reports.metric_names import metric_names
from judging.models import Metric
from judging.protocols.rubric_schema import RubricCriterion
from quaestor_stats._inputs import FloatArray, oriented
from quaestor_stats._system_differences import RatedOutputs

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class HumanColumn:
    """Human scores of the questions: a criterion judged here, or an imported column of means."""

    key: str
    values: FloatArray  # (n_questions,), oriented
    ratings: FloatArray | None = None  # (n_questions, n_annotators), oriented; None for means


@dataclass(frozen=True)
class MetricColumn:
    """A metric's values, oriented, with the name it goes by."""

    name: str
    metric: Metric
    values: FloatArray  # (n_questions,)


def units_of(material: Material, criterion: RubricCriterion) -> pd.DataFrame:
    """Return the slots that a criterion is about: questions, or sets as a whole."""
    slots = material.slots
    return (
        slots[slots["position"] == 0] if criterion.unit == "set" else slots[slots["position"] > 0]
    )


def averaged_criteria(material: Material) -> list[RubricCriterion]:
    """Return the criteria whose values may be averaged."""
    return [each for each in material.rubric.criteria if each.is_averaged]


def clusters_of(material: Material, units: pd.Index[int]) -> NDArray[np.object_]:
    """Return the cluster that each unit's source belongs to: the source itself by default."""
    return material.clusters.loc[units].to_numpy(dtype=object)


def placed_ratings(material: Material, criterion: RubricCriterion) -> pd.DataFrame:
    """Return the ratings of a criterion, each with its unit, annotator, system, source
    and cluster.

    A criterion asked once per set gives one rating, though each question of the set stores it: its
    unit is the set, and if an annotator gave the members different values it is their mean.
    """
    place = material.slots.set_index("unit")[["system", "source", "question_set"]]
    place = place.assign(cluster=material.clusters)
    judged = material.judgments[material.judgments["criterion"] == criterion.key]
    rows = judged.dropna(subset=["value"]).join(
        place.fillna({"system": "", "source": "", "cluster": ""}), on="unit"
    )
    if criterion.asked != "once_per_set":
        return rows
    by_set = rows.drop(columns="unit").rename(columns={"question_set": "unit"})
    keys = ["unit", "system", "source", "cluster", "annotator"]
    return by_set.groupby(keys, as_index=False).agg({"value": "mean"})


def rated_outputs(
    material: Material, criterion: RubricCriterion, systems: Sequence[str]
) -> RatedOutputs:
    """Return the ratings of a criterion for tests of the systems, those in the order of these
    names first."""
    rows = placed_ratings(material, criterion)
    place = {name: number for number, name in enumerate(systems)}
    rows = rows.assign(system=rows["system"].astype(str))
    rows = rows.sort_values("system", key=lambda names: names.map(place), kind="stable")
    return RatedOutputs(
        ratings=rows["value"].to_numpy(dtype="float64"),
        systems=rows["system"].to_numpy(dtype=object),
        sources=rows["source"].to_numpy(dtype=object),
        annotators=rows["annotator"].to_numpy(dtype=object),
        outputs=rows["unit"].to_numpy(dtype=object),
        clusters=rows["cluster"].to_numpy(dtype=object),
        unit=material.cluster_unit,
    )


def human_columns(material: Material) -> list[HumanColumn]:
    """Return every human column over the questions, sign-aligned so that higher is better.

    A criterion that may not be averaged is skipped: no metric can be correlated with it.
    """
    units, found = material.questions["unit"], []
    for criterion in averaged_criteria(material):
        up = criterion.best != "lowest"
        ratings = material.ratings(criterion.key).reindex(units).to_numpy(dtype="float64")
        values = oriented(aligned(units, material.human(criterion.key)), higher_is_better=up)
        found.append(HumanColumn(criterion.key, values, ratings if up else -ratings))
    for metric in material.metrics:
        if metric.kind == Metric.Kind.HUMAN_MEAN:
            values = oriented(
                aligned(units, material.score(metric)), higher_is_better=goes_up(metric)
            )
            found.append(HumanColumn(f"{metric.name} (imported mean)", values))
    return [human for human in found if not np.isnan(human.values).all()]


def metric_columns(material: Material) -> list[MetricColumn]:
    """Return every metric's column over the questions, sign-aligned so that higher is better;
    empty columns are skipped."""
    units, names = material.questions["unit"], metric_names(material.metrics)
    columns = [
        MetricColumn(
            names[metric.pk],
            metric,
            oriented(aligned(units, material.score(metric)), higher_is_better=goes_up(metric)),
        )
        for metric in material.metrics
        if metric.kind != Metric.Kind.HUMAN_MEAN
    ]
    return [column for column in columns if not np.isnan(column.values).all()]


def goes_up(metric: Metric) -> bool:
    """Return whether higher values of a metric are better."""
    return metric.direction != Metric.Direction.LOWER
