"""The page that tries a draft with simulated annotators, and deletes the copy."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from analysis.planning.actions import dry_run_outcomes, dry_runs, recoveries
from analysis.planning.forms.dry_runs import DryRunForm
from analysis.planning.reports import dry_runs as layout
from analysis.scoring.views.job_pages import JobPage
from judging.base.limits import MAX_PAGE_CELLS
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns
from judging.campaigns.guards import campaign_for_managers, campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.views.downloads import stream_export
from judging.jobs import tasks


@campaign_for_staff
@require_GET
def download_dry_run_pairs(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Return every pair of systems of the dry run that a copy is, as CSV."""
    run = DryRun.objects.filled().defer("outcome").filter(campaign=campaign).first()
    if run is None:
        raise Http404
    name = f"{slugify(campaign.title)}-dry-run.csv"
    return stream_export(request, campaign, dry_run_outcomes.pairs_csv(run), "text/csv", name)


@campaign_for_managers
@require_POST
def remove_dry_run_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Delete a copy with all that was simulated in it."""
    found = DryRun.objects.filter(campaign=campaign).select_related("draft").first()
    if found is None:
        raise Http404
    if campaigns.is_slow_to_remove(campaign):
        job = tasks.begin_once(kind=dry_runs.REMOVE, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    with refusals_shown(request):
        dry_runs.remove_dry_run(campaign=campaign, by=request.user)
        messages.success(request, _("The copy and all that was simulated in it are deleted."))
        if found.draft is None:
            return redirect("judging:campaigns")
        return redirect("analysis:dry_run", found.draft.uuid)
    return redirect("analysis:dry_run", campaign.uuid)


def _form(*data: Any, campaign: Campaign) -> DryRunForm:
    return DryRunForm(*data)  # the same for every campaign


def _content(request: HttpRequest, campaign: Campaign, form: DryRunForm) -> dict[str, Any]:
    """Return the dry runs of a draft, or the one that a copy is."""
    own = DryRun.objects.filter(campaign=campaign) | DryRun.objects.filter(draft=campaign)
    runs = list(own.filled().defer("outcome").select_related("campaign", "draft"))
    done = _shown(runs)
    return {
        "tab": "dry_run",
        "done": done,
        "others": runs[len(done) :],
        "may_start": campaign.origin == Campaign.Origin.JUDGED
        and campaign.state in (Campaign.State.DRAFT, Campaign.State.LOCKED),
        "is_manager": campaign.memberships.filter(user=request.user, role="manager").exists(),
    }


def _shown(runs: Iterable[DryRun]) -> list[dict[str, Any]]:
    """Return the newest dry run however long it is, and those after it that fit on the page."""
    done: list[dict[str, Any]] = []
    lines = 0
    for run in runs:
        outcome = dry_run_outcomes.shown_outcome(run)
        lines += sum(len(each["pairs"]) for each in outcome["criteria"])
        lines += len(outcome.get("people", ()))
        if done and lines * len(dry_run_outcomes.COLUMNS) > MAX_PAGE_CELLS:
            break
        recovery = recoveries.recovery(run, outcome.get("order", []))
        done.append(layout.dry_run_page(run, outcome, recovery))
    return done


PAGE = JobPage(
    kind=dry_runs.KIND,
    template="analysis/planning/dry_run.html",
    form=_form,
    start=dry_runs.start_dry_run,
    settings=lambda form: {"settings": form.settings()},
    content=_content,
    address="analysis:dry_run",
)
dry_run = campaign_for_staff(require_GET(PAGE.show))
start = campaign_for_managers(require_POST(PAGE.ask))
