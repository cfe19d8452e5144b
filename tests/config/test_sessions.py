"""Sessions are Django's own, but for impossible keys and lost connections."""

from contextlib import closing
from datetime import timedelta

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.utils import timezone

from config.sessions import SessionStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def session() -> SessionStore:
    store = SessionStore()
    store["colour"] = "green"
    store.save()
    return store


def test_session_that_is_over_is_empty_and_its_key_is_not_used_again(session: SessionStore) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    again = SessionStore(session.session_key)
    assert dict(again.items()) == {}
    assert again.session_key is None


@pytest.mark.parametrize("key", [None, "", "unknown0session0key", "'; --", "nul\0nul\0nul"])
def test_session_of_an_unknown_key_is_empty(key: str | None) -> None:
    assert dict(SessionStore(key).items()) == {}


def test_session_that_was_ended_cannot_be_stored(session: SessionStore) -> None:
    Session.objects.all().delete()
    with pytest.raises(UpdateError):
        session.save()


@pytest.mark.django_db(transaction=True)
def test_database_that_goes_away_is_no_session_that_was_ended(session: SessionStore) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 60000)", [pid])
    with pytest.raises(OperationalError):
        session.save()
    connection.close()
