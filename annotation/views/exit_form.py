"""The exit form: a few optional questions after the last task."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.next_tasks import enrollment_of
from annotation.forms import ExitForm
from annotation.views.entry import ask_before_storing
from judging.campaigns.guards import campaign_for_annotators
from judging.campaigns.models.campaign import Campaign
from judging.enrolments.actions import exit_forms


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def exit_form(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the questions, and store the answers; earlier answers can be changed."""
    enrollment = enrollment_of(request.user, campaign)
    if not exit_forms.is_open(enrollment):
        raise Http404
    if request.method == "POST" and (asked := ask_before_storing(request, enrollment)):
        return asked
    said = dict(enrollment.exit_answers.values_list("question", "text"))
    form = ExitForm(
        request.POST if request.method == "POST" else None,
        questions=exit_forms.asked_now(campaign),
        said=said,
    )
    if request.method == "POST" and form.is_valid():
        exit_forms.store_exit_answers(enrollment=enrollment, given=form.given(), now=timezone.now())
        messages.success(request, _("Thank you. Your answers are stored."))
        return redirect("annotation:work", campaign.uuid)
    context = {"title": campaign.title, "form": form, "campaign": campaign}
    return render(request, "annotation/exit_form.html", context, status=422 if form.errors else 200)
