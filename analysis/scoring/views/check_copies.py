"""Making degraded copies for a campaign's checks."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from analysis.scoring.actions import check_copies
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import selections
from judging.campaigns.guards import campaign_for_managers, with_how_to_decline
from judging.campaigns.models.campaign import Campaign


@campaign_for_managers
@require_POST
def make_degraded_copies_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Make the copies, or report why there are none. Users who judge the dataset are refused for a
    plan of part of it: the copies would reveal which system wrote a question."""
    if selections.names_systems(campaign, request.user):
        refused = (
            "You judge this dataset in a campaign that has not ended. Until it is closed you make no degraded "
            "copies for a plan that judges part of it: they would show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(refused, request.user, campaign.dataset))
    with refusals_shown(request):
        made = check_copies.make_degraded_copies(campaign=campaign)
        told = ngettext("%(n)d degraded copy is ready.", "%(n)d degraded copies are ready.", made)
        messages.success(request, told % {"n": made})
    return redirect("judging:gold", campaign.uuid)
