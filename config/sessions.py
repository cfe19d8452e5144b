"""Django's sessions in the database, with correct answers to an invalid cookie and to a lost
connection."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import DatabaseError

from judging.base.actions import outages


class SessionStore(db.SessionStore):
    """Django's sessions, except that a cookie that cannot be a key is not looked up, and a lost
    connection is not mistaken for an ended session."""

    def load(self) -> dict[str, Any]:
        if not (self.session_key or "").isalnum():  # PostgreSQL refuses a text with a NUL
            self._session_key = None
            return {}
        found: dict[str, Any] = super().load()
        return found

    def save(self, must_create: bool = False) -> None:
        """Store the session. Without this, Django would take a database outage for an ended
        session, an error of the client (400)."""
        try:
            super().save(must_create)
        except UpdateError as ended:
            error = ended.__context__
            if isinstance(error, DatabaseError) and error.__cause__ and outages.is_cut_off(error):
                raise error from error.__cause__
            raise
