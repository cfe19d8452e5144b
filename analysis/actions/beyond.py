"""Scores that are not of one question: what systems got by every metric, and how metrics of sets and systems follow
people. Metrics of questions have their levels in `levels`."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.actions.correlations import interval_of, metric_names, over_sources
from analysis.actions.resampling import Resampling
from analysis.frames import Material, aligned
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.arrays import FloatArray
from analysis.stats.columns import complete, oriented
from analysis.stats.correlation import METHODS, Method, correlate
from analysis.stats.estimate import Estimate
from analysis.stats.multiplicity import holm
from judging.models import Metric, Score

LEVELS = ("question", "set", "system")


def system_scores(material: Material) -> list[Record]:
    """Return what each system got by every metric: the mean over its questions, or over its sets within a source and
    then over sources, or the score that a metric gives a system as a whole, which is another number."""
    names, found = metric_names(material.metrics), []
    for metric in material.metrics:
        for level, values in _of_systems(material, metric):
            for system, (value, n) in values.items():
                where = {"metric": names[metric.pk], "kind": metric.kind, "level": level, "system": system}
                found.append({**where, "value": number(value), "n": n})
    return sorted(found, key=lambda row: LEVELS.index(row["level"]))


def _of_systems(material: Material, metric: Metric) -> Iterator[tuple[str, dict[str, tuple[float, int]]]]:
    scores = material.score(metric)
    for level, slots in (("question", material.questions), ("set", _sets(material))):
        values = slots.assign(value=aligned(slots["unit"], scores)).dropna(subset=["value"])
        if len(values):
            mean = values.groupby(["system", "source"])["value"].mean() if level == "set" else None
            means = (values.set_index("system")["value"] if mean is None else mean).groupby(level="system").mean()
            counts = values["system"].value_counts().to_dict()
            yield level, {str(name): (float(value), int(counts[name])) for name, value in means.items()}
    if whole := _whole(metric):
        yield "system", {name: (value, 1) for name, value in whole.items()}


def _sets(material: Material) -> pd.DataFrame:
    return material.slots[material.slots["position"] == 0].reset_index(drop=True)


def _whole(metric: Metric) -> dict[str, float]:
    rows = Score.objects.filter(metric=metric, system__isnull=False, value__isnull=False).order_by("system__name")
    return {name: value for name, value in rows.values_list("system__name", "value") if value is not None}


def correlations(material: Material, *, by: Resampling) -> list[Record]:
    """Return how metrics of sets follow the means of sets, and metrics of systems the means of systems.

    Each level has its own common complete set; Holm's correction runs over these metrics at one level, apart from the
    metrics of questions. Intervals over sets draw whole sources; systems are too few to draw.
    """
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        people, up = material.human(criterion.key), criterion.best != "lowest"
        for rows in (_over_sets(material, people, up, by), _over_systems(material, people, up)):
            kept = [{**row, "criterion": criterion.key} for row in rows]
            for method in METHODS:
                _adjust([row for row in kept if row["coefficient"] == method])
            found += kept
    return found


def _over_sets(material: Material, people: pd.Series, up: bool, by: Resampling) -> Iterator[Record]:
    sets, slots = _sets(material), material.slots
    of_set = slots.assign(value=aligned(slots["unit"], people)).groupby("question_set")["value"].mean()
    metrics = {metric: aligned(sets["unit"], material.score(metric)) for metric in _computed(material)}
    metrics = {metric: values for metric, values in metrics.items() if not np.isnan(values).all()}
    human = oriented(aligned(sets["question_set"], of_set), higher_is_better=up)
    if not metrics or np.isnan(human).all():
        return
    items = complete([human, *(_turned(metric, values) for metric, values in metrics.items())])
    sources = sets["source"].to_numpy(dtype=object)[items.kept]
    for method in METHODS:
        drawn = over_sources(items.columns[:, 0], items.columns[:, 1:], sources, method, by)
        for row, interval in zip(_rows(material, list(metrics), items.columns, method, "set"), drawn, strict=True):
            yield row | {"dropped": items.dropped} | interval_of(interval)


def _over_systems(material: Material, people: pd.Series, up: bool) -> Iterator[Record]:
    slots = material.slots
    means = slots.assign(value=aligned(slots["unit"], people)).groupby("system")["value"].mean()
    whole = {metric: found for metric in _computed(material) if (found := _whole(metric))}
    if not whole or means.isna().all():
        return
    names = means.index
    human = oriented(means.to_numpy(dtype="float64"), higher_is_better=up)
    columns = [_turned(metric, aligned(names.to_series(), pd.Series(found))) for metric, found in whole.items()]
    items = complete([human, *columns])
    for method in METHODS:
        for row in _rows(material, list(whole), items.columns, method, "system"):
            yield row | {"dropped": items.dropped, "low": None, "high": None}


def _computed(material: Material) -> list[Metric]:
    return [metric for metric in material.metrics if metric.kind != Metric.Kind.HUMAN_MEAN]


def _turned(metric: Metric, values: FloatArray) -> FloatArray:
    return oriented(values, higher_is_better=metric.direction != Metric.Direction.LOWER)


def _rows(
    material: Material, metrics: Sequence[Metric], columns: FloatArray, method: Method, level: str
) -> Iterator[Record]:
    names = metric_names(material.metrics)
    for place, metric in enumerate(metrics, 1):
        estimate: Estimate = correlate(columns[:, 0], columns[:, place], method=method)
        where = {"metric": names[metric.pk], "level": level, "coefficient": method, "interval": ""}
        yield {"p": None, **of_estimate(estimate, **where)}


def _adjust(rows: Sequence[Record]) -> None:
    p = np.array([np.nan if row["p"] is None else row["p"] for row in rows])
    for row, adjusted in zip(rows, holm(p), strict=True):
        row["p_holm"] = number(float(adjusted))
