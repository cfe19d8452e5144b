"""Pages about pay: the planned rate, the annotators' earnings by the hour, and the list of
top-ups."""

import csv
import io
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.people.actions import history
from judging.people.models.event import Event
from judging.quality import pay
from judging.quality.actions import snapshots
from judging.quality.actions.snapshots import counted_for
from judging.quality.forms.pay import RateForm

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
def plan_pay(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Plan a draft's rate of pay; in a running campaign, show the pay an hour of each annotator."""
    form = RateForm(request.POST if request.method == "POST" else None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        change = partial(campaigns.change_plan, campaign=campaign, plan={"rate": form.document()})
        with refusals_shown(request):
            change()
            messages.success(request, _("Saved."))
        return redirect("judging:pay", campaign.uuid)
    counted = snapshots.campaign_counts(campaign)
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
    return render(request, "judging/quality/pay.html", context, status=422 if form.errors else 200)


@campaign_for_managers
@require_GET
def top_ups(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the top-ups due to annotators as CSV, by their labels."""
    counted = snapshots.read_counts(campaign, snapshots.count_campaign(campaign, timezone.now()))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for label, each in counted.earned.items():
        if each.top_up:
            minutes = f"{each.seconds / 60:.1f}"
            numbers = (each.tasks, minutes, each.amount, each.hourly, each.rate.floor, each.top_up)
            writer.writerow([defuse_cell(label), *numbers, each.rate.currency])
    history.record_event(
        Event.Act.EXPORTED, by=request.user, campaign=campaign, about="top-ups.csv"
    )
    answer = HttpResponse(
        BYTE_ORDER_MARK + buffer.getvalue(), content_type="text/csv; charset=utf-8"
    )
    answer["Content-Disposition"] = 'attachment; filename="top-ups.csv"'
    return answer
