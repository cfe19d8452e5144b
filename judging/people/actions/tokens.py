"""API tokens, of which only a hash is stored: a reader of the database cannot use them.

A user may have several. A token ends when it expires or is revoked, and when its owner changes the
password or logs out everywhere.
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

from judging.base.refusals import InvalidInput, Refused
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import ApiToken, User

BYTES = 20
MAX_TOKEN_DAYS = 3_650
NOTED = timedelta(hours=1)  # precision of the stored last use
INVALID = "This API token is not valid: it expired, was revoked, or never existed."


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
    tokens = ApiToken.objects.valid(now=now).filter(user__is_active=True)
    key = tokens.select_related("user").filter(digest=hash_token(shown)).first()
    if key is None:
        raise AuthenticationFailed(INVALID)
    if key.used_at is None or key.used_at < now - NOTED:
        ApiToken.objects.filter(pk=key.pk).update(used_at=now)
    return key


class LoggedOut(Refused):
    """The user was logged out everywhere, or changed the password, since this session began."""

    code = "logged_out"
    sentence = "You were logged out everywhere. Log in again."


class BeyondToken(InvalidInput):
    """A token was asked to create one that may do more, or that is valid for longer."""

    code = "beyond_token"


def make_token(
    *,
    user: User,
    now: datetime,
    name: str = "",
    scope: str = ApiToken.Scope.READ,
    days: int | None = None,
    by: User | None = None,
) -> str:
    """Create a token and return its text, which cannot be shown again.

    It is valid for a number of days, or without `days` until it is revoked. `by` is None for
    commands.
    """
    text = secrets.token_hex(BYTES)
    with transaction.atomic():
        # logging out everywhere waits for this, or was seen here
        owner = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if owner.version != user.version:
            raise LoggedOut
        token = ApiToken.objects.create(
            user=owner,
            name=name,
            digest=hash_token(text),
            scope=scope,
            version=owner.version,
            made_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
        lifetime = f"for {days} days" if days else "without expiry"
        history.record_event(
            Event.Act.KEY_MADE, by=by, about=_event_name(token), after=f"{scope}, {lifetime}"
        )
    return text


def check_within(token: ApiToken, *, scope: str, days: int | None, now: datetime) -> None:
    """Raise BeyondToken if a token may not create one of this scope and lifetime.

    A token creates only tokens of its own scope or of reading, which end no later than itself.
    """
    if scope not in (token.scope, ApiToken.Scope.READ):
        raise BeyondToken(
            f"Your token creates tokens of its own scope, {token.scope}, or of read.", field="scope"
        )
    if token.expires_at and (not days or now + timedelta(days=days) > token.expires_at):
        last_day = token.expires_at.date().isoformat()
        raise BeyondToken(f"Your token is valid until {last_day}. Choose fewer days.", field="days")


def revoke_token(*, token: ApiToken, by: User) -> None:
    """Revoke a token."""
    with transaction.atomic():
        gone, _of = ApiToken.objects.filter(pk=token.pk).delete()
        if gone:
            history.record_event(Event.Act.KEY_REVOKED, by=by, about=_event_name(token))


def _event_name(token: ApiToken) -> str:
    return f"token {token.pk} of {history.account_name(token.user)}"
