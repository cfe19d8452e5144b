"""Keys for programs, of which only a hash is kept: who reads the database cannot use them."""

import hashlib
import secrets

from django.db import transaction
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token

from judging.models import User

LENGTH = 40  # characters of the column; 160 bits of a random key's SHA-256


def digest(key: str) -> str:
    """Return what is kept of a key. A key is random and long, so a fast hash is enough."""
    return hashlib.sha256(key.encode()).hexdigest()[:LENGTH]


class KeyAuthentication(TokenAuthentication):
    """Lets a program in by its key; not in judging.api, which Django REST framework must load after this."""

    def authenticate_credentials(self, key: str) -> tuple[User, Token]:
        return super().authenticate_credentials(digest(key))


def make(*, user: User) -> str:
    """Return a new key, which replaces the old one; it cannot be shown again."""
    key = secrets.token_hex(LENGTH // 2)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # a double click makes one key after the other
        revoke(user=user)
        Token.objects.create(user=user, key=digest(key))
    return key


def revoke(*, user: User) -> None:
    """Make a user's key worthless."""
    Token.objects.filter(user=user).delete()
