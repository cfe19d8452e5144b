"""Pages of collections: the list, the contents of one, and the quarantined values of its files."""

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

from judging import tasks
from judging.actions import collection_counts, collections
from judging.actions.accounts import find_account
from judging.forms.campaigns import MemberForm
from judging.forms.plain_text import sent
from judging.guards import (
    collection_for_owner,
    collection_for_readers,
    collections_of,
    collections_to_plan_with,
    how_to_decline,
    judges_now,
    not_for_who_judges,
    password_confirmed,
)
from judging.imports import names
from judging.models import Campaign, Collection, Membership, Metric, User
from judging.views import spreadsheets
from judging.views.refusals import refusals_shown


@login_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the collections a user owns or works with."""
    found = collections_of(request.user).select_related("owner").order_by("-created_at")
    page = Paginator(found, 50).get_page(request.GET.get("page"))
    held = collection_counts.totals(page)
    there = [each for each in page if each.pk in held]  # others were deleted meanwhile
    context = {"page": page, "listed": [(each, held[each.pk]) for each in there]}
    return render(request, "judging/collections/index.html", context)


@collection_for_readers
@require_GET
def collection(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the contents of a collection, and the quarantined values."""
    quarantine = Paginator(collection.quarantine.all(), 25).get_page(request.GET.get("page"))
    campaigns = (
        Campaign.objects.visible_to(request.user)
        .filter(collection=collection)
        .select_related("rubric")
        .listed()
    )
    held = collection_counts.of(collection)
    blind = judges_now(request.user, collection)
    context = {
        "collection": collection,
        "held": held,
        "systems": collection_counts.systems(collection),
        "metrics": collection_counts.metrics(collection),
        "quarantine": quarantine,
        # quarantined texts may name a system that a degraded copy omitted
        "is_blind": blind,
        "decline": how_to_decline(request.user, collection) if blind else "",
        "campaigns": Paginator(campaigns, 50).get_page(request.GET.get("campaigns")),
        "files": collection.added_files.listed(),
        "is_owner": request.user.can_create_campaigns and collection.owner_id == request.user.pk,
        "uses": collections.uses(collection) if collection.owner_id == request.user.pk else [],
        "seen_by": _seen_by(collection) if collection.owner_id == request.user.pk else [],
        "share_form": MemberForm(roles=()),
        "hand_over_form": MemberForm(roles=(), auto_id="id_owner_%s"),
        "may_plan": collections_to_plan_with(request.user).filter(pk=collection.pk).exists(),
    }
    context["has_people"] = (
        any(each.kind == Metric.Kind.HUMAN_MEAN for each in context["metrics"])
        or campaigns.filter(origin=Campaign.Origin.IMPORTED).exists()
    )
    context["alike"] = names.alike([each.name for each in context["systems"]])
    return render(request, "judging/collections/collection.html", context)


def _seen_by(collection: Collection) -> QuerySet[Membership]:
    """Return the roles by which users other than its owner see a collection: those in campaigns
    that another user created."""
    seen = Membership.objects.staff().filter(campaign__in=collection.campaigns.in_use())
    others = seen.exclude(user=collection.owner_id).exclude(user=F("campaign__created_by"))
    shown = others.select_related("user", "campaign").only("role", "user", "campaign__title")
    return shown.order_by("user__username", "campaign", "role")


@collection_for_owner
@require_POST
@password_confirmed
def share(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Allow a user to plan campaigns about the collection."""
    with refusals_shown(request):
        user = find_account(sent(request.POST, "username"))
        collections.share(collection=collection, user=user, by=request.user)
        messages.success(request, _("%(name)s may use this dataset.") % {"name": user})
    return redirect("judging:collection", collection.pk)


@collection_for_owner
@require_POST
@password_confirmed
def end_use(request: HttpRequest, collection: Collection, user: int) -> HttpResponse:
    """End a user's right to use the collection."""
    other = get_object_or_404(
        User.objects.filter(
            pk__in=[each.pk for each, _may, _which in collections.uses(collection)]
        ),
        pk=user,
    )
    stopped = collections.end_use(
        collection=collection, user=other, now=timezone.now(), by=request.user
    )
    messages.success(request, _("Ended. Campaigns stopped: %(n)s.") % {"n": stopped})
    return redirect("judging:collection", collection.pk)


@collection_for_owner
@require_POST
@password_confirmed
def hand_over(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Make another user the owner."""
    with refusals_shown(request):
        to = find_account(sent(request.POST, "username"))
        collections.hand_over(collection=collection, to=to, by=request.user)
        messages.success(request, _("%(name)s owns this dataset now.") % {"name": to})
    return redirect("judging:collection", collection.pk)


@collection_for_readers
@not_for_who_judges
@require_GET
def quarantine(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    """Return the quarantined values as CSV."""
    columns = ("row", "column", "value", "reason")
    rows = collection.quarantine.values_list(*columns).iterator()
    response = StreamingHttpResponse(
        spreadsheets.lines(columns, rows), content_type="text/csv; charset=utf-8"
    )
    name = slugify(collection.name) or "collection"
    response["Content-Disposition"] = f'attachment; filename="{name}-quarantine.csv"'
    return response


@collection_for_owner
@require_POST
def remove_scores(request: HttpRequest, collection: Collection, metric: int) -> HttpResponse:
    """Remove a column that was computed here; it can be computed again."""
    computed = get_object_or_404(collection.metrics.filter(kind=Metric.Kind.COMPUTED), pk=metric)
    collections.remove_scores(metric=computed, by=request.user)
    messages.success(request, _("“%(name)s” is removed.") % {"name": computed.name})
    return redirect("judging:collection", collection.pk)


@collection_for_owner
@require_http_methods(["GET", "POST"])
@password_confirmed
def delete(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show what would be deleted and ask for a confirmation; then delete it, a large one by a
    job."""
    if request.method == "POST":
        try:
            return _delete(request, collection)
        except collections.InUse:
            pass  # the page names what uses it
    held = collection_counts.of(collection)
    in_use = collection.campaigns.listed().order_by("title")
    seen = Campaign.objects.visible_to(request.user)
    context = {
        "collection": collection,
        "held": held,
        "score_count": sum(each.score_count for each in collection_counts.metrics(collection)),
        "campaigns": in_use.filter(pk__in=seen),
        "hidden_count": in_use.exclude(pk__in=seen).count(),
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "judging/collections/delete.html", context, status=status)


def _delete(request: HttpRequest, collection: Collection) -> HttpResponse:
    if not collections.is_slow_to_delete(collection):
        collections.delete(collection=collection, by=request.user)
        messages.success(request, _("“%(name)s” is deleted.") % {"name": collection.name})
        return redirect("judging:collections")
    job = tasks.begin_once(kind=collections.DELETE, by=request.user, collection=collection)
    return redirect("judging:job", job.pk)
