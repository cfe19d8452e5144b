"""The button that makes a report on a dataset's imported ratings or means."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from analysis.runs.actions import dataset_reports
from judging.base.views.refusals import refusals_shown
from judging.datasets.guards import dataset_for_owner
from judging.datasets.models.dataset import Dataset
from judging.jobs import tasks
from judging.protocols.guards import protocols_of


@dataset_for_owner
@require_POST
def start_dataset_report_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Ask for the report, and lead to it."""
    with refusals_shown(request):
        with transaction.atomic():
            run = dataset_reports.start_dataset_report(
                dataset=dataset,
                protocols=protocols_of(request.user),
                by=request.user,
                now=timezone.now(),
            )
            transaction.on_commit(lambda: tasks.announce_job(run.job_id))
        messages.success(request, _("The analysis is under way; this page shows how far it is."))
        return redirect("analysis:report", run.campaign.uuid)
    return redirect("judging:dataset", dataset.pk)
