"""Published studies again: give the released files, and read published beside computed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from analysis.published.actions import reproductions
from analysis.published.actions.reproductions import ReleasedFile
from analysis.published.forms.reproductions import ReproductionForm
from analysis.published.reports.published_numbers import describe_path
from analysis.sections.agreement.agreement import NAMES
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage, tasks
from judging.people.guards import creator_required


@creator_required
@require_http_methods(["GET", "POST"])
def upload_reproduction(request: HttpRequest) -> HttpResponse:
    """Store released files, and queue a job that imports and computes them; the user who uploads
    them owns the campaign."""
    form = ReproductionForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        given = [
            ReleasedFile(each.name, storage.keep_pieces(each.chunks())) for each in said["files"]
        ]
        job = tasks.start_job(
            reproductions.start_reproduction, key=said["study"], files=given, by=request.user
        )
        return redirect("judging:job", job.pk)
    context = {"form": form, "reproductions": reproductions.visible_to(request.user)}
    return render(
        request, "analysis/published/reproduce.html", context, status=422 if form.errors else 200
    )


@campaign_for_staff
@require_GET
def published(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show published beside computed."""
    found = reproductions.reproduction_result(campaign)
    if found is None:
        raise Http404
    criteria = {criterion.key: criterion.name for criterion in campaign.protocol.criteria.all()}
    rows = [
        (describe_path(path, criteria=criteria, coefficients=NAMES), printed, computed)
        for path, printed, computed in found["rows"]
    ]
    context = {
        "campaign": campaign,
        "found": found,
        "beside": [row for row in rows if row[1] is not None],
        "others": [row for row in rows if row[1] is None],
    }
    return render(request, "analysis/published/published.html", context)
