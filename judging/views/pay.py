"""Pages about pay: the planned rate, the annotators' earnings by the hour, and the list of
top-ups."""

import csv
import io
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from judging import pay
from judging.actions import campaigns, history, snapshots
from judging.actions.snapshots import counted_for
from judging.forms.pay import RateForm
from judging.formulas import BYTE_ORDER_MARK, inert
from judging.guards import campaign_for_managers
from judging.models import Campaign, Event
from judging.views.refusals import refusals_shown

COLUMNS = (
    "annotator",
    "tasks",
    "minutes_at_work",
    "earned",
    "effective_hourly",
    "floor",
    "top_up",
    "currency",
)


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Plan a draft's rate of pay; in a running campaign, show the pay an hour of each annotator."""
    form = RateForm(request.POST if request.method == "POST" else None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        change = partial(campaigns.change_plan, campaign=campaign, plan={"rate": form.document()})
        with refusals_shown(request):
            change()
            messages.success(request, _("Saved."))
        return redirect("judging:pay", campaign.uuid)
    counted = snapshots.of(campaign)
    shown = counted_for(request.user, campaign).reported
    labels = campaign.enrollments.filter(pk__in=shown).values_list("label", "pk")
    reported = {label: shown[pk] for label, pk in labels}
    context = {
        "campaign": campaign,
        "tab": "pay",
        "form": form,
        "rate": pay.rate_of(campaign.rate),
        "earned": [(label, each, reported.get(label)) for label, each in counted.earned.items()],
        "owed": sum(each.top_up for each in counted.earned.values()),
    }
    return render(
        request, "judging/campaigns/pay.html", context, status=422 if form.errors else 200
    )


@campaign_for_managers
@require_GET
def top_ups(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the top-ups due to annotators as CSV, by their labels."""
    counted = snapshots.read(campaign, snapshots.count(campaign))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for label, each in counted.earned.items():
        if each.top_up:
            minutes = f"{each.seconds / 60:.1f}"
            numbers = (each.tasks, minutes, each.amount, each.hourly, each.rate.floor, each.top_up)
            writer.writerow([inert(label), *numbers, each.rate.currency])
    history.note(Event.Act.EXPORTED, by=request.user, campaign=campaign, about="top-ups.csv")
    answer = HttpResponse(
        BYTE_ORDER_MARK + buffer.getvalue(), content_type="text/csv; charset=utf-8"
    )
    answer["Content-Disposition"] = 'attachment; filename="top-ups.csv"'
    return answer
