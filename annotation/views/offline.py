"""The files that a browser keeps, so that a judging page opens even if no server is reached: the
service worker and its page. Neither contains anything of a task or of a person."""

import hashlib

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.http import require_GET

SHELL = (
    "css/fonts.css",
    "css/tokens.css",
    "css/components.css",
    "css/forms.css",
    "css/layout.css",
    "js/offline.js",
)


@require_GET
def offline(request: HttpRequest) -> HttpResponse:
    """Show that there is no connection, and that the entered answers are kept."""
    return render(request, "annotation/offline.html")


@require_GET
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the worker's script. It changes with the files it keeps, so that a browser fetches
    them again."""
    files = [static(name) for name in (*SHELL, "css/judging.css", "js/judging.js")]
    version = hashlib.sha256(" ".join(files).encode()).hexdigest()[:12]
    shown = {"files": files[: len(SHELL)], "static": settings.STATIC_URL, "version": version}
    response = render(
        request, "annotation/service_worker.txt", shown, content_type="text/javascript"
    )
    response.headers["Cache-Control"] = "no-cache"
    return response
