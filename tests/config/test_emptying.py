"""Between two tests that commit, tables are emptied; what a closed page still asks for is waited for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth import get_user_model
from django.core.signals import request_finished, request_started
from django.db import connection, connections, transaction

from tests import conftest

pytestmark = [pytest.mark.threads, pytest.mark.django_db(transaction=True)]


@contextmanager
def request_that_adds(name: str) -> Iterator[threading.Event]:
    """Have another thread be at a request, in a transaction, until what is returned is set."""
    written, go_on = threading.Event(), threading.Event()

    def answer() -> None:
        request_started.send(sender=None)
        with transaction.atomic():
            get_user_model().objects.create_user(name)
            written.set()
            go_on.wait(60)
        connections.close_all()
        request_finished.send(sender=None)

    thread = threading.Thread(target=answer)
    thread.start()
    assert written.wait(60)
    yield go_on
    thread.join(60)


def test_a_request_that_is_not_over_is_waited_for_and_leaves_nothing() -> None:
    with request_that_adds("late") as go_on:
        threading.Timer(0.2, go_on.set).start()
        conftest._empty_tables(None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM judging_user")
        assert cursor.fetchone() == (0,)
