"""Accounts without a mail server: administrators make them, and one-time links to choose a password."""

from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from judging.actions import visits
from judging.models import User
from judging.models.people import new_nonce

RIGHTS = ("first_name", "last_name", "email", "may_create_campaigns", "is_superuser", "is_active")


class LastAdministrator(Exception):
    """Somebody must be able to let people in."""


def password_link_parts(*, user: User) -> dict[str, str]:
    """Return what the address of a page for choosing a password is made of; it works once and for a limited time."""
    return {"uidb64": urlsafe_base64_encode(force_bytes(user.pk)), "token": default_token_generator.make_token(user)}


def set_rights(*, user: User) -> None:
    """Save an account's changed rights; taking the log-in away makes its personal link worthless too.

    Administrators are locked first, so that two who demote each other wait, and one of them is refused.
    """
    with transaction.atomic():
        administrators = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
        left = [each.pk for each in administrators.select_for_update(no_key=True) if each.pk != user.pk]
        if not (user.is_superuser and user.is_active) and not left:
            raise LastAdministrator("This is the only administrator. Make another one first.")
        user.is_staff = user.is_superuser
        changed = [*RIGHTS, "is_staff"]
        if not user.is_active:
            user.link_nonce = new_nonce()
            changed.append("link_nonce")
            visits.end_all(user=user)
        user.save(update_fields=changed)
