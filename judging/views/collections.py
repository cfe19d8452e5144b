"""Collections: what there is, what one of them holds, and what of its file could not be kept."""

import csv
from collections.abc import Iterator

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from judging import tasks
from judging.actions import collections, jobs
from judging.formats.long import FORMULA
from judging.formats.numbers import is_number
from judging.guards import collection_for_owner, collection_for_readers, collections_of
from judging.models import Campaign, Collection, Score, Unit

DELETE = "judging.delete_collection"
LARGE = 20_000  # slots and sets; above that, removing them is a job with progress


@login_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the collections a user owns or works with."""
    found = collections_of(request.user).counted().select_related("owner").order_by("-created_at")
    page = Paginator(found, 50).get_page(request.GET.get("page"))
    return render(request, "judging/collections/index.html", {"page": page})


@collection_for_readers
@require_GET
def collection(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show what a collection holds, and what could not be kept."""
    quarantine = Paginator(collection.quarantine.all(), 25).get_page(request.GET.get("page"))
    campaigns = Campaign.objects.visible_to(request.user).filter(collection=collection).select_related("rubric")
    context = {
        "collection": Collection.objects.counted().select_related("owner").get(pk=collection.pk),
        "systems": collection.systems.counted(),
        "metrics": collection.metrics.annotate(score_count=Count("scores")),
        "quarantine": quarantine,
        "campaigns": campaigns.with_places(),
    }
    return render(request, "judging/collections/collection.html", context)


@collection_for_readers
@require_GET
def quarantine(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    """Hand out what could not be kept as CSV."""
    response = StreamingHttpResponse(_csv_lines(collection), content_type="text/csv; charset=utf-8")
    name = slugify(collection.name) or "collection"
    response["Content-Disposition"] = f'attachment; filename="{name}-quarantine.csv"'
    return response


@collection_for_owner
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Say what would go and ask once more; then remove it, a large one by a job."""
    if request.method == "POST":
        try:
            return _delete(request, collection)
        except collections.InUse:
            pass  # the page says which
    in_use, seen = collection.campaigns.order_by("title"), Campaign.objects.visible_to(request.user)
    context = {
        "collection": Collection.objects.counted().get(pk=collection.pk),
        "score_count": Score.objects.filter(metric__collection=collection).count(),
        "campaigns": in_use.filter(pk__in=seen),
        "hidden_count": in_use.exclude(pk__in=seen).count(),
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "judging/collections/delete.html", context, status=status)


def _delete(request: HttpRequest, collection: Collection) -> HttpResponse:
    units = Unit.objects.filter(question_set__source__collection=collection)
    if units.count() <= LARGE or collection.campaigns.exists():
        collections.delete(collection=collection)
        messages.success(request, _("“%(name)s” is deleted.") % {"name": collection.name})
        return redirect("judging:collections")
    with transaction.atomic():
        Collection.objects.select_for_update().get(pk=collection.pk)
        under_way = collection.jobs.unfinished().filter(kind=DELETE).first()
        job = under_way or jobs.enqueue(kind=DELETE, parameters={}, by=request.user, collection=collection)
        transaction.on_commit(lambda: tasks.ring(job.pk))
    return redirect("judging:job", job.pk)


def _csv_lines(collection: Collection) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(["row", "column", "value", "reason"])
    for row in collection.quarantine.values_list("row", "column", "value", "reason").iterator():
        yield writer.writerow(map(_inert, row))


def _inert(cell: object) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA) and not is_number(text) else text


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line
