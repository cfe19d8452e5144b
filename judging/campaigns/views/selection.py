"""The page on which a manager chooses which questions a draft's annotators judge."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns, selections
from judging.campaigns.forms.selection import SelectionForm
from judging.campaigns.guards import campaign_for_managers, judges_now
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.selection import selection_to_document


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def edit_selection(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Select by system, column, list and sample; a locked plan's selection does not change. If
    there are many columns, saving may lead to further ones."""
    if campaign.state != Campaign.State.DRAFT:
        messages.error(request, _("The judged items are fixed once the plan is locked."))
        return redirect("judging:plan", campaign.uuid)
    if request.method == "POST" and judges_now(request.user, campaign.dataset, but_in=campaign):
        raise PermissionDenied(
            "You judge this dataset in another campaign that has not ended. Until it is closed you cannot select "
            "the judged items here: a selection of one system's questions would show which these are."
        )
    form = SelectionForm(
        request.POST or None,
        request.FILES or None,
        campaign=campaign,
        page=request.GET.get("page", ""),
        named=request.GET.get("named", ""),
    )
    if request.method == "POST" and form.is_valid():
        chosen = selection_to_document(form.selection)
        with refusals_shown(request):
            campaigns.change_plan(campaign=campaign, plan={"selection": chosen})
            messages.success(request, _("Saved."))
            sought = form.cleaned_data.get("named", "")
            if sought != form.sought or "page" in request.POST:
                page = request.POST.get("page", "") if sought == form.sought else ""
                asked = {"named": sought, "page": page}
                query = urlencode({name: value for name, value in asked.items() if value})
                return redirect(f"{request.path}{'?' if query else ''}{query}")
        return redirect("judging:plan", campaign.uuid)
    context = {
        "campaign": campaign,
        "tab": "plan",
        "form": form,
        "judged": selections.describe_judged(campaign),
    }
    return render(
        request, "judging/campaigns/selection.html", context, status=422 if form.errors else 200
    )
