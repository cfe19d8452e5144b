"""What a page says while the database is away, others hold what it needs, or disk or memory are
full; every other fault keeps its page."""

import sys
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.urls import Resolver404, resolve
from django.views.defaults import server_error

from judging.actions import outages

RETRY_AFTER = 2  # seconds: a killed database is back by then
# How long a page waits for what others hold; the server has few threads, and any could be held up
PATIENCE = "3s"
# a second try is harmless there, for the page's token makes the first one count
REPEATABLE = {"annotation:submit"}


def wait_briefly(connection: BaseDatabaseWrapper, **about: Any) -> None:
    """Have a new connection's statements give up where others hold what they need for long: a job
    may hold it for minutes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [PATIENCE])


def broken(request: HttpRequest) -> HttpResponse:
    """Answer a request that an error ended; Django calls this while it handles the error."""
    error = sys.exc_info()[1]
    if error is not None and (lacking := outages.sentence(error)):
        about = {"of_memory": lacking == outages.OUT_OF_MEMORY}
        return HttpResponse(loader.get_template("507.html").render(about), status=507)
    if isinstance(error, DatabaseError | InterfaceError) and (
        outages.is_cut_off(error) or outages.is_held_up(error)
    ):
        held_up = outages.is_held_up(error)
        page = loader.get_template("503.html").render(
            {"held_up": held_up, **_what_was_sent(request)}
        )
        headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
        if request.method in ("GET", "HEAD"):
            # the browser asks again by itself, with or without scripts
            headers["Refresh"] = str(RETRY_AFTER)
        return HttpResponse(page, status=503, headers=headers)
    return server_error(request)


def _what_was_sent(request: HttpRequest) -> dict[str, Any]:
    """Return what the page says and sends again: an annotator's task as it was handed in, and
    nothing else."""
    try:
        where = resolve(request.path_info).view_name
    except Resolver404:
        where = ""
    if request.method == "POST" and where in REPEATABLE:
        return {
            "address": request.get_full_path(),
            "fields": [(k, v) for k, vs in request.POST.lists() for v in vs],
        }
    return {"was_sent": request.method not in ("GET", "HEAD")}
