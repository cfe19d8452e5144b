"""Log-ins by password: after a few wrong ones for a name, each next attempt has to wait longer.

Attempts are counted in the database, so that any number of web servers count together: by name, and
those of one visitor by a keyed hash of where they come from. Browsers that logged in before are
counted separately, so that a stranger who guesses passwords cannot lock out an account's owner.

Checking a password, even a right one, takes a quarter of a second of a processor. So the number of
checks within a minute is limited too: for a name, for a visitor, and for each of three groups:
unknown browsers, researchers, and annotators, who may come by a link in any number and must not
keep researchers out. With two cores, pages wait at most some twenty seconds for all of them.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from judging.base.addresses import hash_text, network_of
from judging.base.limits import (
    MAX_LOGIN_ATTEMPTS_OF_ONE,
    MAX_LOGIN_ATTEMPTS_PER_MINUTE,
    MAX_LOGIN_PAUSE,
)
from judging.base.refusals import Refused
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import LogInAttempts, User

A_YEAR = 60 * 60 * 24 * 365
MARK = "was_here"  # the cookie of a browser that has logged in
FREE = 5
FIRST_PAUSE = timedelta(seconds=30)
DOUBLINGS = 10  # of the first pause; the longest is reached before
FORGOTTEN = timedelta(days=1)
MINUTE = timedelta(minutes=1)
PACE = "pace"  # marks the rows that count checks per minute, among those that count attempts


class Paused(Refused):
    """Too many passwords were tried for this name."""

    code = "too_many_attempts"
    status = 429

    def __init__(self, left: timedelta) -> None:
        super().__init__(f"Too many attempts; {left} left.")
        self.seconds = max(1, round(left.total_seconds()))
        self.minutes = -(-self.seconds // 60)


def make_browser_mark(*, name: str) -> str:
    """Return the cookie's value for a browser that logged in under this name, valid until the
    account has another password or is logged out everywhere."""
    version = User.objects.filter(username=name).values_list("version", flat=True).first()
    return salted_hmac("judging.log_ins.mark", f"{name}/{version}", algorithm="sha256").hexdigest()


def log_in_visitor(request: HttpRequest, *, now: datetime) -> str:
    """Return where an attempt comes from, as a hash; "" if that is unknown."""
    network = network_of(request)
    return hash_text(network, purpose="judging.log_ins.visitor", now=now) if network else ""


def count_attempt(
    *, name: str, mark_shown: str, now: datetime, visitor: str = "", account: str = ""
) -> None:
    """Count an attempt, before its password is checked; raise `Paused` instead while the name, the
    visitor or the group has to wait. `account`: the account's name, if `name` is not one."""
    known = constant_time_compare(mark_shown, make_browser_mark(name=name))
    with transaction.atomic():
        forget_old(now=now)
        row, _made = LogInAttempts.objects.select_for_update().get_or_create(
            key=_key(name, known=known), defaults={"last_at": now}
        )
        if (left := _until(row) - now) > timedelta():
            raise Paused(left)
        group = _group(account or name) if known else "unknown browsers"
        _keep_pace(f"name {name}, {known}", MAX_LOGIN_ATTEMPTS_OF_ONE, now=now)
        if visitor and not known:
            _keep_pace(f"visitor {visitor}", MAX_LOGIN_ATTEMPTS_OF_ONE, now=now)
        _keep_pace(f"all {group}", MAX_LOGIN_ATTEMPTS_PER_MINUTE, now=now)
        row.attempts, row.last_at = min(row.attempts + 1, FREE + DOUBLINGS), now
        row.save()


def count_first_password(*, now: datetime) -> None:
    """Count a first password that an annotator chooses, which costs as much to hash as to check;
    raise `Paused` if there were MAX_LOGIN_ATTEMPTS_PER_MINUTE within a minute."""
    with transaction.atomic():
        _keep_pace("first passwords", MAX_LOGIN_ATTEMPTS_PER_MINUTE, now=now)


def count_key(*, user: User, now: datetime) -> None:
    """Count an API token that a user makes, which the history keeps for ever; raise `Paused` if
    they made MAX_LOGIN_ATTEMPTS_OF_ONE within a minute."""
    with transaction.atomic():
        _keep_pace(f"keys of {user.pk}", MAX_LOGIN_ATTEMPTS_OF_ONE, now=now)


def _group(name: str) -> str:
    user = User.objects.filter(username=name).first()
    is_named = user and (user.can_create_campaigns or user.memberships.staff().exists())
    return "researchers" if is_named else "annotators"


def _keep_pace(whose: str, most: int, *, now: datetime) -> None:
    """Count a check; raise `Paused` if there were `most` within a minute."""
    rows = LogInAttempts.objects.select_for_update()
    key = salted_hmac(f"judging.log_ins.{PACE}", whose, algorithm="sha256").hexdigest()
    row, _made = rows.get_or_create(key=key, defaults={"last_at": now, "visitor": PACE})
    if row.last_at <= now - MINUTE:
        row.attempts, row.last_at = 0, now
    if row.attempts >= most:
        raise Paused(row.last_at + MINUTE - now)
    row.attempts += 1
    row.save()


def note_failed_log_in(*, name: str) -> None:
    """Note in the history that a password was wrong; the event does not contain an unknown name,
    because it may be a password."""
    user = User.objects.filter(username=name).first()
    history.record_event(
        Event.Act.LOG_IN_FAILED, about=history.account_name(user) if user else "unknown name"
    )


def reset_attempts(*, name: str) -> None:
    """Reset the attempts of a name, after a log-in or because an administrator asks for it."""
    LogInAttempts.objects.filter(key__in=_keys(name)).delete()


def forget_old(*, now: datetime) -> None:
    """Delete attempts, and where they came from, if the last is older than a day."""
    LogInAttempts.objects.filter(last_at__lt=now - FORGOTTEN).delete()


def note_log_in(answer: HttpResponse, *, name: str) -> HttpResponse:
    """Reset the attempts of a name after a log-in, and mark the browser by a cookie."""
    reset_attempts(name=name)
    answer.set_cookie(
        MARK,
        make_browser_mark(name=name),
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return answer


def paused(*, names: Collection[str], now: datetime) -> Mapping[str, datetime]:
    """Return which of these names have to wait, and until when."""
    names_of = {key: name for name in names for key in _keys(name)}
    rows = LogInAttempts.objects.filter(key__in=names_of).order_by("last_at")
    return {names_of[row.key]: _until(row) for row in rows if _until(row) > now}


def _until(row: LogInAttempts) -> datetime:
    return row.last_at + _pause(row.attempts)


def _pause(attempts: int) -> timedelta:
    if attempts < FREE:
        return timedelta()
    return min(FIRST_PAUSE * (1 << (attempts - FREE)), MAX_LOGIN_PAUSE)


def _keys(name: str) -> tuple[str, str]:
    return _key(name, known=False), _key(name, known=True)


def _key(name: str, *, known: bool) -> str:
    salt = "judging.log_ins.known" if known else "judging.log_ins.unknown"
    return salted_hmac(salt, name, algorithm="sha256").hexdigest()
