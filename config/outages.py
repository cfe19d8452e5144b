"""The page shown while the database is away, others hold its locks, or disk or memory are full;
every other fault keeps its own page."""

import sys
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.urls import Resolver404, resolve
from django.views.defaults import server_error

from judging.base.actions import outages

RETRY_AFTER = 2  # seconds: a killed database is back by then
# How long a page waits for locks of others; the server has few threads, and each could be blocked
PATIENCE = "3s"
# repeating the request is harmless, because the page's token makes only the first one count
REPEATABLE = {"annotation:submit"}


def wait_briefly(connection: BaseDatabaseWrapper, **about: Any) -> None:
    """Have a new connection's statements fail if others hold their locks for long: a job may hold
    them for minutes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [PATIENCE])


def broken(request: HttpRequest) -> HttpResponse:
    """Answer a request that an error ended; Django calls this when it handles the error."""
    error = sys.exc_info()[1]
    if request.path_info.startswith("/api/"):
        return _broken_for_programs(request, error)
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
            # the browser repeats the request by itself, with or without scripts
            headers["Refresh"] = str(RETRY_AFTER)
        return HttpResponse(page, status=503, headers=headers)
    return server_error(request)


def _broken_for_programs(request: HttpRequest, error: BaseException | None) -> HttpResponse:
    """Return what `broken` says, as problem details."""
    from config.bodies import refusal_response  # its models are not ready when this module loads

    if error is not None and (lacking := outages.sentence(error)):
        return refusal_response(request, 507, "insufficient_storage", str(lacking))
    if isinstance(error, DatabaseError | InterfaceError) and (
        outages.is_cut_off(error) or outages.is_held_up(error)
    ):
        said = "The database is away or busy. Send the request again."
        answer = refusal_response(request, 503, "unavailable", said)
        answer.headers["Retry-After"] = str(RETRY_AFTER)
        return answer
    return refusal_response(request, 500, "server_error", "The server failed. Its log says why.")


def _what_was_sent(request: HttpRequest) -> dict[str, Any]:
    """Return what the page shows and sends again: an annotator's submitted task, and nothing
    else."""
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
