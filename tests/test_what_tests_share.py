"""What conftest.py gives to all tests, where it once failed one by the order of their files."""

import time

import pytest
from django.db import connection

OTHERS_SQL = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
  AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def others_connected() -> int:
    """Count the other sessions in this database."""
    with connection.cursor() as cursor:
        cursor.execute(OTHERS_SQL)
        return int(cursor.fetchone()[0])


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
