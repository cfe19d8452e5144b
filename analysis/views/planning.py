"""Pages of power analyses: start one, watch its progress, read its results."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import planning
from analysis.forms.runs import PowerForm
from analysis.reports import planning as layout
from analysis.reports.tables import to_csv
from analysis.views.figures import svg_response
from analysis.views.job_pages import JobPage
from judging.guards import campaign_for_staff
from judging.models import Campaign, Job, StoredFile
from judging.views.exports import attached


def _content(request: HttpRequest, campaign: Campaign, form: PowerForm) -> dict[str, Any]:
    done = planning.latest(campaign)
    return {"tab": "plan", "done": done, "plan": layout.page(done.result) if done else None}


PAGE = JobPage(
    kind=planning.KIND,
    template="analysis/planning.html",
    form=PowerForm,
    start=planning.start,
    settings=lambda form: {"settings": planning.PowerSettings(**form.cleaned_data)},
    content=_content,
    address="analysis:planning",
)
plan = campaign_for_staff(require_GET(PAGE.show))
start = campaign_for_staff(require_POST(PAGE.ask))


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
            ("annotators", "items", "power", "half_width"),
        ),
        "text/csv",
        "power.csv",
    )


def _done(campaign: Campaign, pk: UUID) -> Job:
    return get_object_or_404(campaign.jobs.done(planning.KIND), pk=pk)
