"""Remove annotators from finished analyses after they were erased."""

import time
from collections.abc import Mapping
from typing import Any

from analysis.models import Run
from analysis.runs.actions import runs
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job

# Seconds after which the remaining runs go into another job: a study may have hundreds of reports,
# annotators may withdraw one after the other, and other users' jobs must be able to run in between.
PART = 5.0


def execute_erasure(work: jobs.Work) -> Mapping[str, Any]:
    """Remove the erased annotators from a campaign's finished runs."""
    told, campaign = work.job.parameters, work.job.campaign
    done = list(
        Run.objects.filter(
            campaign=campaign, job__state=Job.State.DONE, number__gt=told.get("after", 0)
        ).order_by("number")
    )
    began, changed = time.monotonic(), 0
    for place, run in enumerate(done):
        if place and time.monotonic() - began > PART:
            rest = {**told, "after": done[place - 1].number}
            by = work.job.created_by
            jobs.enqueue(kind=work.job.kind, parameters=rest, by=by, campaign=campaign)
            break
        work.progress(place, len(done), f"Report {run.number}")
        changed += runs.forget_annotators(run=run, labels=told["labels"])
    return {"erased": told["labels"], "reports": changed}
