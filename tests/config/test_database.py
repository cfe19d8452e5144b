"""A connection knows when its server has left it, and asks only where there is a sign of that."""

import select

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

pytestmark = pytest.mark.django_db(transaction=True)


def asked() -> list[str]:
    with CaptureQueriesContext(connection) as seen:
        connection.health_check_enabled, connection.health_check_done = True, False
        with connection.cursor() as cursor:
            cursor.execute("SELECT 2")
    return [each["sql"] for each in seen.captured_queries]


def end() -> None:
    """End the connection from the server's side, as a restart of it does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    finally:
        other.close()
    assert select.select([connection.connection], [], [], 60)[0]  # the end has arrived, and stays


def test_silent_connection_is_believed() -> None:
    connection.ensure_connection()
    before = connection.connection
    assert connection.is_usable()
    asked()
    assert connection.connection is before


def test_connection_that_was_ended_is_made_anew_before_it_is_used() -> None:
    connection.ensure_connection()
    before = connection.connection
    end()
    assert not connection.is_usable()
    assert asked() == ["SELECT 2"]
    assert connection.connection is not before


def test_connection_that_failed_is_asked() -> None:
    connection.ensure_connection()
    end()
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT 3")
    assert connection.errors_occurred
    assert not connection.is_usable()
    connection.close()
