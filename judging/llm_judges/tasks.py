"""Jobs of LLM judges."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from judging.campaigns import guards as campaign_guards
from judging.jobs.actions import jobs
from judging.jobs.tasks import check_right, job_task
from judging.llm_judges.actions import judge_jobs


@job_task(judge_jobs.KIND, right=campaign_guards.manages, whole=False, timed=False)
def ask_judge(work: jobs.Work) -> Mapping[str, Any]:
    """Ask an LLM judge at an address; each answer commits as it arrives. If the user loses the
    right meanwhile, nothing more is asked: the job may take days."""
    return judge_jobs.execute_judge_job(
        work, check=partial(check_right, right=campaign_guards.manages)
    )


@job_task(judge_jobs.ADD, right=campaign_guards.manages, first=judge_jobs.read_queued_table)
def add_judge(work: jobs.Work, read: tuple[Any, ...]) -> Mapping[str, Any]:
    """Store an LLM judge whose table is large: read first, then stored in one transaction."""
    return judge_jobs.store_read_judge(work, *read)
