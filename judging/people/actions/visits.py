"""Active sessions: noting the browsers in which users are logged in, ending them, and deleting
expired ones."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, F, OuterRef

from judging.people.guards import CONFIRMED
from judging.people.models.user import User, Visit

EXACT = timedelta(minutes=1)  # precision of the stored last sign of life
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


class Idle(Exception):
    """A user has left a browser alone for too long."""


def note_visit(*, user: User, session: SessionBase, agent: str, now: datetime) -> None:
    """Note that a user is active in a browser, to the minute. Raise Idle if they left it alone for
    too long; annotators without a password are never idle."""
    seen, noted = session.get("seen"), session.get("noted")
    pause = now.timestamp() - seen if isinstance(seen, int) else None
    limit = timedelta(minutes=settings.IDLE_MINUTES)
    if pause is not None and pause > limit.total_seconds() and user.has_usable_password():
        raise Idle
    key = session.session_key or ""
    if noted == key and pause is not None and pause < EXACT.total_seconds():
        return
    session["seen"], session["noted"] = int(now.timestamp()), key
    if noted is None:  # a new session: the password was typed just now, unless a link began it
        session.setdefault(CONFIRMED, int(now.timestamp()))
    if noted and noted != key:  # a log-in gives the session another key
        Visit.objects.filter(session_key=noted).delete()
    visit = Visit(session_key=key, user=user, browser=browser(agent), began_at=now, seen_at=now)
    Visit.objects.bulk_create(
        [visit],
        update_conflicts=True,
        unique_fields=["session_key"],
        update_fields=["user", "seen_at"],
    )


def browser(agent: str) -> str:
    """Return a browser's and its system's names; nothing else of its user agent is stored."""
    found = (
        next((name for sign, name in known if sign in agent), "") for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(name for name in found if name)


def end_visit(*, visit: Visit) -> None:
    """Log one browser out."""
    with transaction.atomic():
        Session.objects.filter(pk=visit.session_key).delete()
        visit.delete()


def end_all(*, user: User) -> None:
    """End every session and API token of a user, whether it was noted or not; refresh `user`."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(version=F("version") + 1)
        own = Visit.objects.filter(user=user)
        Session.objects.filter(pk__in=own.values("session_key")).delete()
        own.delete()
    user.refresh_from_db(fields=["version"])


def clear_sessions(*, now: datetime) -> int:
    """Delete expired sessions, and what is stored about them; return how many."""
    with transaction.atomic():
        gone, _of = Session.objects.filter(expire_date__lt=now).delete()
        Visit.objects.exclude(Exists(Session.objects.filter(pk=OuterRef("session_key")))).delete()
    return gone
