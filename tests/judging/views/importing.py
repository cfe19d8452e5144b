"""The pages of an import as a browser takes them: a new dataset with one file."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from judging.models import AddedFile
from tests.judging.studies import QUESTIONS

PAGES = {
    "columns": "file_columns",
    "preview": "file",
    "reading": "file_reading",
    "rows": "file_rows",
    "starts": "file_starts",
    "choices": "file_choices",
    "add": "file_add",
}


def send(
    page: Client, content: str | bytes, name: str = "canals.csv", **details: str
) -> HttpResponse:
    data = content.encode() if isinstance(content, str) else content
    entered = {"name": "Canal towns", "files": [SimpleUploadedFile(name, data)]}
    return page.post(reverse("judging:collection_new"), entered | details)


def sent(
    page: Client, content: str | bytes = QUESTIONS, name: str = "canals.csv", **details: str
) -> AddedFile:
    assert send(page, content, name, **details).status_code == 302
    return AddedFile.objects.latest("id")


def at(step: str, added: AddedFile) -> str:
    return reverse(f"judging:{PAGES[step]}", args=[added.collection_id, added.number])


def form_of(answer: HttpResponse) -> dict[str, Any]:
    """Return what a browser would send of the columns page's forms as they are shown."""
    formset, form = answer.context.get("formset"), answer.context["form"]
    shown = {bound.html_name: bound.value() for bound in form}
    for each in formset or ():
        shown |= {bound.html_name: bound.value() for bound in each}
    if formset:
        shown |= {bound.html_name: bound.value() for bound in formset.management_form}
    return {name: value for name, value in shown.items() if value not in (None, False)}


def use(form: dict[str, Any], header: str, column: str, **entered: str) -> dict[str, Any]:
    place = header.split(",").index(column)
    return form | {f"columns-{place}-{key}": value for key, value in entered.items()}


def mapped(page: Client, added: AddedFile, **entered: Any) -> HttpResponse:
    return page.post(at("columns", added), form_of(page.get(at("columns", added))) | entered)


def added_by(page: Client, added: AddedFile) -> HttpResponse:
    """Add the file, with everything confirmed that the page asks about."""
    return page.post(at("add", added), {"confirmed": "on"})


def imported(page: Client, added: AddedFile, **entered: Any) -> HttpResponse:
    assert mapped(page, added, **entered).url == at("preview", added)
    assert page.get(at("preview", added)).status_code == 200
    return added_by(page, added)
