"""Jobs that analyse a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.models import Run
from judging.campaigns.guards import reports
from judging.jobs.actions import jobs
from judging.jobs.tasks import imported, job_task

if TYPE_CHECKING:
    from analysis.runs.actions.runs import MetricsScored

job_task(jobs.FORGET_ANNOTATORS, right=None)(
    imported("analysis.runs.actions.report_erasures.execute_erasure")
)
job_task(jobs.LIVE_AGREEMENT, right=None)(
    imported("analysis.runs.actions.live_agreements.execute_agreement")
)


def _scored(work: jobs.Work) -> MetricsScored:
    from analysis.runs.actions import runs

    return runs.score_by_workers(run=_run_of(work), work=work)


@job_task("analysis.run", right=reports, first=_scored)
def run_analysis_job(work: jobs.Work, scored: MetricsScored) -> Mapping[str, Any]:
    """Run an analysis after its scores are computed; each chunk of scores was stored when done."""
    from analysis.runs.actions import report_pages, runs

    run = _run_of(work)
    result = runs.analyse(run=run, work=work, scored=scored)
    report_pages.render_parts(run)
    return result


def _run_of(work: jobs.Work) -> Run:
    return Run.objects.select_related("campaign__protocol").get(job=work.job)
