"""Pilot and calibration rounds of a draft: opening, watching and closing them."""

import re
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import discussions, rounds, selections
from judging.campaigns.forms.rounds import RoundForm
from judging.campaigns.guards import campaign_for_managers, campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.campaigns.selection import CannotChoose

NOTE = re.compile(r"note-(?P<criterion>[0-9]{1,18})-(?P<unit>[0-9a-f]{1,16})")
WHOLE = "0"  # in place of a unit: the note is on the criterion


@campaign_for_staff
@require_GET
def list_rounds(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List a campaign's pilot and calibration rounds; for a draft, offer a further one."""
    return _page(request, campaign, _form(campaign))


@campaign_for_managers
@require_POST
def start_round_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Open a round on sources drawn for it."""
    form = _form(campaign, request.POST)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    with refusals_shown(form):
        round = rounds.start_round(
            campaign=campaign, by=request.user, now=timezone.now(), **form.cleaned_data
        )
        messages.success(
            request,
            _("%(round)s is open: annotators find it on their pages.")
            % {"round": str(round).title()},
        )
        return redirect("judging:rounds", campaign.uuid)
    return _page(request, campaign, form, status=422)


@campaign_for_managers
@require_POST
def end_round_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Close a round."""
    round = get_object_or_404(campaign.rounds.trials().running(), pk=pk)
    rounds.end_round(round=round, by=request.user, now=timezone.now())
    messages.success(request, _("Closed. Now look at where annotators differ."))
    return redirect("judging:rounds", campaign.uuid)


@campaign_for_managers
@require_POST
def notes(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Store the notes on differences in a closed round."""
    round = get_object_or_404(campaign.rounds.trials().filter(closed_at__isnull=False), pk=pk)
    units = {WHOLE: None} | discussions.named_units(round)
    said = {
        (int(found["criterion"]), units[found["unit"]]): sent_text(request.POST, name)
        for name in request.POST
        if (found := NOTE.fullmatch(name)) and found["unit"] in units
    }
    with refusals_shown(request):
        discussions.write_notes(round=round, notes=said, by=request.user, now=timezone.now())
        messages.success(request, _("Saved. Below, they are in the next version of the guideline."))
    return redirect("analysis:calibration", campaign.uuid, pk)


@campaign_for_managers
@require_POST
def adopt_decisions(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Make the decisions after a round the next version of the guideline."""
    round = get_object_or_404(campaign.rounds.trials(), pk=pk)
    now, text = timezone.now(), sent_text(request.POST, "text", MAX_DOCUMENT_CHARACTERS)
    with refusals_shown(request):
        made = discussions.store_decisions(
            campaign=campaign, text=text, round=round, by=request.user, now=now
        )
        said = _("Version %(n)s is in effect: annotators read it from now on.")
        messages.success(
            request, said % {"n": made.number} if made else _("Nothing is decided yet.")
        )
    return redirect("analysis:calibration", campaign.uuid, pk)


def _form(campaign: Campaign, said: Any = None) -> RoundForm:
    return RoundForm(said, left=_left(campaign), annotators=campaign.annotators_per_task)


def _left(campaign: Campaign) -> int:
    """Return the number of sources that no round was judged on."""
    if campaign.state != Campaign.State.DRAFT:
        return 0
    try:
        return len(selections.fresh_units(campaign, apart=True))
    except CannotChoose:
        return 0


def _page(
    request: HttpRequest, campaign: Campaign, form: RoundForm, status: int = 200
) -> HttpResponse:
    of_places = {"assignments__state__in": ["open", "held", "submitted"]}
    listed = campaign.rounds.trials().annotate(
        places=Count("assignments", filter=Q(**of_places)),
        filled=Count("assignments", filter=Q(assignments__state="submitted")),
        extras=Count("assignments", filter=Q(assignments__state="extra")),
    )
    manager = campaign.memberships.filter(user=request.user, role=Membership.Role.MANAGER)
    context = {
        "campaign": campaign,
        "tab": "rounds",
        "rounds": listed.order_by("opened_at", "pk"),
        "running": campaign.rounds.trials().running().exists(),
        "annotators": campaign.enrollments.count(),
        "left": _left(campaign),
        "form": form,
        "is_manager": manager.exists(),
    }
    return render(request, "judging/campaigns/rounds.html", context, status=status)
