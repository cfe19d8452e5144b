"""The human evaluation datasheet as files."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from analysis.planning.actions import heds
from analysis.planning.reports import heds as layout
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import export_response


@campaign_for_staff
@require_GET
def download_datasheet(request: HttpRequest, campaign: Campaign, ending: str) -> HttpResponse:
    """Return the campaign's datasheet, as JSON for the HEDS form or as readable Markdown."""
    study, criteria = heds.sheet(campaign)
    if ending == "json":
        text = layout.datasheet_json(study, criteria)
        return export_response(request, campaign, text, "application/json", "heds3.json")
    text = layout.to_markdown(campaign.title, study, criteria)
    return export_response(request, campaign, text, "text/markdown", "heds3.md")
