"""Systems that an annotator made: they get no task with a question of theirs."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from judging.actions import authorships
from judging.guards import campaign_for_managers
from judging.models import Campaign
from judging.views.refusals import refusals_shown


@campaign_for_managers
@require_POST
def note(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Store the ticked systems as the annotator's own."""
    enrollment = get_object_or_404(campaign.enrollments, pk=pk)
    keys = [
        int(key)
        for key in request.POST.getlist("system")
        if key.isascii() and key.isdigit() and len(key) < 19
    ]
    systems = campaign.collection.systems.filter(pk__in=keys)
    with refusals_shown(request):
        authorships.set_systems(enrollment=enrollment, systems=systems, by=request.user)
        messages.success(request, _("Saved. Tasks with these systems go to others."))
    return redirect("judging:annotator", campaign.uuid, enrollment.pk)
