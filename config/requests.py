"""An id for each request, which its answer and all its log lines carry, and one line about its
result."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FROM_PROXY = re.compile(r"[\w-]{8,64}")
current: ContextVar[str] = ContextVar("request_id", default="")
log = logging.getLogger("quaestor.requests")


class Requests:
    """Wraps all other middleware. The log line names the route and never the address, which may
    contain a personal link."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "") if settings.BEHIND_PROXY else ""
        # kept until the next request, because Django still logs after this
        current.set(given if FROM_PROXY.fullmatch(given) else uuid.uuid4().hex)
        began = time.monotonic()
        answer = self.answer(request)
        answer.headers["X-Request-ID"] = current.get()
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
