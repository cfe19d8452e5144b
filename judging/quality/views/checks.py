"""Gold questions and degraded copies of a campaign: adding, correcting and retiring them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import selections
from judging.campaigns.guards import campaign_for_managers, judges_now
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import check_items
from judging.quality.forms.checks import AcceptedForm, GoldForm
from judging.quality.models.check import CheckKind


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def gold(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the gold questions, and add one: first its source is named, then the question and its
    right values."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    source = sent_text(request.GET, "source", 200)
    form = GoldForm(
        request.POST if request.method == "POST" else None, campaign=campaign, source=source
    )
    if request.method == "POST" and form.is_valid():
        unit, accepted = form.chosen(), form.accepted()
        text = form.cleaned_data["text"]
        with refusals_shown(form):
            check_items.add_gold(
                campaign=campaign, unit=unit, text=text, accepted=accepted, by=request.user
            )
            messages.success(
                request, _("Added. Annotators cannot tell it from a task of the study.")
            )
            return redirect("judging:gold", campaign.uuid)
    items = campaign.check_items.select_related("unit__question").prefetch_related(
        "accepted__criterion"
    )
    context = {
        "campaign": campaign,
        "tab": "checks",
        "form": form if form.fields["unit"].choices else None,
        "source": source,
        "gold": items.filter(kind=CheckKind.GOLD),
        # also if the plan was widened since: they may all be of one system
        "degraded": items.none()
        if judges_now(request.user, campaign.dataset)
        else items.filter(kind=CheckKind.DEGRADED),
    }
    return render(request, "judging/quality/gold.html", context, status=422 if form.errors else 200)


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def correct(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Correct the right values of a gold question; flags change at once, and the history names the
    user."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    item = get_object_or_404(
        campaign.check_items.select_related("unit__question"), pk=pk, kind=CheckKind.GOLD
    )
    form = AcceptedForm(
        request.POST if request.method == "POST" else None, campaign=campaign, item=item
    )
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            check_items.correct_gold(
                item=item,
                accepted=form.accepted(),
                by=request.user,
                now=timezone.now(),
                reason=form.cleaned_data.get("reason", ""),
            )
            messages.success(request, _("Corrected. Annotators who gave these values have passed."))
            return redirect("judging:gold", campaign.uuid)
    context = {"campaign": campaign, "tab": "checks", "form": form, "item": item}
    return render(
        request, "judging/quality/gold_correct.html", context, status=422 if form.errors else 200
    )


@campaign_for_managers
@require_POST
def retire_check_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Retire a gold question or a degraded copy: no annotator gets it any more, and it counts in no
    result."""
    item = get_object_or_404(campaign.check_items, pk=pk)
    check_items.retire_check(item=item, by=request.user, now=timezone.now())
    messages.success(request, _("Taken out."))
    return redirect("judging:gold", campaign.uuid)
