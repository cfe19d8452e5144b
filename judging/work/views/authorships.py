"""Systems that an annotator made: they get no task with a question of theirs."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.work.actions import own_systems


@campaign_for_managers
@require_POST
def store_authorship(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Store the ticked systems as the annotator's own."""
    enrollment = get_object_or_404(campaign.enrollments, pk=pk)
    keys = [
        int(key)
        for key in request.POST.getlist("system")
        if key.isascii() and key.isdigit() and len(key) < 19
    ]
    systems = campaign.dataset.systems.filter(pk__in=keys)
    with refusals_shown(request):
        own_systems.set_systems(enrollment=enrollment, systems=systems, by=request.user)
        messages.success(request, _("Saved. Tasks with these systems go to others."))
    return redirect("judging:annotator", campaign.uuid, enrollment.pk)
