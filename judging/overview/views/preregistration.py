"""The preregistration of a study: its plan before the data, to be deposited in a registry."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.overview.actions import preregistration
from judging.people.actions import history
from judging.people.models.event import Event

KINDS = {
    "md": ("text/markdown", preregistration.as_markdown),
    "json": ("application/json", preregistration.preregistration_text),
}


@campaign_for_staff
@require_GET
def download_preregistration(request: HttpRequest, campaign: Campaign, ending: str) -> HttpResponse:
    """Download the document, once the plan is locked."""
    kind, write = KINDS[ending]
    try:
        text = write(campaign)
    except preregistration.NotLocked:
        raise Http404 from None
    name = f"preregistration.{ending}"
    history.record_event(Event.Act.EXPORTED, by=request.user, campaign=campaign, about=name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)
