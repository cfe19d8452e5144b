"""A browser beside which every job is done at once, in this process and on this connection."""

import re
from typing import Any

from celery import current_app
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.test import Client

from analysis.planning.actions import dry_runs
from analysis.runs.actions import runs
from config.celery import load_tasks
from judging.base.refusals import Refused
from judging.imports import tasks
from judging.imports.actions import files
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.jobs.views.jobs import TOLD, _result
from judging.llm_judges.actions import judge_jobs

JOB_PAGE = re.compile(r"^/jobs/([0-9a-f-]{36})/$")
FIRST = {
    "judging.add_files": tasks._files,
    "judging.add_rows": tasks._files,
    judge_jobs.ADD: judge_jobs.read_queued_table,
    runs.KIND: lambda work: runs.score_run(run=work.job.run, work=work),
    dry_runs.KIND: dry_runs.copy_for_dry_run,
}
UNDO = dict.fromkeys(("judging.add_files", "judging.add_rows"), files.match_again_all)


def carry_out(job: Job) -> Job:
    """Do a queued job as a worker does, without its sign of life, which needs a connection of its
    own and so a test whose transactions commit."""
    load_tasks()
    claimed = jobs.claim_job(job_id=job.pk)
    if claimed is not None:
        work = jobs.Work(claimed, worker="tests")
        doing = current_app.tasks[job.kind].run.__wrapped__
        given: list[Any] = []
        try:
            given = [FIRST[job.kind](work)] if job.kind in FIRST else []
            with transaction.atomic():
                jobs.finish_job(job=claimed, result=doing(work, *given), total=work.total)
        except Refused as reason:
            for each in given if job.kind in UNDO else ():
                UNDO[job.kind](each)
            jobs.fail(job=claimed, error=str(reason))
    job.refresh_from_db()
    return job


class WorkingClient(Client):
    """Where a page leads to a job, the job is done and the client goes on to its result, as a
    browser does; a job that fails leaves the client on its page."""

    def request(self, **request: Any) -> HttpResponse:
        answer = super().request(**request)
        asked = JOB_PAGE.match(getattr(answer, "url", "")) if answer.status_code == 302 else None
        if asked is None:
            return answer
        job = carry_out(Job.objects.get(pk=asked[1]))
        if job.state != Job.State.DONE:
            return self.get(answer.url)
        where, _label = _result(job, jobs.result_fields(job, TOLD))
        return (
            self.get(where) if request["REQUEST_METHOD"] == "GET" else HttpResponseRedirect(where)
        )
