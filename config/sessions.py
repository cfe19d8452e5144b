"""Sessions in the database, as Django stores them, with two refusals said correctly."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import DatabaseError

from judging.actions import outages


class SessionStore(db.SessionStore):
    """Django's sessions; a cookie that cannot be a key is not looked up, and a lost connection is
    not taken for a session that has ended."""

    def load(self) -> dict[str, Any]:
        if not (self.session_key or "").isalnum():  # PostgreSQL refuses a text with a NUL
            self._session_key = None
            return {}
        found: dict[str, Any] = super().load()
        return found

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
