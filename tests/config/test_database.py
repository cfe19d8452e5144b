"""A connection knows when its server has left it, and asks only where there is a sign of that. A
network that is cut ends it in seconds."""

import asyncio
import select
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from bench.soak_network import Cable
from config.database.base import DatabaseWrapper
from config.postgres import PORT, Cluster
from config.processes import free_port
from config.settings import REACH

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


def test_connection_that_was_ended_is_made_anew_before_it_is_used() -> None:
    connection.ensure_connection()
    before = connection.connection
    end()
    assert not connection.is_usable()
    assert asked() == ["SELECT 2"]
    assert connection.connection is not before


@pytest.fixture
def cable(cluster: Cluster) -> Iterator[Cable]:
    """Return a way to the server by the loopback, which can be cut."""
    path = str(cluster.socket / f".s.PGSQL.{PORT}")
    made = Cable(free_port(18850), lambda: asyncio.open_unix_connection(path))
    yield made
    made.refuse()


def led_by(cable: Cable, **options: object) -> DatabaseWrapper:
    """Return a connection as settings make it for a server on another machine."""
    made = connection.copy()
    own = {"HOST": "127.0.0.1", "PORT": cable.port, "OPTIONS": REACH | options}
    made.settings_dict = connection.settings_dict | own
    return made


def one(line: DatabaseWrapper, statement: str) -> object:
    with line.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def test_network_that_refuses_ends_a_connection_and_another_is_made_once_it_is_mended(
    cable,
) -> None:
    with closing(led_by(cable)) as line:
        one(line, "SELECT 1")
        cable.refuse()
        for _ in range(2):
            with pytest.raises(OperationalError):
                one(line, "SELECT 1")
            line.close()
        cable.mend()
        assert one(line, "SELECT 2") == 2


def test_connection_to_a_server_that_is_silent_is_given_up_and_one_that_waited_goes_on(
    cable,
) -> None:
    with closing(led_by(cable)) as line, closing(led_by(cable, connect_timeout=2)) as late:
        one(line, "SELECT 1")
        cable.be_silent()
        with pytest.raises(OperationalError, match="timeout expired"):
            late.ensure_connection()
        cable.mend()
        assert one(line, "SELECT 2") == 2
