"""What tests of the client share."""

from contextlib import ExitStack

import pytest


@pytest.fixture
def in_process(db):
    """Keep the connection of the test open between requests, as Django's own test client does."""
    from django.core.signals import request_finished, request_started
    from django.db import close_old_connections

    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def live_client(live_server):
    """Make clients of a live server, and close their connections."""
    from tests.client.clients import client_of

    with ExitStack() as opened:
        yield lambda user: opened.enter_context(client_of(user, url=live_server.url))
