"""Reproducing a closed study."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import clones
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.datasets.guards import datasets_to_plan_with
from judging.people.guards import creator_required


@campaign_for_managers
@creator_required
@require_POST
def clone_study_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Create a draft that reproduces a study with new annotators."""
    get_object_or_404(datasets_to_plan_with(request.user), pk=campaign.dataset_id)
    with refusals_shown(request):
        made = clones.clone_study(campaign=campaign, by=request.user)
        messages.success(
            request,
            _(
                "A draft by the same protocol on the same items. Adapt consent, contact and pay, then lock it."
            ),
        )
        return redirect("judging:plan", made.uuid)
    return redirect("judging:campaign", campaign.uuid)
