"""The exit form of a campaign: its questions with their reasons, and the annotators' answers."""

import csv
import io

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell
from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import export_response
from judging.enrolments.actions import exit_forms
from judging.enrolments.forms.exit_forms import ExitQuestionForm

COLUMNS = ("question", "text", "annotator", "answer")


@campaign_for_managers
@require_GET
def list_exit_questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the questions with their answers, and offer a further one for a draft."""
    return _page(request, campaign, ExitQuestionForm())


@campaign_for_managers
@require_POST
def add_exit_question_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add a question to a draft."""
    form = ExitQuestionForm(request.POST)
    if form.is_valid():
        with refusals_shown(form):
            exit_forms.add_exit_question(
                campaign=campaign, question=form.question(), by=request.user
            )
            messages.success(request, _("Added."))
            return redirect("judging:exit_form", campaign.uuid)
    return _page(request, campaign, form, status=422)


@campaign_for_managers
@require_POST
def remove_exit_question_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Remove a question of a draft."""
    question = get_object_or_404(campaign.exit_questions, pk=pk)
    with refusals_shown(request):
        exit_forms.remove_exit_question(question=question, by=request.user)
        messages.success(request, _("Removed."))
    return redirect("judging:exit_form", campaign.uuid)


@campaign_for_managers
@require_GET
def download_exit_answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return all answers as CSV, separately from judgments."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: defuse_cell(str(cell)) for name, cell in row.items()}
        for row in exit_forms.exit_form_rows(campaign)
    )
    text = BYTE_ORDER_MARK + buffer.getvalue()
    return export_response(request, campaign, text, "text/csv", "exit-form.csv")


def _page(
    request: HttpRequest, campaign: Campaign, form: ExitQuestionForm, status: int = 200
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "tab": "exit_form",
        "form": form,
        "results": exit_forms.exit_form_results(campaign),
    }
    return render(request, "judging/enrolments/exit_form.html", context, status=status)
