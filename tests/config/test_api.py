"""The schema of the REST API, its documentation page, and requests that are done once."""

import io
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from drf_spectacular.drainage import GENERATOR_STATS

from judging.actions import idempotent_requests
from judging.models import Collection, IdempotentRequest
from tests import factories
from tests.judging.api.programs import API, program

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def schema() -> str:
    written = io.StringIO()
    GENERATOR_STATS.reset()
    call_command("spectacular", stdout=written)
    return written.getvalue()


def operations(schema: str) -> list[dict[str, Any]]:
    items = yaml.safe_load(schema)["paths"].values()
    return [item[method] for item in items for method in METHODS if method in item]


def test_schema_as_committed_is_not_stale(schema):
    assert schema == COMMITTED.read_text(), "manage.py spectacular --file docs/openapi.yaml"


def test_schema_is_generated_without_a_warning(schema):
    assert not GENERATOR_STATS._error_cache
    assert not GENERATOR_STATS._warn_cache


def test_schema_every_operation_has_a_summary_and_an_id_of_its_own(schema):
    found = operations(schema)
    assert [each["operationId"] for each in found if not each.get("summary")] == []
    ids = [each["operationId"] for each in found]
    assert len(set(ids)) == len(ids)
    assert [each for each in ids if each[-1].isdigit()] == []


@pytest.mark.django_db
def test_schema_and_documentation_are_served_under_a_policy():
    assert Client().get(f"{API}/schema/").status_code == 200
    page = Client().get(f"{API}/docs/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_idempotent_requests_are_deleted_after_a_day():
    program(factories.researcher()).post(
        f"{API}/datasets/", {"name": "Locks"}, HTTP_IDEMPOTENCY_KEY="a"
    )
    now = timezone.now()
    assert idempotent_requests.delete_old(now=now + timedelta(hours=23)) == 0
    assert idempotent_requests.delete_old(now=now + timedelta(hours=25)) == 1
    assert not IdempotentRequest.objects.exists()


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_same_idempotency_key_twice_at_once_creates_one_object():
    client, answers = program(factories.researcher()), []
    start = threading.Barrier(4)

    def create() -> None:
        start.wait()
        try:
            answers.append(
                client.post(f"{API}/datasets/", {"name": "Locks"}, HTTP_IDEMPOTENCY_KEY="a")
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.status_code for each in answers] == [201] * 4
    assert len({each.json()["id"] for each in answers}) == 1
    assert Collection.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["x" * 201, "a\x7fb"])
def test_idempotency_key_of_another_form_is_refused(key):
    client = program(factories.researcher())
    answer = client.post(f"{API}/datasets/", {"name": "Locks"}, HTTP_IDEMPOTENCY_KEY=key)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.django_db
@pytest.mark.parametrize("cursor", ["abc", "cD0lMDA=", "cD14", "cD0" + "5" * 60])
@pytest.mark.parametrize("path", ["datasets", "jobs"])
def test_cursor_that_was_never_given_out_is_404(path, cursor):
    client = program(factories.researcher())
    assert client.get(f"{API}/{path}/", {"cursor": cursor}).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["nowhere/", "campaigns/x/", "datasets/-1/"])
def test_address_that_does_not_exist_is_problem_details(path):
    answer = program(factories.researcher()).get(f"{API}/{path}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_jobs_pages_follow_the_time():
    owner = factories.researcher()
    client = program(owner)
    for name in ("a", "b", "c"):
        body = {"name": name, "rows": [{"question": "Why?"}]}
        client.post(f"{API}/datasets/", body)
    first = client.get(f"{API}/jobs/", {"limit": 2}).json()
    second = client.get(first["next"]).json()
    assert (len(first["results"]), len(second["results"])) == (2, 1)
    newest = first["results"][0]
    assert client.get(f"{API}/jobs/", {"dataset": newest["dataset"]}).json()["results"] == [newest]
    assert client.get(f"{API}/jobs/{newest['id']}/").json() == newest
    assert client.post(f"{API}/jobs/{newest['id']}/cancel/").json()["state"] == "cancelled"
    assert program(factories.researcher()).get(f"{API}/jobs/{newest['id']}/").status_code == 404
