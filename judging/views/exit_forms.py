"""The exit form of a campaign: its questions with their reasons, and the annotators' answers."""

import csv
import io

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.actions import exit_forms
from judging.forms.exit_forms import ExitQuestionForm
from judging.formulas import BYTE_ORDER_MARK, inert
from judging.guards import campaign_for_managers
from judging.models import Campaign
from judging.views.exports import taken_along
from judging.views.refusals import refusals_shown

COLUMNS = ("question", "text", "annotator", "answer")


@campaign_for_managers
@require_GET
def index(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the questions with their answers, and offer a further one for a draft."""
    return _page(request, campaign, ExitQuestionForm())


@campaign_for_managers
@require_POST
def add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add a question to a draft."""
    form = ExitQuestionForm(request.POST)
    if form.is_valid():
        with refusals_shown(form):
            exit_forms.add(campaign=campaign, question=form.question(), by=request.user)
            messages.success(request, _("Added."))
            return redirect("judging:exit_form", campaign.uuid)
    return _page(request, campaign, form, status=422)


@campaign_for_managers
@require_POST
def remove(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Remove a question of a draft."""
    question = get_object_or_404(campaign.exit_questions, pk=pk)
    with refusals_shown(request):
        exit_forms.remove(question=question, by=request.user)
        messages.success(request, _("Removed."))
    return redirect("judging:exit_form", campaign.uuid)


@campaign_for_managers
@require_GET
def answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return all answers as CSV, separately from judgments."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: inert(str(cell)) for name, cell in row.items()} for row in exit_forms.table(campaign)
    )
    text = BYTE_ORDER_MARK + buffer.getvalue()
    return taken_along(request, campaign, text, "text/csv", "exit-form.csv")


def _page(
    request: HttpRequest, campaign: Campaign, form: ExitQuestionForm, status: int = 200
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "tab": "exit_form",
        "form": form,
        "results": exit_forms.results(campaign),
    }
    return render(request, "judging/campaigns/exit_form.html", context, status=status)
