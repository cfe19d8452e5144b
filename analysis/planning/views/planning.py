"""Pages of power analyses: start one, watch its progress, read its results."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_POST

from analysis.planning.actions import planning
from analysis.planning.forms.planning import PowerForm
from analysis.planning.reports import planning as layout
from analysis.reports.tables import to_csv
from analysis.scoring.views.job_pages import JobPage
from judging.base.views.downloads import attachment_response
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign


def _content(request: HttpRequest, campaign: Campaign, form: PowerForm) -> dict[str, Any]:
    done = planning.latest_plan(campaign)
    return {
        "tab": "planning",
        "done": done,
        "plan": layout.plan_page(done.result) if done else None,
    }


PAGE = JobPage(
    kind=planning.KIND,
    template="analysis/planning/planning.html",
    form=PowerForm,
    start=planning.start_planning,
    settings=lambda form: {"settings": planning.PowerSettings(**form.cleaned_data)},
    content=_content,
    address="analysis:planning",
)
plan = campaign_for_staff(require_GET(PAGE.show))
start = campaign_for_staff(require_POST(PAGE.ask))
figure = campaign_for_staff(require_GET(PAGE.figure))


@campaign_for_staff
@require_GET
def download_plan(request: HttpRequest, campaign: Campaign, job: UUID) -> HttpResponse:
    """Return a plan's power by items and annotators as CSV."""
    rows = PAGE.done(campaign, job).result["curve"]
    columns = ("annotators", "items", "power", "half_width")
    return attachment_response(to_csv(rows, columns), "text/csv", "power.csv")
