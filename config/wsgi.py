"""The entry point for a WSGI server."""

import os
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created
from django.urls import get_resolver
from django.utils.http import parse_header_parameters

from config import outages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
site = get_wsgi_application()
connection_created.connect(outages.wait_briefly)


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Answer a request. Parameters of its content type that no browser sends, and that Django would
    fail on before any middleware, are removed: one with an encoding of its own (RFC 2231), and a
    charset that is no text encoding, such as zlib."""
    said = environ.get("CONTENT_TYPE", "")
    if "*" in said or not _is_text(said):
        environ["CONTENT_TYPE"] = said.partition(";")[0].replace("*", "")
    return site(environ, start_response)


def _is_text(content_type: str) -> bool:
    charset = parse_header_parameters(content_type)[1].get("charset", "utf-8")
    try:
        return bool("a".encode(charset).decode(charset))
    except (LookupError, ValueError):
        return False


_ = get_resolver().url_patterns  # views are imported now, so that no first request waits for them
