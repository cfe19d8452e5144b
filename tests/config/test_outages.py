"""Pages while the database is away or the disk is full: they say so, and wait it out with the
answers kept."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from judging.models import Assignment, Judgment
from tests.annotation import studies
from tests.annotation.views.tasks import send
from tests.flows.sessions import enter, press_keys

REFUSE = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON judging_draft EXECUTE FUNCTION full_disk();
"""


@contextmanager
def database_away() -> Iterator[None]:
    """End every connection, and let none be made while the block runs."""
    where = connection.settings_dict
    host = where["HOST"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    connection.close()
    where["HOST"] = "/nowhere"
    try:
        yield
    finally:
        where["HOST"] = host
        connection.close()


@pytest.fixture
def task(db) -> tuple[Client, Assignment]:
    client, enrollment = studies.annotator(studies.opened("qgbench"))
    client.raise_request_exception = False
    return client, studies.held(enrollment)


@pytest.mark.django_db(transaction=True)
def test_pages_come_again_by_themselves_while_the_database_is_away(task):
    client, held = task
    with database_away():
        shown = client.get(reverse("annotation:task", args=[held.pk]))
        sent = client.post(
            reverse("annotation:draft", args=[held.pk]), {"name": "q1.x", "value": 1, "sequence": 1}
        )
        gone = client.post(
            reverse("login"), {"username": "somebody", "password": "not to be shown"}
        )
    assert (shown.status_code, shown["Retry-After"], shown["Refresh"]) == (503, "2", "2")
    assert "this page goes on by itself" in shown.text
    assert (sent.status_code, sent["Retry-After"], "Refresh" in sent.headers) == (503, "2", False)
    assert (
        gone.status_code,
        "Go back in a moment" in gone.text,
        "not to be shown" in gone.text,
    ) == (503, True, False)
    assert client.get(reverse("annotation:task", args=[held.pk])).status_code == 200


@pytest.mark.django_db
def test_full_disk_is_said(task):
    client, held = task
    with connection.cursor() as cursor:
        cursor.execute(REFUSE)

    answer = send(client, held, "q1.grammaticality", 1, 1)

    assert answer.status_code == 507
    assert "The disk is full" in answer.text


def at_work(page):
    """Open the first of two tasks as an annotator."""
    campaign = studies.opened("qgbench", sources=2)
    _client, enrollment = studies.annotator(campaign)
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_task_handed_in_while_the_database_is_away_is_sent_again_by_the_page(page):
    at_work(page)
    page.wait_for_selector("#judging.scripted")
    press_keys(page, "333333")
    assert page.locator("[type=radio]:checked").count() == 6
    page.wait_for_selector("#saved[data-state=saved]")
    task = page.url
    with database_away():
        page.get_by_role("button", name="Submit").click()
        page.locator("#saved").get_by_text("Will be submitted").wait_for()
    page.wait_for_url(lambda url: "/tasks/" in url and "submit" not in url and url != task)
    assert Judgment.objects.count() == 6
