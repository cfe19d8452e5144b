"""Notes each browser in which somebody is logged in, logs idle researchers out, and keeps answers out of caches."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from judging.actions import visits


class Visits:
    """After the log-in is known; requests without a session cookie cost nothing."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            now, agent = timezone.now(), request.headers.get("User-Agent", "")
            if visits.is_idle(user=request.user, session=request.session, now=now):
                logout(request)
            else:
                visits.note(user=request.user, session=request.session, agent=agent, now=now)
        answer = self.answer(request)
        known = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if known and "Cache-Control" not in answer.headers:
            answer.headers["Cache-Control"] = "private, no-store"  # nothing private stays on a shared computer
        return answer
