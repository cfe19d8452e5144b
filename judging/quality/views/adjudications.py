"""Adjudication: naming the adjudicator, and the page on which they adjudicate ratings."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns
from judging.campaigns.guards import (
    campaign_for_adjudicator,
    campaign_for_managers,
    campaign_for_staff,
    how_to_decline,
    judges_now,
)
from judging.campaigns.models.campaign import Campaign
from judging.enrolments import guards
from judging.people.actions.accounts import find_account
from judging.people.guards import password_confirmed
from judging.quality.actions import adjudications
from judging.quality.actions.adjudications import Differing
from judging.quality.forms.adjudications import AdjudicatorForm
from judging.quality.models.adjudication import Adjudication

A_PAGE = 20


@campaign_for_staff
@require_GET
def adjudication(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the adjudicator, and how many ratings are left to adjudicate."""
    return _page(request, campaign, AdjudicatorForm())


@campaign_for_managers
@require_POST
@password_confirmed
def name_adjudicator_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Name the adjudicator."""
    form = AdjudicatorForm(request.POST)
    if form.is_valid():
        with refusals_shown(form):
            adjudications.name_adjudicator(
                campaign=campaign,
                adjudicator=find_account(form.cleaned_data["username"]),
                threshold=form.cleaned_data["threshold"],
                by=request.user,
                now=timezone.now(),
            )
            messages.success(request, _("Send them the address of their page."))
            return redirect("judging:adjudication", campaign.uuid)
    return _page(request, campaign, form, status=422)


def _page(
    request: HttpRequest, campaign: Campaign, form: AdjudicatorForm, status: int = 200
) -> HttpResponse:
    named = Adjudication.objects.filter(campaign=campaign).select_related("adjudicator").first()
    differences = adjudications.find_differences(campaign, named.threshold) if named else []
    adjudicated = adjudications.settled_of(campaign)
    context = {
        "campaign": campaign,
        "tab": "adjudication",
        "form": form,
        "own": named,
        "differing": len(differences),
        "open": sum(difference.place not in adjudicated for difference in differences),
        "adjudicated": len(adjudicated),
        "ended": campaign.state in adjudications.ENDED,
        "address": request.build_absolute_uri(reverse("judging:settle", args=[campaign.uuid])),
        "is_manager": guards.may_manage(request.user, campaign),
        "follows_draft": campaigns.follows_draft(campaign),
    }
    return render(request, "judging/quality/adjudication.html", context, status=status)


@campaign_for_adjudicator
@require_http_methods(["GET", "POST"])
def adjudicate_ratings(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show where annotators differ, and store adjudicated ratings. Adjudicators who still judge the
    dataset see nothing, because the page shows the ratings of others."""
    if judges_now(request.user, campaign.dataset):
        decline = how_to_decline(request.user, campaign.dataset)
        context = {"campaign": campaign, "judges": True, "decline": decline}
        return render(request, "judging/quality/settle.html", context, status=403)
    if request.method == "POST":
        was_stored = _store(request, campaign)
        return redirect(_address_after(request, campaign, was_stored=was_stored))
    differences = _differences(campaign)
    page = Paginator(differences, A_PAGE).get_page(request.GET.get("page", "1"))
    adjudicated = adjudications.settled_of(campaign)
    context = {
        "campaign": campaign,
        "ended": campaign.state in adjudications.ENDED,
        "page": page,
        "places": adjudications.describe_differences(campaign, page.object_list),
        "left": sum(difference.place not in adjudicated for difference in differences),
    }
    return render(request, "judging/quality/settle.html", context)


def _differences(campaign: Campaign) -> list[Differing]:
    """Return what is left to adjudicate or is adjudicated; none before the campaign is closed."""
    if campaign.state not in adjudications.ENDED:
        return []
    return adjudications.find_differences(campaign, campaign.adjudication.threshold)


def _address_after(request: HttpRequest, campaign: Campaign, *, was_stored: bool) -> str:
    """Return the address of the next difference without a rating, or, if none was stored, of the
    same one again."""
    differences = _differences(campaign)
    tokens = [adjudications.token_of(campaign, difference) for difference in differences]
    token = request.POST.get("token", "")
    place = tokens.index(token) if token in tokens else 0
    if was_stored:
        adjudicated = adjudications.settled_of(campaign)
        places = [*range(place, len(differences)), *range(place)]
        unrated = (place for place in places if differences[place].place not in adjudicated)
        place = next(unrated, place)
    anchor = f"#d{tokens[place]}" if tokens else ""
    address = reverse("judging:settle", args=[campaign.uuid])
    return f"{address}?page={place // A_PAGE + 1}{anchor}"


def _store(request: HttpRequest, campaign: Campaign) -> bool:
    """Store the sent adjudicated rating; return whether it was accepted."""
    value = whole_number(request.POST.get("value", ""), least=0)
    if value is None:
        messages.error(request, _("Choose a value."))
        return False
    with refusals_shown(request):
        adjudications.store_adjudicated_rating(
            campaign=campaign,
            token=request.POST.get("token", ""),
            value=value,
            reason=sent_text(request.POST, "reason"),
            by=request.user,
            now=timezone.now(),
        )
        messages.success(request, _("Adjudicated. The annotators' ratings do not change."))
        return True
    return False
