"""The door for a web server that speaks WSGI."""

import os
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created
from django.urls import get_resolver

from config import outages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
site = get_wsgi_application()
connection_created.connect(outages.wait_briefly)


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Answer a request. A parameter of its content type that names an encoding of its own
    (RFC 2231), which no browser sends and Django reads before any middleware, is left out."""
    if "*" in environ.get("CONTENT_TYPE", ""):
        environ["CONTENT_TYPE"] = environ["CONTENT_TYPE"].partition(";")[0].replace("*", "")
    return site(environ, start_response)


_ = get_resolver().url_patterns  # views are imported now, so that no first request waits for them
