"""Whom a request comes from: the session and its account. Every page of an annotator waits for
both, and to put these two small statements together costs Django's ORM more than the database needs
to answer them."""

from functools import cache
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import DatabaseError

from judging.actions import outages
from judging.models.statements import rows

SESSION = (
    "SELECT session_data FROM django_session WHERE session_key = %(key)s AND expire_date > now()"
)
ACCOUNT = "SELECT {columns} FROM judging_user WHERE id = %(id)s"


class SessionStore(db.SessionStore):
    """Sessions in the database; reading one is different, what cannot be a key is not looked up,
    and a database that is away is said to be."""

    def load(self) -> dict[str, Any]:
        key = self.session_key or ""
        found = rows(SESSION, {"key": key}) if key.isalnum() else []
        if not found:
            self._session_key = None
            return {}
        return self.decode(found[0][0])

    def save(self, must_create: bool = False) -> None:
        """Store it. Django takes a database that is away for a session that was ended, which would
        be the sender's mistake (400)."""
        try:
            super().save(must_create)
        except UpdateError as ended:
            error = ended.__context__
            if isinstance(error, DatabaseError) and error.__cause__ and outages.is_cut_off(error):
                raise error from error.__cause__
            raise


class Backend(ModelBackend):
    """Accounts in the database; only looking up who has logged in is different."""

    def get_user(self, user_id: int) -> Any:
        names, statement = _account()
        found = rows(statement, {"id": user_id})
        user = get_user_model().from_db("default", names, found[0]) if found else None
        return user if user and self.user_can_authenticate(user) else None


@cache
def _account() -> tuple[list[str], str]:
    """Return an account's attributes, and the statement that finds them."""
    fields = get_user_model()._meta.concrete_fields
    return [field.attname for field in fields], ACCOUNT.format(
        columns=", ".join(str(field.column) for field in fields)
    )
