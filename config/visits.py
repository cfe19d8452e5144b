"""Middleware that notes each browser of a logged-in user, logs idle researchers out, and keeps
answers out of caches."""

from collections.abc import Callable
from typing import cast

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils import timezone

from judging.people.actions import two_factors, visits
from judging.people.models.user import User

WITHOUT_SECOND_FACTOR = {
    "judging:two_factor",
    "judging:confirm",  # which comes before the set-up
    "logout",
    "set_language",
}


class Visits:
    """Runs after authentication; requests without a session cookie cost nothing."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            try:
                visits.note_visit(
                    user=request.user,
                    session=request.session,
                    agent=request.headers.get("User-Agent", ""),
                    now=timezone.now(),
                )
            except visits.Idle:
                logout(request)
            except IntegrityError:  # the account was erased at this moment
                request.session.flush()
                request.user = AnonymousUser()
            else:
                if settings.SECOND_FACTOR and _lacks_two_factor(request):
                    return redirect("judging:two_factor")
        answer = self.answer(request)
        known = (
            settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        )
        if known and "Cache-Control" not in answer.headers:
            # No private page stays on a shared computer
            answer.headers["Cache-Control"] = "private, no-store"
        return answer


def _lacks_two_factor(request: HttpRequest) -> bool:
    """Return whether the user must set up a second factor before going on, and requests another
    page."""
    if not two_factors.is_required(cast(User, request.user)) or request.session.get(
        two_factors.SHOWN
    ):
        return False
    try:
        return resolve(request.path_info).view_name not in WITHOUT_SECOND_FACTOR
    except Resolver404:
        return True
