"""Published studies again: give the released files, and read published beside computed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from analysis.actions import reproductions
from analysis.actions.reproductions import ReleasedFile
from analysis.forms.reproductions import ReproductionForm
from analysis.reports.published_numbers import called
from analysis.sections.agreement import NAMES
from judging import storage, tasks
from judging.guards import campaign_for_staff, creator_required
from judging.models import Campaign


@creator_required
@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Store released files, and queue a job that imports and computes them; the user who uploads
    them owns the campaign."""
    form = ReproductionForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        given = [
            ReleasedFile(each.name, storage.keep_pieces(each.chunks())) for each in said["files"]
        ]
        job = tasks.begin(reproductions.start, key=said["study"], files=given, by=request.user)
        return redirect("judging:job", job.pk)
    context = {"form": form, "reproductions": reproductions.visible_to(request.user)}
    return render(request, "analysis/reproduce.html", context, status=422 if form.errors else 200)


@campaign_for_staff
@require_GET
def published(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show published beside computed."""
    found = reproductions.shown(campaign)
    if found is None:
        raise Http404
    criteria = {each.key: each.name for each in campaign.rubric.criteria.all()}
    rows = [
        (called(path, criteria=criteria, coefficients=NAMES), printed, computed)
        for path, printed, computed in found["rows"]
    ]
    context = {
        "campaign": campaign,
        "found": found,
        "beside": [row for row in rows if row[1] is not None],
        "others": [row for row in rows if row[1] is None],
    }
    return render(request, "analysis/published.html", context)
