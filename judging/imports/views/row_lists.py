"""A page of the list of a file's rows, before the file is in a dataset."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judging.imports.forms.row_lists import KINDS, RowsForm
from judging.imports.readers.row_lists import kinds_and_systems, page_of


def page_in(
    request: HttpRequest, template: str, packed: bytes, context: dict[str, Any]
) -> HttpResponse:
    """Show the requested page of a packed list."""
    kinds, systems = kinds_and_systems(packed)
    form = RowsForm(request.GET, kinds=kinds, systems=systems)
    context |= {"form": form, "all_rows": sum(kinds.values())}
    if not form.is_valid():
        return render(request, template, context, status=422)
    page = page_of(packed, form.wanted)
    shown = [(each, KINDS[each.kind]) for each in page.rows]
    context |= {"page": page, "rows": shown, "query": form.query}
    return render(request, template, context)
