"""What the queue may ask of the workshop."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from analysis.actions import degradations, matching, planning, reproductions, runs, scoring_jobs, tuning
from analysis.models import Run
from judging.actions import jobs
from judging.tasks import job_task


@job_task(runs.KIND, first=lambda work: runs.score(run=_run_of(work), work=work))
def run(work: jobs.Work, scored: runs.Scored) -> Mapping[str, Any]:
    """Do an analysis, once its scores are computed: every chunk of these stands once it is done."""
    return runs.analyse(run=_run_of(work), work=work, scored=scored)


@job_task(planning.KIND)
def plan(work: jobs.Work) -> Mapping[str, Any]:
    """Simulate how many items and annotators a study needs."""
    return planning.execute(work)


@job_task(degradations.KIND)
def degrade(work: jobs.Work) -> Mapping[str, Any]:
    """Make a collection of questions that are worse on purpose."""
    return degradations.execute(work)


@job_task(scoring_jobs.KIND, whole=False)
def score(work: jobs.Work) -> Mapping[str, Any]:
    """Compute a collection's scores; every chunk stands once it is done."""
    return scoring_jobs.execute(work)


@job_task(matching.KIND)
def match(work: jobs.Work) -> Mapping[str, Any]:
    """Match one source's questions with its references."""
    return matching.execute(work)


@job_task(reproductions.KIND)
def reproduce(work: jobs.Work) -> Mapping[str, Any]:
    """Import a published study's files and compute it again."""
    return reproductions.execute(work, now=timezone.now())


@job_task(tuning.KIND)
def tune(work: jobs.Work) -> Mapping[str, Any]:
    """Tune a Q-metric's weights on a campaign's judgments."""
    return tuning.execute(work)


@job_task(scoring_jobs.ESTIMATE)
def estimate(work: jobs.Work) -> Mapping[str, Any]:
    """Guess how long that would take."""
    return scoring_jobs.estimate(work)


def _run_of(work: jobs.Work) -> Run:
    return Run.objects.select_related("campaign__rubric").get(job=work.job)
