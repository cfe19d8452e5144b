"""The preregistration of a study: its plan before the data, to be deposited in a registry."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from judging.actions import history, preregistration
from judging.guards import campaign_for_staff
from judging.models import Campaign, Event

KINDS = {
    "md": ("text/markdown", preregistration.as_markdown),
    "json": ("application/json", preregistration.as_text),
}


@campaign_for_staff
@require_GET
def download(request: HttpRequest, campaign: Campaign, ending: str) -> HttpResponse:
    """Download the document, once the protocol is locked."""
    kind, write = KINDS[ending]
    try:
        text = write(campaign)
    except preregistration.NotLocked:
        raise Http404 from None
    name = f"preregistration.{ending}"
    history.note(Event.Act.EXPORTED, by=request.user, campaign=campaign, about=name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)
