"""A report's files: every table as CSV, all as JSON, and all in one archive."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from analysis.actions import exports, runs
from analysis.views.reports import done_run
from judging.guards import campaign_for_staff
from judging.models import Campaign
from judging.views.exports import taken_along


@campaign_for_staff
@require_GET
def table(request: HttpRequest, campaign: Campaign, number: int, name: str) -> HttpResponse:
    """Return one table of a run as CSV."""
    rows = runs.tables_of(done_run(campaign, number)).get(name)
    if not isinstance(rows, list) or name == "sentences":
        raise Http404
    return taken_along(request, campaign, exports.table_csv(name, rows), "text/csv", f"{name}.csv")


@campaign_for_staff
@require_GET
def everything(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Return a whole run as JSON."""
    return taken_along(
        request, campaign, exports.run_json(done_run(campaign, number)), "application/json", f"run-{number}.json"
    )


@campaign_for_staff
@require_GET
def bundle(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Return all files of a run in one archive."""
    return taken_along(
        request, campaign, exports.archive(done_run(campaign, number)), "application/zip", f"report-{number}.zip"
    )
