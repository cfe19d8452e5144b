"""The analysis tasks that workers run; a task imports its modules when it starts.

They need scipy, pandas and matplotlib, which would delay the restart of a killed worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from analysis.models import Run
from judging import guards
from judging.actions import jobs
from judging.tasks import Right, job_task, right_of_parent

if TYPE_CHECKING:
    from analysis.actions.runs import MetricsScored


def _action(path: str) -> Callable[..., Any]:
    """Return a function of `analysis.actions` whose module is imported when it is called."""
    module, name = path.split(".")

    def imported(*given: Any) -> Any:
        return getattr(import_module(f"analysis.actions.{module}"), name)(*given)

    return imported


# kind of job, the action that does it, the right of the user who asks
KINDS: tuple[tuple[str, str, Right | None], ...] = (
    (jobs.FORGET_ANNOTATORS, "erasures.execute", None),
    (jobs.LIVE_AGREEMENT, "live_agreements.execute", None),
    ("analysis.planning", "planning.execute", guards.analyses),
    ("analysis.remove_dry_run", "dry_runs.execute_removal", guards.manages),
    ("analysis.degrade", "degradations.execute", guards.owns),
    ("analysis.estimate", "scoring_jobs.estimate", guards.reads),
    ("analysis.matching", "matching.execute", guards.reads),
    ("analysis.repeatability", "repeatability.execute", guards.analyses),
    ("analysis.calibration", "calibrations.execute", guards.analyses),
    ("analysis.tuning", "tuning.execute", guards.analyses),
)
for kind, action, right in KINDS:
    job_task(kind, right=right)(_action(action))

# each chunk of scores is stored when it is done
job_task("analysis.score", right=guards.reads, whole=False)(_action("scoring_jobs.execute"))
job_task("analysis.score_part", right=right_of_parent, whole=False)(
    _action("scoring_parts.execute")
)
job_task(
    jobs.DRY_RUN,
    right=guards.manages,
    first=_action("dry_runs.copied"),
    undo=_action("dry_runs.forget"),
)(_action("dry_runs.execute"))


def _scored(work: jobs.Work) -> MetricsScored:
    from analysis.actions import runs

    return runs.score_by_workers(run=_run_of(work), work=work)


@job_task("analysis.run", right=guards.reports, first=_scored)
def run(work: jobs.Work, scored: MetricsScored) -> Mapping[str, Any]:
    """Run an analysis after its scores are computed; each chunk of scores was stored when done."""
    from analysis.actions import report_pages, runs

    done = _run_of(work)
    result = runs.analyse(run=done, work=work, scored=scored)
    report_pages.parts_of(done)
    return result


def _run_of(work: jobs.Work) -> Run:
    return Run.objects.select_related("campaign__rubric").get(job=work.job)


@job_task("analysis.discard_ended", right=guards.owns)
def discard_ended(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a user's unused campaigns in a dataset whose use was ended, if that takes long."""
    from analysis.actions import ended_uses

    return ended_uses.execute(work, now=timezone.now())


@job_task("analysis.reproduce", right=guards.creates)
def reproduce(work: jobs.Work) -> Mapping[str, Any]:
    """Import a published study's files and compute it again."""
    from analysis.actions import reproductions

    return reproductions.execute(work, now=timezone.now())
