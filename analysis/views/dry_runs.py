"""Trying a draft with simulated annotators: ask, watch, read what was found, delete the copy."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import dry_run_outcomes, dry_runs, recoveries
from analysis.forms.dry_runs import DryRunForm
from analysis.reports import dry_runs as layout
from judging import tasks
from judging.actions import campaigns
from judging.guards import campaign_for_managers, campaign_for_staff
from judging.limits import MAX_PAGE_CELLS
from judging.models import Campaign, DryRun
from judging.views.exports import taken_along_in_pieces
from judging.views.jobs import asked_for
from judging.views.refusals import refusals_shown


@campaign_for_staff
@require_GET
def dry_run(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the dry runs of a draft, or the one that a copy is."""
    return _page(request, campaign, DryRunForm())


@campaign_for_staff
@require_GET
def table(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Return every pair of systems of the dry run that a copy is, as CSV."""
    run = DryRun.objects.filled().defer("outcome").filter(campaign=campaign).first()
    if run is None:
        raise Http404
    name = f"{slugify(campaign.title)}-dry-run.csv"
    return taken_along_in_pieces(
        request, campaign, dry_run_outcomes.pairs_csv(run), "text/csv", name
    )


@campaign_for_managers
@require_POST
def start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for a dry run."""
    form = DryRunForm(request.POST)
    if form.is_valid():
        with refusals_shown(form):
            settings = form.settings()
            tasks.begin(dry_runs.start, campaign=campaign, by=request.user, settings=settings)
            return redirect("analysis:dry_run", campaign.uuid)
    return _page(request, campaign, form, status=422)


@campaign_for_managers
@require_POST
def remove(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Delete a copy with all that was simulated in it."""
    found = DryRun.objects.filter(campaign=campaign).select_related("draft").first()
    if found is None:
        raise Http404
    if campaigns.is_slow_to_remove(campaign):
        job = tasks.begin_once(kind=dry_runs.REMOVE, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    with refusals_shown(request):
        dry_runs.remove(campaign=campaign, by=request.user)
        messages.success(request, _("The copy and all that was simulated in it are deleted."))
        if found.draft is None:
            return redirect("judging:campaigns")
        return redirect("analysis:dry_run", found.draft.uuid)
    return redirect("analysis:dry_run", campaign.uuid)


def _page(
    request: HttpRequest, campaign: Campaign, form: DryRunForm, status: int = 200
) -> HttpResponse:
    own = DryRun.objects.filter(campaign=campaign) | DryRun.objects.filter(draft=campaign)
    done: list[dict[str, Any]] = []
    others: list[DryRun] = []
    lines = 0
    for run in own.filled().defer("outcome").select_related("campaign", "draft"):
        if others:
            others.append(run)
            continue
        outcome = dry_run_outcomes.shown(run)
        lines += sum(len(each["pairs"]) for each in outcome["criteria"])
        lines += len(outcome.get("people", ()))
        # the newest is shown however long it is
        if done and lines * len(dry_run_outcomes.COLUMNS) > MAX_PAGE_CELLS:
            others.append(run)
            continue
        recovery = recoveries.recovery(run, outcome.get("order", []))
        done.append(layout.page(run, outcome, recovery))
    context: dict[str, Any] = {
        "campaign": campaign,
        "tab": "plan",
        "form": form,
        "done": done,
        "others": others,
        **asked_for(campaign, dry_runs.KIND),
        "may_start": campaign.origin == Campaign.Origin.JUDGED
        and campaign.state in (Campaign.State.DRAFT, Campaign.State.LOCKED),
        "is_manager": campaign.memberships.filter(user=request.user, role="manager").exists(),
    }
    return render(request, "analysis/dry_run.html", context, status=status)
