"""The outermost middleware: an id for each request, which its answer and all its log lines carry,
one line about its result, and the answers to probes.

No page uses the browser's devices: the Permissions-Policy header forbids them to every page and to
anything embedded in it.
"""

import logging
import re
import time
import uuid
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

from config.health import PROBES
from config.logs import current_request

UNUSED = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
POLICY = ", ".join(f"{feature}=()" for feature in UNUSED)
FROM_PROXY = re.compile(r"[\w-]{8,64}")
log = logging.getLogger("quaestor.requests")


class SameMethodRedirect(HttpResponsePermanentRedirect):
    """308: the client sends the same method and content to the other address."""

    status_code = HTTPStatus.PERMANENT_REDIRECT


class LastSlash(CommonMiddleware):
    """Redirects an address without its last slash, for requests of every method."""

    response_redirect_class = SameMethodRedirect


class Requests:
    """Wraps all other middleware. The log line names the route and never the address, which may
    contain a personal link."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "") if settings.BEHIND_PROXY else ""
        # kept until the next request, because Django still logs after this
        current_request.set(given if FROM_PROXY.fullmatch(given) else uuid.uuid4().hex)
        began = time.monotonic()
        answer = PROBES.get(request.path_info, self.answer)(request)
        answer.headers["X-Request-ID"] = current_request.get()
        answer.headers["Permissions-Policy"] = POLICY
        measured = {
            "method": request.method,
            "route": request.resolver_match.route if request.resolver_match else "-",
            "status": answer.status_code,
            "milliseconds": round((time.monotonic() - began) * 1000, 1),
        }
        log.info(
            "%(method)s %(route)s: %(status)s in %(milliseconds)s ms", measured, extra=measured
        )
        return answer
