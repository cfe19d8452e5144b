"""The draws of a closed campaign, which anyone can check."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.actions import draws, exports
from judging.guards import campaign_for_managers, campaign_for_staff, password_confirmed
from judging.models import Campaign
from judging.views.exports import taken_along_in_pieces
from judging.views.refusals import refusals_shown


@campaign_for_managers
@require_POST
@password_confirmed
def reveal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Reveal the secret from which the draws were made."""
    with refusals_shown(request):
        draws.reveal(campaign=campaign, now=timezone.now(), by=request.user)
        messages.success(request, _("The secret is revealed. Publish draws.json beside your data."))
    return redirect("judging:plan", campaign.uuid)


@campaign_for_staff
@require_GET
def document(request: HttpRequest, campaign: Campaign) -> StreamingHttpResponse:
    """Download the draws with their secret, once it is revealed."""
    try:
        found = draws.document(campaign)
    except draws.NotOverYet:
        raise Http404 from None
    pieces = _at_one_moment(found)
    return taken_along_in_pieces(request, campaign, pieces, "application/json", "draws.json")


def _at_one_moment(found: Mapping[str, Any]) -> Iterator[str]:
    with exports.one_moment():
        yield from draws.written(found)
