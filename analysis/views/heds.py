"""The human evaluation datasheet as files."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from analysis.actions import heds
from analysis.reports import heds as layout
from judging.guards import campaign_for_staff
from judging.models import Campaign
from judging.views.exports import taken_along


@campaign_for_staff
@require_GET
def download(request: HttpRequest, campaign: Campaign, ending: str) -> HttpResponse:
    """Return the campaign's datasheet, as JSON for the HEDS form or as readable Markdown."""
    study, criteria = heds.sheet(campaign)
    if ending == "json":
        text = layout.to_json(study, criteria)
        return taken_along(request, campaign, text, "application/json", "heds3.json")
    text = layout.to_markdown(campaign.title, study, criteria)
    return taken_along(request, campaign, text, "text/markdown", "heds3.md")
