"""The end of an analysis, as webhooks report it."""

from typing import Any

from analysis.models import Run
from judging.campaigns.actions import webhooks
from judging.jobs.models.job import Job

ANALYSIS = "analysis.run"  # the kind of job


def note_end(*, job: Job, state: str, **signal: Any) -> None:
    """Queue the end of an analysis for the webhooks of its campaign."""
    if job.kind != ANALYSIS:
        return
    run = Run.objects.select_related("campaign").filter(job=job.pk).first()
    if run:
        webhooks.note_run(campaign=run.campaign, number=run.number, state=state)
