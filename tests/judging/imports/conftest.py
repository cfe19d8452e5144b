"""Files are read by jobs: beside these tests' browser a worker does them at once. The client is
imported late: Django is set up after this is read."""

import pytest


@pytest.fixture
def client():
    from tests.working import WorkingClient

    return WorkingClient()
