"""Figures as the response that a page shows."""

from django.http import HttpResponse

from judging.jobs import storage
from judging.jobs.models.file import StoredFile


def svg_response(file: StoredFile) -> HttpResponse:
    """Return a figure. Its styles are inline, which the site's policy would block."""
    response = HttpResponse(storage.content_of(file), content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
