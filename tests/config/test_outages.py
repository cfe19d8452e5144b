"""Pages while the database is away or the disk is full: they say so, and wait it out with the
answers kept."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from config import outages
from config.data_folder import ROOT
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import send
from tests.flows.sessions import enter, press_keys
from tests.judging.programs import API, program

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


@contextmanager
def held(row: Model) -> Iterator[None]:
    """Have somebody else hold a row while the block runs, as a job may for minutes."""
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(f"SELECT 1 FROM {row._meta.db_table} WHERE id = {row.pk} FOR UPDATE")
        yield
        other.rollback()  # else its server lets the row go only when it finds the connection closed
    finally:
        other.close()


@pytest.mark.django_db(transaction=True)
def test_no_page_waits_long_for_what_a_job_holds(monkeypatch):
    monkeypatch.setattr(outages, "PATIENCE", "100ms")
    campaign = studies.opened("qgbench", consent="I agree.")
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    client, address = (
        Client(raise_request_exception=False),
        reverse("annotation:join", args=[link.token]),
    )
    outages.wait_briefly(connection=connection)
    try:
        read = client.get(address).context["form"]["read"].value()
        api = program(campaign.created_by)
        api.raise_request_exception = False
        with held(campaign):
            problem = api.post(f"{API}/campaigns/{campaign.uuid}/pause/")
            refused = client.post(address, {"agree": "on", "read": read})
        assert (refused.status_code, refused["Retry-After"]) == (503, "2")
        assert "Something else is being done with the same study" in refused.text
        assert "send it again" in refused.text
        assert (problem.status_code, problem["Retry-After"]) == (503, "2")
        assert problem.json()["code"] == "unavailable"
        assert campaign.enrollments.count() == 0
        assert client.post(address, {"agree": "on", "read": read}).status_code == 302
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


def test_the_web_servers_connections_wait_briefly(cluster):
    asks = (
        "import config.wsgi; from django.db import connection; cursor = connection.cursor(); "
        "cursor.execute('SHOW lock_timeout'); print(cursor.fetchone()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": cluster.url("postgres")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == outages.PATIENCE


@pytest.mark.django_db
def test_full_disk_is_said(task):
    client, held = task
    with connection.cursor() as cursor:
        cursor.execute(REFUSE)

    answer = send(client, held, "q1.grammaticality", 1, 1)

    assert answer.status_code == 507
    assert "The disk is full" in answer.text


@pytest.mark.django_db
def test_page_that_needs_too_much_memory_says_so(monkeypatch):
    def want_more(listed):
        raise MemoryError

    monkeypatch.setattr("judging.datasets.actions.dataset_counts.totals", want_more)
    client = factories.logged_in(factories.researcher())
    client.raise_request_exception = False

    answer = client.get(reverse("judging:datasets"))

    assert answer.status_code == 507
    assert "This page needs too much memory" in answer.text
    assert "The disk is full" not in answer.text


@pytest.mark.django_db
def test_other_faults_keep_their_page(task, monkeypatch):
    client, held = task
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE judging_draft RENAME TO elsewhere")

    answer = send(client, held, "q1.grammaticality", 1, 1)

    assert answer.status_code == 500
    assert "it was not you" in answer.text


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


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_page_without_its_scripts_is_kept_by_the_one_that_says_so_and_sent_again(page):
    page.route("**/js/judging/**", lambda route: route.abort())
    at_work(page)
    for criterion in page.locator("fieldset.criterion").all():
        criterion.get_by_role("radio").last.check()
    task = page.url
    with database_away():
        page.get_by_role("button", name="Submit").click()
        page.get_by_text("Your answers are kept").wait_for()
    page.wait_for_url(lambda url: "/tasks/" in url and "submit" not in url and url != task)
    assert Judgment.objects.count() == 6
