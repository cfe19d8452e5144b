"""Responses that a browser saves as a file."""

from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse


def attachment_response(content: str | bytes, media_type: str, name: str) -> HttpResponse:
    """Return a file to be saved under a name."""
    kind = f"{media_type}; charset=utf-8" if isinstance(content, str) else media_type
    return HttpResponse(content, headers=_file_headers(name, kind))


def attached_in_pieces(pieces: Iterator[str], media_type: str, name: str) -> StreamingHttpResponse:
    """Return a large file to be saved under a name, a piece at a time."""
    kind = f"{media_type}; charset=utf-8"
    return StreamingHttpResponse(pieces, headers=_file_headers(name, kind))


def _file_headers(name: str, kind: str) -> dict[str, str]:
    return {"Content-Type": kind, "Content-Disposition": f'attachment; filename="{name}"'}
