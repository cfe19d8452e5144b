"""Pages of power analyses: start one, watch its progress, read its results."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import planning
from analysis.actions.planning import PowerSettings
from analysis.forms.runs import PowerForm
from analysis.reports import planning as layout
from analysis.reports.tables import to_csv
from analysis.views.figures import svg_response
from judging import tasks
from judging.guards import campaign_for_staff
from judging.models import Campaign, Job, StoredFile
from judging.views.exports import attached
from judging.views.jobs import asked_for
from judging.views.refusals import refusals_shown


@campaign_for_staff
@require_GET
def plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the newest plan, and the form for another."""
    return _page(request, campaign, PowerForm(campaign=campaign))


@campaign_for_staff
@require_POST
def start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for a plan."""
    form = PowerForm(request.POST, campaign=campaign)
    if form.is_valid():
        with refusals_shown(form):
            settings = PowerSettings(**form.cleaned_data)
            tasks.begin(planning.start, campaign=campaign, by=request.user, settings=settings)
            return redirect("analysis:planning", campaign.uuid)
    return _page(request, campaign, form, status=422)


@campaign_for_staff
@require_GET
def figure(request: HttpRequest, campaign: Campaign, pk: UUID, ink: str) -> HttpResponse:
    """Return a plan's chart as SVG."""
    digest = _done(campaign, pk).result["figures"].get(ink)
    return svg_response(get_object_or_404(StoredFile, sha256=digest))


@campaign_for_staff
@require_GET
def table(request: HttpRequest, campaign: Campaign, pk: UUID) -> HttpResponse:
    """Return a plan's power by items and annotators as CSV."""
    return attached(
        to_csv(
            _done(campaign, pk).result["curve"],
            ("annotators", "items", "power", "low", "high"),
        ),
        "text/csv",
        "power.csv",
    )


def _done(campaign: Campaign, pk: UUID) -> Job:
    return get_object_or_404(campaign.jobs.done(planning.KIND), pk=pk)


def _page(
    request: HttpRequest, campaign: Campaign, form: PowerForm, status: int = 200
) -> HttpResponse:
    done = planning.latest(campaign)
    context: dict[str, Any] = {
        "campaign": campaign,
        "tab": "plan",
        "form": form,
        **asked_for(campaign, planning.KIND),
        "done": done,
        "plan": layout.page(done.result) if done else None,
    }
    return render(request, "analysis/planning.html", context, status=status)
