"""The button that makes a report on a dataset's imported ratings or means."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from analysis.actions import collection_reports
from judging import tasks
from judging.guards import collection_for_owner, rubrics_of
from judging.models import Collection
from judging.views.refusals import refusals_shown


@collection_for_owner
@require_POST
def start(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Ask for the report, and lead to it."""
    with refusals_shown(request):
        with transaction.atomic():
            run = collection_reports.start(
                collection=collection,
                rubrics=rubrics_of(request.user),
                by=request.user,
                now=timezone.now(),
            )
            transaction.on_commit(lambda: tasks.ring(run.job_id))
        messages.success(request, _("The analysis is under way; this page shows how far it is."))
        return redirect("analysis:report", run.campaign.uuid)
    return redirect("judging:collection", collection.pk)
