"""Middleware that chooses the language of a page: annotators' pages are in that of their reader,
all other pages are in English."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.urls import Resolver404, resolve
from django.utils import translation

TRANSLATED_APPS = ("annotation", "api")
# of an address that leads nowhere: its first part says for whom it was
ANNOTATORS_ADDRESSES = ("/work/", "/tasks/", "/join/", "/go/", "/crowd/")
# a part of the managers' editor of protocols
PANE = "annotation:protocol_pane"


class Language(LocaleMiddleware):
    """Django's middleware for annotators' pages and the API; English for managers' pages."""

    def process_request(self, request: HttpRequest) -> None:
        if follows_reader(request):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE
        request.is_language_fixed = True  # type: ignore[attr-defined]


def follows_reader(request: HttpRequest) -> bool:
    """Return whether the page of a request is in its reader's language.

    The page for the name and the password is, if it leads to an annotators' page.
    """
    path = request.path_info
    try:
        found = resolve(path)
        if found.view_name == "login":
            path = urlsplit(request.GET.get("next", "")).path
            found = resolve(path)
    except (Resolver404, ValueError):
        return path.startswith(ANNOTATORS_ADDRESSES)
    return found.app_name in TRANSLATED_APPS and found.view_name != PANE
