"""Accounts, their sessions and API tokens."""

import hashlib
import secrets
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import F, Q
from django.utils.crypto import salted_hmac

from judging.base.limits import MAX_NAME_CHARACTERS

BY_LINK_PREFIX = "annotator-"  # of the user names of annotators who came by a link


def new_nonce() -> str:
    """Return a nonce to sign personal links with; a fresh one makes older links invalid."""
    return secrets.token_urlsafe(16)


class User(AbstractUser):
    """An account. Annotators who came by an invitation link have one without a password."""

    may_create_campaigns = models.BooleanField(default=False)
    link_nonce = models.CharField(max_length=32, default=new_nonce)
    version = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Sessions and tokens made under an earlier version are not valid.",
    )

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def can_create_campaigns(self) -> bool:
        """Whether the account may create datasets and campaigns: administrators always may."""
        return self.may_create_campaigns or self.is_superuser

    def _get_session_auth_hash(self, secret: str | bytes | None = None) -> str:
        """Return the hash that ties a session to the password, as in Django, and to the account's
        version."""
        own: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        if not self.version:
            return own
        return salted_hmac(
            "judging.user.version", f"{own}/{self.version}", secret=secret, algorithm="sha256"
        ).hexdigest()


class Visit(models.Model):
    """A browser in which a user is logged in: a session that the user can find and end."""

    session_key = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="visits"
    )
    browser = models.CharField(max_length=60, blank=True)
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-seen_at"]

    def __str__(self) -> str:
        return f"{self.user} with {self.browser}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self, *, now: datetime) -> "ApiTokenQuerySet":
        """Tokens that have not expired, of accounts not logged out everywhere since."""
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now), version=F("user__version")
        )


class ApiToken(models.Model):
    """An API token, of which only a hash is stored. Its scope narrows the roles of its user."""

    class Scope(models.TextChoices):
        READ = "read", "read"
        MANAGE = "manage", "read and manage"
        ANNOTATE = "annotate", "annotate"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=MAX_NAME_CHARACTERS, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=8, choices=Scope.choices, default=Scope.READ)
    version = models.PositiveIntegerField(
        help_text="The version of the account when the token was made."
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="The last use, to the hour.")

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name or f"token {self.pk}"


class LogInAttempts(models.Model):
    """How often passwords were tried for a name, by a keyed hash of the name, because users type
    passwords into the wrong field. Rows that count checks within a minute have
    "pace" in `visitor`, others nothing."""

    key = models.CharField(max_length=64, primary_key=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)
    visitor = models.CharField(max_length=64, blank=True, default="", db_default="")

    def __str__(self) -> str:
        return f"{self.attempts} attempts"


def token_digest(token: str) -> str:
    """Return the stored hash of the end of an invitation's link."""
    return hashlib.sha256(token.encode()).hexdigest()
