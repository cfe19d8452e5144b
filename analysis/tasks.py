"""The analysis tasks that workers run; a task imports its modules when it starts.

They need scipy, pandas and matplotlib, which would delay the restart of a killed worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from analysis.models import Run
from judging import guards
from judging.actions import jobs
from judging.tasks import job_task, right_of_parent

if TYPE_CHECKING:
    from analysis.actions.runs import MetricsScored
    from judging.models import DryRun


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


@job_task(jobs.FORGET_ANNOTATORS, right=None)
def forget_annotators(work: jobs.Work) -> Mapping[str, Any]:
    """Take those who were erased out of what analyses keep."""
    from analysis.actions import erasures

    return erasures.execute(work)


@job_task("analysis.planning", right=guards.analyses)
def plan(work: jobs.Work) -> Mapping[str, Any]:
    """Simulate how many items and annotators a study needs."""
    from analysis.actions import planning

    return planning.execute(work)


def _copied(work: jobs.Work) -> DryRun:
    from analysis.actions import dry_runs

    return dry_runs.copied(work)


def _forget_copy(made: DryRun) -> None:
    from analysis.actions import dry_runs

    dry_runs.forget(made)


@job_task("analysis.dry_run", right=guards.manages, first=_copied, undo=_forget_copy)
def dry_run(work: jobs.Work, made: DryRun) -> Mapping[str, Any]:
    """Fill a copy of a draft with simulated annotators, and make its report."""
    from analysis.actions import dry_runs

    return dry_runs.execute(work, made)


@job_task("analysis.remove_dry_run", right=guards.manages)
def remove_dry_run(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a copy with many tasks and places."""
    from analysis.actions import dry_runs

    return dry_runs.execute_removal(work)


@job_task("analysis.discard_ended", right=guards.owns)
def discard_ended(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a user's unused campaigns in a dataset whose use was ended, if that takes long."""
    from analysis.actions import ended_uses

    return ended_uses.execute(work, now=timezone.now())


@job_task("analysis.degrade", right=guards.owns)
def degrade(work: jobs.Work) -> Mapping[str, Any]:
    """Make a dataset of questions that are degraded on purpose."""
    from analysis.actions import degradations

    return degradations.execute(work)


@job_task("analysis.score", right=guards.reads, whole=False)
def score(work: jobs.Work) -> Mapping[str, Any]:
    """Compute a dataset's scores; each chunk is stored when it is done."""
    from analysis.actions import scoring_jobs

    return scoring_jobs.execute(work)


@job_task("analysis.score_part", right=right_of_parent, whole=False)
def score_part(work: jobs.Work) -> Mapping[str, Any]:
    """Compute one metric on a chunk of a dataset, for a job that several workers share."""
    from analysis.actions import scoring_parts

    return scoring_parts.execute(work)


@job_task("analysis.matching", right=guards.reads)
def match(work: jobs.Work) -> Mapping[str, Any]:
    """Match one source's questions with its references."""
    from analysis.actions import matching

    return matching.execute(work)


@job_task("analysis.reproduce", right=guards.creates)
def reproduce(work: jobs.Work) -> Mapping[str, Any]:
    """Import a published study's files and compute it again."""
    from analysis.actions import reproductions

    return reproductions.execute(work, now=timezone.now())


@job_task("analysis.repeatability", right=guards.analyses)
def compare_studies(work: jobs.Work) -> Mapping[str, Any]:
    """Compare a study with its reproduction."""
    from analysis.actions import repeatability

    return repeatability.execute(work)


@job_task("analysis.calibration", right=guards.analyses)
def measure_rounds(work: jobs.Work) -> Mapping[str, Any]:
    """Compute the agreement of a campaign's pilot and calibration rounds."""
    from analysis.actions import calibrations

    return calibrations.execute(work)


@job_task("analysis.tuning", right=guards.analyses)
def tune(work: jobs.Work) -> Mapping[str, Any]:
    """Tune a Q-metric's weights on a campaign's judgments."""
    from analysis.actions import tuning

    return tuning.execute(work)


@job_task("analysis.estimate", right=guards.reads)
def estimate(work: jobs.Work) -> Mapping[str, Any]:
    """Guess how long that would take."""
    from analysis.actions import scoring_jobs

    return scoring_jobs.estimate(work)


def _run_of(work: jobs.Work) -> Run:
    return Run.objects.select_related("campaign__rubric").get(job=work.job)
