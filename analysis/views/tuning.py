"""Tuning a Q-metric on a campaign's judgments: ask, watch, read."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import tuning as action
from analysis.forms.metrics import TuningForm
from analysis.reports import tuning as layout
from judging import tasks
from judging.guards import campaign_for_staff
from judging.models import Campaign
from judging.views.jobs import asked_for
from judging.views.refusals import refusals_shown


@campaign_for_staff
@require_GET
def tuning(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the newest weights, and the form for others."""
    return _page(request, campaign, TuningForm(campaign=campaign))


@campaign_for_staff
@require_POST
def start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for weights."""
    form = TuningForm(request.POST, campaign=campaign)
    if form.is_valid():
        with refusals_shown(form):
            settings = action.TuningSettings(**form.cleaned_data)
            tasks.begin(action.start, campaign=campaign, by=request.user, settings=settings)
            return redirect("analysis:tuning", campaign.uuid)
    return _page(request, campaign, form, status=422)


def _page(
    request: HttpRequest, campaign: Campaign, form: TuningForm, status: int = 200
) -> HttpResponse:
    done = action.latest(campaign)
    context: dict[str, Any] = {
        "campaign": campaign,
        "tab": "report",
        "form": form,
        **asked_for(campaign, action.KIND),
        "done": done,
        "tuned": layout.page(done.result) if done else None,
    }
    return render(request, "analysis/tuning.html", context, status=status)
