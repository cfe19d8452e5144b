"""What conftest.py gives to all tests, where it once failed one by the order of their files."""

import time

import pytest
from django.db import connection

from config.backups import others_connected


@pytest.mark.django_db
def test_a_process_of_tests_is_connected_to_its_database() -> None:
    connection.ensure_connection()  # the next test needs one from before the browser
    assert connection.is_usable()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_browser_leaves_no_connection_of_tests_before_it_open(browser: object) -> None:
    deadline = time.monotonic() + 20  # a page of the test before may be closing
    while others_connected() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert others_connected() == 0
