"""Scores computed by all workers: one job for each metric and chunk of a dataset.

A chunk can be computed again without harm: what has a score is not scored twice. So a chunk whose
worker died is simply started again.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from celery import signals

from analysis.scoring.actions import scores
from analysis.scoring.actions.scores import ChosenMetric, Computed, MissingScores
from analysis.scoring.actions.site_metrics import registry
from judging.datasets.models.dataset import Dataset
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import Preparation, keep_running

KIND = "analysis.score_part"
PART_TARGETS = 5_000  # questions, sets or systems of one part
NEURAL_QUEUE = "gpu"


def compute_job_scores(
    work: jobs.Work,
    dataset: Dataset,
    *,
    chosen: Sequence[ChosenMetric],
    preparation: Preparation,
) -> Computed:
    """Compute what a job's metrics lack, and return the result.

    Little is computed at once. For more the job's parts are queued, and PartsStarted is raised; the
    job is started again when they have ended, and then finds their results.
    """
    if work.job.parts.exists():
        return _of_parts(work.job)
    found, failures = scores.missing(dataset, chosen=chosen, preparation=preparation)
    total = sum(len(each.todo) for each in found)
    if total <= PART_TARGETS and not any(each.recipe.spec.neural for each in found):
        return scores.compute_missing(
            dataset, found, failures, step=work.progress, again=work.again
        )
    work.progress(0, total, "")
    parts = [part for each in found for part in _parts_of(each, dataset)]
    jobs.start_parts(job=work.job, kind=KIND, parts=parts)
    raise jobs.PartsStarted(total)


def _parts_of(lacking: MissingScores, dataset: Dataset) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the queue and the parameters of each part of one metric."""
    todo = sorted(lacking.todo)
    size = max(1, len(todo)) if lacking.is_whole else PART_TARGETS
    for start in range(0, len(todo), size):
        part = todo[start : start + size]
        yield (
            NEURAL_QUEUE if lacking.recipe.spec.neural else jobs.QUEUES[0],
            {
                "dataset": dataset.pk,
                "metric": lacking.id,
                "params": dict(lacking.params),
                "prepare_hypothesis": lacking.preparation.hypothesis,
                "prepare_reference": lacking.preparation.reference,
                "within": None if lacking.is_whole else [part[0], part[-1]],
            },
        )


def _of_parts(job: Job) -> Computed:
    """Return the results of a job's parts, and why some metrics could not be computed."""
    values, failures = 0, dict[str, str]()
    for part in job.parts.order_by("created_at"):
        metric = part.parameters["metric"]
        values += part.result.get("values", 0)
        if part.state == Job.State.FAILED:
            failures.setdefault(metric, part.error)
        elif failure := part.result.get("failure"):
            failures.setdefault(metric, failure)
    return Computed(values, failures)


def execute_scoring_part(work: jobs.Work) -> dict[str, Any]:
    """Compute one part. A metric that failed with the same settings in another part of the job is
    not tried again."""
    asked = work.job.parameters
    metric = asked["metric"]
    siblings = Job.objects.filter(
        parent=work.job.parent_id, parameters__metric=metric, parameters__params=asked["params"]
    )
    if siblings.filter(result__has_key="failure").exists():
        return {"values": 0}
    started.start(metric)
    within = asked["within"]
    computed = scores.compute_scores(
        Dataset.objects.get(pk=asked["dataset"]),
        chosen=[ChosenMetric(metric, asked["params"])],
        preparation=Preparation(asked["prepare_hypothesis"], asked["prepare_reference"]),
        step=work.progress,
        again=work.again,
        within=(within[0], within[1]) if within else None,
    )
    jobs.advance_parent(
        part=work.job, steps=computed.values, message=registry().get(metric).spec.name
    )
    if computed.failures:
        return {"values": computed.values, "failure": computed.failures[metric]}
    return {"values": computed.values}


class StartedMetric:
    """A metric's running program or model, kept between its parts in this process."""

    def __init__(self) -> None:
        self.metric = ""
        self.running = ExitStack()

    def start(self, metric: str) -> None:
        """Start a metric's program or model; it runs until another is started, or `stop`."""
        if metric != self.metric:
            self.stop()
            self.running.enter_context(keep_running([registry().get(metric)]))
            self.metric = metric

    def stop(self) -> None:
        """End it, which frees its memory."""
        self.running.close()
        self.metric = ""


started = StartedMetric()


@signals.task_prerun.connect
def stop_before_other_tasks(sender: Any = None, **about: Any) -> None:
    """Free the memory of a metric for a job of another kind."""
    if sender is None or sender.name != KIND:
        started.stop()


@signals.worker_process_shutdown.connect
def stop_at_exit(**about: Any) -> None:
    """End the programs that a metric started."""
    started.stop()
