"""Columns of a study as sections compare them: the units of a criterion, human columns, metrics'
columns, systems' scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.frames import Material, align_values
from analysis.reports.metric_names import metric_names
from judging.datasets.models.score import Metric
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._design import ClusterUnit, Design, Facets, facets
from quaestor_stats._inputs import FloatArray, Labels, orient_scores
from quaestor_stats._system_differences import RatedOutputs
from quaestor_stats._system_means import by_source

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


def criterion_slots(material: Material, criterion: ProtocolCriterion) -> pd.DataFrame:
    """Return the slots that a criterion is about: questions, or sets as a whole."""
    slots = material.slots
    return (
        slots[slots["position"] == 0] if criterion.unit == "set" else slots[slots["position"] > 0]
    )


def averaged_criteria(material: Material) -> list[ProtocolCriterion]:
    """Return the criteria whose values may be averaged."""
    return [criterion for criterion in material.protocol.criteria if criterion.is_averaged]


def clusters_of(material: Material, units: pd.Index[int]) -> NDArray[np.object_]:
    """Return the cluster that each unit's source belongs to: the source itself by default."""
    return material.clusters.loc[units].to_numpy(dtype=object)


def placed_ratings(material: Material, criterion: ProtocolCriterion) -> pd.DataFrame:
    """Return the ratings of a criterion, each with its unit, annotator, system, source
    and cluster.

    A criterion asked once per set gives one rating, though each question of the set stores it: its
    unit is the set, and if an annotator gave the members different values it is their mean.
    """
    judged = material.judgments[material.judgments["criterion"] == criterion.key]
    rows = judged.dropna(subset=["value"]).join(material.places, on="unit")
    if criterion.asked != "once_per_set":
        return rows
    by_set = rows.drop(columns="unit").rename(columns={"question_set": "unit"})
    keys = ["unit", "system", "source", "cluster", "annotator"]
    return by_set.groupby(keys, as_index=False).agg({"value": "mean"})


def rated_outputs(
    material: Material, criterion: ProtocolCriterion, systems: Sequence[str]
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
        values = orient_scores(
            align_values(units, material.human(criterion.key)), higher_is_better=up
        )
        found.append(HumanColumn(criterion.key, values, ratings if up else -ratings))
    for metric in material.metrics:
        if metric.kind == Metric.Kind.HUMAN_MEAN:
            values = orient_scores(
                align_values(units, material.score(metric)), higher_is_better=goes_up(metric)
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
            orient_scores(
                align_values(units, material.score(metric)), higher_is_better=goes_up(metric)
            ),
        )
        for metric in material.metrics
        if metric.kind != Metric.Kind.HUMAN_MEAN
    ]
    return [column for column in columns if not np.isnan(column.values).all()]


def goes_up(metric: Metric) -> bool:
    """Return whether higher values of a metric are better."""
    return metric.direction != Metric.Direction.LOWER


@dataclass(frozen=True)
class ComparedColumns:
    """Human columns and metrics of a study, and what its questions belong to."""

    humans: dict[str, FloatArray]  # (n_questions,), oriented
    metrics: dict[str, FloatArray]
    ratings: dict[str, FloatArray]  # (n_questions, n_annotators); none for imported means
    facets: Facets


def compared_columns(material: Material, design: Design) -> ComparedColumns | None:
    """Return the columns to compare; None if there is no metric or no human column."""
    import pandas as pd

    humans, metrics = human_columns(material), metric_columns(material)
    if design.random_annotators:
        humans = [human for human in humans if human.ratings is not None]
    if not humans or not metrics:
        return None
    questions = material.questions
    systems: Labels | None = questions["system"].fillna("").to_numpy(dtype=object)
    if len(set(questions["system"].fillna(""))) < 2:
        systems, design = None, replace(design, systems="fixed")
    return ComparedColumns(
        {human.key: human.values for human in humans},
        {metric.name: metric.values for metric in metrics},
        {human.key: human.ratings for human in humans if human.ratings is not None}
        if design.random_annotators
        else {},
        facets(
            questions["source"].to_numpy(dtype=object),
            systems,
            design=design,
            clusters=clusters_of(material, pd.Index(questions["unit"])),
            unit=material.cluster_unit,
        ),
    )


@dataclass(frozen=True)
class SystemScores:
    """Systems' scores on one criterion: means on each source, and every question's mean."""

    criterion: ProtocolCriterion
    names: list[str]
    table: FloatArray  # (n_systems, n_sources), NaN where there is none
    questions: list[FloatArray]  # of each system
    clusters: Labels  # (n_sources,) cluster of each source
    unit: ClusterUnit

    @property
    def oriented(self) -> FloatArray:
        """Each system's mean over sources, sign-aligned so that high is best."""
        judged = ~np.isnan(self.table)
        total = np.nansum(self.table, axis=1) / np.maximum(judged.sum(axis=1), 1)
        means = np.where(judged.any(axis=1), total, np.nan)
        return -means if self.criterion.best == "lowest" else means


def criterion_scores(material: Material) -> Iterator[SystemScores]:
    """Yield the scores on every criterion that may be averaged and that two systems or more were
    judged on."""
    import pandas as pd

    for criterion in averaged_criteria(material):
        units = criterion_slots(material, criterion)
        values = align_values(units["unit"], material.human(criterion.key))
        judged = ~np.isnan(values)
        system, source = units["system"].to_numpy()[judged], units["source"].to_numpy()[judged]
        if len(pd.unique(system)) > 1:
            table, names, sources = by_source(values[judged], systems=system, sources=source)
            cluster_of = dict(
                zip(units["source"], material.clusters.loc[units["unit"]], strict=True)
            )
            clusters = [cluster_of[source] for source in sources]
            questions = [values[judged][system == name] for name in names]
            yield SystemScores(
                criterion,
                [str(name) for name in names],
                table,
                questions,
                clusters,
                material.cluster_unit,
            )
