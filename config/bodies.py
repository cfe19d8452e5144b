"""Refuses request bodies that are too large, too costly to take apart, or in other letters than
UTF-8, before a byte of them is read, and JSON that is nested too deeply."""

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

from config.limits import FORM, OF_STRANGERS, SMALL
from judging.guards import STAFF
from judging.models import User

ENVELOPE = 64 * 1024  # of a form around its file, and the most of a form in parts without one
# Where a proxy asks whether a request may bring a large file, before it keeps one: nginx.conf
MAY_SEND_FILES = "/may-send-files/"
TAKE_FILES = {
    "judging:import",
    "judging:collection_new",
    "judging:files_upload",
    "analysis:metrics_systems",
    "analysis:reproduce",
    "judging:machine_judge_add",
}


class Bodies:
    """Stands after the log-in: only who may import sends large bodies, and only where files are
    taken."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding and not _is_utf8(request):
            said = "This site reads UTF-8."
            return HttpResponse(said, status=400, content_type="text/plain")
        if request.path_info == MAY_SEND_FILES:
            return HttpResponse(status=_status_of_sender(request.user))
        length = _length(request)
        most = FORM if request.user.is_authenticated else OF_STRANGERS
        if (
            (length > SMALL and length > _allowed(request))
            or (length > ENVELOPE and _is_in_parts(request) and not _sends_files(request.user))
            or (length > most and _is_form(request))
        ):
            if not request.user.is_authenticated and _takes_files(request):
                return redirect_to_login(request.get_full_path())  # logged out meanwhile
            return HttpResponse(
                "This is larger than the site takes here.", status=413, content_type="text/plain"
            )
        return self.answer(request)


def _is_utf8(request: HttpRequest) -> bool:
    """Say whether a form and an address are read as UTF-8, under whichever name. Of a form in other
    letters Django makes a fault, and a fault of saying so."""
    if codecs.lookup(str(request.encoding)).name != "utf-8":
        return False
    request.encoding = "utf-8"
    return True


def _length(request: HttpRequest) -> int:
    said = request.META.get("CONTENT_LENGTH") or "0"
    return int(said) if said.isdecimal() else 0


def _is_in_parts(request: HttpRequest) -> bool:
    """Say whether Django would read the head of each part of a form, of which a few megabytes, made
    for it, cost many seconds; only forms with a file are sent so."""
    return request.content_type == "multipart/form-data"


def _is_form(request: HttpRequest) -> bool:
    return request.content_type == "application/x-www-form-urlencoded"


def _status_of_sender(user: User | AnonymousUser) -> int:
    """Return what tells a proxy to take a file from somebody, to have them log in, or to refuse."""
    if not user.is_authenticated:
        return 401
    return 204 if _sends_files(user) else 403


def _sends_files(user: User | AnonymousUser) -> bool:
    return user.is_authenticated and (
        user.can_create_campaigns or user.memberships.filter(role__in=STAFF).exists()
    )


def _allowed(request: HttpRequest) -> int:
    may = request.user.is_authenticated and request.user.can_create_campaigns
    return settings.UPLOAD_LIMIT + ENVELOPE if may and _takes_files(request) else SMALL


def _takes_files(request: HttpRequest) -> bool:
    try:
        return resolve(request.path_info).view_name in TAKE_FILES
    except Resolver404:
        return False


class ShallowJSONParser(JSONParser):
    """JSON whose nesting Python can follow and whose texts can be written again; any other is the
    sender's mistake, not the server's."""

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
