"""Making degraded copies for a campaign's checks."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from analysis.actions import check_copies
from judging.guards import campaign_for_managers
from judging.models import Campaign


@campaign_for_managers
@require_POST
def make(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Make the copies, or say why there are none."""
    try:
        made = check_copies.make(campaign=campaign)
    except check_copies.NoCopies as refused:
        messages.error(request, str(refused))
    else:
        told = ngettext("%(n)d degraded copy is ready.", "%(n)d degraded copies are ready.", made)
        messages.success(request, told % {"n": made})
    return redirect("judging:gold", campaign.uuid)
