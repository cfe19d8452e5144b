"""Help on a report, in place or as a page of its own."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from analysis.reports import help as texts


@login_required
@require_GET
def statistics(request: HttpRequest, piece: str) -> HttpResponse:
    """Show what the documentation says about the numbers of a chapter."""
    found = texts.piece(piece)
    if found is None:
        raise Http404
    template = "analysis/runs/help_text.html" if request.htmx else "analysis/runs/help.html"
    context = {"title": found[0], "text": found[1], "here": piece}
    context["titles"] = [(key, title) for key, (_file, title) in texts.PIECES.items()]
    return render(request, template, context)
