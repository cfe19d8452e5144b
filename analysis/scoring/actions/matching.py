"""Match one source's questions with its references, one to one, by a Multi-metric of the
dataset."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from analysis.reports.rows import Record, stable_number
from analysis.scoring.actions import items
from analysis.scoring.actions.scores import REFUSALS
from analysis.scoring.actions.site_metrics import registry
from analysis.scoring.reports import matching as drawing
from judging.datasets.models.dataset import Dataset, Source, Unit
from judging.datasets.models.score import Metric
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import (
    MetricResult,
    MetricUnavailable,
    Preparation,
    ScoredSet,
    ScoredUnit,
    keep_running,
    score_items,
)
from quaestor_metrics._contract import Item, effective, recipe_fingerprint
from quaestor_metrics._progress import on_each_text
from quaestor_metrics._scoring import prepare_items
from quaestor_metrics._set_metrics import drop_repeats

KIND = "analysis.matching"


def multi_metrics(dataset: Dataset) -> QuerySet[Metric]:
    """Return the dataset's Multi-metrics."""
    found = Metric.objects.filter(
        dataset=dataset, kind=Metric.Kind.COMPUTED, made__id__startswith="multi_"
    )
    return found.order_by("name", "pk")


def execute_matching(work: jobs.Work) -> dict[str, Any]:
    """Score every pair of a source again by the metric's own recipe, match each system's questions,
    and draw it."""
    dataset, row, source = _asked(work.job)
    units = Unit.objects.filter(question_set__source=source, position=None).select_related(
        "question_set__system"
    )
    kept = list(units.order_by("question_set__system__name", "pk"))
    try:
        batch = items.read_metric_items(dataset, ScoredUnit.SET, [unit.pk for unit in kept])
        with on_each_text(work.again):
            sets, results = _matched(row, batch, dataset.language)
    except REFUSALS as error:
        raise jobs.CannotDo(str(error)) from None
    systems = [unit.question_set.system.name for unit in kept]
    records = [_record(*each) for each in zip(systems, sets, results, strict=True)]
    return {
        "source": source.key,
        "metric": row.name,
        "scale": row.scale,
        "made": row.made,
        "sets": records,
        "figures": _figures(records, work),
    }


def _figures(records: Sequence[Record], work: jobs.Work) -> dict[str, str]:
    """Draw each set, and return the hashes of the figures by place and ink."""
    figures = {}
    for place, record in enumerate(records):
        work.progress(place, len(records), "Drawing")  # an owner who judges may look: no system
        for ink, svg in drawing.draw_matrix(record).items():
            figures[f"{place}-{ink}"] = storage.store_bytes(svg).sha256
    return figures


def _asked(job: Job) -> tuple[Dataset, Metric, Source]:
    dataset = job.dataset
    if dataset is None:
        raise jobs.CannotDo("The dataset is no longer there.")
    row = multi_metrics(dataset).filter(pk=job.parameters["metric"]).first()
    source = Source.objects.filter(dataset=dataset, key=job.parameters["source"]).first()
    if row is None or source is None:
        raise jobs.CannotDo("That metric or that source is no longer there.")
    return dataset, row, source


def _matched(
    row: Metric, batch: Sequence[Item], language: str
) -> tuple[list[ScoredSet], list[MetricResult]]:
    """Return the sets as the metric compared them, and what it found, by the stored recipe or not
    at all."""
    metric, params, preparation = (
        registry().get(row.made["id"]),
        row.made["params"],
        Preparation(**row.made["preparation"]),
    )
    if recipe_fingerprint(metric.spec, params, preparation) != row.fingerprint:
        raise MetricUnavailable(
            f"{row.name} was computed by another version than is installed now: compute it again"
        )
    with keep_running([metric]):
        results = score_items(
            metric, batch, params=params, preparation=preparation, language=language
        )
    prepared = prepare_items(batch, effective(metric.spec, preparation))
    return [
        drop_repeats(one, params["dedupe"]) for one in prepared if isinstance(one, ScoredSet)
    ], results


def _record(system: str, one: ScoredSet, result: MetricResult) -> Record:
    detail = result.detail
    return {
        "system": system,
        "questions": list(one.hypotheses),
        "references": list(one.references),
        "scores": [[stable_number(score) for score in row] for row in detail.get("scores", ())],
        "pairs": [
            {"question": i + 1, "reference": j + 1, "score": stable_number(score)}
            for i, j, score in detail.get("assignment", ())
        ],
        **{name: stable_number(detail.get(name)) for name in ("total", "precision", "recall")},
        "value": stable_number(result.value),
        "reason": result.reason,
    }
