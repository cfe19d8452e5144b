"""Checks of a request's body before a byte of it is read: its size, by sender and address, and its
encoding."""

import codecs
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve
from django.views.defaults import page_not_found
from rest_framework.exceptions import AuthenticationFailed, ParseError
from rest_framework.parsers import JSONParser

from judging.base.limits import MAX_BODY_BYTES, MAX_VISITOR_BODY_BYTES
from judging.campaigns.guards import STAFF
from judging.people.actions import tokens
from judging.people.models.user import User

# A proxy asks here whether a request may contain a large file, before it stores one: nginx.conf
MAY_SEND_FILES = "/may-send-files/"
ASKED_METHOD = "X-Asked-Method"  # the proxy gives the method of the request here
API = "/api/"
PROBLEM = "application/problem+json"  # judging.api loads after the settings of requests
TAKE_FILES = {
    "api:file-list",
    "api:llm-judge-list",
    "api:published-study-reproduce",
    "judging:dataset_new",
    "judging:files_upload",
    "analysis:metrics_systems",
    "analysis:reproduce",
    "judging:llm_judge_add",
}


class Bodies:
    """Middleware after the log-in: only researchers may send large bodies, and only to addresses
    that take files. An API token counts as a log-in."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding and not _is_utf8(request):
            return refusal_response(request, 400, "not_utf8", "This site reads UTF-8.")
        if request.path_info == MAY_SEND_FILES:
            return HttpResponse(status=_status_of_sender(request))
        announced = request.META.get("CONTENT_LENGTH") or "0"
        length = int(announced) if announced.isdecimal() else 0
        if length <= MAX_VISITOR_BODY_BYTES:
            return self.answer(request)
        try:
            sender = _sender(request)
        except AuthenticationFailed as refused:
            return refusal_response(request, 401, "authentication_failed", str(refused.detail))
        if length <= _most_bytes(request, sender):
            return self.answer(request)
        is_page = not request.path_info.startswith(API)
        if is_page and not sender.is_authenticated and _takes_files(request):
            return redirect_to_login(request.get_full_path())  # logged out meanwhile
        return refusal_response(
            request, 413, "too_large", "This is larger than the site takes here."
        )


def refusal_response(request: HttpRequest, status: int, code: str, reason: str) -> HttpResponse:
    """Return why a request is not read; for programs as problem details."""
    if not request.path_info.startswith(API):
        return HttpResponse(reason, status=status, content_type="text/plain")
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": reason,
    }
    headers = {"WWW-Authenticate": "Token"} if status == 401 else {}
    return JsonResponse(body, status=status, content_type=PROBLEM, headers=headers)


def _is_utf8(request: HttpRequest) -> bool:
    """Return whether Django will read the form as UTF-8; it fails with a server error on others."""
    if codecs.lookup(str(request.encoding)).name != "utf-8":
        return False
    request.encoding = "utf-8"
    return True


def _sender(request: HttpRequest) -> User | AnonymousUser:
    """Return the user of the session, else of the API token."""
    token = None if request.user.is_authenticated else tokens.sent_with(request)
    return token.user if token else request.user


def _most_bytes(request: HttpRequest, sender: User | AnonymousUser) -> int:
    if not sender.is_authenticated:
        return MAX_VISITOR_BODY_BYTES
    if sender.can_create_campaigns and _takes_files(request):
        return int(settings.UPLOAD_LIMIT) + MAX_BODY_BYTES  # a file and the rest of the form
    return MAX_BODY_BYTES


def _status_of_sender(request: HttpRequest) -> int:
    """Return the status that tells a proxy to accept a file from a user, to have them log in, or to
    refuse. A request that only reads contains no file."""
    try:
        user = _sender(request)
    except AuthenticationFailed:
        return 401
    if not user.is_authenticated:
        return 401
    if request.headers.get(ASKED_METHOD) in ("GET", "HEAD"):
        return 204
    may_send = user.can_create_campaigns or user.memberships.filter(role__in=STAFF).exists()
    return 204 if may_send else 403


def _takes_files(request: HttpRequest) -> bool:
    try:
        return resolve(request.path_info).view_name in TAKE_FILES
    except Resolver404:
        return False


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer that an address does not exist; for programs as problem details."""
    if request.path_info.startswith(API):
        return refusal_response(request, 404, "not_found", "There is nothing at this address.")
    return page_not_found(request, exception)


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
