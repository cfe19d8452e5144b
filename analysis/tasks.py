"""What the queue may ask of the workshop."""

from collections.abc import Mapping
from typing import Any

from analysis.actions import planning, runs
from analysis.models import Run
from judging.actions import jobs
from judging.tasks import job_task


@job_task(runs.KIND)
def run(work: jobs.Work) -> Mapping[str, Any]:
    """Do an analysis."""
    return runs.execute(run=Run.objects.select_related("campaign__rubric").get(job=work.job), work=work)


@job_task(planning.KIND)
def plan(work: jobs.Work) -> Mapping[str, Any]:
    """Simulate how many items and annotators a study needs."""
    return planning.execute(work)
