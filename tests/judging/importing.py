"""The pages of an import as a browser takes them: a new dataset with one file."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from judging.datasets.models.added_file import AddedFile
from tests.judging.studies import QUESTIONS


def send(
    page: Client, content: str | bytes, name: str = "canals.csv", **details: str
) -> HttpResponse:
    data = content.encode() if isinstance(content, str) else content
    entered = {"name": "Canal towns", "language": "en", "files": [SimpleUploadedFile(name, data)]}
    return page.post(reverse("judging:dataset_new"), entered | details)


def sent(
    page: Client, content: str | bytes = QUESTIONS, name: str = "canals.csv", **details: str
) -> AddedFile:
    assert send(page, content, name, **details).status_code == 302
    return AddedFile.objects.latest("id")


def at(step: str, added: AddedFile) -> str:
    return reverse(f"judging:{step}", args=[added.dataset_id, added.number])


def form_of(answer: HttpResponse) -> dict[str, Any]:
    """Return what a browser would send of a page's form as it is shown."""
    shown = {bound.html_name: bound.value() for bound in answer.context["form"]}
    return {name: value for name, value in shown.items() if value not in (None, False)}


def use(form: dict[str, Any], header: str, column: str, **entered: str) -> dict[str, Any]:
    """Return a form with other values for one column."""
    place = header.split(",").index(column)
    return form | {f"{key}_{place}": value for key, value in entered.items()}


def mapped(page: Client, added: AddedFile, **entered: Any) -> HttpResponse:
    return page.post(at("file_mapping", added), form_of(page.get(at("file", added))) | entered)


def added_by(page: Client, added: AddedFile) -> HttpResponse:
    """Add the file, with everything accepted that the page asks about."""
    return mapped(page, added, add="yes", accepted="on", confirmed="on")
