"""Checks a request's body before a byte of it is read: its size, by who sends it where, and its
encoding."""

import codecs
import json
from collections.abc import Callable, Mapping
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from judging.guards import STAFF
from judging.limits import MAX_BODY_BYTES, MAX_VISITOR_BODY_BYTES
from judging.models import User

# A proxy asks here whether a request may bring a large file, before it stores one: nginx.conf
MAY_SEND_FILES = "/may-send-files/"
TAKE_FILES = {
    "judging:collection_new",
    "judging:files_upload",
    "analysis:metrics_systems",
    "analysis:reproduce",
    "judging:machine_judge_add",
}


class Bodies:
    """Middleware after the log-in: only a researcher sends large bodies, and only to pages that
    take files."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding and not _is_utf8(request):
            return HttpResponse("This site reads UTF-8.", status=400, content_type="text/plain")
        if request.path_info == MAY_SEND_FILES:
            return HttpResponse(status=_status_of_sender(request.user))
        if _length(request) <= _most_bytes(request):
            return self.answer(request)
        if not request.user.is_authenticated and _takes_files(request):
            return redirect_to_login(request.get_full_path())  # logged out meanwhile
        return HttpResponse(
            "This is larger than the site takes here.", status=413, content_type="text/plain"
        )


def _is_utf8(request: HttpRequest) -> bool:
    """Return whether Django will read the form as UTF-8; it fails with a server error on others."""
    if codecs.lookup(str(request.encoding)).name != "utf-8":
        return False
    request.encoding = "utf-8"
    return True


def _length(request: HttpRequest) -> int:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    return int(announced) if announced.isdecimal() else 0


def _most_bytes(request: HttpRequest) -> int:
    if not request.user.is_authenticated:
        return MAX_VISITOR_BODY_BYTES
    if request.user.can_create_campaigns and _takes_files(request):
        return int(settings.UPLOAD_LIMIT) + MAX_BODY_BYTES  # a file and the form around it
    return MAX_BODY_BYTES


def _status_of_sender(user: User | AnonymousUser) -> int:
    """Return what tells a proxy to take a file from a user, to have them log in, or to refuse."""
    if not user.is_authenticated:
        return 401
    may_send = user.can_create_campaigns or user.memberships.filter(role__in=STAFF).exists()
    return 204 if may_send else 403


def _takes_files(request: HttpRequest) -> bool:
    try:
        return resolve(request.path_info).view_name in TAKE_FILES
    except Resolver404:
        return False


class StrictJSONParser(JSONParser):
    """JSON that Python can nest and write again; anything else is the sender's mistake (400)."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
            json.dumps(found, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("This JSON is nested too deeply.") from None
        except UnicodeEncodeError:
            raise ParseError("This JSON holds half of a character.") from None
        return found
