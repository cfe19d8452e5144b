"""Jobs about published studies and reproductions."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from judging.campaigns.guards import analyses
from judging.jobs.actions import jobs
from judging.jobs.tasks import imported, job_task
from judging.people.guards import creates

job_task("analysis.repeatability", right=analyses)(
    imported("analysis.published.actions.repeatability.execute_comparison")
)


@job_task("analysis.reproduce", right=creates)
def run_reproduction_job(work: jobs.Work) -> Mapping[str, Any]:
    """Import a published study's files and compute it again."""
    from analysis.published.actions import reproductions

    return reproductions.execute_reproduction(work, now=timezone.now())
