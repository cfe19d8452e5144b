"""Accounts without a mail server: administrators make accounts and one-time links for choosing a
password."""

import re
from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from judging.base.refusals import InvalidInput, Refused
from judging.people.actions import history, visits
from judging.people.models.event import Event
from judging.people.models.user import User, new_nonce

NAMES = ("first_name", "last_name", "email")
POWERS = {
    "may_create_campaigns": "researcher",
    "is_superuser": "administrator",
    "is_active": "may log in",
}


NOBODY = "0"  # the maker of a link that a command makes


class LastAdministrator(Refused):
    """The change would leave no administrator who may log in."""

    code = "last_administrator"


class NoSuchAccount(InvalidInput):
    """No account that may log in has the user name."""

    code = "no_such_account"


def find_account(username: str, *, field: str = "username") -> User:
    """Return the account of a user name; raise NoSuchAccount if no active account has it."""
    found = User.objects.filter(username=username.strip(), is_active=True).first()
    if found is None:
        raise NoSuchAccount("There is no account of that name.", field=field)
    return found


class PasswordLinks(PasswordResetTokenGenerator):
    """Django's generator of tokens, which here also name the administrator who made the link.

    A link is also invalid once its account was closed or logged out everywhere, or once its maker
    is no longer an administrator, who could otherwise make links before leaving.
    """

    def __init__(self, maker: str = NOBODY) -> None:
        super().__init__()
        self.maker = maker

    def make_token(self, user: User) -> str:
        return f"{self.maker}.{super().make_token(user)}"

    def check_token(self, user: User | None, token: str | None) -> bool:
        maker, _dot, own = (token or "").partition(".")
        if not re.fullmatch(r"[0-9]{1,18}", maker):
            return False
        administrators = User.objects.filter(is_superuser=True, is_active=True)
        if maker != NOBODY and not administrators.filter(pk=int(maker)).exists():
            return False
        return super(PasswordLinks, PasswordLinks(maker)).check_token(user, own)

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        own = super()._make_hash_value(user, timestamp)
        return f"{own}/{user.version}/{self.maker}"


def password_link_parts(*, user: User, by: User | None = None) -> dict[str, str]:
    """Return the parts of the address of a page for choosing a password; it works once and for a
    limited time."""
    history.record_event(Event.Act.PASSWORD_LINK, by=by, about=history.account_name(user))
    return {
        "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
        "token": PasswordLinks(str(by.pk) if by else NOBODY).make_token(user),
    }


def register_administrator(*, user: User) -> None:
    """Note an administrator whom a command made, and let them create campaigns."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(may_create_campaigns=True)
        history.record_event(
            Event.Act.ACCOUNT_MADE, about=history.account_name(user), after="administrator"
        )


def set_rights(*, user: User, by: User | None = None) -> None:
    """Save an account's changed rights; removing the right to log in revokes its personal link too.

    Administrators are locked first: if two demote each other, one waits and is refused.
    """
    with transaction.atomic():
        administrators = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
        left = [
            each.pk for each in administrators.select_for_update(no_key=True) if each.pk != user.pk
        ]
        if not (user.is_superuser and user.is_active) and not left:
            raise LastAdministrator("This is the only administrator. Make another one first.")
        user.is_staff = user.is_superuser
        before, after = _powers(User.objects.get(pk=user.pk)), _powers(user)
        changed = [*NAMES, *POWERS, "is_staff"]
        if not user.is_active:
            user.link_nonce = new_nonce()
            changed.append("link_nonce")
            visits.end_all(user=user)
        user.save(update_fields=changed)
        if before != after:
            history.record_event(
                Event.Act.RIGHTS_CHANGED,
                by=by,
                about=history.account_name(user),
                before=before,
                after=after,
            )


def _powers(user: User) -> str:
    return ", ".join(word for field, word in POWERS.items() if getattr(user, field)) or "none"
