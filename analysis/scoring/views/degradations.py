"""Degrade questions of a dataset on purpose: the form makes a new dataset, at once or by a job."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from analysis.scoring.actions import degradations
from analysis.scoring.actions.degrading import WantedDegradation
from analysis.scoring.forms.degradations import DegradeForm
from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import not_for_who_judges
from judging.datasets.guards import dataset_for_owner
from judging.datasets.models.dataset import Dataset
from judging.jobs import tasks
from judging.jobs.actions import jobs


@dataset_for_owner
@not_for_who_judges
@require_http_methods(["GET", "POST"])
def degrade_dataset_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Ask what to degrade and how, and do it: much of it as a job."""
    form = DegradeForm(request.POST if request.method == "POST" else None, dataset=dataset)
    if form.is_valid():
        wanted = form.wanted()
        answer = (
            _start(request, dataset, wanted)
            if degradations.is_large(dataset=dataset, wanted=wanted)
            else _make(request, dataset, wanted, form)
        )
        if answer:
            return answer
    context = {"dataset": dataset, "form": form, "worker_lives": jobs.worker_lives()}
    return render(
        request, "analysis/scoring/degrade.html", context, status=422 if form.errors else 200
    )


def _start(request: HttpRequest, dataset: Dataset, wanted: WantedDegradation) -> HttpResponse:
    job = tasks.start_job(
        degradations.start_degradation, dataset=dataset, wanted=wanted, by=request.user
    )
    return redirect("judging:job", job.pk)


def _make(
    request: HttpRequest, dataset: Dataset, wanted: WantedDegradation, form: DegradeForm
) -> HttpResponse | None:
    """Make the dataset now, or show on the form why there is nothing to degrade."""
    with refusals_shown(form):
        made = degradations.degrade_dataset(dataset=dataset, wanted=wanted, by=request.user)
        excluded = made.quarantine.count()
        messages.success(request, _("The degraded questions stand in this new dataset."))
        if excluded:
            told = ngettext(
                "%(n)d question has no word of this kind and was excluded; it is listed below.",
                "%(n)d questions have no word of this kind and were excluded; they are listed below.",
                excluded,
            )
            messages.warning(request, told % {"n": excluded})
        return redirect("judging:dataset", made.pk)
    return None
