"""The page of a dataset's systems: names, kinds, spellings that look like one, and undoing."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.guards import collection_for_owner
from judging.imports.actions import system_names, systems
from judging.imports.forms.systems import BulkNamesForm, SystemsForm
from judging.models import Collection
from judging.views.refusals import refusals_shown


@collection_for_owner
@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Give systems other names and kinds; those that get one name become one."""
    made = list(collection.systems.order_by("name"))
    names = [each.name for each in made]
    bulk = BulkNamesForm(
        request.GET if "tool" in request.GET else None,
        initial={"find": system_names.shared_prefix(names)},
    )
    proposed = bulk.proposed(names) if bulk.is_bound and bulk.is_valid() else None
    posted = request.POST if request.method == "POST" else None
    form = SystemsForm(posted, made=made, proposed=proposed)
    if form.is_valid():
        with refusals_shown(form):
            done = systems.change(
                collection=collection,
                names=form.names(),
                kinds=form.kinds(),
                by=request.user,
                now=timezone.now(),
                reason=form.cleaned_data["reason"],
                subsets=form.subsets(),
            )
            if done:
                messages.success(request, _("Changes in all: %(n)s.") % {"n": len(done)})
            return redirect("judging:systems", collection.pk)
    standing = collection.system_changes.filter(undone_at__isnull=True).select_related("made_by")
    changes = Paginator(standing, 50).get_page(request.GET.get("page"))
    context = {
        "collection": collection,
        "form": form,
        "bulk": bulk,
        "proposed": proposed,
        "changes": changes,
        "alike": systems.alike(names),
    }
    failed = form.errors or bulk.errors
    return render(request, "judging/imports/systems.html", context, status=422 if failed else 200)


@collection_for_owner
@require_POST
def undo(request: HttpRequest, collection: Collection, change: int) -> HttpResponse:
    """Undo the latest change."""
    found = get_object_or_404(collection.system_changes, pk=change, undone_at__isnull=True)
    with refusals_shown(request):
        systems.undo(change=found, by=request.user, now=timezone.now())
        messages.success(request, _("Undone."))
    return redirect("judging:systems", collection.pk)
