"""One job's page: its progress, its result, and a button to stop it."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from judging.jobs.actions import jobs
from judging.jobs.guards import job_for_readers, jobs_of
from judging.jobs.models.job import Job
from judging.people.models.user import User

if TYPE_CHECKING:
    from judging.campaigns.models.campaign import Campaign
    from judging.datasets.models.dataset import Dataset

TITLES = {
    "judging.examine_file": gettext_lazy("Previewing a file"),
    "judging.preview_files": gettext_lazy("Previewing files"),
    "judging.add_files": gettext_lazy("Adding files"),
    "judging.add_rows": gettext_lazy("Adding rows"),
    "judging.check_draws": gettext_lazy("Checking draws"),
    "judging.take_back_file": gettext_lazy("Taking a file back"),
    "analysis.reproduce": gettext_lazy("Computing a published study again"),
    "judging.ask_judge": gettext_lazy("Asking an LLM judge"),
    "judging.add_judge": gettext_lazy("Adding an LLM judge"),
    "judging.delete_dataset": gettext_lazy("Deleting a dataset"),
    "judging.launch": gettext_lazy("Opening a campaign"),
    "judging.discard": gettext_lazy("Deleting a draft"),
    jobs.ERASE: gettext_lazy("Erasing an annotator"),
    "analysis.remove_dry_run": gettext_lazy("Deleting the copy of a dry run"),
    "analysis.discard_ended": gettext_lazy("Deleting unused campaigns"),
    "analysis.run": gettext_lazy("Analysing the judgments"),
    "analysis.planning": gettext_lazy("Computing power"),
    "analysis.dry_run": gettext_lazy("Trying it with simulated annotators"),
    "analysis.degrade": gettext_lazy("Degrading questions"),
    "analysis.score": gettext_lazy("Computing scores"),
    "analysis.score_part": gettext_lazy("Computing a part of scores"),
    "analysis.estimate": gettext_lazy("Estimating how long scores take"),
    "analysis.matching": gettext_lazy("Matching questions with references"),
    jobs.LIVE_AGREEMENT: gettext_lazy("Computing agreement for the overview"),
    jobs.FORGET_ANNOTATORS: gettext_lazy("Taking an erased annotator out of reports"),
    "analysis.tuning": gettext_lazy("Tuning a metric's weights"),
    "analysis.repeatability": gettext_lazy("Comparing a study with its reproduction"),
    "analysis.calibration": gettext_lazy("Computing the agreement of rounds"),
}
OF_FILES = (  # steps of an import, which lead on without a click
    "judging.examine_file",
    "judging.preview_files",
    "judging.add_files",
    "judging.add_rows",
    "judging.add_judge",
)
IN_HEADER = TITLES.keys() - {*OF_FILES, jobs.FORGET_ANNOTATORS, jobs.LIVE_AGREEMENT}
MAX_IN_HEADER = 3
NOTICE = timedelta(minutes=1)  # how long new pages say that a job has ended
START = "celery -A config worker"
BY_RESULT = (  # key of a job's result, its page with the parts of the address, the link
    (
        "published",
        ("analysis:published", "published"),
        gettext_lazy("Published beside computed"),
    ),
    ("file", ("judging:file", "dataset_id", "file"), gettext_lazy("Look at the file")),
    (
        "rows",
        ("judging:file_rows", "dataset_id", "rows"),
        gettext_lazy("Look at the questions of the file"),
    ),
    ("files", ("judging:files", "dataset_id"), gettext_lazy("To the files of the dataset")),
    ("dataset", ("judging:dataset", "dataset"), gettext_lazy("Look at the dataset")),
    ("removed", ("judging:campaigns",), gettext_lazy("To the campaigns")),
    ("scored", ("analysis:metrics", "scored"), gettext_lazy("To the dataset's metrics")),
)
BY_KIND = {  # the campaign's page with the result, the link
    "judging.ask_judge": ("judging:llm_judges", gettext_lazy("To the judges")),
    "judging.add_judge": ("judging:llm_judges", gettext_lazy("To the judges")),
    jobs.ERASE: ("judging:annotators", gettext_lazy("To the annotators")),
    "analysis.run": ("analysis:report", gettext_lazy("The new report is ready: reload")),
    "analysis.planning": ("analysis:planning", gettext_lazy("The plan is ready: reload")),
    "analysis.dry_run": (
        "analysis:dry_run",
        gettext_lazy("The dry run is done: see what it found"),
    ),
    jobs.FORGET_ANNOTATORS: ("analysis:report", gettext_lazy("To the report")),
    "analysis.tuning": ("analysis:tuning", gettext_lazy("The weights are ready: reload")),
    "analysis.calibration": ("judging:rounds", gettext_lazy("To the rounds")),
}

# keys of a job's result that a page shows; the rest may be large and is not read
TOLD = ("deleted", "list", "quarantined", *(key for key, _, _ in BY_RESULT))


@job_for_readers
@require_GET
def job(request: HttpRequest, job: Job) -> HttpResponse:
    """Show a job; HTMX requests only its state, and the job's own page leads on by itself when the
    job is done.

    The page stays if there is something to read, such as values in quarantine; and a page that
    contains a job stays, unless it has no other content yet.
    """
    told = jobs.result_fields(job, TOLD) if job.state == Job.State.DONE else {}
    shown = _shown(job, told)
    is_alone = "alone" in request.GET
    if is_alone:
        shown["status_url"] += "?alone"
    is_own_page = request.htmx and request.htmx.current_url_abs_path == request.path
    if (
        (is_own_page or (request.htmx and is_alone))
        and job.state == Job.State.DONE
        and shown["result_url"]
        and not told.get("quarantined")
    ):
        return HttpResponseClientRedirect(shown["result_url"])
    is_read = told.get("quarantined") or job.state != Job.State.DONE
    if job.kind in OF_FILES and shown["result_url"] and not (is_read or request.htmx):
        return redirect(shown["result_url"])  # a job about a small file may be done already
    template = "includes/progress_job.html" if request.htmx else "judging/jobs/job.html"
    return render(request, template, {"job": shown, "row": job, "told": told})


def in_header(user: User, *, since: datetime) -> dict[str, Any]:
    """Return the values for the header: the newest jobs that a user started which are unfinished or
    ended after a moment."""
    own = jobs_of(user).filter(created_by=user, parent=None, kind__in=IN_HEADER)
    wanted = own.unfinished() | own.filter(finished_at__gt=since)
    newest = wanted.defer("result").select_related("campaign", "dataset").order_by("-created_at")
    shown = [
        _shown(job, {}) | {"ends_at": _ends_at(job), "about": job.campaign or job.dataset or ""}
        for job in newest[:MAX_IN_HEADER]
    ]
    are_at_work = any(job["is_active"] for job in shown)
    return {"header_jobs": shown, "are_at_work": are_at_work, "since": int(since.timestamp())}


def _ends_at(job: Job) -> datetime | None:
    """Return when a job ends at its pace so far, if that is known."""
    if job.started_at is None or not 0 < job.done < job.total:
        return None
    now = timezone.now()
    return now + (now - job.started_at) * ((job.total - job.done) / job.done)


@never_cache
@login_required
@require_GET
def header(request: HttpRequest) -> HttpResponse:
    """Show the part of the header about jobs, which refreshes by itself; the address says since
    when the page is open."""
    text, now = request.GET.get("since", ""), timezone.now().timestamp()
    since = datetime.fromtimestamp(min(int(text[:12]), now) if text.isdecimal() else now, tz=UTC)
    context = in_header(request.user, since=since) | {"is_refreshed": True}
    return render(request, "judging/jobs/in_header.html", context)


@job_for_readers
@require_POST
def cancel_job_view(request: HttpRequest, job: Job) -> HttpResponse:
    """Ask a job to stop."""
    jobs.cancel_job(job=job)
    return redirect("judging:job", job.pk)


def _shown(job: Job, told: dict[str, Any]) -> dict[str, Any]:
    """Return the job's values for the page; `told`: the parts of its result that a page needs."""
    is_active = job.state in (Job.State.QUEUED, Job.State.RUNNING)
    result_url, result_label = _result(job, told)
    here = reverse("judging:job", args=[job.pk])
    return {
        "id": job.pk,
        "title": _title(job),
        "state": job.state,
        "state_label": _state_label(job),
        "is_active": is_active,
        "done": job.done,
        "total": job.total,
        "says": job.message if is_active else "",
        "error": job.error,
        "status_url": here,
        "page_url": here,
        "cancel_url": ""
        if job.cancel_requested_at or job.kind in jobs.OWED
        else reverse("judging:job_cancel", args=[job.pk]),
        "result_url": result_url,
        "result_label": result_label,
        "no_worker": _no_worker() if is_active else "",
    }


def _state_label(job: Job) -> str:
    if job.cancel_requested_at and job.state in (Job.State.QUEUED, Job.State.RUNNING):
        return _("stopping")
    if job.state == Job.State.QUEUED and job.parts.exists():
        return str(Job.State.RUNNING.label)  # its parts are running
    return job.get_state_display()


def job_offer(owner: "Campaign | Dataset", kind: str) -> dict[str, Any]:
    """Return the values for a page that offers a kind of job of a campaign or dataset: the
    unfinished one, the last one if it failed, and whether a worker is alive."""
    asked = owner.jobs.filter(kind=kind)
    newest = asked.defer("result").order_by("-created_at").first()
    return {
        "job": asked.unfinished().first(),
        "failed": newest if newest and newest.state == Job.State.FAILED else None,
        "worker_lives": jobs.worker_lives(),
    }


def _no_worker() -> str:
    """Return how to start a worker; "" if one is alive."""
    if jobs.worker_lives():
        return ""
    return _("Start one with “%(command)s”; run.py up starts everything.") % {"command": START}


def _title(job: Job) -> str:
    return str(TITLES.get(job.kind, job.kind))


def _way_back(job: Job) -> tuple[str, str]:
    """Return the address where a user can start a failed job again, and the link's text."""
    if job.kind in jobs.FILE_JOBS and job.dataset_id:
        return reverse("judging:files", args=[job.dataset_id]), _("To the files of the dataset")
    if job.kind == "judging.add_judge" and job.campaign:
        return reverse("judging:llm_judges", args=[job.campaign.uuid]), _("To the judges")
    return "", ""


def _result(job: Job, told: dict[str, Any]) -> tuple[str, str]:
    """Return the address to which a finished job leads, and the link's text."""
    if job.state in (Job.State.FAILED, Job.State.CANCELLED):
        return _way_back(job)
    if job.state != Job.State.DONE:
        return "", ""
    if "deleted" in told:
        return reverse("judging:datasets"), _("To the datasets")
    named = told | {"dataset_id": job.dataset_id}
    for key, (page, *held), says in BY_RESULT:
        if told.get(key):
            return reverse(page, args=[named[each] for each in held]), str(says)
    if job.kind == "analysis.matching":
        where = reverse("analysis:matching", args=[job.dataset_id])
        return where, _("Look at the matched questions")
    if job.campaign:
        campaign = ("judging:campaign", _("To the campaign"))
        page, says = BY_KIND.get(job.kind, campaign)
        return reverse(page, args=[job.campaign.uuid]), str(says)
    return "", ""
