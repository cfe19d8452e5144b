"""API tokens, of which only a hash is stored: a reader of the database cannot use them.

A token ends when it expires, and when its owner makes another, changes the password or logs out
everywhere.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from judging.base.refusals import Refused
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import ApiToken, User

BYTES = 20
DAYS = 90
NOTED = timedelta(hours=1)  # precision of the stored last use
INVALID = "This API token is not valid: it expired, was revoked or replaced, or never existed."


def hash_token(key: str) -> str:
    """Return the stored hash of a token. A token is random and long, so a fast hash is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


class ApiTokenAuthentication(BaseAuthentication):
    """Authentication by an API token; not in judging.api, which Django REST framework must load after
    this."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        key = sent_with(request)
        return (key.user, key) if key else None

    def authenticate_header(self, request: Request) -> str:
        return "Token"


def sent_with(request: Request | HttpRequest) -> ApiToken | None:
    """Return the API token sent with a request, None if there is none; raise AuthenticationFailed
    if it is not valid."""
    words = request.META.get("HTTP_AUTHORIZATION", "").split()
    if not words or words[0].lower() != "token":
        return None
    if len(words) != 2:
        raise AuthenticationFailed(INVALID)
    return _standing(words[1], timezone.now())


def _standing(shown: str, now: datetime) -> ApiToken:
    """Return the token that was sent, and note its use; raise AuthenticationFailed if it is not
    valid any more."""
    key = ApiToken.objects.select_related("user").filter(digest=hash_token(shown)).first()
    if (
        key is None
        or not key.user.is_active
        or key.expires_at <= now
        or key.version != key.user.version
    ):
        raise AuthenticationFailed(INVALID)
    if key.used_at is None or key.used_at < now - NOTED:
        ApiToken.objects.filter(pk=key.pk).update(used_at=now)
    return key


class LoggedOut(Refused):
    """The user was logged out everywhere, or changed the password, since this session began."""

    code = "logged_out"
    sentence = "You were logged out everywhere. Log in again."


def make_token(
    *, user: User, now: datetime, scope: str = ApiToken.Scope.READ, days: int = DAYS
) -> str:
    """Return a new token, which replaces the old one; it cannot be shown again."""
    key = secrets.token_hex(BYTES)
    with transaction.atomic():
        # the two requests of a double click run one after the other
        owner = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if owner.version != user.version:
            raise LoggedOut
        ApiToken.objects.filter(user=owner).delete()
        ApiToken.objects.create(
            user=owner,
            digest=hash_token(key),
            scope=scope,
            version=owner.version,
            made_at=now,
            expires_at=now + timedelta(days=days),
        )
        history.record_event(Event.Act.KEY_MADE, by=owner, after=f"{scope}, for {days} days")
    return key


def valid_token(user: User, *, now: datetime) -> ApiToken | None:
    """Return a user's token, if it is still valid."""
    return ApiToken.objects.filter(user=user, version=user.version, expires_at__gt=now).first()


def revoke_token(*, user: User) -> None:
    """Revoke a user's token."""
    with transaction.atomic():
        gone, _of = ApiToken.objects.filter(user=user).delete()
        if gone:
            history.record_event(Event.Act.KEY_REVOKED, by=user)
