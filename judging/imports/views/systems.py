"""The page of a collection's systems: names, kinds, spellings that look like one, and undoing."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.guards import collection_for_owner
from judging.imports.actions import systems
from judging.imports.forms.systems import SystemsForm
from judging.models import Collection


@collection_for_owner
@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Give systems other names and kinds; those that get one name become one."""
    made = list(collection.systems.order_by("name"))
    form = SystemsForm(request.POST if request.method == "POST" else None, made=made)
    if form.is_valid():
        try:
            done = systems.change(
                collection=collection,
                names=form.names(),
                kinds=form.kinds(),
                by=request.user,
                now=timezone.now(),
                reason=form.cleaned_data["reason"],
            )
        except systems.CannotChange as refused:
            form.add_error(None, str(refused))
        else:
            if done:
                messages.success(request, _("Changes in all: %(n)s.") % {"n": len(done)})
            return redirect("judging:systems", collection.pk)
    standing = collection.system_changes.filter(undone_at__isnull=True).select_related("made_by")
    changes = Paginator(standing, 50).get_page(request.GET.get("page"))
    alike = systems.alike([each.name for each in made])
    context = {"collection": collection, "form": form, "changes": changes, "alike": alike}
    return render(
        request, "judging/imports/systems.html", context, status=422 if form.errors else 200
    )


@collection_for_owner
@require_POST
def undo(request: HttpRequest, collection: Collection, change: int) -> HttpResponse:
    """Undo the latest change."""
    found = get_object_or_404(collection.system_changes, pk=change, undone_at__isnull=True)
    try:
        systems.undo(change=found, by=request.user, now=timezone.now())
    except systems.CannotChange as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Undone."))
    return redirect("judging:systems", collection.pk)
