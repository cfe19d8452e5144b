"""The rate limit of the REST API: a number of requests within a minute, by user or by address."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from judging.base.actions.request_counts import count_request
from judging.base.addresses import hash_text
from judging.base.limits import MAX_REQUESTS_OF_USER, MAX_REQUESTS_OF_VISITOR

SECONDS = 60


class RateLimit(BaseThrottle):
    """Counts each request in the database, before it is processed."""

    def allow_request(self, request: Request, view: Any) -> bool:
        now = timezone.now()
        self.seconds_left = SECONDS - now.second
        if request.user.is_authenticated:
            limit, sender = MAX_REQUESTS_OF_USER, f"user {request.user.pk}"
        else:
            limit = MAX_REQUESTS_OF_VISITOR
            sender = hash_text(self.get_ident(request), purpose="judging.rate_limits", now=now)
        remaining = limit - count_request(sender=sender, now=now)
        request.rate_limit = (limit, max(remaining, 0), self.seconds_left)
        return remaining >= 0

    def wait(self) -> float:
        return self.seconds_left


def add_rate_limit(request: Request, response: Response) -> None:
    """Add the headers that say how many requests are left."""
    if rate_limit := getattr(request, "rate_limit", None):
        limit, remaining, seconds_left = rate_limit
        response.headers["RateLimit-Policy"] = f'"minute";q={limit};w={SECONDS}'
        response.headers["RateLimit"] = f'"minute";r={remaining};t={seconds_left}'
