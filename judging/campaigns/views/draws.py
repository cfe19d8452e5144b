"""The draws of a closed campaign, which anyone can check."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.base import transactions
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import draws
from judging.campaigns.guards import campaign_for_managers, campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import stream_export
from judging.people.guards import password_confirmed


@campaign_for_managers
@require_POST
@password_confirmed
def reveal_secret_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Reveal the secret from which the draws were made."""
    with refusals_shown(request):
        draws.reveal_secret(campaign=campaign, now=timezone.now(), by=request.user)
        messages.success(request, _("The secret is revealed. Publish draws.json beside your data."))
    return redirect("judging:plan", campaign.uuid)


@campaign_for_staff
@require_GET
def download_draws(request: HttpRequest, campaign: Campaign) -> StreamingHttpResponse:
    """Download the draws with their secret, once it is revealed."""
    try:
        found = draws.draws_document(campaign)
    except draws.NotOverYet:
        raise Http404 from None
    pieces = _at_one_moment(found)
    return stream_export(request, campaign, pieces, "application/json", "draws.json")


def _at_one_moment(found: Mapping[str, Any]) -> Iterator[str]:
    with transactions.one_moment():
        yield from draws.json_document_pieces(found)
