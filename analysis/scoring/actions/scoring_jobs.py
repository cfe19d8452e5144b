"""Score a dataset as a separate job, and estimate the time beforehand."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from django.db import transaction

from analysis.reports.rows import Record, stable_number
from analysis.scoring.actions import items, scoring_parts
from analysis.scoring.actions.scores import REFUSALS, ChosenMetric
from analysis.scoring.actions.site_metrics import registry
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric, Score
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from quaestor_metrics import Preparation, ScoredUnit, Scorer, keep_running, score_items
from quaestor_metrics._progress import on_each_text

KIND = "analysis.score"
ESTIMATE = "analysis.estimate"
SAMPLE = 200
SHOWN = 20  # jobs at work that a page lists


def start_scoring(
    *, dataset: Dataset, by: User, kind: str = KIND, parameters: Mapping[str, Any]
) -> Job:
    """Create a queued job that computes scores, or estimates the time. The caller notifies workers.

    If the same user has an unfinished job with the same parameters, that one is returned.
    """
    same = Job.objects.unfinished().filter(
        dataset=dataset, kind=kind, created_by=by, parameters=dict(parameters)
    )
    return same.first() or jobs.enqueue(kind=kind, parameters=parameters, by=by, dataset=dataset)


def newest_scoring_job(dataset: Dataset, kind: str) -> Job | None:
    """Return the newest job of a kind, whatever became of it."""
    return Job.objects.filter(dataset=dataset, kind=kind).order_by("-created_at").first()


def unfinished_scoring_jobs(dataset: Dataset) -> list[Job]:
    """Return the unfinished jobs of all users that score a dataset or estimate the time, the oldest
    first, because an older one may occupy a worker."""
    asked = Job.objects.unfinished().filter(dataset=dataset, kind__in=(KIND, ESTIMATE))
    return list(asked.order_by("created_at")[:SHOWN])


def execute_scoring(work: jobs.Work) -> dict[str, Any]:
    """Compute what was chosen; workers share large datasets."""
    dataset, chosen, preparation = _asked(work.job)
    found = scoring_parts.compute_job_scores(work, dataset, chosen=chosen, preparation=preparation)
    return {"scored": dataset.pk, "values": found.values, "failures": dict(found.failures)}


def estimate_scoring(work: jobs.Work) -> dict[str, Any]:
    """Time every chosen metric on a sample of the dataset, and estimate the time for all of it."""
    dataset, chosen, preparation = _asked(work.job)
    rows: list[Record] = []
    for place, each in enumerate(chosen):
        work.progress(place, len(chosen), each.id)
        try:
            with on_each_text(work.again):
                rows.append(_timed(dataset, registry().get(each.id), each, preparation))
        except REFUSALS as error:
            rows.append(
                {"metric": each.id, "seconds": None, "n": 0, "sample": 0, "reason": str(error)}
            )
    total = sum(row["seconds"] or 0.0 for row in rows)
    return {"scored": dataset.pk, "rows": rows, "seconds": stable_number(total)}


def _asked(job: Job) -> tuple[Dataset, Sequence[ChosenMetric], Preparation]:
    if job.dataset is None:
        raise jobs.CannotDo("The dataset is no longer there.")
    asked = job.parameters
    chosen = [ChosenMetric(each["id"], each["params"]) for each in asked["metrics"]]
    return (
        job.dataset,
        chosen,
        Preparation(asked["prepare_hypothesis"], asked["prepare_reference"]),
    )


def _timed(
    dataset: Dataset, metric: Scorer, each: ChosenMetric, preparation: Preparation
) -> Record:
    """Time a first item, which includes the start-up, and then a sample spread over the dataset."""
    unit = metric.spec.unit
    keys = items.targets(dataset, unit)
    sample = (
        keys[:1] if unit is ScoredUnit.SYSTEM else keys[:: max(1, len(keys) // SAMPLE)][:SAMPLE]
    )
    with keep_running([metric]):
        first = _seconds(dataset, metric, sample[:1], each, preparation)
        rest = _seconds(dataset, metric, sample, each, preparation)
    a_piece = rest / len(sample) if sample else 0.0
    seconds = stable_number(max(first - a_piece, 0.0) + a_piece * len(keys))
    return {
        "metric": metric.spec.name,
        "seconds": seconds,
        "n": len(keys),
        "sample": len(sample),
        "reason": "",
    }


def _seconds(
    dataset: Dataset,
    metric: Scorer,
    keys: Sequence[int],
    each: ChosenMetric,
    preparation: Preparation,
) -> float:
    """Read, score and write as the job does; what was written is taken back."""
    begun = perf_counter()
    batch = items.read_metric_items(dataset, metric.spec.unit, keys)
    results = score_items(
        metric, batch, params=each.params, preparation=preparation, language=dataset.language
    )
    with transaction.atomic():
        row = Metric.objects.create(
            dataset=dataset, name="estimate", kind="computed", fingerprint="estimate"
        )
        column = "system_id" if metric.spec.unit is ScoredUnit.SYSTEM else "unit_id"
        Score.objects.bulk_create(
            Score(metric=row, value=result.value, reason=result.reason[:300], **{column: key})
            for key, result in zip(keys, results, strict=True)
        )
        transaction.set_rollback(True)
    return perf_counter() - begun
