"""Erasing all work of one annotator, at their request."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.campaigns.actions import campaigns
from judging.campaigns.forms.campaigns import ErasureForm
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.jobs import tasks
from judging.jobs.actions import jobs
from judging.overview.actions import erasures
from judging.people.guards import password_confirmed
from judging.work.models.judgment import Judgment


@campaign_for_managers
@require_http_methods(["GET", "POST"])
@password_confirmed
def erase_annotator_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Show what would be erased and ask for the label; then erase it permanently. A job erases
    large amounts."""
    person = get_object_or_404(campaign.enrollments, pk=pk)
    form = ErasureForm(request.POST if request.method == "POST" else None, enrollment=person)
    if request.method == "POST" and form.is_valid():
        if person.assignments.count() > campaigns.LARGE:
            job = tasks.begin_once(
                kind=jobs.ERASE, by=request.user, campaign=campaign, enrollment=person.pk
            )
            return redirect("judging:job", job.pk)
        gone = erasures.erase_annotator(enrollment=person, by=request.user, now=timezone.now())
        messages.success(
            request,
            _("%(label)s is erased, with %(n)s judgments.")
            % {"label": gone.label, "n": gone.counts["judgment"]},
        )
        return redirect("judging:annotators", campaign.uuid)
    context = {
        "campaign": campaign,
        "tab": "annotators",
        "person": person,
        "form": form,
        "judgment_count": Judgment.objects.filter(assignment__enrollment=person).count(),
        "task_count": person.assignments.filter(submitted_at__isnull=False).count(),
    }
    return render(
        request, "judging/overview/erase.html", context, status=422 if form.errors else 200
    )
