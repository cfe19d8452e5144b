"""Delete a user's unused campaigns in a dataset whose use was ended."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from analysis.planning.actions import ended_uses
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns
from judging.datasets.guards import dataset_for_owner
from judging.datasets.models.dataset import Dataset
from judging.jobs import tasks
from judging.people.guards import password_confirmed
from judging.people.models.user import User


@dataset_for_owner
@require_POST
@password_confirmed
def discard_unused_view(request: HttpRequest, dataset: Dataset, user: int) -> HttpResponse:
    """Delete a user's campaigns that have no judgments."""
    makers = dataset.campaigns.values("created_by")
    maker = get_object_or_404(User.objects.filter(pk__in=makers), pk=user)
    if campaigns.is_slow_to_remove(*dataset.campaigns.filter(created_by=maker)):
        about = {"dataset": dataset, "user": maker.pk}
        job = tasks.begin_once(kind=ended_uses.KIND, by=request.user, **about)
        return redirect("judging:job", job.pk)
    with refusals_shown(request):
        done = ended_uses.discard_unused(
            dataset=dataset, user=maker, by=request.user, now=timezone.now()
        )
        told = {"n": done.deleted, "kept": done.kept}
        messages.success(
            request,
            _(
                "Campaigns deleted: %(n)s. Kept, for people judged there or others need them: %(kept)s."
            )
            % told,
        )
    return redirect("judging:dataset", dataset.pk)
