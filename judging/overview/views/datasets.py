"""Pages of datasets: the list, the contents of one, and the quarantined values of its files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.views import spreadsheets
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import dataset_uses
from judging.campaigns.forms.campaigns import MemberForm
from judging.campaigns.guards import how_to_decline, judges_now, not_for_who_judges
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.datasets.actions import dataset_counts, datasets
from judging.datasets.guards import (
    dataset_for_owner,
    dataset_for_readers,
    datasets_of,
    datasets_to_plan_with,
)
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.imports.actions import names
from judging.jobs import tasks
from judging.people.actions.accounts import find_account
from judging.people.guards import password_confirmed
from judging.people.models.user import User


@login_required
@require_GET
def list_datasets(request: HttpRequest) -> HttpResponse:
    """List the datasets a user owns or works with."""
    found = datasets_of(request.user).select_related("owner").order_by("-created_at")
    page = Paginator(found, 50).get_page(request.GET.get("page"))
    held = dataset_counts.totals(page)
    there = [each for each in page if each.pk in held]  # others were deleted meanwhile
    context = {"page": page, "listed": [(each, held[each.pk]) for each in there]}
    return render(request, "judging/overview/datasets/index.html", context)


@dataset_for_readers
@require_GET
def dataset(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Show the contents of a dataset, and the quarantined values."""
    quarantine = Paginator(dataset.quarantine.all(), 25).get_page(request.GET.get("page"))
    campaigns = (
        Campaign.objects.visible_to(request.user)
        .filter(dataset=dataset)
        .select_related("protocol")
        .listed()
    )
    held = dataset_counts.dataset_totals(dataset)
    blind = judges_now(request.user, dataset)
    context = {
        "dataset": dataset,
        "held": held,
        "systems": dataset_counts.count_systems(dataset),
        "metrics": dataset_counts.count_metrics(dataset),
        "quarantine": quarantine,
        # quarantined texts may name a system that a degraded copy omitted
        "is_blind": blind,
        "decline": how_to_decline(request.user, dataset) if blind else "",
        "campaigns": Paginator(campaigns, 50).get_page(request.GET.get("campaigns")),
        "files": dataset.added_files.listed(),
        "is_owner": request.user.can_create_campaigns and dataset.owner_id == request.user.pk,
        "uses": dataset_uses.uses(dataset) if dataset.owner_id == request.user.pk else [],
        "seen_by": _seen_by(dataset) if dataset.owner_id == request.user.pk else [],
        "share_form": MemberForm(roles=()),
        "hand_over_form": MemberForm(roles=(), auto_id="id_owner_%s"),
        "may_plan": datasets_to_plan_with(request.user).filter(pk=dataset.pk).exists(),
    }
    context["has_people"] = (
        any(each.kind == Metric.Kind.HUMAN_MEAN for each in context["metrics"])
        or campaigns.filter(origin=Campaign.Origin.IMPORTED).exists()
    )
    context["alike"] = names.find_similar_names([each.name for each in context["systems"]])
    return render(request, "judging/overview/datasets/dataset.html", context)


def _seen_by(dataset: Dataset) -> QuerySet[Membership]:
    """Return the roles by which users other than its owner see a dataset: those in campaigns
    that another user created."""
    seen = Membership.objects.staff().filter(campaign__in=dataset.campaigns.in_use())
    others = seen.exclude(user=dataset.owner_id).exclude(user=F("campaign__created_by"))
    shown = others.select_related("user", "campaign").only("role", "user", "campaign__title")
    return shown.order_by("user__username", "campaign", "role")


@dataset_for_owner
@require_POST
@password_confirmed
def share_dataset_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Allow a user to plan campaigns about the dataset."""
    with refusals_shown(request):
        user = find_account(sent_text(request.POST, "username"))
        datasets.share_dataset(dataset=dataset, user=user, by=request.user)
        messages.success(request, _("%(name)s may use this dataset.") % {"name": user})
    return redirect("judging:dataset", dataset.pk)


@dataset_for_owner
@require_POST
@password_confirmed
def end_use_view(request: HttpRequest, dataset: Dataset, user: int) -> HttpResponse:
    """End a user's right to use the dataset."""
    other = get_object_or_404(
        User.objects.filter(pk__in=[each.pk for each, _may, _which in dataset_uses.uses(dataset)]),
        pk=user,
    )
    stopped = dataset_uses.end_use(dataset=dataset, user=other, now=timezone.now(), by=request.user)
    messages.success(request, _("Ended. Campaigns stopped: %(n)s.") % {"n": stopped})
    return redirect("judging:dataset", dataset.pk)


@dataset_for_owner
@require_POST
@password_confirmed
def transfer_dataset_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Make another user the owner; the old owner may still use the dataset."""
    with refusals_shown(request):
        to = find_account(sent_text(request.POST, "username"))
        dataset_uses.transfer_dataset(dataset=dataset, to=to, by=request.user)
        messages.success(request, _("%(name)s owns this dataset now.") % {"name": to})
    return redirect("judging:dataset", dataset.pk)


@dataset_for_readers
@not_for_who_judges
@require_GET
def download_quarantine(request: HttpRequest, dataset: Dataset) -> StreamingHttpResponse:
    """Return the quarantined values as CSV."""
    columns = ("row", "column", "value", "reason")
    rows = dataset.quarantine.values_list(*columns).iterator()
    response = StreamingHttpResponse(
        spreadsheets.spreadsheet_lines(columns, rows), content_type="text/csv; charset=utf-8"
    )
    name = slugify(dataset.name) or "dataset"
    response["Content-Disposition"] = f'attachment; filename="{name}-quarantine.csv"'
    return response


@dataset_for_owner
@require_POST
def remove_scores_view(request: HttpRequest, dataset: Dataset, metric: int) -> HttpResponse:
    """Remove a column that was computed here; it can be computed again."""
    computed = get_object_or_404(dataset.metrics.filter(kind=Metric.Kind.COMPUTED), pk=metric)
    datasets.remove_scores(metric=computed, by=request.user)
    messages.success(request, _("“%(name)s” is removed.") % {"name": computed.name})
    return redirect("judging:dataset", dataset.pk)


@dataset_for_owner
@require_http_methods(["GET", "POST"])
@password_confirmed
def delete_dataset_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Show what would be deleted and ask for a confirmation; then delete it, a large one by a
    job."""
    if request.method == "POST":
        try:
            return _delete(request, dataset)
        except dataset_uses.InUse:
            pass  # the page names what uses it
    held = dataset_counts.dataset_totals(dataset)
    in_use = dataset.campaigns.listed().order_by("title")
    seen = Campaign.objects.visible_to(request.user)
    context = {
        "dataset": dataset,
        "held": held,
        "score_count": sum(metric.score_count for metric in dataset_counts.count_metrics(dataset)),
        "campaigns": in_use.filter(pk__in=seen),
        "hidden_count": in_use.exclude(pk__in=seen).count(),
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "judging/overview/datasets/delete.html", context, status=status)


def _delete(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    if not datasets.is_slow_to_delete(dataset):
        dataset_uses.delete_dataset(dataset=dataset, by=request.user)
        messages.success(request, _("“%(name)s” is deleted.") % {"name": dataset.name})
        return redirect("judging:datasets")
    job = tasks.begin_once(kind=dataset_uses.DELETE, by=request.user, dataset=dataset)
    return redirect("judging:job", job.pk)
